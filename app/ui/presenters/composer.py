"""Joins the composer to the services: drafts, the queue, what was sent before, and how much room is left."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QTextCursor

from app.core.errors import UserError
from app.core.messages import Attachment, Message, Part, Role, TextPart
from app.core.settings import Settings
from app.services.chat.readiness import is_too_much
from app.services.drafts.draft_size import Fit, weigh
from app.services.drafts.pending import parts_of
from app.services.engine.states import ready_model
from app.services.runtime.debounce import Debounce
from app.ui.composer.composer import Composer
from app.ui.composer.context_gauge import ContextGauge
from app.ui.widgets.notices import Notices

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController
    from app.services.drafts.composing import Composing
    from app.services.engine.service import EngineService

_COUNT_MS = 150
"""Milliseconds without a key after which the message is counted."""
_START, _END = QTextCursor.MoveOperation.Start, QTextCursor.MoveOperation.End


class ComposerPresenter(QObject):
    sized = Signal(object)
    """DraftSize of the message that is being written, or None for nothing to tell"""

    def __init__(
        self,
        writing: "Composing",
        controller: "ChatController",
        engine: "EngineService",
        composer: Composer,
        gauge: ContextGauge,
        notices: Notices,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._attached = writing.attachments
        self._counts = writing.counts
        self._drafts = writing.drafts
        self._outbox = writing.outbox
        self._history = writing.history
        self._controller = controller
        self._engine = engine
        self._composer = composer
        self._gauge = gauge
        self._notices = notices
        self._conversation: int | None = None
        self._open: set[int | None] = set()
        """Conversations whose kept draft has been brought out."""
        self._changing = False
        """A draft is being put away and another brought out, or history fills the field."""
        self._counter = Debounce(_COUNT_MS, self._count, self)
        self._is_closed = False
        self._connect()
        self._bring_out(None)

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
        taken = self._attached.take()
        if self._outbox.must_wait:
            self._outbox.add(_message(text, parts_of(taken)))
        elif not self._controller.send(text, parts_of(taken)):
            self._composer.show_text(text)
            self._attached.give_back(taken)
        # What was sent is in the conversation by now; as a draft it is gone at once.
        self._drafts.flush()

    def move_to_new_chat(self) -> None:
        """What is written, with all that is attached, becomes the draft of a new conversation."""
        text = self._composer.edit.toPlainText()
        taken = self._attached.take()
        self._composer.edit.clear()
        self._controller.new_conversation()
        self._composer.edit.put(text)
        self._attached.give_back(taken)
        self._composer.focus_text()

    def _bring_out(self, conversation: int | None) -> None:
        self._changing = True
        self._history.reset()
        self._drafts.flush()
        self._attached.show_conversation(conversation)
        self._outbox.show_conversation(conversation)
        draft = self._drafts.get(conversation)
        self._composer.show_text(draft.text)
        if conversation not in self._open:
            self._open.add(conversation)
            self._attached.restore(draft.attachments)
        self._changing = False
        self._count_soon()

    @Slot(str)
    def _text_changed(self, text: str) -> None:
        if self._changing:
            return
        self._history.reset()
        self._drafts.set_text(self._conversation, text)
        self._count_soon()

    @Slot()
    def _attachments_changed(self) -> None:
        if not self._changing:
            self._drafts.set_attachments(self._conversation, self._attached.parts)
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

    @Slot(int)
    def _edit_queued(self, index: int) -> None:
        """Bring a message that waits back to the field; what stands there takes its place."""
        waiting = self._outbox.remove(index)
        if self._composer.has_something:
            text = self._composer.edit.toPlainText()
            self._outbox.add(_message(text, parts_of(self._attached.take())), index)
        self._composer.edit.replace(waiting.text)
        self._attached.restore(waiting.attachments)
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
        return (*self._attached.parts, TextPart(self._composer.edit.toPlainText()))

    @Slot()
    def _count(self) -> None:
        self._counts.want(self._parts())
        self._show_size()

    @Slot()
    def _show_size(self) -> None:
        info = ready_model(self._engine.state)
        if self._is_closed:
            return
        if info is None or not info.n_ctx or not self._composer.has_something:
            self.sized.emit(None)
            return
        total = self._counts.total(self._parts())
        total = replace(total, exact=total.exact and self._gauge.is_exact)
        policy = self._controller.options.overflow(self._conversation)
        size = weigh(total, self._gauge.used, info.n_ctx, policy, info.n_ctx_train)
        if is_too_much(info, self._composer.edit.toPlainText(), self._attached.parts):
            size = replace(size, fit=Fit.TOO_MUCH)
        self.sized.emit(size)

    def _connect(self) -> None:
        composer, outbox = self._composer, self._outbox
        self._attached.changed.connect(self._attachments_changed)
        composer.submitted.connect(self.send)
        composer.text_changed.connect(self._text_changed)
        composer.edit.older_wanted.connect(self._older)
        composer.edit.newer_wanted.connect(self._newer)
        composer.queue.edit_wanted.connect(self._edit_queued)
        composer.queue.remove_wanted.connect(self._remove_queued)
        composer.queue.move_wanted.connect(outbox.move)
        composer.queue.send_now_clicked.connect(outbox.send_now)
        outbox.changed.connect(composer.queue.show_queue)
        self._drafts.failed.connect(self._notices.show_error)
        self._counts.changed.connect(self._show_size)
        self._controller.replies.activity_changed.connect(self._count_soon)
        self._controller.options.changed.connect(self._count_soon)
        self._engine.state_changed.connect(self._count_soon)


def _message(text: str, attachments: Sequence[Attachment]) -> Message:
    words = (TextPart(text),) if text.strip() else ()
    return Message(Role.USER, (*attachments, *words))
