"""Nothing in the window holds on to what Qt has deleted, whatever was rebuilt."""

import gc
from collections.abc import Iterable, Iterator, Mapping

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QScrollBar, QWidget

from app.core.messages import Role
from app.core.settings import Interface, Theme
from tests.ui.conftest import Stage
from tests.ui.fakes import opened, stored
from tests.ui.gallery import fill, settle


def held(widget: QWidget) -> Iterator[tuple[str, object]]:
    """What a widget keeps in its attributes, also in lists and dicts of them."""
    for name, value in vars(widget).items():
        several: Iterable[object] = (value,)
        if isinstance(value, Mapping):
            several = value.values()
        elif isinstance(value, (list, tuple)):
            several = value
        for each in several:
            yield f"{type(widget).__name__}.{name}", each


def gone(stage: Stage) -> list[str]:
    window = stage.window
    gc.collect()
    widgets = [window, *window.findChildren(QWidget)]
    kept = [(name, each) for widget in widgets for name, each in held(widget) if isinstance(each, shiboken6.Object)]
    assert len(kept) > 200
    # What Qt made for Python stands in no attribute: actions of menus, and scroll bars.
    kept += [("alive", each) for each in gc.get_objects() if isinstance(each, QAction | QMenu | QScrollBar)]
    return [f"{name}: {type(each).__name__}" for name, each in kept if not shiboken6.isValid(each)]


@pytest.mark.parametrize("change", ["theme", "text size"])
def test_themes_and_sizes_leave_nothing_that_is_gone(stage: Stage, change: str) -> None:
    before = gone(stage)
    for turn in range(2):
        fill(stage)
        stage.window.transcript.edit_question()
        QTest.keyClick(stage.window.transcript, Qt.Key.Key_Escape)
        stage.window.composer.focus_text()
        for _ in range(20):
            QTest.keyClick(QApplication.focusWidget() or stage.window, Qt.Key.Key_Tab)
        stage.controller.active.open(opened("Snow", stored(Role.USER, "Why?"), stored(Role.ASSISTANT, "So.")))
        if change == "theme":
            stage.appearance.choose((Theme.DARK, Theme.LIGHT)[turn])
        else:
            stage.settings.update(Interface, text_size=(150, 100)[turn])
        settle()
    assert gone(stage) == before
    button = stage.window.composer.attach_button
    button.click()
    settle()
    assert button.choices.isVisible()
    assert [each.text() for each in button.choices.actions() if each.isVisible()]
    button.choices.close()
