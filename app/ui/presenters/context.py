"""What the context holds, from the services to the popover over its gauge."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.core.events import SlotStatus
from app.core.messages import Attachment
from app.core.overflow import Overflow
from app.services.chat.conversation_size import conversation_size
from app.services.engine.states import known_model, ready_model
from app.ui.commands.actions import Actions
from app.ui.composer.context_gauge import ContextGauge
from app.ui.composer.context_popover import ContextPopover

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController
    from app.services.engine.service import EngineService

Unsent = Callable[[], tuple[str, tuple[Attachment, ...]]]
"""Text and attachments that are being written."""


class ContextPresenter(QObject):
    """`window` owns it; `gauge` stands where people see it."""

    def __init__(
        self,
        controller: "ChatController",
        engine: "EngineService",
        gauge: ContextGauge,
        actions: Actions,
        unsent: Unsent,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._controller = controller
        self._engine = engine
        self._gauge = gauge
        self._unsent = unsent
        self.popover = ContextPopover(window)
        # The key that opens it closes it too.
        self.popover.addAction(actions.show_context)
        self.popover.policy_chosen.connect(self._choose_policy)
        gauge.clicked.connect(self.toggle)
        actions.show_context.triggered.connect(self.toggle)
        engine.state_changed.connect(self._weigh)
        controller.active.changed.connect(self._weigh)
        engine.slot_changed.connect(self._show_slot)
        controller.peeked.connect(self.popover.show_peeked)
        controller.options.changed.connect(self._show_policy)

    @Slot()
    def _weigh(self) -> None:
        self._gauge.show_size(conversation_size(self._controller.active.path, known_model(self._engine.state)))

    def toggle(self) -> None:
        if self.popover.isVisible():
            self.popover.close()
            return
        self._fill(self._engine.slot)
        # In a new chat there is nothing to gauge; the key opens it all the same.
        field = self._gauge.parentWidget() or self._gauge
        self.popover.open_above(self._gauge if self._gauge.isVisible() else field)
        self._controller.peek(*self._unsent())

    def _show_slot(self, slot: SlotStatus | None) -> None:
        if self.popover.isVisible():
            self._fill(slot)

    def _fill(self, slot: SlotStatus | None) -> None:
        state, gauge = self._engine.state, self._gauge
        self.popover.show_used(gauge.sentence(), gauge.used, gauge.n_ctx)
        self.popover.show_slot(slot, ready_model(state))
        path = self._controller.active.path
        self.popover.show_last(next((each.figures for each in reversed(path) if each.figures), None))
        self._show_policy()

    @Slot(object)
    def _choose_policy(self, policy: Overflow) -> None:
        self._controller.options.set_overflow(self._controller.active.conversation_id, policy)

    def _show_policy(self) -> None:
        self.popover.show_policy(self._controller.options.overflow(self._controller.active.conversation_id))
