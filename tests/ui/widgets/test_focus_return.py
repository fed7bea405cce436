"""The keyboard goes back to where it was, if that is still there."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.core.messages import Role
from tests.ui.conftest import Stage
from tests.ui.fakes import opened, stored


@pytest.mark.parametrize("over", ["palette", "drawer"])
def test_who_had_the_focus_may_be_gone(stage: Stage, over: str) -> None:
    window = stage.window
    if over == "drawer":
        window.resize(600, 500)
        QCoreApplication.processEvents()
    question = stored(Role.USER, "hi")
    stage.controller.active.open(opened("Greeting", question))
    view = window.transcript.view_of(question.id)
    assert view is not None
    view.setFocus(Qt.FocusReason.TabFocusReason)
    assert view.hasFocus()
    (window.menu_actions.palette if over == "palette" else window.menu_actions.toggle_sidebar).trigger()
    laid_over: QWidget = window.focusWidget()
    assert not window.transcript.isAncestorOf(laid_over)
    stage.controller.active.open(None)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    QTest.keyClick(laid_over, Qt.Key.Key_Escape)
    assert not window.drawer.is_over
    assert over == "drawer" or not laid_over.isVisible()
