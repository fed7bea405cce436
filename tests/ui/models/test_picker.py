from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.events import LoadStage
from app.core.model_options import key_of
from app.core.model_ref import GUIDE_REF, ModelRef
from app.services.engine.states import EngineState, ModelFailed, ModelLoading, NoModel
from app.ui.models.button import ModelButton
from app.ui.models.picker import ModelPicker
from app.ui.models.popover import picker_rows
from app.ui.models.rows import rows_of
from app.ui.theme.appearance import Appearance
from tests.ui.fakes import READY
from tests.ui.model_home import SHOWN

RECENT = [ModelRef.of_file(Path(each)) for each in ("/m/One & two.gguf", "/m/<b>evil.gguf")]
INSTALLED = [RECENT[0], ModelRef.of_file(Path("/models/three.gguf"))]
A = ModelRef.of_file(Path("/m/a.gguf"))


@pytest.fixture
def picker(qtbot: QtBot, appearance: Appearance) -> ModelPicker:
    made = ModelPicker(appearance, lambda: RECENT, lambda: INSTALLED)
    qtbot.addWidget(made)
    made.show()
    return made


def names(picker: ModelPicker) -> list[str]:
    """What the open list says."""
    return [row.name for row in picker.popover.list.rows]


def button(picker: ModelPicker, text: str) -> QPushButton:
    return next(each for each in picker.popover.findChildren(QPushButton) if each.text() == text)


def cancel(picker: ModelPicker) -> QToolButton:
    return next(each for each in picker.findChildren(QToolButton) if each.accessibleName() == "Cancel loading")


@pytest.mark.parametrize(
    ("state", "text", "cancellable"),
    [
        (NoModel(), "Choose a model", False),
        (ModelFailed(A, UserError("no")), "Choose a model", False),
        (ModelLoading(A, LoadStage.CHECKING, 0.0), "Trying a…", True),
        (ModelLoading(A, LoadStage.LOADING, 0.42), "Loading a… 42 %", True),
        (READY, "Qwen3-8B-Instruct Q4_K_M", False),
    ],
)
def test_says_what_the_engine_does(picker: ModelPicker, state: EngineState, text: str, cancellable: bool) -> None:
    picker.show_state(state)
    assert picker.button.text() == text
    assert cancel(picker).isVisible() is cancellable


LOADING = ModelLoading(GUIDE_REF, LoadStage.LOADING, 0.0)


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
    picker.show_state(ModelLoading(GUIDE_REF, LoadStage.LOADING, fraction))
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
    picker.show_state(ModelLoading(ModelRef.of_file(Path("/m/" + "Long-" * 12 + ".gguf")), LoadStage.CHECKING, 0.0))
    assert picker.minimumSizeHint().width() < 250
    picker.resize(250, picker.height())
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    assert cancel(picker).geometry().right() < 250
    assert picker.button.shown.startswith("Trying Long") and picker.button.shown.endswith("…")


def test_an_ampersand_is_no_key_where_it_is_shortened_too(picker: ModelPicker) -> None:
    picker.show_state(ModelLoading(RECENT[0], LoadStage.LOADING, 0.5))
    assert picker.button.words == "Loading One & two… 50 %"
    assert picker.button.text() == "Loading One && two… 50 %"


def test_each_model_is_listed_once_the_last_used_first(picker: ModelPicker) -> None:
    picker.open_menu()
    assert names(picker) == ["One & two", "<b>evil", "three", "Guide (built in, very small)"]
    assert button(picker, "Get a model").isHidden()
    picker.open_menu()
    assert not picker.popover.isVisible()


def test_typing_finds_and_enter_loads(qtbot: QtBot, picker: ModelPicker) -> None:
    picker.open_menu()
    search = picker.popover.search
    QTest.keyClicks(search, "THR")
    assert names(picker) == ["three"]
    assert search.accessibleDescription().startswith("three")
    with qtbot.waitSignal(picker.model_chosen) as caught:
        QTest.keyClick(search, Qt.Key.Key_Return)
    assert caught.args == [INSTALLED[1]]
    assert not picker.popover.isVisible()
    picker.open_menu()
    assert search.text() == "" and len(names(picker)) == 4


