"""The header of a GGUF file: its metadata, and names and shapes of its tensors, with every length checked."""

import hashlib
import math
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

Value = str | int | float | bool | tuple[int | float | bool, ...]

_VERSIONS = (2, 3)
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_KEPT_ELEMENTS = 4096
_TOKENS = "tokenizer.ggml.tokens"
_RENAMED = 5
"""Tokens at the beginning that a draft's vocabulary may name otherwise (llama.cpp's common/speculative.cpp)."""
_WINDOW = 1 << 20
_LONGEST_HEADER = 1 << 28
_MOST_STRINGS = 1 << 22
"""Far beyond any vocabulary, and little enough that a damaged file ends in seconds."""
_MOST_ENTRIES = 1 << 17
"""Tensors, or values: ten times as many as the largest models have. A header of 256 MB that is nothing else would take
gigabytes to remember."""
_MAX_DIMS = 4
_ALIGNMENT = 32

BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36), 41: (128, 18), 42: (64, 18),
}  # fmt: skip
"""The element types that files have, by ggml's number: elements in a block, and its bytes."""


class HeaderError(Exception):
    """This is no GGUF file, or a damaged one."""


@dataclass(frozen=True, slots=True)
class TensorInfo:
    shape: tuple[int, ...]
    """ggml's order: the innermost dimension first."""
    type: int
    offset: int
    """Of its data, in bytes from the beginning of the data."""

    @property
    def n_bytes(self) -> int:
        """Of its data, without what aligns the next one's."""
        elements, size = BLOCKS[self.type]
        return math.prod(self.shape) // elements * size


@dataclass(frozen=True, slots=True)
class GgufHeader:
    metadata: dict[str, Value]
    """Arrays of strings, and long ones, are left out."""
    tensors: dict[str, TensorInfo]
    data: int
    """Where in the file the tensors' data begins."""
    lengths: dict[str, int] = field(default_factory=dict)
    """Of every value, those that are left out too; 1 for what is no array."""
    tokens: str = ""
    """A digest of the vocabulary's tokens but the first five, which families rename; empty where there are none."""

    def text(self, key: str) -> str:
        found = self.metadata.get(key)
        return found if isinstance(found, str) else ""

    def number(self, key: str) -> int:
        """An integer, 0 where there is none."""
        found = self.metadata.get(key)
        return found if isinstance(found, int) and not isinstance(found, bool) else 0


def read_header(path: Path) -> GgufHeader:
    """Read a header without the data behind it. Raises HeaderError, and OSError."""
    with path.open("rb") as file:
        return read_header_from(file, path.stat().st_size)


def read_header_from(file: BinaryIO, size: int) -> GgufHeader:
    """The same, of a file that has `size` bytes, wherever it lies: it is read from the beginning, and never backwards.

    Raises HeaderError, and what reading raises.
    """
    reader = _Reader(file, size)
    reader.begin()
    n_tensors, n_values = reader.entries(24), reader.entries(12)
    metadata: dict[str, Value] = {}
    lengths: dict[str, int] = {}
    tokens = ""
    for _ in range(n_values):
        key = reader.string()
        if not key or key in lengths:
            raise HeaderError(f"a second or empty key {key!r}")
        if key == _TOKENS:
            value, lengths[key], tokens = reader.hashed_value()
        else:
            value, lengths[key] = reader.value()
        if value is not None:
            metadata[key] = value
    alignment = metadata.get("general.alignment", _ALIGNMENT)
    if not isinstance(alignment, int) or alignment <= 0 or alignment & (alignment - 1):
        raise HeaderError(f"an alignment of {alignment}")
    tensors, end = reader.tensors(n_tensors, alignment)
    data = _padded(reader.tell(), alignment)
    if tensors and data + end > size:
        raise HeaderError("the data ends early")
    return GgufHeader(metadata, tensors, data, lengths, tokens)


def read_general(path: Path) -> dict[str, Value]:
    """What a file says of itself (`general.*`), which stands first by custom: no vocabulary is read for it.

    Raises HeaderError, and OSError.
    """
    with path.open("rb") as file:
        reader = _Reader(file, path.stat().st_size)
        reader.begin()
        _, n_values = reader.count(24), reader.count(12)
        found: dict[str, Value] = {}
        for _ in range(n_values):
            key = reader.string()
            if not key.startswith("general."):
                break
            if (value := reader.value()[0]) is not None:
                found[key] = value
        return found


