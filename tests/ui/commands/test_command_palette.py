from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.ui.commands.actions import plain_text
from app.ui.commands.command_palette import CommandPalette
from app.ui.commands.palette_entries import MOST_RECENT, Entry, rows_for, used
from app.ui.presenters.window_state import WindowState
from tests.ui.conftest import Stage
from tests.ui.fakes import READY, conversation
from tests.work import assert_quick


@pytest.fixture
def palette(stage: Stage) -> CommandPalette:
    chats = (conversation("Rain in Kyoto", number=7), conversation("", number=8))
    stage.controller.active.listed.emit(chats)
    return stage.window.command_palette.palette


@pytest.fixture
def choose(stage: Stage, palette: CommandPalette) -> Callable[[str], None]:
    def act(wanted: str) -> None:
        stage.window.menu_actions.palette.trigger()
        QTest.keyClicks(palette.field, wanted)
        QTest.keyClick(palette.field, Qt.Key.Key_Return)

    return act


def titles(palette: CommandPalette) -> list[str]:
    return [row.entry.title for row in palette.rows]


def entry(title: str, kind: str = "") -> Entry:
    return Entry(title, title, kind, lambda: None)


def test_its_key_opens_it_from_the_text_and_closes_it_again(stage: Stage, palette: CommandPalette) -> None:
    edit = stage.window.composer.edit
    edit.setFocus()
    edit.setPlainText("half a sentence")
    QTest.keyClick(edit, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert palette.isVisible()
    assert palette.field.hasFocus()
    assert edit.toPlainText() == "half a sentence"
    QTest.keyClick(palette.field, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert not palette.isVisible()
    assert stage.window.focusWidget() is edit


def test_escape_closes_it_and_gives_the_focus_back(stage: Stage, palette: CommandPalette) -> None:
    search = stage.window.sidebar.search_field
    search.setFocus()
    stage.window.menu_actions.palette.trigger()
    # The shortcut that stops an answer has the same key.
    stage.window.menu_actions.stop.setEnabled(True)
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert stage.window.focusWidget() is search
    assert ("stop",) not in stage.controller.calls


def test_a_click_beside_it_closes_it(stage: Stage, palette: CommandPalette) -> None:
    stage.window.menu_actions.palette.trigger()
    QTest.mouseClick(palette, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert not palette.isVisible()


def test_every_action_that_can_be_done_is_there_with_its_key(stage: Stage, palette: CommandPalette) -> None:
    stage.engine.enter(READY)
    stage.window.menu_actions.palette.trigger()
    shown = {row.entry.title: row.entry.keys for row in palette.rows if not row.entry.kind}
    actions = stage.window.menu_actions
    wanted = [each for each in actions.all() if each.isEnabled() and each is not actions.palette]
    assert len(wanted) > 10
    for action in wanted:
        assert shown[plain_text(action)] == action.shortcut().toString()
    assert "Theme: Dark" in shown
    assert "Stop" not in shown, "nothing is being written"


def test_chats_models_and_actions_are_chosen_by_a_few_letters(stage: Stage, choose: Callable[[str], None]) -> None:
    choose("kyoto")
    assert stage.controller.calls[-1] == ("open_conversation", 7)
    choose("gemma")
    assert stage.engine.calls[-1][0] == "load"
    choose("dark")
    assert stage.settings.settings.interface.theme == "dark"
    choose("sidebar")
    assert stage.window.sidebar.isHidden()


def test_arrows_walk_and_wrap(stage: Stage, palette: CommandPalette) -> None:
    stage.window.menu_actions.palette.trigger()
    QTest.keyClicks(palette.field, "chat")
    shown = titles(palette)
    assert len(shown) > 2

    def current() -> str:
        return str(palette.list.currentIndex().data())

    assert current() == shown[0]
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    assert current() == shown[1]
    assert shown[1] in palette.field.accessibleDescription(), "a screen reader stays in the field"
    for _ in range(2):
        QTest.keyClick(palette.field, Qt.Key.Key_Up)
    assert current() == shown[-1]
    QTest.keyClick(palette.field, Qt.Key.Key_PageDown)
    assert current() == shown[-1]


def test_what_was_used_last_comes_first_also_after_a_restart(
    stage: Stage, palette: CommandPalette, choose: Callable[[str], None]
) -> None:
    choose("sidebar")
    choose("kyoto")
    stage.window.menu_actions.palette.trigger()
    assert titles(palette)[:2] == ["Rain in Kyoto", "Hide or show the sidebar"]
    assert WindowState(stage.state_folder).commands == ("chat:7", "action:toggle_sidebar")


def test_it_closes_when_a_shortcut_leads_elsewhere(stage: Stage, palette: CommandPalette, qtbot: QtBot) -> None:
    stage.window.menu_actions.palette.trigger()
    stage.window.menu_actions.focus_search.trigger()
    assert not palette.isVisible()
    assert stage.window.focusWidget() is stage.window.sidebar.search_field


def test_nothing_found_says_so_and_enter_does_nothing(stage: Stage, palette: CommandPalette) -> None:
    stage.window.menu_actions.palette.trigger()
    QTest.keyClicks(palette.field, "qqqq")
    assert palette.rows == ()
    assert palette.field.accessibleDescription() == "Nothing is called that."
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    QApplication.processEvents()
    (said,) = palette.panel.findChildren(QLabel)
    assert palette.panel.rect().contains(said.geometry())
    assert said.height() >= said.sizeHint().height()


def test_it_is_as_high_as_what_was_found(stage: Stage, palette: CommandPalette) -> None:
    stage.window.menu_actions.palette.trigger()
    QTest.keyClicks(palette.field, "kyoto")
    assert titles(palette) == ["Rain in Kyoto"]
    QApplication.processEvents()
    row = palette.list.sizeHintForRow(0)
    assert row <= palette.list.height() < 2 * row


def test_it_stays_inside_a_narrow_window(stage: Stage, palette: CommandPalette, qtbot: QtBot) -> None:
    stage.window.menu_actions.palette.trigger()
    stage.window.resize(560, 420)
    qtbot.waitUntil(lambda: palette.width() == stage.window.width())
    assert palette.rect().contains(palette.panel.geometry())


def test_used_lately_wins_among_equals_only() -> None:
    entries = [entry("Rain in Oslo", "Chat"), entry("Rain in Rome", "Chat"), entry("Terrain")]
    assert rows_for("rain", entries, ("Rain in Rome",))[0].entry.title == "Rain in Rome"
    assert rows_for("rain", entries, ("Terrain",))[0].entry.title == "Rain in Oslo"
    assert rows_for("rain", entries, ())[0].places == (0, 1, 2, 3)
    assert rows_for("chat", entries, ())[0].places == (), "the kind is searched, and not marked in the title"


def test_few_recent_ones_are_remembered() -> None:
    recent: tuple[str, ...] = ()
    for number in [*range(40), 39, 38]:
        recent = used(str(number), recent)
    assert recent[:2] == ("38", "39")
    assert len(recent) == len(set(recent)) == MOST_RECENT


def test_thousands_of_chats_are_searched_while_typing() -> None:
    entries = [entry(f"Conversation number {number} about the weather", "Chat") for number in range(5000)]
    assert rows_for("wea", entries, ())
    # About 40 ms on a quiet machine.
    assert_quick(0.5, lambda: rows_for("wea", entries, ()))


def test_what_was_typed_before_is_not_kept_to_be_undone(stage: Stage, palette: CommandPalette) -> None:
    """A command for each letter, which stayed for as long as the window did."""
    stage.window.menu_actions.palette.trigger()
    QTest.keyClicks(palette.field, "theme")
    assert palette.field.isUndoAvailable()
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    stage.window.menu_actions.palette.trigger()
    assert palette.field.text() == ""
    assert not palette.field.isUndoAvailable()
