"""With larger text everything beside it grows too, and nothing is cut off."""

from PySide6.QtCore import QPoint, QSize
from PySide6.QtWidgets import QPushButton

from app.ui.buttons import IconButton
from app.ui.code_block import CodeBlock
from app.ui.markdown_blocks import Code
from app.ui.theme import Look
from tests.ui.conftest import Stage
from tests.ui.gallery import fill, settle


def test_icons_grow_half_as_much_as_letters(stage: Stage) -> None:
    button = IconButton(stage.look, "copy", "Copy", parent=stage.window)
    assert button.iconSize() == QSize(18, 18)
    stage.look.set_text_size(200)
    assert button.iconSize() == QSize(27, 27)
    assert button.icon().actualSize(QSize(27, 27)) == QSize(27, 27)
    stage.look.set_text_size(100)


def test_the_sidebar_is_whole_in_the_smallest_window(stage: Stage) -> None:
    fill(stage)
    stage.look.set_text_size(200)
    stage.window.resize(100, 100)
    settle()
    sidebar = stage.window.sidebar
    for button in sidebar.findChildren(QPushButton):
        if button.isVisible():
            assert button.mapTo(sidebar, QPoint(button.width(), 0)).x() <= sidebar.width()
    assert sidebar.width() < stage.window.width() / 2
    stage.look.set_text_size(100)


def test_the_head_of_a_code_block_holds_its_letters(look: Look) -> None:
    block = CodeBlock(look)
    block.show_code(Code("python", "x = 1"), growing=False)
    usual = block.height_for(400) - block.text_view.height_for(370)
    look.set_text_size(200)
    assert block.height_for(400) - block.text_view.height_for(370) == usual + 18
    look.set_text_size(100)
