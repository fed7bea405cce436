"""The header of a model that lies on the hub: read as far as it goes, and no further."""

import io
from collections.abc import Callable, Iterator

from app.core.errors import UserError
from app.core.fit_shape import FitShape, shape_of
from app.core.gguf_header import HeaderError, read_header_from
from app.library.hub import file_url
from app.library.hub_client import asked
from app.library.hub_layout import HubFile

_PIECE = 1 << 18
_LONGEST = 64 << 20
"""Bytes; beyond any vocabulary."""

Stop = Callable[[], bool]


class StoppedError(Exception):
    """Nobody wants to know any more."""


def read_shape(file: HubFile, token: str | None = None, stop: Stop = lambda: False) -> FitShape:
    """What decides how much memory a model of one file takes. It costs the length of the header: some MB with a large
    vocabulary. Blocks. Raises UserError with a sentence, and StoppedError soon after `stop` says so."""
    headers = {"Accept-Encoding": "identity", "Range": f"bytes=0-{min(file.size, _LONGEST) - 1}"}
    try:
        with asked(file_url(file), file.repo, token, **headers) as answer:
            header = read_header_from(_Stream(answer.iter_raw(_PIECE), stop), file.size)
    except (HeaderError, ArithmeticError, IndexError, ValueError) as error:
        raise UserError("{name} has a header that Hearth can't read.", name=file.path, detail=str(error)) from error
    try:
        return shape_of([header])
    except (ArithmeticError, IndexError, ValueError) as error:
        raise UserError("{name} has a header that contradicts itself.", name=file.path, detail=str(error)) from error


class _Stream(io.BytesIO):
    """What comes over the network as a file that is read from its beginning on, holding no more than a piece."""

    def __init__(self, pieces: Iterator[bytes], stop: Stop) -> None:
        super().__init__()
        self._pieces = pieces
        self._stop = stop
        self._held = b""
        self._place = 0

    def read(self, n: int | None = -1, /) -> bytes:
        assert n is not None
        assert n >= 0
        found = bytearray()
        while len(found) < n and (self._held or self._more()):
            taken = self._held[: n - len(found)]
            self._held = self._held[len(taken) :]
            found += taken
        self._place += len(found)
        return bytes(found)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Forwards, by reading what lies between."""
        assert whence == io.SEEK_CUR
        while offset > 0 and (taken := len(self.read(min(offset, _PIECE)))):
            offset -= taken
        return self._place

    def tell(self) -> int:
        return self._place

    def _more(self) -> bool:
        if self._stop():
            raise StoppedError
        self._held = next(self._pieces, b"")
        return bool(self._held)
