import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.core.settings import Theme
from app.ui.richtext.code_block import CodeBlock
from app.ui.richtext.markdown import Code
from app.ui.theme.appearance import Appearance
from app.ui.theme.palette import DARK, LIGHT

PROGRAM = 'def f(x):\n    """Doc\n    goes on"""\n    return "😀" + x  # done\n'


@pytest.fixture
def block(qtbot: QtBot, appearance: Appearance) -> CodeBlock:
    appearance.choose(Theme.LIGHT)
    made = CodeBlock(appearance)
    qtbot.addWidget(made)
    return made


def test_finished_code_is_coloured_in_slices(qtbot: QtBot, block: CodeBlock) -> None:
    with qtbot.waitSignal(block.colours.finished):
        block.show_code(Code("python", PROGRAM), growing=False)
    assert colour_at(block, 0, 0) == QColor(LIGHT.code_keyword)
    assert colour_at(block, 2, 4) == QColor(LIGHT.code_string)
    comment = PROGRAM.split("\n")[3].index("#") + 1  # the face before it takes two places in Qt
    assert colour_at(block, 3, comment) == QColor(LIGHT.code_comment)
    assert not block.colours.is_busy


def test_growing_code_has_the_same_colours_at_the_end(qtbot: QtBot, block: CodeBlock, appearance: Appearance) -> None:
    for end in range(1, len(PROGRAM) + 1, 3):
        block.show_code(Code("python", PROGRAM[:end]), growing=True)
        block.colours.colour_end("python", PROGRAM[:end])
    with qtbot.waitSignal(block.colours.finished):
        block.show_code(Code("python", PROGRAM), growing=False)
    other = CodeBlock(appearance)
    qtbot.addWidget(other)
    with qtbot.waitSignal(other.colours.finished):
        other.show_code(Code("python", PROGRAM), growing=False)
    assert formats(block) == formats(other)
    assert block.text_view.plain_text() == PROGRAM


def test_long_lines_are_wrapped_while_that_is_wished(qtbot: QtBot, block: CodeBlock) -> None:
    long = f"x = '{'word ' * 200}'\n"
    with qtbot.waitSignal(block.colours.finished):
        block.show_code(Code("python", f"{long}y = 1"), growing=False)
    flat = block.height_for(400)
    button = next(each for each in block.findChildren(QToolButton) if each.isCheckable())
    with qtbot.waitSignal(block.resized):
        button.click()
    narrow, wide = block.height_for(400), block.height_for(900)
    assert narrow > wide > flat and block.text_view.top_of(len(long)) > block.text_view.line_height
    with qtbot.waitSignal(block.colours.finished):
        block.show_code(Code("python", f"{long}{long[:-1]}"), growing=False)
    assert block.height_for(900) > wide, "what comes is wrapped, too, and its colours change nothing"
    button.click()
    assert block.height_for(400) == flat


def test_growing_keeps_a_selection(block: CodeBlock) -> None:
    block.show_code(Code("", "one\ntwo"), growing=True)
    block.text_view.select_all()
    block.show_code(Code("", "one\ntwo\nthree"), growing=True)
    assert block.text_view.selected_text == "one\ntwo"


def test_theme_changes_the_colours(qtbot: QtBot, block: CodeBlock, appearance: Appearance) -> None:
    with qtbot.waitSignal(block.colours.finished):
        block.show_code(Code("python", PROGRAM), growing=False)
    with qtbot.waitSignal(block.colours.finished):
        appearance.choose(Theme.DARK)
    assert colour_at(block, 0, 0) == QColor(DARK.code_keyword)


def test_copy_takes_the_whole_text(qtbot: QtBot, block: CodeBlock) -> None:
    block.show_code(Code("python", PROGRAM), growing=False)
    (button,) = (each for each in block.findChildren(QToolButton) if each.accessibleName() == "Copy code")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == PROGRAM
    assert button.accessibleName() == "Copied"


def test_every_line_is_in_view(qtbot: QtBot, block: CodeBlock) -> None:
    block.resize(200, 100)
    block.show()
    for text in ("\n".join(["x" * 200] * 30), "\n".join(["漢字 😀 ไทย हिन्दी"] * 30)):
        block.show_code(Code("", text), growing=False)
        block.resize(200, block.height_for(200))
        lines = 30 * block.text_view.line_height
        assert block.text_view.geometry().height() >= lines
        assert block.text_view.geometry().bottom() < block.height()


def formats(block: CodeBlock) -> list[list[tuple[int, int, str]]]:
    found = []
    line = block.text_view.document().begin()
    while line.isValid():
        found.append([(f.start, f.length, f.format.foreground().color().name()) for f in line.layout().formats()])
        line = line.next()
    return found


def colour_at(block: CodeBlock, line: int, column: int) -> QColor:
    for start, length, colour in formats(block)[line]:
        if start <= column < start + length:
            return QColor(colour)
    return QColor()
