"""The dialog of settings and that of models say the same of the memory that a model takes."""

from dataclasses import replace
from typing import cast

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.core.checkpointing import Checkpointing
from app.core.events import SlotStatus
from app.core.fit import Gpu
from app.core.loading import Loading
from app.core.model_options import ModelOptions
from app.core.speculation import Speculation
from app.services.chat.chat_controller import ChatController
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady
from app.services.runtime.settings_service import SettingsService
from app.ui.models.installed_page import InstalledPage
from app.ui.settings.dialog import SettingsDialog
from app.ui.settings.services import SettingsServices
from app.ui.theme.appearance import Appearance
from app.ui.widgets.fit_panel import FitPanel
from tests.ui.fakes import MODEL, FakeController
from tests.ui.model_home import GIB, ModelHome
from tests.ui.settings.dialogs import model_page


def told(panel: FitPanel) -> tuple[object, ...]:
    return panel.sentence.text(), panel.legend.texts, panel.numbers, [each.text() for each in panel.proposals]


@pytest.mark.parametrize("ram", [8 * GIB, 262 << 20, 1 << 20])
@pytest.mark.parametrize("name", ["Rain 8B (Q4_0)", "Seer 4B (F16)", "snow:3b", "Fog 2B (F32)"])
def test_both_say_the_same(host: ModelHome, appearance: Appearance, qtbot: QtBot, name: str, ram: int) -> None:
    host.ram, host.gpus = ram, (Gpu("Card", GIB),) if ram > GIB else ()
    model = host.find(name)
    host.settings.update(Checkpointing, budget=3)
    host.settings.update(Speculation, draft_model=str(host.find("Rain 8B (Q4_0)").path))
    host.engine.own_options = ModelOptions({Loading: {"batch_size": 128}})
    host.engine.slot = SlotStatus(100, 8192, (50,), 1 << 20)
    projector = model.projectors[0] if model.projectors else None
    host.engine.enter(ModelReady(replace(MODEL, ref=model.ref, mmproj=projector)))
    parent = QWidget()
    qtbot.addWidget(parent)
    page = InstalledPage(appearance, host.models, parent)
    services = SettingsServices(
        cast(SettingsService, host.settings),
        cast(EngineService, host.engine),
        cast(ChatController, FakeController()),
        models=host.models,
    )
    dialog = SettingsDialog(appearance, services, parent)
    parent.show()
    page.select(model.ref)
    dialog.open()
    dialog.show_page(Loading)
    assert told(model_page(dialog).memory) == told(page.details.fit_panel)
    assert "for drafts" in str(told(page.details.fit_panel))
