"""What people who use no mouse, or no eyes, need: names, an order for the keyboard, keys for everything."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QAccessible, QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QLabel, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.messages import Role
from app.services.engine.states import Generating, Idle, Waiting
from app.storage.conversations import MessageState, StoredMessage
from app.ui.commands.actions import plain_text
from app.ui.richtext.code_text import CodeText
from app.ui.richtext.text_block_view import TextBlockView
from app.ui.theme.appearance import Appearance
from app.ui.transcript.answer_view import AnswerView
from app.ui.transcript.user_view import UserView
from app.ui.widgets.accessible_roles import install_roles
from app.ui.widgets.announcer import Announcer
from tests.ui.conftest import Stage
from tests.ui.fakes import stored
from tests.ui.gallery import fill, menus_of, scenes, settle


def focusable(root: QWidget) -> Iterator[QWidget]:
    """What the keyboard can come to and what a mouse can press, without the inner parts of Qt's own widgets."""
    for widget in (root, *root.findChildren(QWidget)):
        is_ours = not widget.objectName().startswith("qt_") and not isinstance(widget, QMenu)
        is_used = widget.focusPolicy() != Qt.FocusPolicy.NoFocus or isinstance(widget, QAbstractButton)
        if widget.isVisible() and is_ours and is_used:
            yield widget


def name_of(widget: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name).strip()


def describe(widget: QWidget) -> str:
    parents: list[str] = []
    above: QWidget | None = widget
    while above is not None and len(parents) < 4:
        parents.append(f"{type(above).__name__}#{above.objectName()}")
        above = above.parentWidget()
    return " in ".join(parents)


def silent(root: QWidget) -> Iterator[str]:
    """What says nothing of itself: controls, buttons of an icon alone, rows of lists, and `root` itself."""
    if not name_of(root) and not root.windowTitle():
        yield "the window has no title"
    yield from (f"{describe(widget)} has no name" for widget in focusable(root) if not name_of(widget))
    for button in root.findChildren(QAbstractButton):
        if button.isVisible() and not button.text() and not button.toolTip() and not button.icon().isNull():
            yield f"{describe(button)} has no tooltip"
    for view in root.findChildren(QAbstractItemView):
        model: QAbstractItemModel | None = view.model()
        for row in range(model.rowCount() if model is not None and view.isVisible() else 0):
            index = view.model().index(row, 0)
            if not (index.data(Qt.ItemDataRole.AccessibleTextRole) or index.data()):
                yield f"{describe(view)} row {row} says nothing"


def test_everything_that_can_be_used_says_what_it_is(stage: Stage) -> None:
    """Names, titles, tooltips and rows together, since going through all windows takes long."""
    found, seen = set(), set()
    for scene, root in scenes(stage):
        seen.add(scene)
        found |= {f"{scene}: {each}" for each in silent(root)}
    assert not found, "\n".join(sorted(found))
    assert {"welcome", "conversation", "about", "shortcuts", "palette", "show_context", "LinkDialog"} <= seen
    assert sum(scene.startswith("settings:") for scene in seen) > 5


def test_a_conversation_is_a_list_of_messages_for_screen_readers(stage: Stage) -> None:
    install_roles()
    fill(stage)
    settle()
    roles: dict[type, QAccessible.Role] = {}
    for view in stage.window.findChildren(QWidget):
        if isinstance(view, AnswerView | UserView | TextBlockView | CodeText) and view.isVisible():
            interface = QAccessible.queryAccessibleInterface(view)
            roles[type(view)] = interface.role()
            assert interface.text(QAccessible.Text.Name)
    assert roles == {
        AnswerView: QAccessible.Role.ListItem,
        UserView: QAccessible.Role.ListItem,
        TextBlockView: QAccessible.Role.Paragraph,
        CodeText: QAccessible.Role.Paragraph,
    }
    (answer, *_) = stage.window.findChildren(AnswerView)
    parent = QAccessible.queryAccessibleInterface(answer).parent()
    assert parent.role() == QAccessible.Role.List


def test_an_answer_says_how_it_ended(appearance: Appearance, qtbot: QtBot) -> None:
    answer = stored(Role.ASSISTANT, "One two three")
    view = AnswerView(appearance, answer)
    qtbot.addWidget(view)
    assert "3" in name_of(view)
    view.show_message(replace(answer, state=MessageState.CANCELLED))
    assert "Stopped" in name_of(view)


