from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QAction, QImage
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.events import LoadStage
from app.core.resources import GUIDE
from app.services.states import EngineState, ModelFailed, ModelLoading, NoModel
from app.ui.model_button import ModelButton
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


LOADING = ModelLoading(GUIDE, LoadStage.LOADING, 0.0)


def painted(button: ModelButton) -> QImage:
    return button.grab().toImage()


def test_words_that_came_since_the_last_layout_are_not_cut_in_their_middle(picker: ModelPicker) -> None:
    """What is painted at once, as under load, stands in the width that the words before had."""
    picker.show_state(LOADING)
    button = picker.button
    assert button.width() < button.sizeHint().width(), "the layout has not heard of them yet"
    assert button.shown == "Loading… 0 %"
    grabbed = painted(button)
    size = button.size()
    button.say("Loading… 0 %")
    button.resize(size)
    assert painted(button) == grabbed


@pytest.mark.parametrize("fraction", [0.0, 0.42, 1.0])
def test_of_the_words_the_name_alone_is_shortened(picker: ModelPicker, fraction: float) -> None:
    picker.show_state(ModelLoading(GUIDE, LoadStage.LOADING, fraction))
    button, percent = picker.button, f"{fraction * 100:.0f} %"
    whole, seen = button.words, set()
    for width in range(button.sizeHint().width(), button.minimumSizeHint().width() - 1, -1):
        button.resize(width, button.height())
        shown = button.shown
        assert shown.startswith("Loading") and shown.endswith(f"… {percent}"), shown
        name = shown.removeprefix("Loading").removesuffix(f"… {percent}").strip()
        first, _, last = name.partition("…")
        assert "Guide (built in, very small)".startswith(first) and whole.endswith(f"{last}… {percent}"), shown
        seen.add(shown)
    assert whole in seen and f"Loading… {percent}" in seen and len(seen) > 5


def test_a_long_name_leaves_room_for_what_stands_beside_it(picker: ModelPicker) -> None:
    picker.show_state(ModelLoading(Path("/m/" + "Long-" * 12 + ".gguf"), LoadStage.CHECKING, 0.0))
    assert picker.minimumSizeHint().width() < 250
    picker.resize(250, picker.height())
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    assert cancel(picker).geometry().right() < 250
    assert picker.button.shown.startswith("Trying Long") and picker.button.shown.endswith("…")


def test_an_ampersand_is_no_key_where_it_is_shortened_too(picker: ModelPicker) -> None:
    picker.show_state(ModelLoading(RECENT[0], LoadStage.LOADING, 0.5))
    assert picker.button.words == "Loading One & two… 50 %"
    assert picker.button.text() == "Loading One && two… 50 %"


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
