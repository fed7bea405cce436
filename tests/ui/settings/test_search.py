"""A word finds a setting, and Enter goes there."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.core.checkpointing import Checkpointing
from app.core.loading import Loading
from app.core.sampling import Sampling
from app.core.settings import SECTIONS
from app.core.snapshot_settings import SnapshotSettings
from app.ui.settings.dialog import SettingsDialog
from app.ui.settings.field import SettingField
from app.ui.settings.search import matching
from tests.ui.settings.test_dialog import Desk, desk

__all__ = ["desk"]


@pytest.fixture
def dialog(desk: Desk) -> SettingsDialog:
    return desk.open()


def found(dialog: SettingsDialog) -> list[str]:
    results = dialog.search.results
    return [results.item(row).text().split("\n")[0] for row in range(results.count())]


def field_of(dialog: SettingsDialog, section: type, name: str) -> SettingField:
    return dialog.page(section).forms()[0].fields[name]


def type_in(dialog: SettingsDialog, words: str) -> None:
    QTest.keySequence(dialog, Qt.KeyboardModifier.ControlModifier | Qt.Key.Key_F)
    assert dialog.focusWidget() is dialog.search.field
    QTest.keyClicks(dialog.search.field, words)


def test_a_word_of_the_label_comes_before_one_of_the_help(dialog: SettingsDialog) -> None:
    type_in(dialog, "THREADS")
    assert found(dialog)[0] == "Threads"
    assert dialog.search.field.accessibleDescription().startswith("Threads, Model.")
    dialog.search.field.setText("processor")
    assert "Threads" in found(dialog), "the help is searched too"
    dialog.search.field.setText("checkpoint gap")
    assert found(dialog) == ["Smallest gap"], "and the page's title"


@pytest.mark.parametrize(
    ("words", "section", "name"),
    [
        ("smallest gap", Checkpointing, "min_step"),
        ("micro-batch", Loading, "ubatch_size"),
        ("min p", Sampling, "min_p"),
        ("room on disk", SnapshotSettings, "disk"),
    ],
)
def test_enter_unfolds_shows_and_marks_it(
    dialog: SettingsDialog, qtbot: QtBot, words: str, section: type, name: str
) -> None:
    dialog.resize(700, 420)
    type_in(dialog, words)
    QTest.keyClick(dialog.search.field, Qt.Key.Key_Return)
    field, view = field_of(dialog, section, name), dialog.entry_of(section).viewport()
    assert field.isVisible() and dialog.focusWidget() is field.editor
    qtbot.waitUntil(lambda: view.rect().contains(field.editor.mapTo(view, QPoint(0, 0))))
    assert field.is_marked and field.property("found") == "true"
    qtbot.waitUntil(lambda: field.property("found") == "false")
    assert dialog.isVisible() and dialog.search.field.text() == ""


def test_the_arrows_choose_and_a_click_does(dialog: SettingsDialog) -> None:
    type_in(dialog, "cache type")
    several = found(dialog)
    QTest.keyClick(dialog.search.field, Qt.Key.Key_Down)
    assert dialog.search.results.currentRow() == 1
    assert dialog.search.field.accessibleDescription().startswith(several[1])
    place = dialog.search.results.visualItemRect(dialog.search.results.item(0)).center()
    QTest.mouseClick(dialog.search.results.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert field_of(dialog, Loading, "cache_type_k").is_marked


def test_nothing_found_says_so_and_escape_brings_the_pages_back(dialog: SettingsDialog) -> None:
    type_in(dialog, "zebra")
    assert dialog.search.none.isVisible() and dialog.search.none.text() == "No setting is like “zebra”."
    assert dialog.search.field.accessibleDescription() == dialog.search.none.text()
    QTest.keyClick(dialog.search.field, Qt.Key.Key_Return)
    assert dialog.isVisible(), "Enter must not press OK"
    QTest.keyClick(dialog.search.field, Qt.Key.Key_Escape)
    assert dialog.isVisible() and dialog.page_list.isVisible()


def test_every_setting_can_be_found(dialog: SettingsDialog) -> None:
    settings = dialog._searched()
    assert all(each in matching(settings, each.label) for each in settings)
    assert len(settings) == sum(len(dialog.page(section).forms()[0].fields) for section in SECTIONS)
