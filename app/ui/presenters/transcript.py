"""The conversation on screen: from the controller to the transcript, and from the menu to the controller."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.core.events import TextDelta, ToolCallDelta
from app.services.chat.reply_controller import AnswerUpdate
from app.services.engine.states import Activity, Idle, ReplyUpdate
from app.storage.conversations import Conversation
from app.ui.commands.actions import Actions
from app.ui.presenters.messages import MessagesPresenter
from app.ui.sidebar.rows import untitled
from app.ui.transcript.transcript import Transcript
from app.ui.widgets.notices import Notices

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController


class TranscriptPresenter(QObject):
    """`window` owns it, and has the conversation's title."""

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
        self._titles: dict[int, str] = {}
        active, replies = controller.active, controller.replies
        active.listed.connect(self._show_conversations)
        active.opened.connect(transcript.show_conversation)
        active.path_changed.connect(transcript.lead)
        active.message_added.connect(transcript.add_message)
        active.message_changed.connect(transcript.change_message)
        active.switched.connect(self._show_title)
        active.changed.connect(self._enable_actions)
        replies.said.connect(self._grow_answer)
        replies.activity_changed.connect(self._show_activity)
        actions.regenerate.triggered.connect(controller.regenerate)
        actions.regenerate.triggered.connect(actions.focus_composer.trigger)
        actions.stop.triggered.connect(replies.stop)
        actions.copy_answer.triggered.connect(self._copy_answer)
        transcript.show_conversation(None)
        self._show_title()
        self._enable_actions()

    def delete(self, conversation: Conversation) -> None:
        self._controller.delete(conversation.id)
        self._notices.offer_undo(
            self.tr("“{title}” was moved to the trash.").format(title=conversation.title or untitled()),
            lambda: self._controller.undo_delete(conversation.id),
        )

    def _show_conversations(self, conversations: tuple[Conversation, ...]) -> None:
        self._titles = {each.id: each.title for each in conversations}
        self._show_title()

    @Slot(object)
    def _grow_answer(self, update: AnswerUpdate) -> None:
        answer = update.answer
        match update.said:
            case ReplyUpdate(TextDelta(text, _, kind)):
                self._transcript.append_text(answer.message_id, text, kind)
            case ReplyUpdate(ToolCallDelta()):
                self._transcript.show_calls(answer.message_id, answer.tool_calls)

    def _show_activity(self, activity: Activity) -> None:
        self._activity = activity
        self._transcript.show_activity(activity)
        self._enable_actions()

    @Slot()
    def _show_title(self) -> None:
        open_id = self._controller.active.conversation_id
        title = self._titles.get(open_id, "") if open_id is not None else ""
        self._window.setWindowTitle(f"{title} – Hearth" if title else "Hearth")

    @Slot()
    def _enable_actions(self) -> None:
        idle = isinstance(self._activity, Idle)
        actions = self._actions
        actions.stop.setEnabled(not idle)
        actions.regenerate.setEnabled(idle and self._transcript.last_question() is not None)
        actions.copy_answer.setEnabled(self._transcript.last_answer() is not None)
        for action in (actions.rename_chat, actions.delete_chat):
            action.setEnabled(self._controller.active.conversation_id is not None)
        self._messages.enable_actions(self._activity)

    def _copy_answer(self) -> None:
        if (answer := self._transcript.last_answer()) is not None:
            QGuiApplication.clipboard().setText(self._transcript.answer_text(answer.id))
            self._notices.show_notice(self.tr("The last answer was copied."))
