from itertools import chain

import pytest
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.messages import DocumentPart
from app.core.settings import Theme
from app.services.engine.token_counts import TokenCount
from app.ui.commands.dialogs import AboutDialog, DetailsDialog
from app.ui.composer.pages_dialog import PagesDialog
from app.ui.exporting.job_dialog import JobDialog
from app.ui.models.dialogs import TemplateDialog
from app.ui.models.token_dialog import TokenDialog
from app.ui.theme.icons import tinted
from app.ui.transcript.document_chips import DocumentDialog
from app.ui.widgets.search_field import SearchField
from tests.ui.conftest import Stage
from tests.ui.gallery import scenes, settle

ADDRESS = "https://example.org/a?b=<b>"


def test_details_can_be_copied(qtbot: QtBot, parent: QWidget) -> None:
    dialog = DetailsDialog(UserError("It <b>failed</b>.", detail="line 1\nline 2"), parent)
    dialog.show()
    assert not dialog.isModal()
    assert "It <b>failed</b>." in [label.text() for label in dialog.findChildren(QLabel)]
    next(each for each in dialog.findChildren(QPushButton) if each.text() == "Copy").click()
    assert QGuiApplication.clipboard().text() == "It <b>failed</b>.\n\nline 1\nline 2"


def test_about_says_when_words_leave_the_computer(parent: QWidget) -> None:
    told = " ".join(label.text() for label in AboutDialog(parent).findChildren(QLabel))
    assert "Nothing you type leaves it, unless you choose a model of another one." in told


def test_the_title_of_a_dialog_stands_once(stage: Stage) -> None:
    """In the title bar, and not again as a heading."""
    window = stage.window
    document = DocumentPart("hash", "a.pdf", "\n".join(f"## Page {n}\n\nWords." for n in range(1, 9)))
    more = (
        ("job", JobDialog("Back up everything", window)),
        ("pages", PagesDialog(document, TokenCount(10, exact=True), None, window)),
        ("document", DocumentDialog(stage.appearance, document, window)),
        ("token", TokenDialog(stage.models.hub, window)),
        ("template", TemplateDialog("Rain", "{{ messages }}", window)),
    )
    seen = set()
    for name, shown in chain(more, scenes(stage)):
        if isinstance(shown, QDialog):
            shown.show()
            seen.add(name)
            heads = [label.text() for label in shown.findChildren(QLabel) if label.property("tone") == "title"]
            assert shown.windowTitle() and shown.windowTitle() not in heads, name
            shown.hide()
    assert seen >= {"job", "pages", "document", "token", "template", "shortcuts", "about"}


def test_no_button_takes_the_default_away_by_having_the_focus(stage: Stage) -> None:
    """It would take the colour along, and padding for which small buttons have no room."""
    for name, shown in scenes(stage):
        if isinstance(shown, QDialog):
            buttons = [each for each in shown.findChildren(QPushButton) if not each.isDefault()]
            assert not [each.text() for each in buttons if each.autoDefault()], name


@pytest.mark.parametrize("theme", list(Theme))
def test_the_button_that_empties_a_field_has_our_icon(stage: Stage, theme: Theme) -> None:
    stage.appearance.choose(theme)
    field = SearchField("Search", stage.window)
    (action,) = field.findChildren(QAction, "_q_qlineeditclearaction")
    field.show()
    settle()
    drawn = action.icon().pixmap(16, 16).toImage()
    wanted = tinted("close", stage.appearance.tokens.muted).pixmap(16, 16).toImage()
    assert drawn == wanted