def test_what_is_not_there_says_so_and_enter_does_nothing(qtbot: QtBot, picker: ModelPicker) -> None:
    picker.open_menu()
    popover = picker.popover
    QTest.keyClicks(popover.search, "zebra")
    assert popover.empty.isVisible() and popover.empty.text() == "No model here is like that."
    assert popover.search.accessibleDescription() == popover.empty.text()
    with qtbot.assertNotEmitted(picker.model_chosen):
        QTest.keyClick(popover.search, Qt.Key.Key_Return)
    assert popover.isVisible()
    popover.close()


def test_the_arrows_move_and_the_first_is_not_the_one_in_memory(qtbot: QtBot, picker: ModelPicker) -> None:
    picker.show_state(replace(READY, info=replace(READY.info, ref=RECENT[0])))
    picker.open_menu()
    view, search = picker.popover.view, picker.popover.search
    assert view.currentIndex().row() == 1
    QTest.keyClick(search, Qt.Key.Key_Up)
    assert "loaded" in search.accessibleDescription()
    for _ in range(9):
        QTest.keyClick(search, Qt.Key.Key_Down)
    assert view.currentIndex().row() == 3
    with qtbot.waitSignal(picker.model_chosen) as caught:
        QTest.keyClick(search, Qt.Key.Key_Enter)
    assert caught.args == [GUIDE_REF]


def test_a_click_takes_one(qtbot: QtBot, picker: ModelPicker) -> None:
    picker.open_menu()
    view = picker.popover.view
    with qtbot.waitSignal(picker.model_chosen) as caught:
        place = view.visualRect(picker.popover.list.index(1, 0)).center()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert caught.args == [RECENT[1]]


def test_whoever_has_no_model_is_told_how_to_get_one(qtbot: QtBot, appearance: Appearance) -> None:
    bare = ModelPicker(appearance, lambda: (), lambda: ())
    qtbot.addWidget(bare)
    bare.show()
    bare.open_menu()
    assert names(bare) == ["Guide (built in, very small)"]
    assert bare.popover.empty.text() == "There is no other model on this computer yet."
    assert bare.popover.empty.isVisible()
    with qtbot.waitSignal(bare.get_clicked):
        button(bare, "Get a model").click()
    assert not bare.popover.isVisible()


def test_without_even_the_guide_no_guide_is_spoken_of(
    qtbot: QtBot, appearance: Appearance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.ui.models.popover.GUIDE_REF", ModelRef.of_file(Path("/gone/guide.gguf")))
    bare = ModelPicker(appearance, lambda: (), lambda: ())
    qtbot.addWidget(bare)
    bare.show()
    bare.open_menu()
    assert bare.popover.empty.text() == "There is no model on this computer yet."


def test_what_stands_below_the_list(qtbot: QtBot, picker: ModelPicker) -> None:
    picker.open_menu()
    assert button(picker, "Unload the model").isHidden()
    with qtbot.waitSignal(picker.open_clicked):
        button(picker, "Open a model file…").click()
    picker.show_state(READY)
    picker.open_menu()
    with qtbot.waitSignal(picker.unload_clicked):
        button(picker, "Unload the model").click()


def test_it_stays_inside_a_narrow_window(qtbot: QtBot, picker: ModelPicker) -> None:
    picker.resize(300, 50)
    picker.open_menu()
    assert picker.popover.width() <= 300 - 24
    picker.popover.close()


def test_stars_first_then_the_last_used_and_what_is_damaged_not_at_all() -> None:
    seer, snow = SHOWN[3], SHOWN[4]
    last = ModelRef.of_file(Path("/elsewhere/last.gguf"))
    rows = picker_rows(rows_of(SHOWN), [last, SHOWN[2].ref], [snow.ref], {key_of(snow.ref)})
    assert [row.ref for row in rows] == [snow.ref, last, SHOWN[0].ref, seer.ref, GUIDE_REF]
    assert rows[0].badges[0] == "★"
    assert "sees" in rows[3].badges and "Q4_K_M" in rows[3].line and "3.0 GiB" in rows[3].line


def test_loading_can_be_cancelled(picker: ModelPicker) -> None:
    picker.show_state(ModelLoading(A, LoadStage.LOADING, 0.5))
    assert cancel(picker) is picker.cancel_button and picker.cancel_button.isVisible()
    picker.show_state(NoModel())
    assert not picker.cancel_button.isVisible()


def test_names_of_files_are_never_rich_text(picker: ModelPicker) -> None:
    picker.open_menu()
    assert "<b>" not in picker.popover.list.index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    picker.popover.close()
