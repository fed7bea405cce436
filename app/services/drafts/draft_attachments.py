"""What is attached to messages that are still being written: read at once, off the GUI thread, and kept."""

import itertools
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QImage

from app.core.messages import Attachment, AudioPart, DocumentPart, ImagePart, MediaPart
from app.core.sentence import Sentence
from app.engine.documents.document_pages import chosen_of, pages_of, told_pages, with_pages
from app.engine.documents.documents import file_label
from app.services.drafts.attachment_reader import AttachmentReader
from app.services.drafts.document_choice import DocumentChoice
from app.services.drafts.document_reader import OpenDocument, ReadDocument
from app.services.drafts.early_encoding import EarlyEncoding
from app.services.drafts.offers import (
    AudioFile,
    DocumentFile,
    DocumentText,
    Offer,
    PictureBytes,
    PictureFile,
    PicturePixels,
)
from app.services.drafts.pending import (
    PendingAttachment,
    PendingAudio,
    PendingDocument,
    PendingMedia,
    PendingPicture,
    ScannedDocument,
    parts_of,
)
from app.services.engine.service import EngineService
from app.services.engine.states import known_model
from app.services.engine.token_counts import TokenCounts
from app.services.pictures.reader import ReadPicture, SvgPainter
from app.services.recordings import reader as recordings
from app.services.runtime.settings_service import SettingsService
from app.services.runtime.worker_thread import told
from app.storage.attachments import AttachmentStore

MOST_PAGES = 16
"""That become pictures at one go."""
MOST_PICTURES, MOST_RECORDINGS, MOST_DOCUMENTS = 16, 8, 32
"""In one message."""
_MOST: dict[type[PendingAttachment], tuple[int, str]] = {
    PendingPicture: (MOST_PICTURES, "A message takes at most {count} pictures; send these first."),
    PendingAudio: (MOST_RECORDINGS, "A message takes at most {count} recordings; send these first."),
    PendingDocument: (MOST_DOCUMENTS, "A message takes at most {count} files; send these first."),
}
_DRAWN = 8
"""Drafts whose pictures stay in memory as thumbnails, of up to 100 KiB each."""
_UNREAD: dict[type[PendingMedia], MediaPart] = {PendingPicture: ImagePart(""), PendingAudio: AudioPart("")}
"""Stand for what is still being read."""
_FAILED = "Of {name}, pages that can't be read were left out: {numbers}."


