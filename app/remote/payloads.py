"""A stream of bytes cut into what it carries: server-sent events, or lines of JSON."""

from collections.abc import Iterator

_LONGEST = 16 << 20
"""Bytes of one event: pictures do not come this way."""
_BOM = b"\xef\xbb\xbf"


class TooLongError(Exception):
    """A line that does not end."""


class LineSplitter:
    """Bytes to lines, by `\\n` alone: what JSON leaves unescaped, such as U+2028, is no end of a line."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._began = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Whole lines, without their ends. Raises TooLongError."""
        start = len(self._rest)
        self._rest += data
        while (end := self._rest.find(b"\n", start)) >= 0:
            line = bytes(self._rest[:end])
            del self._rest[: end + 1]
            start = 0
            yield self._line(line)
        if len(self._rest) > _LONGEST:
            raise TooLongError

    def rest(self) -> bytes:
        """What stands behind the last end of a line."""
        line = bytes(self._rest)
        self._rest.clear()
        return self._line(line)

    def _line(self, line: bytes) -> bytes:
        if not self._began:
            self._began = True
            line = line.removeprefix(_BOM)
        return line.removesuffix(b"\r")


class LinePayloads:
    """One JSON on each line, as Ollama streams."""

    def __init__(self) -> None:
        self._lines = LineSplitter()

    def feed(self, data: bytes) -> Iterator[bytes]:
        yield from filter(bytes.strip, self._lines.feed(data))

    def end(self) -> Iterator[bytes]:
        yield from filter(bytes.strip, [self._lines.rest()])


class EventPayloads:
    """The `data` of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html); names of
    events and comments say nothing here.
    """

    def __init__(self) -> None:
        self._lines = LineSplitter()
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Raises TooLongError."""
        for line in self._lines.feed(data):
            yield from self._read(line)

    def end(self) -> Iterator[bytes]:
        """What stands there where no empty line ended it, which some servers leave out at the end."""
        yield from self._read(self._lines.rest())
        yield from self._read(b"")

    def _read(self, line: bytes) -> Iterator[bytes]:
        if not line:
            if self._data:
                yield b"\n".join(self._data)
            self._data, self._size = [], 0
            return
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
            self._size += len(value)
            if self._size > _LONGEST:
                raise TooLongError