def test_every_action_has_a_key_and_stands_in_a_menu(stage: Stage) -> None:
    fill(stage)
    actions = stage.window.menu_actions
    in_menus = {action for menu in menus_of(stage.window) for action in menu.actions()}
    keys: dict[str, str] = {}
    for name, action in (*actions.named().items(), *actions.themes.items()):
        assert plain_text(action), name
        assert action in in_menus or name == "show_menu", f"{name} is in no menu"
        key = action.shortcut().toString()
        assert key, f"{name} has no key"
        assert key not in keys, f"{name} and {keys[key]} have the key {key}"
        keys[key] = name


def test_menus_have_no_letter_twice(stage: Stage) -> None:
    for menu in menus_of(stage.window):
        letters = [_letter(action) for action in menu.actions() if _letter(action)]
        assert len(letters) == len(set(letters)), [action.text() for action in menu.actions()]


def test_f1_lists_every_action_that_has_a_key(stage: Stage) -> None:
    stage.window.menu_actions.shortcuts.trigger()
    settle()
    (dialog,) = [each for each in QApplication.topLevelWidgets() if each.isVisible() and each is not stage.window]
    shown = {label.text() for label in dialog.findChildren(QLabel)}
    for action in stage.window.menu_actions.all():
        assert {plain_text(action), action.shortcut().toString()} <= shown
    assert {"Theme: Dark", "Ctrl+Shift+D"} <= shown
    dialog.close()


def test_tab_goes_through_the_window_once_and_in_order(stage: Stage) -> None:
    fill(stage)
    window = stage.window
    parts = (window.sidebar, window.header, window.transcript, window.notices, window.composer)
    start: QWidget = window.composer.edit
    start.setFocus()
    met: list[QWidget] = []
    for _ in range(200):
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        at: QWidget = window.focusWidget()
        if at is start or at in met:
            break
        met.append(at)
    assert window.focusWidget() is start, f"caught between {describe(met[-1])} and {describe(window.focusWidget())}"
    order = [next((number for number, part in enumerate(parts) if part.isAncestorOf(at)), -1) for at in met]
    assert -1 not in order, [describe(at) for at in met]
    turns = [place for place, before in zip(order, [None, *order], strict=False) if place != before]
    assert {0, 1, 2, 4} <= set(turns)
    inner = turns[:-1] if turns[-1] == turns[0] else turns
    wraps = sum(later < earlier for earlier, later in pairwise(inner))
    assert len(inner) == len(set(inner)), f"Tab comes back to a part that it has left: {turns}"
    assert wraps <= 1, f"Tab jumps about: {turns}"


def test_tab_comes_out_of_every_dialog_control(stage: Stage) -> None:
    for scene, root in scenes(stage):
        if root is stage.window or not root.isWindow():
            continue
        met: list[QWidget] = []
        at: QWidget | None = root.focusWidget()
        while at is not None and at not in met:
            met.append(at)
            QTest.keyClick(at, Qt.Key.Key_Tab)
            at = root.focusWidget()
        wanted = {
            each
            for each in focusable(root)
            if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.isEnabled() and not _is_grouped(each)
        }
        missed = wanted - set(met)
        assert not missed, f"{scene}: Tab never comes to {[describe(each) for each in missed]}"


def _is_grouped(widget: QWidget) -> bool:
    """Of a group of buttons, Tab comes to the one that is chosen, and arrows to the others."""
    return isinstance(widget, QAbstractButton) and (widget.autoExclusive() or widget.group() is not None)


def _letter(action: QAction) -> str:
    text = action.text().replace("&&", "")
    place = text.find("&")
    return text[place + 1].lower() if 0 <= place < len(text) - 1 else ""


def test_what_happens_elsewhere_is_said(stage: Stage) -> None:
    said: list[tuple[str, bool]] = []
    announcer = Announcer(stage.window, lambda sentence, urgent: said.append((sentence, urgent)))
    answer = stored(Role.ASSISTANT, "It **rains**.")
    announcer.show_conversation(answer.conversation_id)

    def write(answer: StoredMessage) -> list[tuple[str, bool]]:
        said.clear()
        announcer.show_activity(Waiting())
        announcer.show_activity(Generating(40.0, 100))
        announcer.show_activity(Idle())
        announcer.show_end(answer)
        return said

    assert write(answer) == [("The model is reading.", False), ("Answer: It **rains**.", False)]
    assert write(replace(answer, state=MessageState.CANCELLED))[-1] == ("The answer was stopped.", False)
    assert "word" in write(stored(Role.ASSISTANT, "many words " * 100))[-1][0]
    said.clear()
    announcer.show_end(replace(answer, conversation_id=answer.conversation_id + 1))
    assert not said, "what ends in another conversation is not read aloud"
    announcer.show_error(UserError("No model is loaded."))
    assert said == [("No model is loaded.", True)]
