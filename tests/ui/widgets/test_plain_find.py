"""Words are found in the text of a document, and the page on which they stand is told."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.core.messages import DocumentPart
from app.ui.theme.appearance import Appearance
from app.ui.transcript.document_chips import DocumentDialog

TEXT = "[Page 1]\n😀 Notice one.\n\n[Page 2]\nnothing\n\n[Page 3]\nthe 😀notice and NOTICE.\n"


@pytest.fixture
def dialog(qtbot: QtBot, parent: QWidget, appearance: Appearance) -> DocumentDialog:
    made = DocumentDialog(appearance, DocumentPart("hash", "a.pdf", TEXT), parent)
    made.open()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    QTest.keyClick(made, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert made.bar.isVisible()
    return made


def find(dialog: DocumentDialog, words: str) -> None:
    dialog.bar.field.setText(words)
    QTest.keyClick(dialog.bar.field, Qt.Key.Key_Return)


def test_hits_are_selected_one_after_the_other(dialog: DocumentDialog) -> None:
    found = []
    find(dialog, "notice")
    for _ in range(4):
        found.append((dialog.bar.count.text(), dialog.text.textCursor().selectedText(), dialog.told.text()))
        QTest.keyClick(dialog.bar.field, Qt.Key.Key_Return)
    first = ("1 of 3", "Notice", "Page 1")
    assert found == [first, ("2 of 3", "notice", "Page 3"), ("3 of 3", "NOTICE", "Page 3"), first]
    dialog.bar.back.click()
    assert dialog.text.textCursor().selectedText() == "Notice"


def test_what_is_wide_may_be_found_too(dialog: DocumentDialog) -> None:
    find(dialog, "😀n")
    assert dialog.text.textCursor().selectedText() == "😀n"


def test_nothing_is_found(dialog: DocumentDialog) -> None:
    find(dialog, "(")
    assert dialog.bar.count.text() == "No hits"


def test_escape_closes_the_bar_first(dialog: DocumentDialog) -> None:
    QTest.keyClick(dialog.bar.field, Qt.Key.Key_Escape)
    assert not dialog.bar.isVisible()
    assert dialog.isVisible()
    QTest.keyClick(dialog.text, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
