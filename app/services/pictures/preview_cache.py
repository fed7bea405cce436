"""The pictures of conversations, for showing: loaded when asked for, and kept within a budget."""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from app.core.errors import UserError
from app.core.files import write_atomic
from app.core.messages import ImagePart
from app.services.pictures.reader import as_image, fitted
from app.services.pictures.states import PREVIEW_HEIGHT, PREVIEW_WIDTH, KeptPicture
from app.services.runtime.worker_thread import Work, WorkerThread, told
from app.storage.attachments import AttachmentStore
from app.storage.file_errors import about_file

BUDGET = 48 << 20
"""Bytes of previews that are kept; the one that was used longest ago goes first."""


class PreviewCache(QObject):
    """GUI thread. Reads and decodes in the picture thread."""

    loaded = Signal(object)
    """KeptPicture: a preview that `preview` was asked for"""
    noticed = Signal(object)
    """A sentence."""

    def __init__(
        self, store: AttachmentStore, thread: WorkerThread, *, budget: int = BUDGET, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._thread = thread
        self._budget = budget
        self._kept: OrderedDict[str, KeptPicture] = OrderedDict()
        self._size = 0
        self._asked: dict[str, Work] = {}

    @property
    def size(self) -> int:
        """Bytes of all previews that are kept."""
        return self._size

    def preview(self, part: ImagePart) -> KeptPicture | None:
        """The picture made small; None while it is being loaded, and `loaded` tells when it is there."""
        if (kept := self._kept.get(part.content_hash)) is not None:
            self._kept.move_to_end(part.content_hash)
            return kept
        if part.content_hash not in self._asked:
            self._asked[part.content_hash] = self._thread.submit(
                partial(_preview, self._store, part), partial(self._hear, part)
            )
        return None

    def forget_waiting(self) -> None:
        """Another conversation is on screen: what was not loaded yet need not be."""
        for work in self._asked.values():
            self._thread.cancel(work)
        self._asked.clear()

    def open(self, part: ImagePart, then: Callable[[KeptPicture], None]) -> Work:
        """Load the whole picture, and call `then` with it in the GUI thread."""
        return self._thread.submit(partial(_whole, self._store, part), lambda result: then(self._as_kept(part, result)))

    def cancel(self, work: Work) -> None:
        self._thread.cancel(work)

    def original(self, part: ImagePart) -> bytes | None:
        """The file as it was added, read at once; None where it is gone. Raises UserError."""
        return part.data or self._store.get(part.content_hash)

    def save(self, part: ImagePart, path: Path) -> None:
        """Write the file as it was added to `path`; what is wrong comes by `noticed`."""
        self._thread.submit(partial(_save, self._store, part, path), self._hear_saved)

    def _hear(self, part: ImagePart, result: QImage | Exception) -> None:
        self._asked.pop(part.content_hash, None)
        kept = self._as_kept(part, result)
        self._keep(kept)
        self.loaded.emit(kept)

    def _hear_saved(self, result: Exception | None) -> None:
        if result is not None:
            self.noticed.emit(told(result, "The picture could not be saved. The log tells more."))

    def _as_kept(self, part: ImagePart, result: QImage | Exception) -> KeptPicture:
        if isinstance(result, QImage):
            return KeptPicture(part.content_hash, result)
        sentence = told(result, "The picture could not be shown. The log tells more.")
        return KeptPicture(part.content_hash, None, sentence)

    def _keep(self, kept: KeptPicture) -> None:
        self._kept[kept.content_hash] = kept
        self._size += _bytes(kept)
        while self._size > self._budget and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            self._size -= _bytes(gone)


def _bytes(kept: KeptPicture) -> int:
    return kept.image.sizeInBytes() if kept.image is not None else 0


def _whole(store: AttachmentStore, part: ImagePart) -> QImage:
    from app.engine.media.images import read_picture

    return as_image(read_picture(_original(store, part), part.name))


def _preview(store: AttachmentStore, part: ImagePart) -> QImage:
    return fitted(_whole(store, part), PREVIEW_WIDTH, PREVIEW_HEIGHT)


def _save(store: AttachmentStore, part: ImagePart, path: Path) -> None:
    data = _original(store, part)
    try:
        write_atomic(path, data)
    except OSError as error:
        raise about_file(path, error) from error


def _original(store: AttachmentStore, part: ImagePart) -> bytes:
    data = part.data or store.get(part.content_hash)
    if data is None:
        raise UserError("The picture is missing: its file is gone from Hearth's folder.")
    return data
