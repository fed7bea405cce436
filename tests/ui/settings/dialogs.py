"""The settings dialog over stand-ins, and its parts by their types."""

from dataclasses import dataclass, field
from typing import cast

from PySide6.QtWidgets import QWidget

from app.core.loading import Loading
from app.services.chat.chat_controller import ChatController
from app.services.engine.service import EngineService
from app.services.runtime.settings_service import SettingsService
from app.ui.settings.dialog import SettingsDialog
from app.ui.settings.pages import ModelPage
from app.ui.settings.services import ModelLibrary, NoLibrary, SettingsServices
from app.ui.theme.appearance import Appearance
from tests.ui.fakes import FakeController, FakeEngine, FakeSettings


@dataclass
class Over:
    """What the dialog shows and changes."""

    parent: QWidget
    appearance: Appearance
    controller: FakeController = field(default_factory=FakeController)
    engine: FakeEngine = field(default_factory=FakeEngine)
    settings: FakeSettings = field(default_factory=FakeSettings)

    def open(self, models: ModelLibrary | None = None) -> SettingsDialog:
        services = SettingsServices(
            cast(SettingsService, self.settings),
            cast(EngineService, self.engine),
            cast(ChatController, self.controller),
            models=models or NoLibrary(),
        )
        dialog = SettingsDialog(self.appearance, services, self.parent)
        dialog.open()
        return dialog


def model_page(dialog: SettingsDialog) -> ModelPage:
    page = dialog.page(Loading)
    assert isinstance(page, ModelPage)
    return page