class _Reader:
    """Reads through a window of its own: a vocabulary is 300,000 short strings, and a file object costs a microsecond
    for each call."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size
        self._window = b""
        self._at = 0
        """Of what comes next, in the window."""
        self._behind = 0
        """Of the window's end, in the file."""
        self._digest: hashlib.blake2b | None = None
        """Takes the strings that are passed over."""

    def begin(self) -> None:
        """Go past the mark and the version."""
        if self.take(4) != b"GGUF" or self.scalar("I") not in _VERSIONS:
            raise HeaderError("no GGUF file of a known version")

    def tell(self) -> int:
        return self._behind - len(self._window) + self._at

    def _more(self, n: int) -> None:
        """Let at least `n` bytes stand in the window from here on."""
        if self.tell() + n > min(self._size, _LONGEST_HEADER):
            raise HeaderError("the header ends early" if self.tell() + n > self._size else "the header has no end")
        self._window = self._window[self._at :] + self._file.read(max(_WINDOW, n))
        self._at = 0
        self._behind = self._file.tell()
        if len(self._window) < n:
            raise HeaderError("the header ends early")

    def take(self, n: int) -> bytes:
        if self._at + n > len(self._window):
            self._more(n)
        self._at += n
        return self._window[self._at - n : self._at]

    def skip(self, n: int) -> None:
        left = len(self._window) - self._at
        if n <= left:
            self._at += n
            return
        if self.tell() + n > self._size:
            raise HeaderError("the header ends early")
        self._file.seek(n - left, 1)
        self._window, self._at = b"", 0
        self._behind = self._file.tell()

    def scalar(self, code: str) -> int:
        return int(struct.unpack(f"<{code}", self.take(struct.calcsize(f"<{code}")))[0])

    def count(self, smallest: int) -> int:
        """A number of things that take at least `smallest` bytes each; more than fit is damage."""
        found = self.scalar("Q")
        if found > (self._size - self.tell()) // smallest:
            raise HeaderError(f"{found} entries can't be in this file")
        return found

    def entries(self, smallest: int) -> int:
        """The same, of what is all remembered."""
        found = self.count(smallest)
        if found > _MOST_ENTRIES:
            raise HeaderError(f"{found} entries")
        return found

    def string(self) -> str:
        return self.take(self.count(1)).decode("utf-8", "replace")

    def pass_strings(self, n: int) -> None:
        """Step over `n` strings without making any."""
        if n > _MOST_STRINGS:
            raise HeaderError(f"{n} strings")
        length = struct.Struct("<Q")
        window, at, end = self._window, self._at, len(self._window)
        start = at
        for _ in range(n):
            if at + 8 > end:
                self._take_in(window[start:at])
                self._at = at
                self._more(8)
                window, at, end = self._window, 0, len(self._window)
                start = 0
            at += 8 + length.unpack_from(window, at)[0]
            if at > end:
                self._at = end
                if self._digest is None:
                    self.skip(at - end)
                else:
                    self._take_in(window[start:end])
                    self._take_in(self.take(at - end))
                self._more(0)
                window, at, end = self._window, 0, len(self._window)
                start = 0
        self._take_in(window[start:at])
        self._at = at

    def _take_in(self, data: bytes) -> None:
        if self._digest is not None:
            self._digest.update(data)

    def value(self) -> tuple[Value | None, int]:
        """A value, None where it is not kept, and its length, which is 1 for what is no array."""
        kind = self.scalar("I")
        if kind == _STRING:
            return self.string(), 1
        if kind == _ARRAY:
            return self.array()
        return self._numbers(kind, 1)[0], 1

    def hashed_value(self) -> tuple[Value | None, int, str]:
        """The same, and a hash of its strings."""
        digest = self._digest = hashlib.blake2b(digest_size=12)
        value, length = self.value()
        self._digest = None
        return value, length, digest.hexdigest()

    def array(self) -> tuple[Value | None, int]:
        """An array where it is short and no text, and its length."""
        kind = self.scalar("I")
        if kind == _STRING:
            count = self.count(8)
            renamed, self._digest = self._digest, None
            first = min(count, _RENAMED) if renamed is not None else 0
            self.pass_strings(first)
            self._digest = renamed
            self.pass_strings(count - first)
            return None, count
        if kind not in _SCALARS:
            raise HeaderError(f"an array of type {kind}")
        width = struct.calcsize(_SCALARS[kind])
        count = self.count(width)
        if count > _KEPT_ELEMENTS:
            self.skip(count * width)
            return None, count
        return self._numbers(kind, count), count

    def _numbers(self, kind: int, count: int) -> tuple[int | float | bool, ...]:
        if kind not in _SCALARS:
            raise HeaderError(f"a value of type {kind}")
        code = f"<{count}{_SCALARS[kind]}"
        return struct.unpack(code, self.take(struct.calcsize(code)))

    def tensors(self, n: int, alignment: int) -> tuple[dict[str, TensorInfo], int]:
        """Every tensor, and the length of their data."""
        found: dict[str, TensorInfo] = {}
        end = 0
        for _ in range(n):
            name = self.string()
            n_dims = self.scalar("I")
            if n_dims > _MAX_DIMS or name in found:
                raise HeaderError(f"tensor {name!r} is there twice, or has {n_dims} dimensions")
            shape = tuple(self.scalar("Q") for _ in range(n_dims))
            info = TensorInfo(shape, self.scalar("I"), self.scalar("Q"))
            if info.offset != _padded(end, alignment):
                raise HeaderError(f"tensor {name!r} does not follow the one before")
            found[name] = info
            _check_type(name, info)
            end = info.offset + info.n_bytes
        return found, end


def _check_type(name: str, info: TensorInfo) -> None:
    if info.type not in BLOCKS:
        raise HeaderError(f"tensor {name!r} has elements of an unknown type {info.type}")
    if info.shape and info.shape[0] % BLOCKS[info.type][0]:
        raise HeaderError(f"tensor {name!r} has rows of {info.shape[0]} elements")


def _padded(n: int, alignment: int) -> int:
    return -(-n // alignment) * alignment
