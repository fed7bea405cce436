"""From "Answer again with another model" to the list of models, and back to the model from before."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.core.model_ref import ModelRef
from app.services.chat.answer_with_model import Replaced
from app.services.engine.states import known_model
from app.ui.commands.actions import Actions
from app.ui.transcript.message_actions import RegenerateWith
from app.ui.transcript.transcript import Transcript
from app.ui.widgets.notices import Notices

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController
    from app.services.engine.service import EngineService
    from app.ui.models.popover import ModelPopover


class AnswerWithPresenter(QObject):
    """`window` owns it. `make_popover` is called when the list is wanted first; `anchor` is where it opens by key."""

    def __init__(
        self,
        controller: "ChatController",
        engine: "EngineService",
        transcript: Transcript,
        notices: Notices,
        actions: Actions,
        make_popover: "Callable[[], ModelPopover]",
        anchor: QWidget,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._controller = controller
        self._engine = engine
        self._transcript = transcript
        self._notices = notices
        self._action = actions.answer_with
        self._make_popover = make_popover
        self._popover: ModelPopover | None = None
        self._anchor = anchor
        self._message_id = 0
        self._action.triggered.connect(self._ask_for_last)
        transcript.wished.connect(self._hear)
        controller.answer_with.answered.connect(self._offer_back)
        controller.replies.changed.connect(self._enable)
        controller.active.changed.connect(self._enable)
        self._enable()

    @property
    def popover(self) -> "ModelPopover":
        if self._popover is None:
            self._popover = self._make_popover()
            self._popover.ask_for(self.tr("Answer again with…"))
            self._popover.chosen.connect(self._choose)
        return self._popover

    @Slot()
    def _enable(self) -> None:
        self._action.setEnabled(not self._controller.replies.is_busy and self._transcript.last_answer() is not None)

    @Slot(object)
    def _hear(self, wish: object) -> None:
        if isinstance(wish, RegenerateWith):
            self._ask(wish.message_id, wish.anchor)

    @Slot()
    def _ask_for_last(self) -> None:
        if (answer := self._transcript.last_answer()) is not None:
            self._ask(answer.id, self._anchor)

    def _ask(self, message_id: int, anchor: QWidget) -> None:
        self._message_id = message_id
        info = known_model(self._engine.state)
        self.popover.open_at(anchor, info.ref if info is not None else None)

    @Slot(object)
    def _choose(self, model: ModelRef) -> None:
        self._controller.answer_with.answer(self._message_id, model)

    @Slot(object)
    def _offer_back(self, replaced: Replaced) -> None:
        told = self.tr("{model} has answered; the answer from before is the other version.")
        self._notices.offer(
            told.format(model=replaced.now.name),
            self.tr("Back to {model}").format(model=replaced.before.name),
            partial(self._controller.answer_with.back, replaced),
        )
