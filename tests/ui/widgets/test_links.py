import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from app.ui.widgets.links import LinkDialog
from tests.ui.conftest import Browser

ADDRESS = "https://example.org/a?b=<b>"


def test_a_link_shows_its_address_and_opens_when_told(qtbot: QtBot, parent: QWidget, browser: Browser) -> None:
    dialog = LinkDialog(ADDRESS, parent)
    dialog.open()
    (where,) = dialog.findChildren(QPlainTextEdit)
    assert where.toPlainText() == ADDRESS
    with qtbot.waitSignal(browser.visited) as caught:
        dialog.open_button.click()
    assert QUrl(caught.args[0]) == QUrl(ADDRESS)


def test_a_link_that_is_refused_opens_nothing(qtbot: QtBot, parent: QWidget, browser: Browser) -> None:
    dialog = LinkDialog(ADDRESS, parent)
    dialog.open()
    with qtbot.assertNotEmitted(browser.visited):
        dialog.reject()


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:alert(1)", "//host/share", "smb://host"])
def test_only_the_web_is_opened(parent: QWidget, address: str) -> None:
    with pytest.raises(ValueError, match="not a link"):
        LinkDialog(address, parent)
