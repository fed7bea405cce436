"""The model's name at the top, and the menu behind it to take another."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from app.core.events import LoadStage
from app.core.resources import GUIDE
from app.services.states import EngineState, ModelLoading, ModelReady, ModelResting, NoModel
from app.ui.buttons import IconButton, pop_up
from app.ui.figures import count, file_title, model_name
from app.ui.icons import icon_size
from app.ui.model_button import ModelButton
from app.ui.plain_tip import plain_tip
from app.ui.theme import Look

if TYPE_CHECKING:
    from app.services.models import Models

_MOST = 8
_LONGEST = 60
Paths = Callable[[], Sequence[Path]]


class ModelPicker(QWidget):
    """Shows the engine's state; `recent` and `installed` are asked each time the menu opens."""

    model_chosen = Signal(object)
    """Path"""
    open_clicked = Signal()
    unload_clicked = Signal()
    models_clicked = Signal()
    """All models are to be seen"""
    cancel_clicked = Signal()

    def __init__(self, look: Look, recent: Paths, installed: Paths, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._recent = recent
        self._installed = installed
        self._library: Models | None = None
        self._state: EngineState = NoModel()
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self._menu.setAccessibleName(self.tr("Models"))
        self._button = ModelButton(self)
        self._button.clicked.connect(self.open_menu)
        self._cancel = IconButton(look, "close", self.tr("Cancel loading"), size=16, parent=self)
        self._cancel.clicked.connect(self.cancel_clicked)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self._button)
        layout.addWidget(self._cancel)
        look.changed.connect(self._tint)
        self._tint()
        self.show_state(self._state)

    @property
    def menu(self) -> QMenu:
        return self._menu

    @property
    def button(self) -> ModelButton:
        return self._button

    def show_state(self, state: EngineState) -> None:
        self._state = state
        self._cancel.setVisible(isinstance(state, ModelLoading))
        tip = self.tr("No model is loaded")
        match state:
            case ModelLoading(path, stage, fraction):
                self._say_loading(_short(self._title(path)), stage, round(fraction * 100))
                tip = str(path)
            case ModelReady(info):
                self._button.say(_short(model_name(info)))
                tip = str(info.path)
            case ModelResting(info):
                self._button.say(_short(model_name(info)), self.tr("{model} · unloaded").format(model="{}"))
                tip = self.tr("Nobody has used it for a while, so its memory is free. It loads when you write.")
            case _:
                self._button.say(self.tr("Choose a model"))
        self._button.setToolTip(plain_tip(tip))
        self._button.setAccessibleName(self.tr("Model: {model}").format(model=self._button.words))
        # Before the window is shown Qt may keep the width of another text.
        self.updateGeometry()

    def show_library(self, library: "Models") -> None:
        """Whoever knows the models' names, and which of them are damaged."""
        self._library = library

    def open_menu(self) -> None:
        self._fill()
        pop_up(self._menu, self._button)

    def _say_loading(self, name: str, stage: LoadStage, percent: int) -> None:
        if stage is LoadStage.CHECKING:
            self._button.say(name, self.tr("Trying {model}…").format(model="{}"), self.tr("Trying…"))
        else:
            around = self.tr("Loading {model}… {percent} %").format(model="{}", percent=percent)
            self._button.say(name, around, self.tr("Loading… {percent} %").format(percent=percent))

    def _title(self, path: Path) -> str:
        return (self._library.called(path) if self._library is not None else "") or file_title(path)

    def _fill(self) -> None:
        self._menu.clear()
        library = self._library
        recent = [path for path in self._recent() if library is None or library.may_be_offered(path)][:_MOST]
        found = [path for path in self._installed() if path not in recent]
        self._add_group(self.tr("Recent"), recent)
        self._add_group(self.tr("On this computer"), found[:_MOST])
        self._add_group(self.tr("Comes with Hearth"), [GUIDE] if GUIDE.is_file() else [])
        if library is not None:
            more = max(0, len(found) - _MOST)
            text = self.tr("Models… ({count} more)").format(count=count(more)) if more else self.tr("Models…")
            models = QAction(self._look.icon("model", "muted"), text, self._menu)
            models.triggered.connect(self.models_clicked)
            self._menu.addAction(models)
        choose = QAction(self._look.icon("folder", "muted"), self.tr("Open a model file…"), self._menu)
        choose.triggered.connect(self.open_clicked)
        self._menu.addAction(choose)
        if isinstance(self._state, ModelReady | ModelResting):
            unload = QAction(self._look.icon("eject", "muted"), self.tr("Unload the model"), self._menu)
            unload.triggered.connect(self.unload_clicked)
            self._menu.addAction(unload)

    def _add_group(self, title: str, paths: Sequence[Path]) -> None:
        if not paths:
            return
        heading = QAction(title, self._menu)
        heading.setEnabled(False)
        self._menu.addAction(heading)
        loaded = self._state.info.path if isinstance(self._state, ModelReady | ModelResting) else None
        for path in paths:
            icon = self._look.icon("check", "accent") if path == loaded else self._look.icon("model", "muted")
            action = QAction(icon, _short(self._title(path)).replace("&", "&&"), self._menu)
            action.setToolTip(plain_tip(str(path)))
            action.triggered.connect(lambda _=False, chosen=path: self.model_chosen.emit(chosen))
            self._menu.addAction(action)
        self._menu.addSeparator()

    def _tint(self) -> None:
        self._button.setIconSize(icon_size(18))
        self._button.setIcon(self._look.icon("chevron-down", "muted"))


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST // 2] + "…" + name[-_LONGEST // 2 + 1 :]
