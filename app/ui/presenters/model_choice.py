"""Choosing a model: by the button in the header, on the welcome page, and from the menu."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.services.engine.states import EngineState, ModelLoading, known_model
from app.ui.commands.actions import Actions
from app.ui.models.picker import ModelPicker
from app.ui.presenters.files import FilesPresenter
from app.ui.transcript.welcome import Welcome

if TYPE_CHECKING:
    from app.services.engine.service import EngineService


class ModelChoicePresenter(QObject):
    def __init__(
        self, engine: "EngineService", picker: ModelPicker, welcome: Welcome, files: FilesPresenter, actions: Actions
    ) -> None:
        super().__init__(picker)
        self._picker = picker
        self._welcome = welcome
        self._actions = actions
        for chosen in (picker.model_chosen, welcome.recent_clicked):
            chosen.connect(engine.load)
        for asked in (picker.open_clicked, welcome.open_button.clicked, actions.open_model.triggered):
            asked.connect(files.ask_for_model)
        for button in (picker.cancel_button, welcome.cancel_button):
            button.clicked.connect(engine.cancel_load)
        for unloads in (picker.unload_clicked, actions.unload_model.triggered):
            unloads.connect(engine.unload)
        picker.states.activate_clicked.connect(engine.wake)
        picker.states.deactivate_clicked.connect(engine.deactivate)
        picker.states.load_clicked.connect(engine.load_ahead)
        picker.states.unload_clicked.connect(engine.rest)
        actions.choose_model.triggered.connect(picker.open_menu)
        engine.state_changed.connect(self._show)
        self._show(engine.state)

    @Slot(object)
    def _show(self, state: EngineState) -> None:
        self._picker.show_state(state)
        self._welcome.show_state(state)
        known = known_model(state) if not isinstance(state, ModelLoading) else None
        self._actions.unload_model.setEnabled(known is not None and known.ref.is_file)
