"""What people do to messages, from the window to the conversation: edit, versions, branch, delete, go on."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.core.messages import Role
from app.services.engine.states import Activity, Idle
from app.ui.commands.actions import Actions
from app.ui.transcript.message_actions import (
    AnswerQuestion,
    Branch,
    ContinueAnswer,
    Delete,
    EditMessage,
    MessageAction,
    Regenerate,
    SwitchVersion,
)
from app.ui.transcript.message_view import MessageView
from app.ui.transcript.transcript import Transcript
from app.ui.widgets.notices import Notices

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController


class MessagesPresenter(QObject):
    """Joins the transcript and the menu to the controller. `window` owns it."""

    def __init__(
        self, controller: "ChatController", transcript: Transcript, notices: Notices, actions: Actions, window: QWidget
    ) -> None:
        super().__init__(window)
        self._controller = controller
        self._transcript = transcript
        self._notices = notices
        self._actions = actions
        transcript.wished.connect(self._do)
        actions.edit_question.triggered.connect(transcript.edit_question)
        actions.previous_version.triggered.connect(lambda: self._walk(-1))
        actions.next_version.triggered.connect(lambda: self._walk(1))
        actions.continue_answer.triggered.connect(controller.continue_answer)

    def enable_actions(self, activity: Activity) -> None:
        """Dim what could do nothing now."""
        idle = isinstance(activity, Idle)
        messages = self._transcript.messages
        last = messages[-1] if messages else None
        can_go_on = last is not None and last.message.role is not Role.USER and bool(last.message.text)
        has_versions = self._transcript.has_versions
        self._actions.edit_question.setEnabled(idle and self._transcript.last_question() is not None)
        self._actions.continue_answer.setEnabled(idle and can_go_on)
        for action in (self._actions.previous_version, self._actions.next_version):
            action.setEnabled(idle and has_versions)

    def _do(self, wish: MessageAction) -> None:
        controller = self._controller
        match wish:
            case EditMessage(message_id, text):
                if controller.versions.edit(message_id, text):
                    self._transcript.close_editor(message_id)
                    self._actions.focus_composer.trigger()
            case SwitchVersion(message_id, step):
                controller.versions.walk(message_id, step)
            case Regenerate(message_id):
                controller.regenerate_answer(message_id)
                self._actions.focus_composer.trigger()
            case AnswerQuestion():
                controller.regenerate()
                self._actions.focus_composer.trigger()
            case ContinueAnswer():
                controller.continue_answer()
                self._actions.focus_composer.trigger()
            case Branch(message_id):
                controller.versions.branch(message_id)
                self._actions.focus_composer.trigger()
            case Delete(message_id):
                self._delete(message_id)

    def _walk(self, step: int) -> None:
        """Another version of the message that the keyboard is in, or else of the last answer."""
        view: MessageView | None = self._transcript.scroll_area.focused()
        if view is None or view.stored.n_versions == 1:
            answer = self._transcript.last_answer()
        else:
            answer = view.stored
        if answer is not None:
            self._controller.versions.walk(answer.id, step)

    def _delete(self, message_id: int) -> None:
        messages = self._transcript.messages
        is_last = bool(messages) and messages[-1].id == message_id
        if self._controller.versions.delete(message_id):
            told = self.tr("The message was deleted.")
            more = self.tr("The message was deleted, and what came after it.")
            self._notices.offer_undo(
                told if is_last else more,
                lambda: self._controller.versions.undo_delete(message_id),
            )
