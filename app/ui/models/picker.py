"""The model's name at the top, and the list behind it to take another."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.core.events import LoadStage
from app.core.model_ref import ModelRef
from app.services.engine.states import EngineState, ModelLoading, ModelOnServer, ModelReady, ModelResting, NoModel
from app.ui.models.button import ModelButton
from app.ui.models.state_button import StateButton
from app.ui.theme.appearance import Appearance
from app.ui.theme.icons import icon_size
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.layouts import hbox
from app.ui.widgets.plain_text import plain_tip

if TYPE_CHECKING:
    from app.services.models.models import Models
    from app.ui.models.popover import ModelPopover

_LONGEST = 60
Refs = Callable[[], Sequence[ModelRef]]


class ModelPicker(QWidget):
    """Shows the engine's state; `recent` and `installed` are asked each time the list opens."""

    model_chosen = Signal(object)
    """ModelRef"""
    open_clicked = Signal()
    unload_clicked = Signal()
    models_clicked = Signal()
    """All models are to be seen"""
    get_clicked = Signal()
    """A model is to be downloaded"""

    def __init__(
        self,
        appearance: Appearance,
        recent: Refs,
        installed: Refs,
        parent: QWidget | None = None,
        is_busy: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._recent = recent
        self._installed = installed
        self._library: Models | None = None
        self._state: EngineState = NoModel()
        self._popover: ModelPopover | None = None
        self._unload: QPushButton | None = None
        self.button = ModelButton(self)
        self.button.clicked.connect(self.open_menu)
        self.cancel_button = IconButton(appearance, "close", self.tr("Cancel loading"), size=16, parent=self)
        self.states = StateButton(appearance, is_busy, self)
        hbox(self.button, self.states, self.cancel_button, on=self, gap=2)
        appearance.changed.connect(self._tint)
        self._tint()
        self.show_state(self._state)

    @property
    def popover(self) -> "ModelPopover":
        """Made when it is asked for first."""
        if self._popover is None:
            self._popover = self._make_popover()
        return self._popover

    def show_state(self, state: EngineState) -> None:
        self._state = state
        self.states.show_state(state)
        self.cancel_button.setVisible(isinstance(state, ModelLoading))
        tip = self.tr("No model is loaded")
        match state:
            case ModelLoading(model, stage, fraction):
                self._say_loading(_short(self._title(model)), stage, round(fraction * 100))
                tip = model.id
            case ModelReady(info) | ModelResting(info):
                self.button.say(_short(info.name))
                tip = info.ref.id
            case ModelOnServer(info):
                self.button.say(_short(info.name))
                tip = self.tr("{model}: questions go to {host}").format(model=info.ref.id, host=info.host)
            case _:
                self.button.say(self.tr("Choose a model"))
        self.button.setToolTip(plain_tip(tip))
        self.button.setAccessibleName(self.tr("Model: {model}").format(model=self.button.words))
        # Before the window is shown Qt may keep the width of another text.
        self.updateGeometry()

    def show_library(self, library: "Models") -> None:
        """Whoever knows the models' names, and which of them are damaged."""
        self._library = library

    def open_menu(self) -> None:
        popover = self.popover
        if popover.isVisible():
            popover.close()
            return
        state = self._state
        if self._unload is not None:
            self._unload.setVisible(isinstance(state, ModelReady | ModelResting))
        chosen = state.info.ref if isinstance(state, ModelReady | ModelResting | ModelOnServer) else None
        popover.open_at(self.button, chosen)

    def _say_loading(self, name: str, stage: LoadStage, percent: int) -> None:
        if stage is LoadStage.CHECKING:
            self.button.say(name, self.tr("Trying {model}…").format(model="{}"), self.tr("Trying…"))
        else:
            around = self.tr("Loading {model}… {percent} %").format(model="{}", percent=percent)
            self.button.say(name, around, self.tr("Loading… {percent} %").format(percent=percent))

    def _title(self, model: ModelRef) -> str:
        return self._library.name_of(model) if self._library is not None else model.title

    def make_popover(self) -> "ModelPopover":
        """The bare list of models, for whatever they are chosen."""
        # Imported here: the window's start need not wait for it.
        from app.ui.models.popover import ModelPopover

        made = ModelPopover(self._appearance, self._recent, self._installed, self._library, self)
        made.get_clicked.connect(self.get_clicked)
        return made

    def _make_popover(self) -> "ModelPopover":
        made = self.make_popover()
        made.chosen.connect(self.model_chosen)
        if self._library is not None:
            made.add_button(self.tr("All models…"), self.models_clicked.emit)
        made.add_button(self.tr("Open a model file…"), self.open_clicked.emit)
        self._unload = made.add_button(self.tr("Unload the model"), self.unload_clicked.emit)
        return made

    def _tint(self) -> None:
        self.button.setIconSize(icon_size(18))
        self.button.setIcon(self._appearance.icon("chevron-down", "muted"))


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST // 2] + "…" + name[-_LONGEST // 2 + 1 :]
