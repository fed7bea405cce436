"""The documents of messages that are still being written: read at once, off the GUI thread, and kept."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.core.messages import DocumentPart
from app.core.sentence import Sentence
from app.engine.documents.document_pages import chosen_of, pages_of, with_pages
from app.engine.documents.documents import file_label
from app.services.drafts.document_reader import (
    OpenPdf,
    ReadDocument,
    Step,
    begin,
    begin_file,
    begin_kept,
    go_on,
    page_picture,
)
from app.services.drafts.document_states import PendingDocument, ScannedDocument, UnknownFile
from app.services.engine.token_counts import TokenCounts
from app.services.runtime.worker_thread import Work, WorkerThread, told
from app.storage.attachments import AttachmentStore

MOST_DOCUMENTS = 32
"""In one message."""
MOST_PAGES = 16
"""That become pictures at one go."""


@dataclass(slots=True, eq=False)
class _Entry:
    document: PendingDocument
    work: Work | None = None
    """While it is being read."""
    pdf: OpenPdf | None = None
    """While its pages are being read."""


class DraftDocuments(QObject):
    """GUI thread. Widgets call its methods and show what `changed` carries. Each conversation has its own draft."""

    changed = Signal(object)
    """tuple[PendingDocument, ...]: those of the draft on screen, in order"""
    noticed = Signal(object)
    """A sentence: why a document was not taken"""
    scanned = Signal(object)
    """ScannedDocument: it was not taken; its pages may be"""
    page_drawn = Signal(bytes, str)
    """A page of a scanned document, as a PNG file with a name"""
    pages_found = Signal(int)
    """The number of a document: its pages can be chosen now."""
    is_picture = Signal(object)
    """UnknownFile: what was offered as a document is a picture"""

    def __init__(
        self, store: AttachmentStore, thread: WorkerThread, counts: TokenCounts, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._thread = thread
        self._counts = counts
        self._numbers = itertools.count(1)
        self._conversation: int | None = None
        self._drafts: dict[int | None, list[_Entry]] = {}
        self._pages: list[Work] = []
        counts.changed.connect(self._tell)

    @property
    def most_pages(self) -> int:
        """That become pictures at one go."""
        return MOST_PAGES

    @property
    def documents(self) -> tuple[PendingDocument, ...]:
        """Of the draft on screen, with their tokens as far as they are known."""
        return tuple(self._shown(entry.document) for entry in self._entries)

    @property
    def parts(self) -> tuple[DocumentPart, ...]:
        """Those of the draft on screen that are read."""
        return tuple(entry.document.part for entry in self._entries if entry.document.part is not None)

    def add_file(self, path: Path) -> None:
        self._add(path.name, partial(begin_file, self._store, path))

    def add(self, data: bytes, name: str) -> None:
        """A file's bytes."""
        self._add(name, partial(begin, self._store, data, name))

    def add_text(self, text: str, name: str) -> int:
        """A text that never was a file; its number, or 0 when there are too many already."""
        if not self._has_room():
            return 0
        size = len(text.encode("utf-8", "replace"))
        number = next(self._numbers)
        self._entries.append(_Entry(PendingDocument(number, name, size, DocumentPart("", name, text))))
        self._tell()
        return number

    def restore(self, parts: tuple[DocumentPart, ...]) -> None:
        """Put what was kept of a draft before what is there."""
        kept = [_Entry(self._restored(each)) for each in parts]
        self._entries[:0] = kept
        if kept:
            self._tell()

    def remove(self, number: int) -> None:
        """Take a document away, and stop reading it."""
        for entry in [each for each in self._entries if each.document.number == number]:
            self._stop(entry)
            self._entries.remove(entry)
            self._tell()

    def choose_pages(self, number: int, pages: tuple[int, ...]) -> None:
        """Take only these pages, counted from 1, of a document that has some; all of them make it whole again."""
        for entry in self._entries:
            whole = entry.document.whole or entry.document.part
            if entry.document.number == number and whole is not None:
                part = with_pages(whole, pages)
                chosen = (None, ()) if part is whole else (whole, pages)
                entry.document = replace(entry.document, name=part.name, part=part, whole=chosen[0], pages=chosen[1])
                self._tell()

    def find_pages(self, number: int) -> None:
        """Have all pages of a document at hand; `pages_found` follows, or `noticed`. Of those that were brought back
        the chosen ones are known alone, and the others are in the file.
        """
        for entry in [each for each in self._entries if each.document.number == number]:
            part, chosen = entry.document.part, chosen_of(entry.document.part) if entry.document.part else None
            if part is None or entry.work is not None:
                continue
            if entry.document.whole is not None or chosen is None:
                self.pages_found.emit(number)
                continue
            entry.document = replace(entry.document, progress=0.0)
            act = partial(begin_kept, self._store, part.content_hash, chosen[0])
            entry.work = self._thread.submit(act, partial(self._hear_whole, entry))
            self._tell()

    def show_conversation(self, conversation: int | None) -> None:
        """Put the draft away and bring out the other conversation's."""
        if conversation == self._conversation:
            return
        if not self._entries:
            self._drafts.pop(self._conversation, None)
        self._conversation = conversation
        self._tell()

    def take(self) -> tuple[DocumentPart, ...]:
        """The draft's documents, to be sent; those that are still being read stay in the draft."""
        parts = self.parts
        for entry in self._entries:
            if entry.document.part is not None:
                self._stop(entry)
        self._drafts[self._conversation] = [each for each in self._entries if each.document.part is None]
        if parts:
            self._tell()
        return parts

    def draw_pages(self, scanned: ScannedDocument, most: int = MOST_PAGES) -> None:
        """Make pictures of the first pages; `page_drawn` brings each."""
        for index in range(min(scanned.n_pages, most)):
            name = self.tr("{name}, page {number}").format(name=Path(scanned.name).stem, number=index + 1)
            act = partial(page_picture, scanned.data, scanned.name, index)
            self._pages.append(self._thread.submit(act, partial(self._hear_page, name)))

    def close(self) -> None:
        """Stop everything. The thread is its owner's to close."""
        for entry in itertools.chain(*self._drafts.values()):
            self._stop(entry)
        for work in self._pages:
            self._thread.cancel(work)
        self._drafts.clear()

    @property
    def _entries(self) -> list[_Entry]:
        return self._drafts.setdefault(self._conversation, [])

    def _has_room(self) -> bool:
        if len(self._entries) < MOST_DOCUMENTS:
            return True
        self.noticed.emit(Sentence("A message takes at most {count} files; send these first.", count=MOST_DOCUMENTS))
        return False

    def _add(self, name: str, act: Callable[[], Step]) -> None:
        if self._has_room():
            entry = _Entry(PendingDocument(next(self._numbers), name))
            entry.work = self._thread.submit(act, partial(self._hear, entry))
            self._entries.append(entry)
            self._tell()

    def _hear(self, entry: _Entry, result: Step | Exception) -> None:
        entry.work = entry.pdf = None
        match result:
            case OpenPdf():
                entry.pdf = result
                entry.document = replace(entry.document, size=len(result.data), progress=result.progress)
                entry.work = self._thread.submit(partial(go_on, self._store, result), partial(self._hear, entry))
            case ReadDocument(part, size, n_pages):
                entry.document = replace(entry.document, part=part, size=size, progress=None, n_pages=n_pages)
            case _:
                self._drop(entry)
                self._tell_refused(entry, result)
        self._tell()

    def _hear_whole(self, entry: _Entry, result: Step | Exception) -> None:
        entry.work = entry.pdf = None
        document = entry.document
        match result:
            case OpenPdf():
                entry.pdf = result
                entry.document = replace(document, progress=result.progress)
                entry.work = self._thread.submit(partial(go_on, self._store, result), partial(self._hear_whole, entry))
            case ReadDocument(part, size, n_pages):
                entry.document = replace(document, whole=part, size=size, progress=None, n_pages=n_pages)
                self.pages_found.emit(document.number)
            case _:
                entry.document = replace(document, progress=None)
                template = "The pages of {name} could not be read again. The log tells more."
                error = result if isinstance(result, Exception) else ValueError(type(result).__name__)
                self.noticed.emit(told(error, Sentence(template, name=file_label(document.name))))
        self._tell()

    def _tell_refused(self, entry: _Entry, result: ScannedDocument | UnknownFile | Exception) -> None:
        match result:
            case ScannedDocument():
                self.scanned.emit(result)
            case UnknownFile():
                self.is_picture.emit(result)
            case Exception():
                template = "{name} could not be read because of a fault in Hearth. The log tells more."
                self.noticed.emit(told(result, Sentence(template, name=file_label(entry.document.name))))

    def _hear_page(self, name: str, result: bytes | Exception) -> None:
        if isinstance(result, Exception):
            self.noticed.emit(told(result, "A page could not be drawn. The log tells more."))
        else:
            self.page_drawn.emit(result, f"{name}.png")

    def _drop(self, entry: _Entry) -> None:
        for draft in self._drafts.values():
            if entry in draft:
                draft.remove(entry)

    def _stop(self, entry: _Entry) -> None:
        if entry.work is not None:
            self._thread.cancel(entry.work)
            entry.work = None
        if entry.pdf is not None:
            # Closed in the thread that uses it; a slice that is being read ends first.
            self._thread.submit(entry.pdf.close, _nothing)
            entry.pdf = None

    def _restored(self, part: DocumentPart) -> PendingDocument:
        chosen = chosen_of(part)
        document = PendingDocument(next(self._numbers), part.name, _size(part), part)
        return replace(document, pages=chosen[1]) if chosen else replace(document, n_pages=len(pages_of(part)))

    def _shown(self, document: PendingDocument) -> PendingDocument:
        return document if document.part is None else replace(document, tokens=self._counts.of(document.part))

    @Slot()
    def _tell(self) -> None:
        self.changed.emit(self.documents)


def _size(part: DocumentPart) -> int:
    return len(part.text.encode("utf-8", "replace"))


def _nothing(result: object) -> None:
    pass
