"""How files, pictures and texts come into the message that is being written: drops, pastes, dialogs; and its trays."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.core.messages import TextPart
from app.engine.documents.documents import file_label
from app.services.drafts.draft_attachments import MOST_PAGES
from app.services.drafts.offers import AudioFile, DocumentFile, DocumentText, PictureFile
from app.services.drafts.pending import PendingAttachment, ScannedDocument
from app.services.engine.states import known_model, ready_model
from app.ui.composer.composer import Composer
from app.ui.composer.context_gauge import ContextGauge
from app.ui.composer.drop_area import DropArea
from app.ui.composer.mime_content import AUDIO_PATTERNS, FILE_PATTERNS, MimeContent
from app.ui.composer.pages_dialog import PagesDialog
from app.ui.theme.appearance import Appearance
from app.ui.transcript.document_chips import DocumentDialog
from app.ui.widgets.file_dialogs import ask_for_files, documents_folder, pictures_folder
from app.ui.widgets.notices import NoticeBar, Notices

if TYPE_CHECKING:
    from app.services.drafts.composing import Composing
    from app.services.engine.service import EngineService

_File = type[PictureFile] | type[AudioFile] | type[DocumentFile]


class AttachmentsPresenter(QObject):
    """Joins what is attached to its widgets. `area` is the parent of what is opened, and of this."""

    def __init__(
        self,
        appearance: Appearance,
        writing: "Composing",
        engine: "EngineService",
        area: DropArea,
        composer: Composer,
        gauge: ContextGauge,
        notices: Notices,
    ) -> None:
        super().__init__(area)
        self._appearance = appearance
        self._attached = writing.attachments
        self._counts = writing.counts
        self._engine = engine
        self._area = area
        self._composer = composer
        self._gauge = gauge
        self._notices = notices
        self._folders: dict[_File, str] = {
            PictureFile: pictures_folder(),
            AudioFile: documents_folder(),
            DocumentFile: documents_folder(),
        }
        self._unfolding: dict[int, NoticeBar] = {}
        """Offers to put a long text into the field, by the number of its document."""
        self._connect()
        self._show_all(self._attached.pending)

    def take(self, content: MimeContent) -> None:
        """Attach what was dropped, pasted or picked, put words into the field, and say what can't be taken."""
        for sentence in content.sentences:
            self._notices.show_notice(sentence)
        for each in content.offers:
            self._attached.add(each)
        if self._composer.edit.is_long(content.text):
            self._attach_text(content.text)
        elif content.text:
            self._composer.edit.put(content.text)
        if content.offers or content.text:
            self._area.window().activateWindow()
            self._composer.focus_text()

    @Slot()
    def ask_for_pictures(self) -> None:
        """Let the user pick picture files."""
        patterns = self.tr("Pictures ({patterns})").format(patterns=FILE_PATTERNS)
        self._ask(PictureFile, self.tr("Add pictures"), [patterns, self.tr("All files (*)")])

    @Slot()
    def ask_for_recordings(self) -> None:
        """Let the user pick sound files."""
        patterns = self.tr("Recordings ({patterns})").format(patterns=AUDIO_PATTERNS)
        self._ask(AudioFile, self.tr("Add recordings"), [patterns, self.tr("All files (*)")])

    @Slot()
    def ask_for_files(self) -> None:
        """Let the user pick documents."""
        office = self.tr("Office files (*.docx *.xlsx *.pptx *.odt *.ods *.odp *.epub *.eml)")
        kinds = [self.tr("All files (*)"), self.tr("PDF files (*.pdf)"), office, self.tr("Text files (*.txt *.md)")]
        self._ask(DocumentFile, self.tr("Attach files"), kinds)

    def _ask(self, kind: _File, title: str, filters: list[str]) -> None:
        take = partial(self._files_chosen, kind)
        ask_for_files(self._area, title, take, folder=self._folders[kind], filters=filters)

    def _files_chosen(self, kind: _File, files: list[Path]) -> None:
        self._folders[kind] = str(files[0].parent)
        self.take(MimeContent(tuple(map(kind, files))))

    @Slot(object)
    def _show_all(self, pending: tuple[PendingAttachment, ...]) -> None:
        attached = self._attached
        self._composer.show_attachments(pending, attached.obstacle, can_find=attached.lacks_projector)
        # What was sent, or taken away, can't be put into the field.
        for number in self._unfolding.keys() - {each.number for each in self._attached.pending}:
            self._notices.withdraw(self._unfolding.pop(number))

    @Slot(object)
    def _forget(self, gone: NoticeBar) -> None:
        """Its time was up, or somebody dismissed it."""
        self._unfolding = {number: bar for number, bar in self._unfolding.items() if bar is not gone}

    @Slot(str)
    def _attach_text(self, text: str) -> None:
        names = {each.name for each in self._attached.pending}
        name = self.tr("Pasted text")
        numbered = (name, *(f"{name} {number}" for number in range(2, len(names) + 2)))
        number = self._attached.add(DocumentText(text, next(each for each in numbered if each not in names)))
        if number:
            self._unfolding[number] = self._notices.offer(
                self.tr("The long text was attached as a file."),
                self.tr("Put it into the field"),
                lambda: self._unfold(number),
            )

    @Slot(int)
    def _unfold(self, number: int) -> None:
        """Put the text of a document into the field, and take the document away."""
        document = self._attached.document(number)
        if document is not None and document.part is not None:
            self._attached.remove(number)
            self._composer.edit.put(document.part.text)
            self._composer.focus_text()

    @Slot(int)
    def _show(self, number: int) -> None:
        document = self._attached.document(number)
        if document is not None and document.part is not None:
            DocumentDialog(self._appearance, document.part, self._area.window()).open()

    @Slot(int, bool)
    def _choose_passages(self, number: int, by_passages: bool) -> None:
        if self._attached.choice is not None:
            self._attached.choice.choose(number, by_passages=by_passages)

    @Slot(int)
    def _ask_for_pages(self, number: int) -> None:
        document = self._attached.document(number)
        whole = (document.whole or document.part) if document is not None else None
        if document is None or whole is None:
            return
        room = None
        info = ready_model(self._engine.state)
        if info is not None and info.n_ctx:
            parts = (*self._attached.parts, TextPart(self._composer.edit.toPlainText()))
            others = self._counts.total([each for each in parts if each is not document.part])
            room = max(0, info.n_ctx - self._gauge.used - others.n)
        dialog = PagesDialog(whole, self._counts.of(whole), room, self._area.window())
        if document.pages:
            dialog.show_chosen(document.pages)
        dialog.chosen.connect(lambda pages: self._attached.choose_pages(number, pages))
        dialog.finished.connect(self._composer.focus_text)
        dialog.open()

    @Slot(object)
    def _offer_pages(self, scanned: ScannedDocument) -> None:
        name = file_label(scanned.name)
        info = known_model(self._engine.state)
        if info is None or not info.sees:
            told = self.tr("{name} holds pictures of pages and no text; a model that sees could be shown them.")
            self._notices.show_notice(told.format(name=name))
            return
        if scanned.n_pages > MOST_PAGES:
            told = self.tr("{name} holds pictures of {n} pages and no text; the first {most} can be added as pictures.")
        else:
            told = self.tr("{name} holds pictures of {n} pages and no text; they can be added as pictures.")
        self._notices.offer(
            told.format(name=name, n=scanned.n_pages, most=MOST_PAGES),
            self.tr("Add the pages"),
            lambda: self._attached.draw_pages(scanned),
        )

    def _connect(self) -> None:
        composer, attached = self._composer, self._attached
        self._area.offered.connect(self.take)
        composer.edit.offered.connect(self.take)
        composer.edit.long_pasted.connect(self._attach_text)
        composer.attach_button.picture_clicked.connect(self.ask_for_pictures)
        composer.attach_button.audio_clicked.connect(self.ask_for_recordings)
        composer.attach_button.file_clicked.connect(self.ask_for_files)
        composer.stop_clicked.connect(attached.cancel_sent)
        composer.pictures.remove_wanted.connect(attached.remove)
        composer.recordings.remove_wanted.connect(attached.remove)
        composer.documents.remove_wanted.connect(attached.remove)
        composer.documents.opened.connect(self._show)
        composer.documents.unfolded.connect(self._unfold)
        composer.documents.pages_wanted.connect(attached.find_pages)
        composer.documents.passages_wanted.connect(self._choose_passages)
        attached.pages_found.connect(self._ask_for_pages)
        attached.scanned.connect(self._offer_pages)
        self._notices.gone.connect(self._forget)
        attached.changed.connect(self._show_all)
        attached.noticed.connect(self._notices.show_notice)
