"""The page on which a passage stands: as a picture where its file has pages to draw, and otherwise as text."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QImage

from app.core.messages import DocumentPart, PassagePart
from app.engine.documents.document_pages import chosen_of
from app.engine.documents.documents import MAX_PACKED_BYTES, DocumentError, is_pdf
from app.engine.documents.page_picture import Box, draw_page
from app.engine.documents.text_place import place_of
from app.services.documents.reading import read_document
from app.services.runtime.worker_thread import Work, WorkerThread, told
from app.storage.attachments import AttachmentStore
from app.storage.passages.passage_search import PassageSearch

_FAULT = "The page could not be shown because of a fault in Hearth. The log tells more."
_GONE = "The file is not there any more; this is what was read of it."


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page, or a text without pages; the passage is marked where it stands on it."""

    page: int
    """From 1; 0 for a text that has none."""
    n_pages: int = 0
    image: QImage | None = None
    marks: Sequence[Box] = ()
    """In pixels of the image."""
    text: str = ""
    """Where there is no image."""
    mark: tuple[int, int] = (0, 0)
    """Of the text: from which character to before which."""
    problem: str = ""
    """A sentence."""


class PageReader(QObject):
    """GUI thread. Files are read, and pages drawn, in a thread that waits for a child; the newest wish counts."""

    def __init__(
        self, path: Path, attachments: AttachmentStore, command: Sequence[str], parent: QObject | None = None
    ) -> None:
        """`path`: of the passages."""
        super().__init__(parent)
        self._path = path
        self._attachments = attachments
        self._command = tuple(command)
        self._thread = WorkerThread(self, name="pages")
        self._work: Work | None = None

    def close(self) -> None:
        self._thread.close()

    def show(self, part: PassagePart, page: int, then: Callable[[ShownPage], None]) -> None:
        """Page `page` of the document of a passage, which is marked if it stands on it."""
        if self._work is not None:
            self._thread.cancel(self._work)
        self._work = self._thread.submit(partial(self._read, part, page), partial(self._hear, page, then))

    def _hear(self, page: int, then: Callable[[ShownPage], None], result: ShownPage | Exception) -> None:
        self._work = None
        then(result if isinstance(result, ShownPage) else ShownPage(page, problem=told(result, _FAULT)))

    def _read(self, part: PassagePart, page: int) -> ShownPage:
        pages, path = self._known(part.content_hash)
        is_here = page == (part.page or 1)
        here: tuple[int, int] | str = (part.start, part.end) if part.end else part.text
        data = self._data(part.content_hash, path)
        problem = "" if data is not None or not part.content_hash else _GONE
        try:
            if data is not None and is_pdf(data):
                drawn = draw_page(data, part.name, page, here if is_here else (0, 0), command=self._command)
                return ShownPage(page, drawn.n_pages, QImage.fromData(drawn.png), drawn.marks)
            if data is not None and not pages:
                pages = read_document(data, _name_of(part), command=self._command)[0].pages
        except DocumentError as error:
            problem = error.sentence
        if not pages:
            return ShownPage(part.page or 0, text=part.text, mark=(0, len(part.text)), problem=problem)
        at = min(max(page, 1), len(pages))
        number, count = (at, len(pages)) if part.page else (0, 0)
        text = pages[at - 1]
        mark = (place_of(here, text) if isinstance(here, str) else here) if is_here else (0, 0)
        return ShownPage(number, count, text=text, mark=mark, problem=problem)

    def _known(self, content_hash: str) -> tuple[tuple[str, ...], str]:
        """What was read of a document, and where a file with the same bytes lay."""
        if not self._path.exists():
            return (), ""
        search = PassageSearch.open(self._path)
        try:
            return search.pages(content_hash), search.path_of(content_hash)
        finally:
            search.close()

    def _data(self, content_hash: str, path: str) -> bytes | None:
        data = self._attachments.get(content_hash)
        if data is None and path:
            try:
                file = Path(path)
                data = file.read_bytes() if file.stat().st_size <= MAX_PACKED_BYTES else None
            except OSError:
                data = None
        # A file that was changed since has other pages.
        return data if data is not None and hashlib.sha256(data).hexdigest() == content_hash else None


def _name_of(part: PassagePart) -> str:
    """Of the file, also where only some of its pages went to the model."""
    chosen = chosen_of(DocumentPart(part.content_hash, part.name, f"[Page {part.page}]"))
    return chosen[0] if chosen else part.name
