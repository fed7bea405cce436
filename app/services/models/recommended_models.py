"""The short list of good models, and a newer one from an address that the user names."""

from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, Signal

from app.core.errors import UserError
from app.library.hub_client import asked, body_of
from app.library.recommended import Suggestion, read_short_list, update_short_list
from app.services.runtime.detached_thread import DetachedThread
from app.services.runtime.worker_thread import told

_FAULT = "The list could not be fetched because of a fault in Hearth."
_LONGEST = 1 << 20
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}

Address = Callable[[], str]


class RecommendedModels(QObject):
    """GUI thread."""

    changed = Signal(object)
    """tuple[Suggestion, ...]"""
    failed = Signal(object)
    """A sentence; the list that was there stays."""

    def __init__(self, shipped: Path, own: Path, address: Address, parent: QObject | None = None) -> None:
        """`own` is where a newer list is kept; `address` says where one can be had, and may be empty."""
        super().__init__(parent)
        self._paths = (shipped, own)
        self._own = own
        self._address = address
        self._thread = DetachedThread(self, name="good models")
        self._list: tuple[Suggestion, ...] | None = None

    @property
    def suggestions(self) -> Sequence[Suggestion]:
        """Read when it is asked for first."""
        if self._list is None:
            self._list = read_short_list(self._paths)
        return self._list

    @property
    def can_update(self) -> bool:
        return bool(self._address())

    def update(self) -> None:
        """`changed` or `failed` follows."""
        address = self._address()
        self._thread.submit(lambda: update_short_list(self._own, _fetch(address)), self._take)

    def close(self) -> None:
        self._thread.close()

    def _take(self, result: object) -> None:
        if isinstance(result, Exception):
            self.failed.emit(told(result, _FAULT))
            return
        # The newest counts, which may still be the one that came with the program.
        self._list = read_short_list(self._paths)
        self.changed.emit(self._list)


def _is_safe(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)


def _fetch(address: str) -> bytes:
    """Raises UserError."""
    if not _is_safe(address):
        raise UserError("The address of the list of good models must begin with https://. Change it in the settings.")
    with asked(address, "the list of good models") as answer:
        if not _is_safe(str(answer.url)):
            raise UserError("The list of good models leads to an address without https://, so it is not read.")
        found = body_of(answer, _LONGEST)
    if len(found) > _LONGEST:
        raise UserError("What lies at the address of the list of good models is far too long for one.")
    return found
