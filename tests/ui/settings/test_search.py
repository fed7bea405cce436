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
    told = dialog.search.told
    assert told.isVisible()
    assert told.text() == "No setting is like “zebra”. Try another word for it; Esc brings the pages back."
    assert dialog.search.field.accessibleDescription() == told.text()
    QTest.keyClick(dialog.search.field, Qt.Key.Key_Return)
    assert dialog.isVisible(), "Enter must not press OK"
    QTest.keyClick(dialog.search.field, Qt.Key.Key_Escape)
    assert dialog.isVisible() and dialog.page_list.isVisible()


def test_every_setting_can_be_found(dialog: SettingsDialog) -> None:
    settings = dialog._searched()
    assert all(each in matching(settings, each.label) for each in settings)
    assert len(settings) == sum(len(dialog.page(section).forms()[0].fields) for section in SECTIONS)


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("gpu", "GPU layers"),
        ("GPUs", "GPU layers"),
        ("graphics card", "GPU layers"),
        ("vram", "GPU layers"),
        ("cpu", "Threads"),
        ("ram", "Flash attention"),
        ("memory", "Checkpoint memory"),
        ("font size", "Text size"),
        ("zoom", "Text size"),
        ("dark", "Theme"),
        ("dark mode", "Theme"),
        ("colors", "Theme"),
        ("animation", "Motion"),
        ("key", "Key"),
        ("password", "Key"),
        ("port", "Port"),
        ("server", "Let other programs on this computer use the model"),
        ("notifications", "Tell when an answer is there"),
        ("instructions", "System prompt"),
        ("creativity", "Temperature"),
        ("internet", "Web pages"),
        ("model folder", "Folders with models"),
        ("window length", "Context size"),
    ],
)
def test_words_that_people_use_find_it(dialog: SettingsDialog, words: str, first: str) -> None:
    dialog.search.field.setText(words)
    assert first in found(dialog), "or the words of a setting were forgotten"


def test_a_short_word_is_not_looked_for_within_others(dialog: SettingsDialog) -> None:
    dialog.search.field.setText("ram")
    assert "Temperature" not in found(dialog) and "Seed" not in found(dialog)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("reason", "at the message field, or in a preset"),
        ("thinking", "at the message field, or in a preset"),
        ("language", "your system's language"),
        ("proxy", "HTTPS_PROXY"),
        ("voice", "Recordings are added with +"),
        ("microphone", "Recordings are added with +"),
        ("shortcuts", "(F1)"),
        ("ollama", "Models, Servers"),
        ("backup", "under Chat"),
        ("mcp", "on the page Tools"),
        ("update", "no updates by itself"),
    ],
)
def test_what_is_no_setting_says_where_it_is(dialog: SettingsDialog, words: str, told: str) -> None:
    dialog.search.field.setText(words)
    assert dialog.search.told.isVisible() and told in dialog.search.told.text()


def test_a_setting_that_is_found_says_nothing_else(dialog: SettingsDialog) -> None:
    dialog.search.field.setText("threads")
    assert not dialog.search.told.isVisible()
