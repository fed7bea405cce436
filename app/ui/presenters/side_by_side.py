"""Several answers to one question: from the menu to their columns, and to the one that is kept."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.core.events import TextDelta, ToolCallDelta
from app.services.chat.reply_controller import AnswerUpdate
from app.services.chat.side_by_side import Columns
from app.services.engine.states import ReplyUpdate
from app.storage.conversations import StoredMessage
from app.ui.commands.actions import Actions
from app.ui.transcript.answer_columns import AnswerColumns
from app.ui.transcript.message_actions import AnswerSideBySide, MessageAction
from app.ui.transcript.sources import sources_of
from app.ui.transcript.transcript import Transcript

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController
    from app.ui.presets.columns_dialog import ColumnsDialog

_TWO = (None, None)


class SideBySidePresenter(QObject):
    """`window` owns it."""

    def __init__(
        self,
        controller: "ChatController",
        transcript: Transcript,
        columns: AnswerColumns,
        actions: Actions,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._controller = controller
        self._transcript = transcript
        self._columns = columns
        self._actions = actions
        self._window = window
        self._side_by_side = controller.side_by_side
        transcript.put_below(columns)
        transcript.wished.connect(self._hear_wish)
        actions.answer_twice.triggered.connect(self._answer_twice)
        actions.side_by_side.triggered.connect(self.ask)
        columns.keep_wanted.connect(self._keep)
        columns.stop_wanted.connect(self._side_by_side.stop)
        columns.link_clicked.connect(transcript.link_clicked)
        columns.passage_wanted.connect(transcript.passage_wanted)
        self._side_by_side.changed.connect(self._show)
        controller.active.message_changed.connect(self._change)
        controller.active.changed.connect(self._enable)
        controller.replies.said.connect(self._grow)
        controller.replies.activity_changed.connect(self._show_activities)
        controller.replies.changed.connect(self._enable)
        self._enable()

    def ask(self) -> "ColumnsDialog":
        """By which presets."""
        # Imported here: the window's start need not wait for it.
        from app.ui.presets.columns_dialog import ColumnsDialog

        dialog = ColumnsDialog(self._controller.options.presets.all(), self._window)
        dialog.chosen.connect(self._side_by_side.begin_last)
        dialog.open()
        return dialog

    @Slot()
    def _answer_twice(self) -> None:
        self._side_by_side.begin_last(_TWO)

    @Slot(object)
    def _hear_wish(self, wish: MessageAction) -> None:
        if isinstance(wish, AnswerSideBySide):
            self._side_by_side.begin(wish.message_id, _TWO)

    @Slot(int)
    def _keep(self, message_id: int) -> None:
        self._side_by_side.keep(message_id)
        if self._controller.replies.is_writing_in(self._controller.active.conversation_id):
            self._transcript.scroll_area.jump_to_end()
        self._actions.focus_composer.trigger()

    @Slot(object)
    def _show(self, columns: Columns) -> None:
        self._transcript.hide_answers(frozenset(each.answer.id for each in columns))
        named = [(each.answer, each.preset.name if each.preset is not None else "") for each in columns]
        self._columns.show_answers(named)
        self._show_sources()
        self._show_activities()

    @Slot(object)
    def _change(self, stored: StoredMessage) -> None:
        if (column := self._columns.of(stored.id)) is not None:
            column.show_message(stored)
        if stored.message.passages:
            self._show_sources()

    @Slot(object)
    def _grow(self, update: AnswerUpdate) -> None:
        answer = update.answer
        if (column := self._columns.of(answer.message_id)) is None:
            return
        match update.said:
            case ReplyUpdate(TextDelta(text, _, kind)):
                column.append(text, kind)
            case ReplyUpdate(ToolCallDelta()):
                column.show_calls(answer.tool_calls)

    def _show_sources(self) -> None:
        for column in self._columns.columns:
            column.view.show_sources(sources_of(self._controller.active.path, column.message_id))

    @Slot()
    def _show_activities(self) -> None:
        for column in self._columns.columns:
            column.show_activity(self._controller.replies.activity_of(column.message_id))

    @Slot()
    def _enable(self) -> None:
        active, replies = self._controller.active, self._controller.replies
        can = bool(active.path) and not replies.is_writing_in(active.conversation_id)
        for action in (self._actions.answer_twice, self._actions.side_by_side):
            action.setEnabled(can)
