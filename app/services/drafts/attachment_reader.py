"""Reading what is attached, in a thread of its own, one after the other."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from app.core.messages import AudioPart, DocumentPart, MediaPart
from app.services.drafts.document_reader import OpenDocument, begin_file, begin_kept, go_on, page_picture
from app.services.drafts.offers import (
    AudioFile,
    DocumentFile,
    DocumentText,
    Offer,
    PictureBytes,
    PictureFile,
    PicturePixels,
)
from app.services.drafts.pending import ScannedDocument
from app.services.pictures.reader import SvgPainter, file_bytes, png_bytes, read_and_keep, thumbnail_of
from app.services.recordings import reader as recordings
from app.services.runtime.worker_thread import Work, WorkerThread
from app.storage.attachments import AttachmentStore


class AttachmentReader:
    """GUI thread. `close` must be called before the last reference goes."""

    def __init__(
        self, store: AttachmentStore, paint_svg: SvgPainter, hear: Callable[[int, object], None], parent: QObject
    ) -> None:
        """`hear` is told what came of each, by its number; of a document that was only begun that it is open, and it
        says whether to `go_on`.
        """
        self._store = store
        self._paint_svg = paint_svg
        self._hear = hear
        self._thread = WorkerThread(parent, name="attachments")
        self._works: dict[int, Work] = {}
        """What is being read, by its number."""
        self._open: dict[int, OpenDocument] = {}
        """Whose pages are being read."""
        self._pages: list[Work] = []

    def is_reading(self, number: int) -> bool:
        return number in self._works

    def begin(self, number: int, offer: Offer) -> None:
        match offer:
            case PictureFile(path):
                self._begin_picture(number, path.name, partial(file_bytes, path))
            case PictureBytes(data, name):
                self._begin_picture(number, name, lambda: data)
            case PicturePixels(image, name):
                self._begin_picture(number, name, partial(png_bytes, image))
            case AudioFile(path):
                self._read(number, partial(recordings.read_and_keep, self._store, path))
            case DocumentFile(path):
                self._read(number, partial(begin_file, self._store, path))
            case DocumentText():
                pass  # it is there

    def show(self, number: int, part: MediaPart) -> None:
        """What is seen of one that was read before: a thumbnail, or a waveform."""
        if isinstance(part, AudioPart):
            self._read(number, partial(recordings.waveform_of, self._store, part))
        else:
            self._read(number, partial(thumbnail_of, self._store, part))

    def begin_again(self, number: int, part: DocumentPart, name: str) -> None:
        """A document that is kept under this name."""
        self._read(number, partial(begin_kept, self._store, part.content_hash, name))

    def go_on(self, number: int, opened: OpenDocument) -> None:
        self._open[number] = opened
        self._read(number, partial(go_on, self._store, opened))

    def draw_page(self, scanned: ScannedDocument, index: int, then: Callable[[bytes | Exception], None]) -> None:
        act = partial(page_picture, scanned.data, scanned.name, index)
        self._pages.append(self._thread.submit(act, then))

    def stop(self, number: int) -> None:
        if (work := self._works.pop(number, None)) is not None:
            self._thread.cancel(work)
        if (opened := self._open.pop(number, None)) is not None:
            # Closed in the thread that uses it; a slice that is being read ends first.
            self._thread.submit(opened.close, lambda _: None)

    def close(self) -> None:
        """Stop everything, let what is being read end, and end the thread."""
        for work in (*self._works.values(), *self._pages):
            self._thread.cancel(work)
        self._works.clear()
        self._thread.close()
        for opened in self._open.values():
            opened.close()  # no slice is read any more, or none that ends
        self._open.clear()

    def _begin_picture(self, number: int, name: str, data: Callable[[], bytes]) -> None:
        store, paint_svg = self._store, self._paint_svg
        self._read(number, lambda: read_and_keep(store, paint_svg, data(), name))

    def _read(self, number: int, act: Callable[[], object]) -> None:
        self._works[number] = self._thread.submit(act, partial(self._heard, number))

    def _heard(self, number: int, result: object) -> None:
        self._works.pop(number, None)
        self._open.pop(number, None)
        self._hear(number, result)
