"""Reads the rows out of a damaged SQLite file, page by page, without its tree.

SQLite finds a row by walking down from the root of its table, so that one bad page near the root hides thousands of
good rows. Here every page is looked at on its own, and those that hold rows give them: a bad page
costs the rows that lie on it and no others. Source of the formats: https://www.sqlite.org/fileformat2.html
"""

import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Self, TypeVar

Value = int | float | str | bytes | None

_MAGIC = b"SQLite format 3\0"
_DEFAULT_PAGE_SIZE = 4096
_TABLE_LEAF = 0x0D
_INDEX_LEAF, _INDEX_INTERIOR = 0x0A, 0x02
_LOG_MAGICS = (0x377F0682, 0x377F0683)
_LOG_HEADER = 32
_FRAME_HEADER = 24
_INT_SIZES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_Cell = TypeVar("_Cell")
_DAMAGE = (ValueError, IndexError, struct.error)


class PageFile:
    """A database's pages, with those that its write-ahead log holds newer. A context manager; raises OSError."""

    def __init__(self, main: BinaryIO, log: BinaryIO | None) -> None:
        self._main = main
        self._log = log
        header = main.read(100)
        self.user_version: int | None = None
        """None where the header is damaged."""
        self._page_size = _DEFAULT_PAGE_SIZE
        self._usable = _DEFAULT_PAGE_SIZE
        if header.startswith(_MAGIC) and len(header) == 100:
            self._read_header(header)
        self._newer = {} if log is None else _committed_frames(log, self._page_size)
        main_pages = -(-main.seek(0, 2) // self._page_size)
        self._n_pages = max(main_pages, *self._newer, 0)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Either file may be missing."""
        log_path = path.with_name(path.name + "-wal")
        with ExitStack() as files:
            main: BinaryIO = path.open("rb") if path.exists() else BytesIO()
            files.enter_context(main)
            log = files.enter_context(log_path.open("rb")) if log_path.exists() else None
            pages = cls(main, log)
            files.pop_all()
        return pages

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._main.close()
        if self._log is not None:
            self._log.close()

    def rows(self) -> Iterator[tuple[int, tuple[Value, ...]]]:
        """Every readable row of every table: its rowid and its columns. An INTEGER PRIMARY KEY's column is None."""
        for page, start, kind in self._whole_pages():
            if kind == _TABLE_LEAF:
                yield from self._cells(page, start, 8, self._row)

    def keyed_rows(self) -> Iterator[tuple[Value, ...]]:
        """Every readable row of tables without a rowid, the key's columns first; and what indexes hold, mixed in."""
        for page, start, kind in self._whole_pages():
            if kind == _INDEX_LEAF:
                yield from self._cells(page, start, 8, self._keyed_row)
            elif kind == _INDEX_INTERIOR:
                # Rows lie here too, each after the number of the page with those before it.
                yield from self._cells(page, start, 12, lambda page, position: self._keyed_row(page, position + 4))

    def _whole_pages(self) -> Iterator[tuple[bytes, int, int]]:
        """Each page with the place of its header and its kind."""
        for number in range(1, self._n_pages + 1):
            page = self._page(number)
            start = 100 if number == 1 else 0
            if len(page) == self._page_size:
                yield page, start, page[start]

    def _read_header(self, header: bytes) -> None:
        size = int.from_bytes(header[16:18], "big")
        size = 65536 if size == 1 else size
        reserved = header[20]
        if 512 <= size <= 65536 and size & (size - 1) == 0 and size - reserved >= 480:
            self._page_size = size
            self._usable = size - reserved
        self.user_version = int.from_bytes(header[60:64], "big", signed=True)

    def _page(self, number: int) -> bytes:
        if self._log is not None and number in self._newer:
            self._log.seek(self._newer[number])
            return self._log.read(self._page_size)
        self._main.seek((number - 1) * self._page_size)
        return self._main.read(self._page_size)

    def _cells(self, page: bytes, start: int, header: int, read: Callable[[bytes, int], _Cell]) -> Iterator[_Cell]:
        n_cells = int.from_bytes(page[start + 3 : start + 5], "big")
        for index in range(min(n_cells, self._usable // 2)):
            pointer = start + header + 2 * index
            position = int.from_bytes(page[pointer : pointer + 2], "big")
            try:
                if position >= header:
                    yield read(page, position)
            except _DAMAGE:
                continue

    def _row(self, page: bytes, position: int) -> tuple[int, tuple[Value, ...]]:
        size, position = _varint(page, position)
        rowid, position = _varint(page, position)
        return _signed(rowid), _record(self._payload(page, position, size, self._usable - 35))

    def _keyed_row(self, page: bytes, position: int) -> tuple[Value, ...]:
        size, position = _varint(page, position)
        return _record(self._payload(page, position, size, (self._usable - 12) * 64 // 255 - 23))

    def _payload(self, page: bytes, position: int, size: int, largest: int) -> bytes:
        local = self._local_size(size, largest)
        payload = bytearray(page[position : position + local])
        if local == size:
            return bytes(payload)
        following = int.from_bytes(page[position + local : position + local + 4], "big")
        # A chain longer than the file runs in a circle.
        for _ in range(self._n_pages):
            if len(payload) >= size:
                break
            if not 1 < following <= self._n_pages:
                raise ValueError("a chain of overflow pages breaks off")
            overflow = self._page(following)
            following = int.from_bytes(overflow[:4], "big")
            payload += overflow[4 : self._usable]
        return bytes(payload[:size])

    def _local_size(self, size: int, largest: int) -> int:
        """How much of a payload lies on the page itself; section 1.6 of the file format."""
        if size <= largest:
            return size
        smallest = (self._usable - 12) * 32 // 255 - 23
        wanted = smallest + (size - smallest) % (self._usable - 4)
        return wanted if wanted <= largest else smallest


def _committed_frames(log: BinaryIO, page_size: int) -> dict[int, int]:
    """Where in the log the newest committed copy of each page begins.

    Frames of this round carry the header's salts. Their checksums are left alone: a torn page counts as a bad one.
    """
    header = log.read(_LOG_HEADER)
    if len(header) < _LOG_HEADER or int.from_bytes(header[:4], "big") not in _LOG_MAGICS:
        return {}
    if int.from_bytes(header[8:12], "big") != page_size:
        return {}
    committed: dict[int, int] = {}
    pending: dict[int, int] = {}
    offset = _LOG_HEADER
    while len(frame := log.read(_FRAME_HEADER)) == _FRAME_HEADER and frame[8:16] == header[16:24]:
        number, pages_after_commit = struct.unpack(">II", frame[:8])
        pending[number] = offset + _FRAME_HEADER
        offset = log.seek(page_size, 1)
        if pages_after_commit:
            committed |= pending
            pending = {}
    return committed


def _record(payload: bytes) -> tuple[Value, ...]:
    header_size, position = _varint(payload, 0)
    if not position <= header_size <= len(payload):
        raise ValueError("a record's header is longer than the record")
    values: list[Value] = []
    body = header_size
    while position < header_size:
        kind, position = _varint(payload, position)
        value, size = _value(kind, payload, body)
        values.append(value)
        body += size
    return tuple(values)


def _value(kind: int, payload: bytes, start: int) -> tuple[Value, int]:
    if kind in (0, 8, 9):
        return {0: None, 8: 0, 9: 1}[kind], 0
    size = 8 if kind == 7 else _INT_SIZES[kind] if kind in _INT_SIZES else (kind - 12) // 2
    if size < 0 or start + size > len(payload):
        raise ValueError("a column reaches beyond the record")
    raw = payload[start : start + size]
    if kind == 7:
        number: float = struct.unpack(">d", raw)[0]
        return number, size
    if kind in _INT_SIZES:
        return int.from_bytes(raw, "big", signed=True), size
    return (raw.decode("utf-8", "replace") if kind % 2 else raw), size


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = 0
    for index in range(9):
        byte = data[position + index]
        if index == 8:
            return (value << 8) | byte, position + 9
        value = (value << 7) | (byte & 0x7F)
        if byte < 0x80:
            return value, position + index + 1
    raise AssertionError("a varint has at most nine bytes")


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
