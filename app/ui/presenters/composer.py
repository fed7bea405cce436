"""Joins the composer to the services: files, drafts, the queue, what was sent before, and how much room is left."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QFileDialog

from app.core.errors import UserError
from app.core.messages import Attachment, DocumentPart, ImagePart, Message, Part, Role, TextPart
from app.core.settings import Settings
from app.engine.documents.documents import file_label
from app.services.chat.readiness import is_too_much
from app.services.drafts.document_states import ScannedDocument, UnknownFile
from app.services.drafts.draft_size import Fit, weigh
from app.services.engine.states import ModelReady, known_model
from app.services.runtime.debounce import Debounce
from app.ui.composer.composer import Composer
from app.ui.composer.context_gauge import ContextGauge
from app.ui.composer.drop_area import DropArea
from app.ui.composer.mime_content import MimeContent
from app.ui.composer.pages_dialog import PagesDialog
from app.ui.theme.appearance import Appearance
from app.ui.transcript.document_chips import DocumentDialog
from app.ui.widgets.notices import NoticeBar, Notices
from app.ui.widgets.usual_folders import documents_folder

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController
    from app.services.drafts.composing import Composing
    from app.services.engine.service import EngineService
    from app.services.pictures.service import PictureService

_COUNT_MS = 150
"""Milliseconds without a key after which the message is counted."""
_START, _END = QTextCursor.MoveOperation.Start, QTextCursor.MoveOperation.End


class ComposerPresenter(QObject):
    """`area` is the parent of what is opened, and of this."""

    def __init__(
        self,
        appearance: Appearance,
        writing: "Composing",
        pictures: "PictureService",
        controller: "ChatController",
        engine: "EngineService",
        area: DropArea,
        composer: Composer,
        gauge: ContextGauge,
        notices: Notices,
    ) -> None:
        super().__init__(area)
        self._appearance = appearance
        self._draft_documents = writing.documents
        self._counts = writing.counts
        self._drafts = writing.drafts
        self._outbox = writing.outbox
        self._history = writing.history
        self._pictures = pictures.drafts
        self._controller = controller
        self._engine = engine
        self._area = area
        self._composer = composer
        self._gauge = gauge
        self._notices = notices
        self._conversation: int | None = None
        self._open: set[int | None] = set()
        """Conversations whose kept draft has been brought out."""
        self._unfolding: dict[int, NoticeBar] = {}
        """Offers to put a long text into the field, by the number of its document."""
        self._changing = False
        """A draft is being put away and another brought out, or history fills the field."""
        self._folder = documents_folder()
        self._counter = Debounce(_COUNT_MS, self._count, self)
        self._is_closed = False
        self._connect()
        self._bring_out(None)

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """Those of the draft on screen that are read."""
        return (*self._pictures.parts, *self._draft_documents.parts)

    def show_conversation(self, conversation: int | None) -> None:
        """Put the draft away and bring out the other conversation's."""
        if conversation == self._conversation:
            return
        self._conversation = conversation
        self._bring_out(conversation)

    @Slot()
    def stop_counting(self) -> None:
        """The window is closed, and soon the database is."""
        self._is_closed = True
        self._counter.stop()

    def show_settings(self, settings: Settings) -> None:
        self._composer.set_keys(settings.interface.send_key, settings.interface.long_paste)

    def send(self, text: str) -> None:
        """Send what is written with all that is attached, or queue it while an answer is being written."""
        self._history.reset()
        taken = self._pictures.take()
        documents = self._draft_documents.take()
        attachments: tuple[Attachment, ...] = (*taken.parts, *documents)
        if self._outbox.must_wait:
            self._outbox.add(_message(text, attachments))
        elif not self._controller.send(text, attachments):
            self._composer.give_back(text)
            self._pictures.give_back(taken)
            self._draft_documents.restore(documents)
        # What was sent is in the conversation by now; as a draft it is gone at once.
        self._drafts.flush()

    def move_to_new_chat(self) -> None:
        """What is written, with all that is attached, becomes the draft of a new conversation."""
        text = self._composer.edit.toPlainText()
        taken, documents = self._pictures.take(), self._draft_documents.take()
        self._composer.edit.clear()
        self._controller.new_conversation()
        self._composer.edit.put(text)
        self._restore((*taken.parts, *documents))
        self._composer.focus_text()

    def ask(self) -> None:
        """Let the user pick files."""
        dialog = QFileDialog(self._area, self.tr("Attach files"), self._folder)
        kinds = (self.tr("All files (*)"), self.tr("PDF files (*.pdf)"), self.tr("Text files (*.txt *.md)"))
        dialog.setNameFilters(kinds)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self._files_chosen)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def take(self, offer: MimeContent) -> None:
        """Attach the files that were dropped or pasted, and put dropped words into the field."""
        for path in offer.documents:
            self._draft_documents.add_file(path)
        if offer.text:
            self._put_text(offer.text)
        if offer.documents or offer.text:
            self._area.window().activateWindow()
            self._composer.focus_text()

    def _bring_out(self, conversation: int | None) -> None:
        self._changing = True
        self._history.reset()
        self._drafts.flush()
        self._pictures.show_conversation(conversation)
        self._draft_documents.show_conversation(conversation)
        self._outbox.show_conversation(conversation)
        draft = self._drafts.get(conversation)
        self._composer.show_text(draft.text)
        if conversation not in self._open:
            self._open.add(conversation)
            self._restore(draft.attachments)
        self._changing = False
        self._count_soon()

    def _restore(self, attachments: tuple[Attachment, ...]) -> None:
        """Bring back what was attached before the last start."""
        if pictures := tuple(each for each in attachments if isinstance(each, ImagePart)):
            self._pictures.restore(pictures)
        if documents := tuple(each for each in attachments if isinstance(each, DocumentPart)):
            self._draft_documents.restore(documents)

    @Slot(str)
    def _text_changed(self, text: str) -> None:
        if self._changing:
            return
        self._history.reset()
        self._drafts.set_text(self._conversation, text)
        self._count_soon()

    @Slot()
    def _withdraw_offers(self) -> None:
        """What was sent, or taken away, can't be put into the field."""
        there = {each.number for each in self._draft_documents.documents}
        for number in self._unfolding.keys() - there:
            self._notices.withdraw(self._unfolding.pop(number))

    @Slot()
    def _attachments_changed(self) -> None:
        if not self._changing:
            self._drafts.set_attachments(self._conversation, self.attachments)
        self._count_soon()

    @Slot()
    def _older(self) -> None:
        try:
            text = self._history.older(self._conversation, self._composer.edit.toPlainText())
        except UserError as error:
            self._notices.show_error(error)
            return
        if text is not None:
            self._walk(text, _START)

    @Slot()
    def _newer(self) -> None:
        if (text := self._history.newer()) is not None:
            self._walk(text, _END)

    def _walk(self, text: str, where: QTextCursor.MoveOperation) -> None:
        """The cursor goes where the same key leads on."""
        self._changing = True
        self._composer.edit.replace(text, where)
        self._changing = False
        self._drafts.set_text(self._conversation, text)
        self._count_soon()

    def _put_text(self, text: str) -> None:
        if self._composer.edit.is_long(text):
            self._attach_text(text)
        else:
            self._composer.edit.put(text)

    @Slot(str)
    def _attach_text(self, text: str) -> None:
        names = {each.name for each in self._draft_documents.documents}
        name = self.tr("Pasted text")
        numbered = (name, *(f"{name} {number}" for number in range(2, len(names) + 2)))
        number = self._draft_documents.add_text(text, next(each for each in numbered if each not in names))
        if number:
            self._unfolding[number] = self._notices.offer(
                self.tr("The long text was attached as a file."),
                self.tr("Put it into the field"),
                lambda: self._unfold(number),
            )

    @Slot(int)
    def _unfold(self, number: int) -> None:
        """Put the text of a document into the field, and take the document away."""
        part = next((each.part for each in self._draft_documents.documents if each.number == number), None)
        if part is not None:
            self._draft_documents.remove(number)
            self._composer.edit.put(part.text)
            self._composer.focus_text()

    @Slot(int)
    def _show(self, number: int) -> None:
        part = next((each.part for each in self._draft_documents.documents if each.number == number), None)
        if part is not None:
            DocumentDialog(self._appearance, part, self._area.window()).open()

    @Slot(int)
    def _ask_for_pages(self, number: int) -> None:
        document = next((each for each in self._draft_documents.documents if each.number == number), None)
        whole = (document.whole or document.part) if document is not None else None
        if document is None or whole is None:
            return
        room = None
        if isinstance(state := self._engine.state, ModelReady):
            others = self._counts.total([each for each in self._parts() if each is not document.part])
            room = max(0, state.info.n_ctx - self._gauge.used - others.n)
        dialog = PagesDialog(whole, self._counts.of(whole), room, self._area.window())
        if document.pages:
            dialog.show_chosen(document.pages)
        dialog.chosen.connect(lambda pages: self._draft_documents.choose_pages(number, pages))
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
        if scanned.n_pages > self._draft_documents.most_pages:
            told = self.tr("{name} holds pictures of {n} pages and no text; the first {most} can be added as pictures.")
        else:
            told = self.tr("{name} holds pictures of {n} pages and no text; they can be added as pictures.")
        self._notices.offer(
            told.format(name=name, n=scanned.n_pages, most=self._draft_documents.most_pages),
            self.tr("Add the pages"),
            lambda: self._draft_documents.draw_pages(scanned),
        )

    def _files_chosen(self, names: list[str]) -> None:
        self._folder = str(Path(names[0]).parent)
        for name in names:
            self._draft_documents.add_file(Path(name))
        self._composer.focus_text()

    @Slot(object)
    def _take_picture(self, unknown: UnknownFile) -> None:
        self._pictures.add_file(unknown.path)

    @Slot(int)
    def _edit_queued(self, index: int) -> None:
        """Bring a message that waits back to the field; what stands there takes its place."""
        waiting = self._outbox.remove(index)
        if self._composer.has_something:
            text = self._composer.edit.toPlainText()
            taken, documents = self._pictures.take(), self._draft_documents.take()
            self._outbox.add(_message(text, (*taken.parts, *documents)), index)
        self._composer.edit.replace(waiting.text)
        self._restore((*waiting.pictures, *waiting.documents))
        self._composer.focus_text()

    @Slot(int)
    def _remove_queued(self, index: int) -> None:
        conversation, taken = self._conversation, self._outbox.remove(index)
        self._notices.offer_undo(
            self.tr("The message was taken out of the queue."),
            lambda: self._outbox.put_back(conversation, taken, index),
        )

    @Slot()
    def _count_soon(self) -> None:
        """Not begun anew while it runs: who types on and on sees the number move."""
        if not self._counter.isActive() and not self._is_closed:
            self._counter.start()

    def _parts(self) -> tuple[Part, ...]:
        return (*self.attachments, TextPart(self._composer.edit.toPlainText()))

    @Slot()
    def _count(self) -> None:
        self._counts.want(self._parts())
        self._show_size()

    @Slot()
    def _show_size(self) -> None:
        state = self._engine.state
        if self._is_closed:
            return
        if not isinstance(state, ModelReady) or not self._composer.has_something:
            self._composer.show_size(None)
            return
        total = self._counts.total(self._parts())
        total = replace(total, exact=total.exact and self._gauge.is_exact)
        info, policy = state.info, self._controller.options.overflow
        size = weigh(total, self._gauge.used, info.n_ctx, policy, info.n_ctx_train)
        if is_too_much(info, self._composer.edit.toPlainText(), self.attachments):
            size = replace(size, fit=Fit.TOO_MUCH)
        self._composer.show_size(size)

    def _connect(self) -> None:
        composer, documents, outbox = self._composer, self._draft_documents, self._outbox
        self._area.offered.connect(self.take)
        composer.offered.connect(self.take)
        composer.attach_file_clicked.connect(self.ask)
        composer.text_changed.connect(self._text_changed)
        composer.long_pasted.connect(self._attach_text)
        composer.older_wanted.connect(self._older)
        composer.newer_wanted.connect(self._newer)
        composer.documents.remove_wanted.connect(documents.remove)
        composer.documents.opened.connect(self._show)
        composer.documents.unfolded.connect(self._unfold)
        composer.documents.pages_wanted.connect(documents.find_pages)
        documents.pages_found.connect(self._ask_for_pages)
        composer.queue.edit_wanted.connect(self._edit_queued)
        composer.queue.remove_wanted.connect(self._remove_queued)
        composer.queue.move_wanted.connect(outbox.move)
        composer.queue.send_now_clicked.connect(outbox.send_now)
        documents.changed.connect(composer.show_documents)
        documents.changed.connect(self._attachments_changed)
        documents.changed.connect(self._withdraw_offers)
        documents.noticed.connect(self._notices.show_notice)
        documents.scanned.connect(self._offer_pages)
        documents.page_drawn.connect(self._pictures.add)
        documents.is_picture.connect(self._take_picture)
        self._pictures.changed.connect(self._attachments_changed)
        outbox.changed.connect(composer.queue.show_queue)
        self._drafts.failed.connect(self._notices.show_error)
        self._counts.changed.connect(self._show_size)
        self._controller.activity_changed.connect(self._count_soon)
        self._controller.options.changed.connect(self._count_soon)
        self._engine.state_changed.connect(self._count_soon)


def _message(text: str, attachments: tuple[Attachment, ...]) -> Message:
    words = (TextPart(text),) if text.strip() else ()
    return Message(Role.USER, (*attachments, *words))
