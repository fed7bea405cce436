"""Model files damaged at random, in header and data, as disks, networks and editors damage them."""

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from app.core.gguf_header import read_header

Damage = Callable[[bytearray, int, random.Random], None]
"""Changes the file's bytes in place; told how long the header is."""


def _flip_in_header(data: bytearray, header: int, rng: random.Random) -> None:
    for _ in range(rng.randint(1, 8)):
        data[rng.randrange(header)] ^= 1 << rng.randrange(8)


def _flip_in_data(data: bytearray, header: int, rng: random.Random) -> None:
    for _ in range(rng.randint(1, 64)):
        data[rng.randrange(header, len(data))] = rng.randrange(256)


def _cut_off(data: bytearray, header: int, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def _cut_in_header(data: bytearray, header: int, rng: random.Random) -> None:
    del data[rng.randrange(header) :]


def _lose_middle(data: bytearray, header: int, rng: random.Random) -> None:
    start = rng.randrange(len(data))
    del data[start : start + rng.randint(1, 4096)]


def _insert(data: bytearray, header: int, rng: random.Random) -> None:
    data[(place := rng.randrange(header)) : place] = rng.randbytes(rng.randint(1, 64))


def _zero(data: bytearray, header: int, rng: random.Random) -> None:
    start = rng.randrange(header)
    end = min(len(data), start + rng.randint(1, 512))
    data[start:end] = bytes(end - start)


def _huge_number(data: bytearray, header: int, rng: random.Random) -> None:
    """As a length or a count that was not meant."""
    width = rng.choice((4, 8))
    start = rng.randrange(8, header - width)
    data[start : start + width] = rng.choice((b"\xff" * width, b"\x7f" * width, rng.randbytes(width)))


def _counts(data: bytearray, header: int, rng: random.Random) -> None:
    """How many tensors and values there are, or the version."""
    place, width = rng.choice(((4, 4), (8, 8), (16, 8)))
    data[place : place + width] = rng.randrange(1 << rng.choice((4, 16, 31))).to_bytes(width, "little")


def _noise(data: bytearray, header: int, rng: random.Random) -> None:
    start = rng.randrange(len(data))
    end = min(len(data), start + 2000)
    data[start:end] = rng.randbytes(end - start)


KINDS: Sequence[Damage] = (
    _flip_in_header, _flip_in_header, _flip_in_data, _cut_off, _cut_in_header, _lose_middle, _insert, _zero,
    _huge_number, _huge_number, _counts, _noise,
)  # fmt: skip


def damaged(originals: Sequence[Path], folder: Path, count: int, seed: int = 1) -> Iterator[Path]:
    """`count` files in `folder`, each a damaged copy of one of `originals`; the same ones for the same seed."""
    rng = random.Random(seed)
    kept = [(path.stem, path.read_bytes(), read_header(path).data) for path in originals]
    for number in range(count):
        name, data, header = kept[number % len(kept)]
        kind = KINDS[number // len(kept) % len(KINDS)]
        changed = bytearray(data)
        kind(changed, header, rng)
        path = folder / f"{number:04} {name}{kind.__name__}.gguf"
        path.write_bytes(changed)
        yield path
