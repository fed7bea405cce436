"""Selecting across blocks, and what of it is copied."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui.richtext.blocks_view import BlocksView
from app.ui.richtext.code_block import CodeBlock
from app.ui.richtext.text_block_view import TextBlockView
from app.ui.theme.appearance import Appearance

TEXT = "# Title\n\nSome **bold** words.\n\n```py\nx = 1\ny = '😀'\n```\n\n- one\n- two $x^2$\n"


@pytest.fixture
def view(qtbot: QtBot, appearance: Appearance) -> BlocksView:
    made = BlocksView(appearance)
    qtbot.addWidget(made)
    made.set_text(TEXT)
    made.resize(500, made.place(500))
    made.show()
    qtbot.waitUntil(made.isVisible)
    return made


def part(view: BlocksView, index: int) -> QWidget:
    widget = view.widget_at(index)
    return widget.text_view if isinstance(widget, CodeBlock) else widget


def drag(view: BlocksView, first: int, last: int, *, end: QPoint | None = None) -> None:
    """From the beginning of a block to the end of another, with the mouse where the first one is."""
    source, target = part(view, first), part(view, last)
    QTest.mousePress(source, Qt.MouseButton.LeftButton, pos=QPoint(0, 4))
    where = end if end is not None else QPoint(target.width() - 1, target.height() - 1)
    place = QPointF(source.mapFrom(view, target.mapTo(view, where)))
    moved = QMouseEvent(
        QEvent.Type.MouseMove,
        place,
        source.mapToGlobal(place),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QCoreApplication.sendEvent(source, moved)
    QTest.mouseRelease(source, Qt.MouseButton.LeftButton, pos=place.toPoint())


def test_a_drag_selects_across_text_and_code(view: BlocksView) -> None:
    drag(view, 0, 2)
    assert view.selection.text() == "Title\n\nSome bold words.\n\nx = 1\ny = '😀'"
    assert view.selection.markdown() == "# Title\n\nSome **bold** words.\n\n```py\nx = 1\ny = '😀'\n```"
    title, code, rest = part(view, 0), part(view, 2), part(view, 3)
    assert isinstance(title, TextBlockView)
    assert title.selected_text == "Title"
    assert code.selected_text == "x = 1\ny = '😀'"  # type: ignore[attr-defined]
    assert not rest.has_selection  # type: ignore[attr-defined]


def test_upwards_it_is_the_same(view: BlocksView) -> None:
    drag(view, 3, 1, end=QPoint(0, 4))
    assert view.selection.text().startswith("Some bold words.\n\nx = 1")
    assert "one" not in view.selection.text()


def test_parts_of_blocks_are_copied_as_markdown(view: BlocksView) -> None:
    view.selection.select(part(view, 1), 5, 15)
    assert view.selection.text() == "bold words"
    assert view.selection.markdown() == "**bold** words"
    view.selection.select(part(view, 2), 0, 5)
    assert view.selection.markdown() == "`x = 1`"
    view.selection.select(part(view, 2), 4, 8)
    assert view.selection.markdown() == "```py\n1\ny \n```"


def test_formulas_are_copied_as_they_were_written(view: BlocksView) -> None:
    view.selection.select(part(view, 3), 0, 1 << 20)
    assert view.selection.text().endswith("two $x^2$")


def test_keys_select_and_copy_all(view: BlocksView) -> None:
    part(view, 1).setFocus()
    QTest.keySequence(part(view, 1), QKeySequence(QKeySequence.StandardKey.SelectAll))
    assert view.selection.markdown() == TEXT.strip()
    QTest.keySequence(part(view, 1), QKeySequence(QKeySequence.StandardKey.Copy))
    assert QGuiApplication.clipboard().text() == view.selection.text()
    assert view.selection.text().startswith("Title\n\nSome bold words.")


@pytest.mark.parametrize("index", [1, 2])
def test_the_menu_offers_both_and_the_whole(view: BlocksView, index: int) -> None:
    view.selection.select(part(view, index), 0, 4)
    menu = part(view, index).menu_at(QPoint(2, 2))  # type: ignore[attr-defined]
    actions = {each.text(): each for each in menu.actions()}
    assert list(actions) == ["Copy", "Copy as Markdown", "Copy message", "Select all"]
    actions["Copy message"].trigger()
    assert QGuiApplication.clipboard().text() == TEXT
    actions["Copy as Markdown"].trigger()
    assert QGuiApplication.clipboard().text() == view.selection.markdown()
    actions["Select all"].trigger()
    assert view.selection.markdown() == TEXT.strip()
    view.selection.clear()
    menu = part(view, index).menu_at(QPoint(2, 2))  # type: ignore[attr-defined]
    assert [each.isEnabled() for each in menu.actions()] == [False, False, True, True]


def test_what_has_no_widget_is_copied_too(view: BlocksView) -> None:
    view.selection.select_all()
    view.show_range(0, 10)
    view.place(500)
    assert 1 not in dict(view.parts())
    assert view.selection.markdown() == TEXT.strip()
    assert "Some bold words." in view.selection.text()
    view.show_range(0, 10_000)
    view.place(500)
    assert part(view, 1).selected_text == "Some bold words."  # type: ignore[attr-defined]


def test_a_growing_text_keeps_its_selection(view: BlocksView) -> None:
    view.set_text("")
    view.append("first\n\nsecond\n\nthi")
    view.flush()
    view.place(500)
    view.selection.select(part(view, 0), 0, 5)
    view.append("rd\n\nfourth")
    view.flush()
    assert view.selection.text() == "first"
    assert part(view, 0).selected_text == "first"  # type: ignore[attr-defined]


def test_the_selection_goes_when_the_keyboard_leaves(qtbot: QtBot, view: BlocksView) -> None:
    other = QWidget()
    qtbot.addWidget(other)
    other.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    view.activateWindow()
    part(view, 0).setFocus()
    drag(view, 0, 1)
    part(view, 1).setFocus()
    assert view.selection.has_selection, "the keyboard is still in the message"
    part(view, 1).clearFocus()
    assert not view.selection.has_selection
