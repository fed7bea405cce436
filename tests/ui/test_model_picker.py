from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.events import LoadStage
from app.core.resources import GUIDE
from app.services.states import EngineState, ModelFailed, ModelLoading, NoModel
from app.ui.model_picker import ModelPicker
from app.ui.theme import Look
from tests.ui.fakes import READY

RECENT = [Path("/m/One & two.gguf"), Path("/m/<b>evil.gguf")]
INSTALLED = [RECENT[0], Path("/models/three.gguf")]


@pytest.fixture
def picker(qtbot: QtBot, look: Look) -> ModelPicker:
    made = ModelPicker(look, lambda: RECENT, lambda: INSTALLED)
    qtbot.addWidget(made)
    made.show()
    return made


def entries(picker: ModelPicker) -> list[QAction]:
    picker.open_menu()
    picker.menu.close()
    return [action for action in picker.menu.actions() if not action.isSeparator()]


def cancel(picker: ModelPicker) -> QToolButton:
    return next(each for each in picker.findChildren(QToolButton) if each.accessibleName() == "Cancel loading")


@pytest.mark.parametrize(
    ("state", "text", "cancellable"),
    [
        (NoModel(), "Choose a model", False),
        (ModelFailed(Path("/m/a.gguf"), UserError("no")), "Choose a model", False),
        (ModelLoading(Path("/m/a.gguf"), LoadStage.CHECKING, 0.0), "Trying a…", True),
        (ModelLoading(Path("/m/a.gguf"), LoadStage.LOADING, 0.42), "Loading a… 42 %", True),
        (READY, "Qwen3-8B-Instruct Q4_K_M", False),
    ],
)
def test_says_what_the_engine_does(picker: ModelPicker, state: EngineState, text: str, cancellable: bool) -> None:
    picker.show_state(state)
    assert picker.button.text() == text
    assert cancel(picker).isVisible() is cancellable


def test_the_menu_lists_each_model_once(picker: ModelPicker) -> None:
    assert [each.text() for each in entries(picker)] == [
        "Recent",
        "One && two",
        "<b>evil",
        "On this computer",
        "three",
        "Comes with Hearth",
        "Guide (built in, very small)",
        "Open a model file…",
    ]


def test_choosing_loads(qtbot: QtBot, picker: ModelPicker) -> None:
    with qtbot.waitSignal(picker.model_chosen) as caught:
        entries(picker)[4].trigger()
    assert caught.args == [INSTALLED[1]]
    with qtbot.waitSignal(picker.model_chosen) as caught:
        entries(picker)[6].trigger()
    assert caught.args == [GUIDE]
    with qtbot.waitSignal(picker.open_clicked):
        entries(picker)[7].trigger()


def test_a_loaded_model_can_be_unloaded(qtbot: QtBot, picker: ModelPicker) -> None:
    picker.show_state(READY)
    with qtbot.waitSignal(picker.unload_clicked):
        entries(picker)[-1].trigger()


def test_loading_can_be_cancelled(qtbot: QtBot, picker: ModelPicker) -> None:
    picker.show_state(ModelLoading(Path("/m/a.gguf"), LoadStage.LOADING, 0.5))
    with qtbot.waitSignal(picker.cancel_clicked):
        cancel(picker).click()


def test_names_of_files_are_never_rich_text(picker: ModelPicker) -> None:
    assert "<b>" not in entries(picker)[2].toolTip()
