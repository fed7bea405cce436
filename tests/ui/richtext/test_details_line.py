"""`<details>` in an answer: folded, opened by mouse and keyboard, and left alone while the text streams on."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.ui.richtext.blocks_view import BlocksView
from app.ui.richtext.details_line import DetailsLine
from app.ui.theme.appearance import Appearance

TEXT = (
    "Before.\n\n<details>\n<summary>More *of it*</summary>\n\nHidden words.\n\n```py\nx = 1\n```\n</details>\n\n"
    "## After"
)
BEFORE, LINE, HIDDEN, CODE, AFTER = 0, 2, 3, 4, 6


@pytest.fixture
def view(qtbot: QtBot, appearance: Appearance) -> BlocksView:
    made = BlocksView(appearance)
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    return made


def line_of(view: BlocksView) -> DetailsLine:
    (found,) = (each for each in view.findChildren(DetailsLine) if not each.isHidden())
    return found


def shown(view: BlocksView) -> list[int]:
    view.place(600)
    return sorted(index for index, _ in view.parts())


def test_it_is_closed_until_it_is_clicked(qtbot: QtBot, view: BlocksView) -> None:
    view.set_text(TEXT)
    assert shown(view) == [BEFORE, LINE, AFTER]
    closed = view.place(600)
    line = line_of(view)
    assert (line.accessibleName(), line.isChecked()) == ("More of it", False)
    with qtbot.waitSignal(view.resized):
        QTest.mouseClick(line, Qt.MouseButton.LeftButton, pos=line.rect().center())
    assert shown(view) == [BEFORE, LINE, HIDDEN, CODE, AFTER]
    assert view.place(600) > closed
    assert view.widget_at(HIDDEN).x() == line.text_view.x()
    QTest.mouseClick(line, Qt.MouseButton.LeftButton, pos=line.rect().center())
    assert shown(view) == [BEFORE, LINE, AFTER]
    assert view.place(600) == closed


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Space])
def test_keys_open_it(qtbot: QtBot, view: BlocksView, key: Qt.Key) -> None:
    view.set_text(TEXT)
    shown(view)
    line = line_of(view)
    assert line.focusPolicy() == Qt.FocusPolicy.StrongFocus
    QTest.keyClick(line, key)
    assert HIDDEN in shown(view)


@pytest.mark.parametrize("opening", ["<details open>\n<summary>A</summary>", "<details open><summary>A</summary>"])
def test_it_is_open_where_the_text_says_so(view: BlocksView, opening: str) -> None:
    view.set_text(f"{opening}\n\ninside\n\n</details>")
    assert [view.blocks[each].source for each in shown(view)][-1] == "inside"
    assert line_of(view).isChecked()


def test_a_fold_in_a_fold_is_shown_with_the_outer_one(view: BlocksView) -> None:
    view.set_text(
        "<details>\n<summary>A</summary>\n\none\n\n<details>\n<summary>B</summary>\n\ntwo\n\n</details>\n\n"
        "three\n\n</details>\n\nafter"
    )
    assert [view.blocks[each].source for each in shown(view)] == ["<summary>A</summary>", "after"]
    line_of(view).click()
    told = [view.blocks[each].source for each in shown(view)]
    assert told == ["<summary>A</summary>", "one", "<summary>B</summary>", "two", "three", "after"]


def test_what_streams_into_a_closed_fold_moves_nothing(qtbot: QtBot, view: BlocksView) -> None:
    view.place(600)
    for letter in TEXT[: TEXT.index("Hidden")]:
        view.append(letter)
        view.flush()
    line, closed = line_of(view), view.place(600)
    with qtbot.assertNotEmitted(view.resized):
        for letter in "Hidden words.\n\n```py\nx = 1\n```\n":
            view.append(letter)
            view.flush()
    assert line_of(view) is line
    assert view.place(600) == closed


def test_it_stays_open_while_more_streams_in_and_at_the_end(view: BlocksView) -> None:
    view.place(600)
    begin = TEXT.index("words")
    view.append(TEXT[:begin])
    view.flush()
    view.place(600)
    line_of(view).click()
    line = line_of(view)
    for letter in TEXT[begin:]:
        view.append(letter)
        view.flush()
    view.finish(TEXT)
    assert line_of(view) is line
    assert shown(view) == [BEFORE, LINE, HIDDEN, CODE, AFTER]


def test_closing_it_takes_the_keyboard_out_of_what_is_hidden(qtbot: QtBot, view: BlocksView) -> None:
    view.set_text("<details open>\n<summary>A</summary>\n\n[link](https://example.org)\n\n</details>")
    shown(view)
    view.activateWindow()
    link = view.widget_at(2)
    link.setFocus()
    qtbot.waitUntil(link.hasFocus)
    line_of(view).click()
    qtbot.waitUntil(line_of(view).hasFocus)


def test_what_is_hidden_is_copied_too(view: BlocksView) -> None:
    view.set_text(TEXT)
    shown(view)
    view.selection.select_all()
    view.selection.copy()
    copied = QGuiApplication.clipboard().text()
    assert copied.split("\n\n") == ["Before.", "More of it", "Hidden words.", "x = 1", "After"]
    assert "</details>" in view.selection.markdown()


def test_what_lies_in_a_fold_can_be_uncovered(view: BlocksView) -> None:
    view.set_text(TEXT)
    shown(view)
    view.uncover(HIDDEN)
    assert line_of(view).isChecked()
    assert view.top_of((HIDDEN, 0)) < view.top_of((AFTER, 0))
