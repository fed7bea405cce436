"""Everything that Hearth is made of, with its licence, found by typing."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.core.licences import Component, LicenceText
from app.ui.widgets.links import LinkDialog
from app.ui.window.licences_dialog import AboutWithLicences, LicencesDialog


@pytest.fixture
def dialog(parent: QWidget, tmp_path: Path) -> LicencesDialog:
    (tmp_path / "a.txt").write_text("Permission <b>is</b> granted")
    (tmp_path / "b.txt").write_text("A second text")
    texts = (LicenceText("LICENSE", tmp_path / "a.txt"), LicenceText("NOTICE", tmp_path / "b.txt"))
    found = (
        Component("alpha", "1.0", "MIT", "https://example.org/alpha", texts),
        Component("beta", "2.0", "Apache-2.0", "", texts[:1]),
        Component("gamma", "", "MIT", "", (LicenceText("gone", tmp_path / "gone"),)),
        Component("delta"),
    )
    made = LicencesDialog(parent, found)
    made.open()
    return made


def shown(dialog: LicencesDialog) -> list[str]:
    items = (dialog.list.item(row) for row in range(dialog.list.count()))
    return [item.text() for item in items if not item.isHidden()]


def test_the_first_part_is_shown_with_all_its_texts(dialog: LicencesDialog) -> None:
    assert dialog.head.text() == "alpha 1.0 · MIT"
    said = dialog.text.toPlainText()
    assert said.startswith("LICENSE\n\nPermission <b>is</b> granted")
    assert said.endswith("NOTICE\n\nA second text")


def test_one_text_needs_no_title(dialog: LicencesDialog) -> None:
    dialog.list.setCurrentRow(1)
    assert dialog.text.toPlainText() == "Permission <b>is</b> granted"


def test_what_is_missing_is_said(dialog: LicencesDialog) -> None:
    dialog.list.setCurrentRow(2)
    assert dialog.text.toPlainText() == "This text can't be read."
    dialog.list.setCurrentRow(3)
    assert "its web page has it" in dialog.text.toPlainText()


def test_typing_finds_names_and_licences(dialog: LicencesDialog) -> None:
    assert dialog.search.hasFocus()
    QTest.keyClicks(dialog.search, "mit")
    assert shown(dialog) == ["alpha", "gamma"]
    dialog.search.setText("APACHE be")
    assert shown(dialog) == ["beta"]
    assert dialog.head.text().startswith("beta")
    dialog.search.setText("nothing")
    assert shown(dialog) == []
    assert dialog.head.text() == "No part has such a name or licence."
    assert dialog.text.toPlainText() == ""
    dialog.search.clear()
    assert len(shown(dialog)) == 4
    assert dialog.head.text().startswith("alpha")


def test_the_keyboard_goes_from_field_to_list_to_text(dialog: LicencesDialog) -> None:
    QTest.keyClick(dialog.search, Qt.Key.Key_Down)
    assert dialog.list.hasFocus()
    QTest.keyClick(dialog.list, Qt.Key.Key_Down)
    assert dialog.head.text().startswith("beta")
    QTest.keyClick(dialog.list, Qt.Key.Key_Tab)
    assert dialog.text.hasFocus()
    QTest.keyClick(dialog.text, Qt.Key.Key_Tab)
    assert not dialog.text.hasFocus()


def test_a_web_page_is_asked_about_first(dialog: LicencesDialog) -> None:
    assert dialog.page.isEnabled()
    dialog.page.click()
    [link] = dialog.findChildren(LinkDialog)
    assert "example.org/alpha" in link._address
    link.reject()
    dialog.list.setCurrentRow(1)
    assert not dialog.page.isEnabled()


def test_about_leads_to_what_this_copy_is_made_of(qtbot: QtBot, parent: QWidget) -> None:
    about = AboutWithLicences(parent)
    about.open()
    about.licences.click()
    [dialog] = about.findChildren(LicencesDialog)
    qtbot.waitUntil(lambda: dialog.list.count() > 0)
    assert {"Hearth", "Qt", "llama.cpp and ggml", "Inter", "Python", "numpy"} <= set(shown(dialog))
    dialog.search.setText("Qt")
    dialog.list.setCurrentItem(dialog.list.findItems("Qt", Qt.MatchFlag.MatchExactly)[0])
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in dialog.text.toPlainText()
    assert "Replaceable libraries" in dialog.text.toPlainText()
