"""Sets of characters as the bytes of their UTF-8."""

from collections.abc import Iterable, Iterator

ByteRange = tuple[int, int]

_SIZES = ((0, 0x7F), (0x80, 0x7FF), (0x800, 0xFFFF), (0x10000, 0x10FFFF))
"""The code points of one byte, of two, three and four."""


def byte_ranges(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[ByteRange, ...]]:
    """Ranges of one to four bytes that spell the code points in `ranges`, which don't overlap.

    Of two that are told the first bytes are the same range, or have none in common.
    """
    for low, high in ranges:
        for size, (first, last) in enumerate(_SIZES):
            yield from _same_size(max(low, first), min(high, last), size)


def _same_size(low: int, high: int, size: int) -> Iterator[tuple[ByteRange, ...]]:
    """`size`: continuation bytes."""
    if low > high:
        return
    for count in range(1, size + 1):
        rest = (1 << 6 * count) - 1
        if low & ~rest == high & ~rest:
            continue
        # Cut so that what follows a first byte is the same for all of a range.
        cut = (low | rest) + 1 if low & rest else high & ~rest if high & rest != rest else None
        if cut is not None:
            yield from _same_size(low, cut - 1, size)
            yield from _same_size(cut, high, size)
            return
    yield tuple(zip(_utf8(low), _utf8(high), strict=True))


def _utf8(code: int) -> bytes:
    return chr(code).encode("utf-8", "surrogatepass")
