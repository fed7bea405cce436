"""How long the model reasons: from the button at the composer and the palette to the conversation."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.core.reasoning import Effort, Efforts, nearest
from app.services.engine.states import known_model
from app.ui.commands.palette_entries import Entry
from app.ui.composer.reasoning_button import ReasoningButton, effort_title
from app.ui.theme.appearance import Appearance

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController
    from app.services.engine.service import EngineService


class ReasoningPresenter(QObject):
    """`window` owns it; `button` is to be put where people write."""

    def __init__(
        self, appearance: Appearance, controller: "ChatController", engine: "EngineService", window: QWidget
    ) -> None:
        super().__init__(window)
        self._options = controller.options
        self._active = controller.active
        self._engine = engine
        self.button = ReasoningButton(appearance, window)
        self.button.chosen.connect(self._choose)
        engine.state_changed.connect(self._refresh)
        controller.options.changed.connect(self._refresh)
        controller.options.presets.changed.connect(self._refresh)
        controller.active.opened.connect(self._refresh)
        controller.active.listed.connect(self._refresh)
        self._refresh()

    def entries(self) -> Iterator[Entry]:
        """For the palette."""
        for effort in self._efforts:
            act = partial(self._choose, effort)
            yield Entry(f"reasoning:{effort.value}", effort_title(effort), "", act)

    @Slot(object)
    def _choose(self, effort: Effort | None) -> None:
        self._options.set_effort(self._active.conversation_id, effort)

    @property
    def _efforts(self) -> Efforts:
        """The guide is too small for its reasoning to be worth a choice."""
        info = known_model(self._engine.state)
        return info.efforts if info is not None and not info.ref.is_guide else {}

    @Slot()
    def _refresh(self) -> None:
        efforts, conversation_id = self._efforts, self._active.conversation_id
        own = nearest(efforts, self._options.effort(conversation_id))
        preset = self._options.preset(conversation_id)
        in_force = own or nearest(efforts, preset.effort if preset is not None else None)
        self.button.show_efforts(efforts, own, in_force)
