"""From the window to its models and back: the dialog, the picker, the palette."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.core.model_ref import ModelRef
from app.core.resources import GUIDE
from app.services.engine.states import ModelReady, NoModel
from app.ui.models.dialog import ModelsDialog, Page
from tests.library import homes
from tests.ui.conftest import Stage
from tests.ui.fakes import MODEL
from tests.waits import WAIT


@pytest.fixture
def stocked(stage: Stage, tiny_models: dict[str, Path], qtbot: QtBot) -> Stage:
    """A good model, one of Ollama's, and a damaged file."""
    own, home = stage.state_folder / "models", stage.state_folder / "nobody"
    own.mkdir()
    shutil.copy(tiny_models["llama"], own / "Rain-8B-Q4_0.gguf")
    homes.put(own / "Torn.gguf", b"GGUF")
    homes.ollama(home / ".ollama" / "models", "library/snow", "3b", tiny_models["qwen35"].read_bytes())
    library = stage.models.library
    with qtbot.waitSignal(library.scanning, timeout=WAIT, check_params_cb=lambda busy: not busy):
        library.scan()
    return stage


def opened(stage: Stage) -> ModelsDialog:
    assert stage.window.models is not None
    dialog = stage.window.models.dialog
    assert dialog is not None
    assert dialog.isVisible()
    return dialog


def picked(stage: Stage) -> dict[str, Path]:
    """What the picker offers, by name."""
    stage.window.picker.open_menu()
    return {row.name: row.ref.file for row in stage.window.picker.popover.list.rows}


def ref_of(stage: Stage, name: str) -> ModelRef:
    return next(model.ref for model in stage.models.library.models if model.name == name)


def test_a_key_opens_it_and_a_choice_loads_and_closes(stocked: Stage, qtbot: QtBot) -> None:
    QTest.keyClick(
        stocked.window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    dialog = opened(stocked)
    dialog.here.select(ref_of(stocked, "snow:3b"))
    with qtbot.waitSignal(dialog.finished):
        dialog.here.details.chat_button.click()
    assert stocked.engine.calls == [("load", ref_of(stocked, "snow:3b"))]
    assert stocked.window.models is not None
    assert stocked.window.models.dialog is None


def test_what_is_loaded_as_wanted_is_not_loaded_again(stocked: Stage) -> None:
    model = ref_of(stocked, "Rain 8B (Q4_0)")
    info = replace(MODEL, ref=model, loading=stocked.settings.settings.loading)
    for known, calls in ((info, []), (replace(info, loading=replace(info.loading, ctx_size=512)), [("load", model)])):
        stocked.engine.enter(ModelReady(known))
        stocked.window.menu_actions.models.trigger()
        dialog = opened(stocked)
        dialog.here.select(model)
        dialog.here.details.chat_button.click()
        assert stocked.engine.calls == calls


def test_it_is_opened_once(stage: Stage) -> None:
    assert stage.window.models is not None
    first = stage.window.models.open()
    assert stage.window.models.open(Page.DOWNLOADS) is first
    assert first.page is Page.DOWNLOADS
    first.reject()
    assert stage.window.models.dialog is None


def test_pages_by_key_and_by_button(stage: Stage, qtbot: QtBot) -> None:
    assert stage.window.models is not None
    dialog = stage.window.models.open()
    qtbot.waitUntil(dialog.isActiveWindow)
    for key, page in ((Qt.Key.Key_2, Page.DISCOVER), (Qt.Key.Key_3, Page.DOWNLOADS), (Qt.Key.Key_1, Page.HERE)):
        QTest.keyClick(dialog, key, Qt.KeyboardModifier.ControlModifier)
        assert dialog.page is page
    dialog.here.empty.discover_button.click()
    assert dialog.page is Page.DISCOVER
    for lead, page in (
        (dialog.discover.problem.more_button.click, Page.HERE),
        (dialog.discover.repo.files.downloads_clicked.emit, Page.DOWNLOADS),
        (dialog.downloads.discover_button.click, Page.DISCOVER),
    ):
        lead()
        assert dialog.page is page
    dialog.reject()


def test_a_file_can_be_opened_from_there(stage: Stage, qtbot: QtBot) -> None:
    assert stage.window.models is not None
    dialog = stage.window.models.open()
    dialog.here.empty.open_button.click()
    (asking,) = stage.window.findChildren(QFileDialog)
    assert asking.isVisible()
    asking.reject()


def test_failures_are_told_in_the_window_while_the_dialog_is_closed(stage: Stage) -> None:
    def told() -> list[str]:
        return [label.text() for label in stage.window.notices.findChildren(QLabel) if label.isVisible()]

    stage.models.library.failed.emit("It failed.")
    assert told() == ["It failed."]
    assert stage.window.models is not None
    dialog = stage.window.models.open()
    stage.models.library.failed.emit("Again.")
    assert told() == ["It failed."]
    assert dialog.here.status.text() == "Again."
    dialog.reject()


def test_the_picker_calls_models_by_their_names_and_leaves_out_damaged_ones(
    stocked: Stage, recent_models: list[ModelRef]
) -> None:
    own = stocked.state_folder / "models"
    recent_models += [ModelRef.of_file(own / "Torn.gguf"), ref_of(stocked, "snow:3b")]
    found = picked(stocked)
    assert next(iter(found)) == "snow:3b"
    assert "Torn" not in found
    assert not any("sha256" in text for text in found)
    listed = stocked.window.picker.popover.list
    assert "Fits" in str(listed.data(listed.index(0, 0), Qt.ItemDataRole.AccessibleTextRole))
    stocked.window.welcome.show_state(NoModel())
    assert "snow:3b" in [each.text() for each in stocked.window.welcome.findChildren(QPushButton)]
    QTest.keyClicks(stocked.window.picker.popover.search, "snow")
    QTest.keyClick(stocked.window.picker.popover.search, Qt.Key.Key_Return)
    assert stocked.engine.calls == [("load", ref_of(stocked, "snow:3b"))]


def test_the_picker_leads_to_all_models(stocked: Stage) -> None:
    picked(stocked)
    buttons = stocked.window.picker.popover.findChildren(QPushButton)
    next(each for each in buttons if each.text() == "All models…").click()
    opened(stocked).reject()


def test_the_palette_knows_the_names_and_the_dialog(stocked: Stage, recent_models: list[ModelRef]) -> None:
    recent_models.append(ref_of(stocked, "snow:3b"))
    stocked.window.command_palette.toggle()
    titles = [row.entry.title for row in stocked.window.command_palette.palette.rows]
    assert "snow:3b" in titles
    assert "Models" in titles
    assert any("built in" in title for title in titles) == GUIDE.is_file()
    stocked.window.command_palette.toggle()
