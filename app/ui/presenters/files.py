"""Files from outside, by a double-click, a second start or a dialog: models are loaded, all others are attached."""

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.core.model_ref import ModelRef
from app.engine.documents.documents import file_label
from app.services.engine.states import ModelReady
from app.ui.composer.drop_area import DropArea
from app.ui.composer.mime_content import read_files
from app.ui.presenters.window_state import WindowState
from app.ui.widgets.file_dialogs import ask_for_file
from app.ui.widgets.notices import Notices

if TYPE_CHECKING:
    from app.services.engine.service import EngineService
    from app.services.runtime.single_instance import OpenRequest

_MODEL, _STATE = ".gguf", ".hearthstate"


class FilesPresenter(QObject):
    """`area` is where such files would be dropped, and the parent of this."""

    state_wanted = Signal(object)
    """Path: of a conversation's state"""

    def __init__(self, engine: "EngineService", area: DropArea, notices: Notices, state: WindowState) -> None:
        super().__init__(area)
        self._engine = engine
        self._area = area
        self._notices = notices
        self._state = state

    def answer(self, request: "OpenRequest") -> None:
        """Come to the front, and open what is asked for."""
        raise_window(self._area.window(), request.activation)
        self.open(request.files)

    def open(self, files: Sequence[Path]) -> None:
        """Load the first model among `files`, bring back states, attach the others; what can't be opened is said."""
        there = [each for each in files if self._is_file(each)]
        models = [each for each in there if each.suffix.lower() == _MODEL]
        others = [each for each in there if each.suffix.lower() not in (_MODEL, _STATE)]
        if models:
            self._engine.load(ModelRef.of_file(models[0]))
        if len(models) > 1:
            told = self.tr("One model is open at a time, so only {name} was opened.")
            self._notices.show_notice(told.format(name=file_label(models[0].name)))
        for each in there:
            if each.suffix.lower() == _STATE:
                self.state_wanted.emit(each)
        if others:
            self._area.offered.emit(read_files(others))

    def open_one(self, path: Path) -> None:
        """What the system asks for comes one by one."""
        raise_window(self._area.window(), "")
        self.open((path,))

    def ask_for_model(self) -> None:
        """Let the user pick a model file, and load it."""
        filters = [self.tr("Models (*.gguf)"), self.tr("All files (*)")]
        window, title, folder = self._area.window(), self.tr("Open a model file"), self._state.model_folder
        ask_for_file(window, title, self._model_chosen, folder=folder, filters=filters)

    def ask_for_projector(self) -> None:
        """Let the user pick the mmproj file of the model that is loaded, and load both."""
        state = self._engine.state
        if isinstance(state, ModelReady):
            model, window = state.info.ref, self._area.window()
            title = self.tr("Open the mmproj file of {model}").format(model=state.info.name)
            filters = [self.tr("mmproj files (*mmproj*.gguf)"), self.tr("Models (*.gguf)")]
            load, folder = partial(self._load_with, model), str(model.file.parent)
            ask_for_file(window, title, load, folder=folder, filters=filters)

    def _load_with(self, model: ModelRef, mmproj: Path) -> None:
        self._engine.load(model, mmproj=mmproj)

    def _model_chosen(self, path: Path) -> None:
        self._state.keep_model_folder(path.parent)
        self._engine.load(ModelRef.of_file(path))

    def _is_file(self, path: Path) -> bool:
        try:
            if path.is_file():
                return True
            told = self.tr("{name} is a folder; open the files in it.") if path.is_dir() else ""
        except OSError:  # a name that the system refuses
            told = ""
        told = told or self.tr("{name} is not there any more, or can't be read.")
        self._notices.show_notice(told.format(name=file_label(path.name or str(path))))
        return False


def raise_window(window: QWidget, activation: str = "") -> None:
    """Bring `window` to the front as far as the system lets it; some only mark its entry in the task bar."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    # Elsewhere, on Wayland among others, Qt can't and says so in the log; there it comes with the activation.
    if QGuiApplication.platformName() in ("xcb", "windows", "cocoa"):
        window.raise_()
    if activation and sys.platform == "linux":
        # Qt takes it from there, once, when it asks Wayland's compositor.
        os.environ["XDG_ACTIVATION_TOKEN"] = activation
    window.activateWindow()
