import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.core.loading import CacheType
from app.core.setting import Declaration
from app.ui.widgets.setting_editors import (
    ChoiceEdit,
    ListEdit,
    NumberEdit,
    SwitchEdit,
    TextEdit,
    escaped,
    shown,
    unescaped,
)

BOUNDED = Declaration("Size", "How large.", minimum=0, maximum=100)


@pytest.mark.parametrize(
    ("typed", "value"), [("8192", 8192), (" 8,192 ", 8192), ("8 192", 8192), ("-1", -1), ("+5", 5), ("16777216", 2**24)]
)
def test_whole_numbers_as_people_write_them(parent: QWidget, typed: str, value: int) -> None:
    edit = NumberEdit(int, BOUNDED, "", parent)
    edit.setText(typed)
    assert edit.read() == value


@pytest.mark.parametrize(("typed", "value"), [("0.8", 0.8), ("0,8", 0.8), ("1", 1.0), ("1e-3", 0.001)])
def test_numbers_as_people_write_them(parent: QWidget, typed: str, value: float) -> None:
    edit = NumberEdit(float, BOUNDED, "", parent)
    edit.setText(typed)
    assert edit.read() == value


@pytest.mark.parametrize("typed", ["", "many", "1.5", "1e3", "--1", "0x10", ",", "9" * 5000])
def test_what_is_no_whole_number_is_told(parent: QWidget, typed: str) -> None:
    edit = NumberEdit(int, BOUNDED, "", parent)
    edit.setText(typed)
    with pytest.raises(ValueError, match=r"^Write a whole number, such as 1\.$"):
        edit.read()


@pytest.mark.parametrize("typed", ["", "warm", "1.2.3", "1,2,3"])
def test_what_is_no_number_is_told(parent: QWidget, typed: str) -> None:
    edit = NumberEdit(float, BOUNDED, "", parent)
    edit.setText(typed)
    with pytest.raises(ValueError, match=r"^Write a number, such as 1\.$"):
        edit.read()


@given(value=st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**33), 2**33))
def test_numbers_come_back_as_they_were(qapp: QApplication, value: float) -> None:
    host = QWidget()
    edit = NumberEdit(type(value), BOUNDED, "tokens", host)
    edit.write(value)
    assert edit.read() == value
    host.deleteLater()


def test_arrow_keys_step_within_the_bounds(parent: QWidget) -> None:
    edit = NumberEdit(int, BOUNDED, "", parent)
    edit.write(50)
    QTest.keyClick(edit, Qt.Key.Key_Up)
    assert edit.read() == 51
    QTest.keyClick(edit, Qt.Key.Key_PageDown)
    assert edit.read() == 41
    edit.write(99)
    QTest.keyClick(edit, Qt.Key.Key_PageUp)
    assert edit.read() == 100
    share = NumberEdit(float, BOUNDED, "", parent)
    share.write(0.1)
    for _ in range(3):
        QTest.keyClick(share, Qt.Key.Key_Down)
    assert share.read() == 0.0
    share.setText("half")
    QTest.keyClick(share, Qt.Key.Key_Up)
    assert share.text() == "half"


def test_large_numbers_step_by_a_tenth_of_their_size(parent: QWidget) -> None:
    edit = NumberEdit(int, Declaration("Size", ""), "", parent)
    edit.write(8192)
    QTest.keyClick(edit, Qt.Key.Key_Up)
    assert edit.read() == 8292


def test_a_choice_keeps_its_kind(parent: QWidget) -> None:
    edit = ChoiceEdit(list(CacheType), parent)
    for member in CacheType:
        edit.write(member)
        assert edit.read() is member
    assert edit.itemText(0) == "f32"


def test_a_wheel_that_passes_changes_no_choice(qtbot: QtBot, parent: QWidget) -> None:
    edit = ChoiceEdit(list(CacheType), parent)
    parent.show()
    edit.setFocus()
    place = QPointF(5, 5)
    turned = QWheelEvent(
        place,
        QPointF(edit.mapToGlobal(place.toPoint())),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(edit, turned)
    assert edit.read() is CacheType.F32


def test_a_switch_by_mouse_and_by_key(parent: QWidget) -> None:
    edit = SwitchEdit(parent)
    parent.show()
    QTest.mouseClick(edit, Qt.MouseButton.LeftButton)
    assert edit.read() is True
    QTest.keyClick(edit, Qt.Key.Key_Space)
    assert edit.read() is False


def test_text_grows_with_its_lines(parent: QWidget) -> None:
    edit = TextEdit(parent)
    edit.resize(300, 40)
    one = edit.height()
    edit.write("a\nb\nc")
    assert edit.read() == "a\nb\nc"
    assert edit.height() > one
    edit.write("a\n" * 100)
    assert edit.height() < 10 * one


@given(values=st.lists(st.text(min_size=1, max_size=8), max_size=6))
@example(values=[" ", "\u2029"])
def test_lists_come_back_as_they_were(qapp: QApplication, values: list[str]) -> None:
    host = QWidget()
    edit = ListEdit(host)
    edit.write_all(values)
    assert edit.read_all() == tuple(values)
    host.deleteLater()


def test_what_a_line_cannot_hold_is_written_with_a_backslash() -> None:
    assert escaped("\n") == "\\n"
    assert escaped("a\\b") == "a\\\\b"
    assert escaped("\u2028") == "\\u2028"
    assert escaped("né 京") == "né 京"


@pytest.mark.parametrize("line", ["\\x", "\\", "\\u12", "\\U00110000"])
def test_an_escape_that_means_nothing_is_told(line: str) -> None:
    with pytest.raises(ValueError, match="means nothing here"):
        unescaped(line)


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "on"), (0.8, "0.8"), (1.0, "1"), (64, "64"), (CacheType.Q8_0, "q8_0"), (("\n", ":"), "\\n  :")],
)
def test_values_as_they_are_shown(value: object, text: str) -> None:
    assert shown(value) == text
