"""The conversation on screen: from the controller to the transcript, and from the menu to the controller."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.services.engine.states import Activity, Idle, OpenConversation
from app.storage.conversations import Conversation, StoredMessage
from app.ui.commands.actions import Actions
from app.ui.presenters.messages import MessagesPresenter
from app.ui.sidebar.rows import untitled
from app.ui.transcript.transcript import Transcript
from app.ui.widgets.notices import Notices

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController


class TranscriptPresenter(QObject):
    """`window` owns it, and has the conversation's title."""

    switched = Signal(object)
    """int | None: the conversation that is on screen; None for a new one"""
    figures_changed = Signal(object)
    """Mapping[str, object] | None: of its last answer"""
    messages_changed = Signal(object)
    """Sequence[StoredMessage]: those on screen"""

    def __init__(
        self, controller: "ChatController", transcript: Transcript, notices: Notices, actions: Actions, window: QWidget
    ) -> None:
        super().__init__(window)
        self._controller = controller
        self._transcript = transcript
        self._notices = notices
        self._actions = actions
        self._window = window
        self._messages = MessagesPresenter(controller, transcript, notices, actions, window)
        self._activity: Activity = Idle()
        self._conversation: int | None = None
        self._titles: dict[int, str] = {}
        controller.conversations_changed.connect(self._show_conversations)
        controller.opened.connect(self._show_opened)
        controller.path_changed.connect(self._show_path)
        controller.message_added.connect(self._add_message)
        controller.message_changed.connect(self._change_message)
        controller.answer_grew.connect(transcript.grow_answer)
        controller.activity_changed.connect(self._show_activity)
        actions.regenerate.triggered.connect(controller.regenerate)
        actions.regenerate.triggered.connect(actions.focus_composer.trigger)
        actions.stop.triggered.connect(controller.stop)
        actions.copy_answer.triggered.connect(self._copy_answer)

    def show_nothing(self) -> None:
        """A new conversation, as at the start."""
        self._show_opened(None)

    def delete(self, conversation: Conversation) -> None:
        self._controller.delete(conversation.id)
        self._notices.offer_undo(
            self.tr("“{title}” was moved to the trash.").format(title=conversation.title or untitled()),
            lambda: self._controller.undo_delete(conversation.id),
        )

    def _show_conversations(self, conversations: tuple[Conversation, ...]) -> None:
        self._titles = {each.id: each.title for each in conversations}
        self._show_title()

    def _show_opened(self, opened: OpenConversation | None) -> None:
        try:
            self._transcript.show_conversation(opened)
        finally:
            # A message that can't be shown must not leave the title, the sidebar and the figures on another chat.
            self._set_conversation(opened.conversation.id if opened else None)
            self._show_last(opened)

    def _show_path(self, opened: OpenConversation) -> None:
        try:
            self._transcript.lead(opened)
        finally:
            self._show_last(opened)

    def _show_last(self, opened: OpenConversation | None) -> None:
        answered = [each.figures for each in opened.messages if each.figures] if opened else []
        self.figures_changed.emit(answered[-1] if answered else None)
        self.messages_changed.emit(self._transcript.messages)
        self._enable_actions()

    def _add_message(self, stored: StoredMessage) -> None:
        self._set_conversation(stored.conversation_id)
        self._transcript.add_message(stored)
        self.messages_changed.emit(self._transcript.messages)
        self._enable_actions()

    def _change_message(self, stored: StoredMessage) -> None:
        self._transcript.change_message(stored)
        if stored.figures:
            self.figures_changed.emit(stored.figures)
        self.messages_changed.emit(self._transcript.messages)
        self._enable_actions()

    def _show_activity(self, activity: Activity) -> None:
        self._activity = activity
        self._transcript.show_activity(activity)
        self._enable_actions()

    def _set_conversation(self, conversation: int | None) -> None:
        self._conversation = conversation
        self.switched.emit(conversation)
        self._show_title()

    def _show_title(self) -> None:
        title = self._titles.get(self._conversation, "") if self._conversation is not None else ""
        self._window.setWindowTitle(f"{title} – Hearth" if title else "Hearth")

    def _enable_actions(self) -> None:
        idle = isinstance(self._activity, Idle)
        actions = self._actions
        actions.stop.setEnabled(not idle)
        actions.regenerate.setEnabled(idle and self._transcript.last_question() is not None)
        actions.copy_answer.setEnabled(self._transcript.last_answer() is not None)
        actions.rename_chat.setEnabled(self._conversation is not None)
        actions.delete_chat.setEnabled(self._conversation is not None)
        self._messages.enable_actions(self._activity)

    def _copy_answer(self) -> None:
        if (answer := self._transcript.last_answer()) is not None:
            QGuiApplication.clipboard().setText(self._transcript.answer_text(answer.id))
            self._notices.show_notice(self.tr("The last answer was copied."))
