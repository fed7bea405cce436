"""With larger text everything beside it grows too, and nothing is cut off."""

from collections.abc import Iterator
from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, QSize
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.core.picture_settings import PictureSettings
from app.core.settings import SECTIONS
from app.services.engine.token_counts import TokenCount
from app.ui.composer.context_gauge import ContextGauge
from app.ui.models.dialog import ModelsDialog
from app.ui.presets.button import PresetButton
from app.ui.richtext.code_block import CodeBlock
from app.ui.richtext.markdown_blocks import Code
from app.ui.settings.dialog import SettingsDialog
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.fold import FoldHead
from app.ui.widgets.setting_editors import SwitchEdit
from tests.ui.conftest import Stage
from tests.ui.cut_text import cut
from tests.ui.fakes import READY
from tests.ui.gallery import fill, settle

Kind = TypeVar("Kind", bound=QWidget)


@pytest.fixture
def large(stage: Stage) -> Iterator[Stage]:
    """A conversation, in letters of twice their size."""
    fill(stage)
    stage.appearance.set_text_size(200)
    yield stage
    stage.appearance.set_text_size(100)


def opened(stage: Stage, action: str, kind: type[Kind]) -> Kind:
    stage.window.menu_actions.named()[action].trigger()
    settle()
    return next(each for each in QApplication.topLevelWidgets() if isinstance(each, kind))


def test_icons_grow_half_as_much_as_letters(stage: Stage) -> None:
    button = IconButton(stage.appearance, "copy", "Copy", parent=stage.window)
    assert button.iconSize() == QSize(18, 18)
    stage.appearance.set_text_size(200)
    assert button.iconSize() == QSize(27, 27)
    assert button.icon().actualSize(QSize(27, 27)) == QSize(27, 27)
    stage.appearance.set_text_size(100)


def test_the_sidebar_is_whole_in_the_smallest_window(large: Stage) -> None:
    large.window.resize(100, 100)
    settle()
    sidebar = large.window.sidebar
    for button in sidebar.findChildren(QPushButton):
        if button.isVisible():
            assert button.mapTo(sidebar, QPoint(button.width(), 0)).x() <= sidebar.width()
    assert sidebar.width() < large.window.width() / 2


def test_the_head_of_a_code_block_holds_its_letters(appearance: Appearance) -> None:
    block = CodeBlock(appearance)
    block.show_code(Code("python", "x = 1"), growing=False)
    usual = block.height_for(400) - block.text_view.height_for(370)
    appearance.set_text_size(200)
    assert block.height_for(400) - block.text_view.height_for(370) == usual + 18
    appearance.set_text_size(100)


def test_rings_chevrons_and_switches_grow_too(qtbot: QtBot, appearance: Appearance) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    gauge, head = ContextGauge(appearance, page), FoldHead(appearance, "", page)
    preset, switch = PresetButton(appearance, page), SwitchEdit(page)
    gauge.show_engine(READY)
    gauge.show_size(TokenCount(4000, exact=True))
    page.show()
    sizes = []
    for percent in (100, 200):
        appearance.set_text_size(percent)
        sizes.append((gauge.iconSize().height(), head.sizeHint().height(), preset.iconSize().height(), switch.height()))
    appearance.set_text_size(100)
    assert sizes == [(16, 38, 16, 22), (24, 57, 24, 33)]


def test_the_models_window_is_whole_when_it_is_narrow(large: Stage) -> None:
    dialog = opened(large, "models", ModelsDialog)
    dialog.resize(540, 700)
    settle()
    found = cut(dialog)
    dialog.close()
    assert not found, "\n".join(found)


def test_no_page_of_the_settings_scrolls_sideways_on_a_small_screen(large: Stage) -> None:
    dialog = opened(large, "settings", SettingsDialog)
    beyond = {}
    for width in (640, 760):
        dialog.resize(width, 700)
        for name in SECTIONS:
            dialog.show_page(name)
            bar = dialog.entry_of(name).horizontalScrollBar()
            for form in dialog.page(name).forms():
                form.advanced_toggle.setChecked(True)
            settle()
            if bar.maximum():
                beyond[name, width] = bar.maximum()
    dialog.close()
    assert not beyond


def test_a_box_takes_the_place_of_the_list_of_pages(stage: Stage) -> None:
    dialog = opened(stage, "settings", SettingsDialog)
    dialog.resize(1000, 600)
    assert dialog.page_list.isVisible() and not dialog.page_box.isVisible()
    dialog.page_list.setFocus()
    dialog.resize(500, 600)
    assert dialog.page_box.isVisible() and not dialog.page_list.isVisible()
    assert dialog.focusWidget() is dialog.page_box
    dialog.page_box.setCurrentIndex(3)
    assert dialog.page(PictureSettings).isVisible()
    dialog.resize(1000, 600)
    assert dialog.page_list.currentRow() == 3
    assert dialog.focusWidget() is dialog.page_list
    dialog.close()