class DraftAttachments(QObject):
    """GUI thread. Widgets call its methods and show what `changed` carries. Each conversation has its own draft.

    `close` must be called before the last reference goes.
    """

    changed = Signal(object)
    """tuple[PendingAttachment, ...]: those of the draft on screen, in order"""
    noticed = Signal(object)
    """A sentence: why something was not taken, or what was left out of it"""
    scanned = Signal(object)
    """ScannedDocument: it was not taken; its pages may be"""
    pages_found = Signal(int)
    """The number of a document: its pages can be chosen now."""

    def __init__(
        self,
        store: AttachmentStore,
        engine: EngineService,
        settings: SettingsService,
        counts: TokenCounts,
        paint_svg: SvgPainter,
        choice: DocumentChoice | None = None,
        parent: QObject | None = None,
    ) -> None:
        """Without a `choice` all documents go whole."""
        super().__init__(parent)
        self.choice = choice
        self._engine = engine
        self._counts = counts
        self._reader = AttachmentReader(store, paint_svg, self._hear, self)
        self._early = EarlyEncoding(engine, settings, self)
        self._numbers = itertools.count(1)
        self._conversation: int | None = None
        self._drafts: dict[int | None, dict[int, PendingAttachment]] = {}
        counts.changed.connect(self._tell)
        if choice is not None:
            choice.changed.connect(self._tell)
        self._early.changed.connect(self._tell)

    @property
    def pending(self) -> tuple[PendingAttachment, ...]:
        """Those of the draft on screen."""
        shown = tuple(map(self._shown, self._draft.values()))
        return self.choice.applied(shown) if self.choice is not None else shown

    @property
    def parts(self) -> tuple[Attachment, ...]:
        """Those of the draft on screen that are read."""
        return parts_of(self.pending)

    @property
    def obstacle(self) -> str:
        """Why the model that is loaded can't take the draft; empty when it can, or is not known yet."""
        return self._refusal(each.part or _UNREAD[type(each)] for each in self._media)

    @property
    def lacks_projector(self) -> bool:
        """Whether the obstacle is one that the right mmproj file would take away."""
        info = known_model(self._engine.state)
        refused = self._refusal(_UNREAD[type(each)] for each in self._media)
        return info is not None and info.ref.is_file and bool(refused)

    def add(self, offer: Offer) -> int:
        """Its number, or 0 where there are too many already."""
        pending = self._pending(offer)
        most, too_many = _MOST[type(pending)]
        if sum(isinstance(each, type(pending)) for each in self._draft.values()) >= most:
            self.noticed.emit(Sentence(too_many, count=most))
            return 0
        self._draft[pending.number] = pending
        self._reader.begin(pending.number, offer)
        self._tell()
        return pending.number

    def find(self, number: int) -> PendingAttachment | None:
        """None where it was sent or removed."""
        return self._draft_with(number).get(number)

    def document(self, number: int) -> PendingDocument | None:
        return found if isinstance(found := self.find(number), PendingDocument) else None

    def restore(self, parts: Iterable[Attachment]) -> None:
        """Put what was kept of a draft before what is there."""
        self.give_back([self._restored(part) for part in parts])

    def remove(self, number: int) -> None:
        """Take it away, and stop whatever is being done about it."""
        if self._draft_with(number).pop(number, None) is not None:
            self._reader.stop(number)
            self._early.cancel([number])
            self._tell()

    def show_conversation(self, conversation: int | None) -> None:
        """Put the draft away and bring out the other conversation's."""
        if conversation != self._conversation:
            self._early.cancel(self._draft)
            if not self._draft:
                del self._drafts[self._conversation]
            self._conversation = conversation
            self._drafts[conversation] = self._drafts.pop(conversation, {})  # the last one to be left
            self._keep_few_thumbnails()
            self._tell()

    @Slot(object)
    def forget(self, conversations: frozenset[int]) -> None:
        """These were removed for good."""
        for number in conversations - {self._conversation}:
            for attached in self._drafts.pop(number, {}):
                self._reader.stop(attached)

    def take(self) -> tuple[PendingAttachment, ...]:
        """What is to be sent of the draft; what is still being read stays in it."""
        taken = [each for each in self.pending if each.part is not None]
        for each in taken:
            del self._draft[each.number]
        if taken:
            self._tell()
        return tuple(map(self._released, taken))

    def give_back(self, taken: Iterable[PendingAttachment]) -> None:
        """Nobody took these: they are in the draft again."""
        if those := {each.number: each for each in taken}:
            self._drafts[self._conversation] = {**those, **self._draft}
            self._tell()

    def cancel_sent(self) -> None:
        """Stop encoding what was sent, when its answer is stopped."""
        self._early.cancel([number for number in self._early.running if self.find(number) is None])

    def choose_pages(self, number: int, pages: tuple[int, ...]) -> None:
        """Take only these pages, counted from 1, of a document that has some; all of them make it whole again."""
        document = self.document(number)
        whole = (document.whole or document.part) if document is not None else None
        if document is not None and whole is not None:
            part = with_pages(whole, pages)
            chosen = (None, ()) if part is whole else (whole, pages)
            self._change(replace(document, name=part.name, part=part, whole=chosen[0], pages=chosen[1]))
            self._tell()

    def find_pages(self, number: int) -> None:
        """Have all pages of a document at hand; `pages_found` follows, or `noticed`. Of those that were brought back
        the chosen ones are known alone, and the others are in the file.
        """
        document = self.document(number)
        if document is None or document.part is None or self._reader.is_reading(number):
            return
        chosen = chosen_of(document.part)
        if document.whole is not None or chosen is None:
            self.pages_found.emit(number)
            return
        self._change(replace(document, progress=0.0))
        self._reader.begin_again(number, document.part, chosen[0])
        self._tell()

    def draw_pages(self, scanned: ScannedDocument) -> None:
        """Add the first pages as pictures, one after the other."""
        for index in range(min(scanned.n_pages, MOST_PAGES)):
            name = self.tr("{name}, page {number}").format(name=Path(scanned.name).stem, number=index + 1)
            self._reader.draw_page(scanned, index, partial(self._hear_page, name))

    def close(self) -> None:
        """Stop everything, let what is being read end, and end the thread."""
        self._early.cancel(self._early.running)
        self._drafts.clear()
        self._reader.close()

    def _keep_few_thumbnails(self) -> None:
        """Those of drafts that were left long ago are drawn again when they are seen again."""
        for draft in list(self._drafts.values())[:-_DRAWN]:
            draft |= {n: replace(each, thumbnail=None) for n, each in draft.items() if isinstance(each, PendingPicture)}
        for number, each in self._draft.items():
            gone = isinstance(each, PendingPicture) and each.thumbnail is None and not self._reader.is_reading(number)
            if gone and isinstance(each.part, ImagePart):
                self._reader.show(number, each.part)

    @property
    def _media(self) -> list[PendingMedia]:
        return [each for each in self._draft.values() if isinstance(each, PendingMedia)]

    def _refusal(self, parts: Iterable[MediaPart]) -> str:
        info = known_model(self._engine.state)
        return info.refusal(parts) if info is not None else ""

    @property
    def _draft(self) -> dict[int, PendingAttachment]:
        return self._drafts.setdefault(self._conversation, {})

    def _draft_with(self, number: int) -> dict[int, PendingAttachment]:
        return next((draft for draft in self._drafts.values() if number in draft), {})

    def _pending(self, offer: Offer) -> PendingMedia | PendingDocument:
        match offer:
            case DocumentText(text, name):
                return self._whole(DocumentPart("", name, text))
            case DocumentFile(path):
                return PendingDocument(next(self._numbers), path.name)
            case AudioFile(path):
                return PendingAudio(next(self._numbers), path.name)
            case PictureFile(path):
                return PendingPicture(next(self._numbers), path.name)
            case PictureBytes(name=name) | PicturePixels(name=name):
                return PendingPicture(next(self._numbers), name)

    def _restored(self, part: Attachment) -> PendingAttachment:
        if isinstance(part, DocumentPart):
            return self._whole(part)
        number, name = next(self._numbers), part.name
        made = PendingAudio(number, name, part) if isinstance(part, AudioPart) else PendingPicture(number, name, part)
        self._reader.show(number, part)
        return made

    def _whole(self, part: DocumentPart) -> PendingDocument:
        """As far as its text tells."""
        size, chosen = len(part.text.encode("utf-8", "replace")), chosen_of(part)
        document = PendingDocument(next(self._numbers), part.name, part, size)
        return replace(document, pages=chosen[1]) if chosen else replace(document, n_pages=len(pages_of(part)))

    def _hear(self, number: int, result: object) -> None:
        match self.find(number):
            case PendingPicture() as picture:
                self._hear_picture(picture, result)
            case PendingAudio() as audio:
                self._hear_audio(audio, result)
            case PendingDocument(part=None) as document:
                self._hear_document(document, result)
            case PendingDocument() as document:
                self._hear_whole(document, result)
        self._tell()

    def _hear_picture(self, picture: PendingPicture, result: object) -> None:
        match result:
            case ReadPicture(part, thumbnail, note):
                self._change(replace(picture, name=part.name, part=part, thumbnail=thumbnail, note=note))
                if note:
                    self.noticed.emit(note)
            case QImage():
                self._change(replace(picture, thumbnail=result))
            case Exception():
                self._refuse(picture, result)

    def _hear_audio(self, audio: PendingAudio, result: object) -> None:
        match result:
            case recordings.ReadRecording(part, waveform):
                self._change(replace(audio, part=part, waveform=waveform))
            case tuple():
                self._change(replace(audio, waveform=result))
            case Exception():
                self._refuse(audio, result)

    def _hear_document(self, document: PendingDocument, result: object) -> None:
        match result:
            case OpenDocument():
                self._go_on(document, result)
            case ReadDocument(part, size, n_pages, failed):
                self._change(replace(document, part=part, size=size, progress=None, n_pages=n_pages))
                if failed:
                    numbers = told_pages(failed)
                    self.noticed.emit(Sentence(_FAILED, name=file_label(part.name), numbers=numbers))
            case ScannedDocument():
                self._drop(document)
                self.scanned.emit(result)
            case PictureFile() | AudioFile():
                self._drop(document)
                self.add(result)
            case Exception():
                self._refuse(document, result)

    def _hear_whole(self, document: PendingDocument, result: object) -> None:
        """Of one that was brought back."""
        match result:
            case OpenDocument():
                self._go_on(document, result)
            case ReadDocument(part, size, n_pages):
                self._change(replace(document, whole=part, size=size, progress=None, n_pages=n_pages))
                self.pages_found.emit(document.number)
            case _:
                self._change(replace(document, progress=None))
                bug = "The pages of {name} could not be read again. The log tells more."
                error = result if isinstance(result, Exception) else ValueError(type(result).__name__)
                self.noticed.emit(told(error, Sentence(bug, name=file_label(document.name))))

    def _go_on(self, document: PendingDocument, opened: OpenDocument) -> None:
        self._change(replace(document, size=len(opened.data), progress=opened.progress))
        self._reader.go_on(document.number, opened)

    def _hear_page(self, name: str, result: bytes | Exception) -> None:
        if isinstance(result, Exception):
            self.noticed.emit(told(result, "A page could not be drawn. The log tells more."))
        else:
            self.add(PictureBytes(result, f"{name}.png"))

    def _refuse(self, pending: PendingAttachment, error: Exception) -> None:
        self._drop(pending)
        bug = "{name} could not be read because of a fault in Hearth. The log tells more."
        self.noticed.emit(told(error, Sentence(bug, name=file_label(pending.name))))

    def _released(self, pending: PendingAttachment) -> PendingAttachment:
        if isinstance(pending, PendingDocument):
            self._reader.stop(pending.number)
            return replace(pending, progress=None)
        return pending

    def _change(self, pending: PendingAttachment) -> None:
        self._draft_with(pending.number)[pending.number] = pending

    def _drop(self, pending: PendingAttachment) -> None:
        del self._draft_with(pending.number)[pending.number]

    def _shown(self, pending: PendingAttachment) -> PendingAttachment:
        if isinstance(pending, PendingMedia):
            pending = replace(pending, is_encoding=pending.number in self._early.running)
        if isinstance(pending, PendingDocument | PendingAudio) and pending.part is not None:
            return replace(pending, tokens=self._counts.of(pending.part))
        return pending

    @Slot()
    def _tell(self) -> None:
        self._early.begin({n: each.part for n, each in self._draft.items() if isinstance(each.part, MediaPart)})
        self.changed.emit(self.pending)
