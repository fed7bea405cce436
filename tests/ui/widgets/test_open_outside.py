"""What no other program opens is said, with what can be done all the same."""

import os
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui.widgets.links import LinkDialog
from app.ui.widgets.open_outside import NoProgramDialog, open_file, open_folder, reveal
from tests.waits import WAIT


class System:
    """Opens nothing, or all."""

    def __init__(self) -> None:
        self.opens = False
        self.asked: list[str] = []

    def open(self, url: QUrl) -> bool:
        self.asked.append(url.toString())
        return self.opens


@pytest.fixture
def system() -> Iterator[System]:
    made = System()
    with patch.object(QDesktopServices, "openUrl", made.open):
        yield made


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def book(tmp_path: Path) -> Path:
    made = tmp_path / "book.epub"
    made.write_bytes(b"a book")
    return made


def dialog_of(window: QWidget) -> NoProgramDialog:
    found = window.findChild(NoProgramDialog)
    assert found is not None and found.isVisible()
    return found


def test_a_file_without_a_program_can_be_copied(
    system: System, window: QWidget, book: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    open_file(book, window)
    dialog = dialog_of(window)
    assert dialog.told.text().startswith("This computer has no program for files like book.epub. Save a copy")
    dialog.copy_button.click()
    assert QGuiApplication.clipboard().text() == str(book)
    dialog.save_copy(tmp_path / "away" / "book.epub")
    qtbot.waitUntil(lambda: "could not be saved: No such file" in dialog.told.text(), timeout=WAIT)
    dialog.save_copy(tmp_path / "copy.epub")
    qtbot.waitUntil(lambda: dialog.told.text() == "The copy is saved.", timeout=WAIT)
    assert (tmp_path / "copy.epub").read_bytes() == b"a book"
    dialog.accept()


@pytest.mark.skipif(os.name == "nt", reason="its file manager is always there")
def test_a_folder_that_nothing_shows_is_named(system: System, window: QWidget, book: Path) -> None:
    reveal(book, window)
    dialog = dialog_of(window)
    assert dialog.told.text().startswith("This computer has no program that shows folders.")
    assert not dialog.save_button.isVisible() and dialog.copy_button.isVisible()
    dialog.accept()


def test_what_is_opened_says_nothing(system: System, window: QWidget, book: Path) -> None:
    system.opens = True
    open_folder(book.parent, window)
    assert system.asked == [QUrl.fromLocalFile(str(book.parent)).toString()]
    assert window.findChild(NoProgramDialog) is None


@pytest.mark.skipif(os.name == "nt", reason="shell scripts")
@pytest.mark.parametrize("program", ["", "reader.desktop"])
def test_the_system_is_asked_whether_it_knew_a_program(
    system: System, window: QWidget, book: Path, tmp_path: Path, qtbot: QtBot, program: str
) -> None:
    """Where it is opened by xdg-open, which says that all is well before it looks for one."""
    system.opens = True
    command = tmp_path / "xdg-mime"
    command.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\necho "{program}"\n')
    command.chmod(0o755)
    with patch.dict(os.environ, PATH=f"{tmp_path}:{os.environ['PATH']}"):
        open_file(book, window)
    (query,) = (each for each in window.children() if type(each).__name__ == "_ProgramQuery")
    with qtbot.waitSignal(query.destroyed, timeout=WAIT):
        pass
    assert (tmp_path / "asked").read_text() == "query default application/epub+zip\n"
    found = window.findChild(NoProgramDialog)
    assert (found is None) == bool(program)
    if found is not None:
        found.accept()


def test_a_page_without_a_browser_can_be_copied(system: System, window: QWidget) -> None:
    dialog = LinkDialog("https://example.org", window)
    dialog.open()
    dialog.open_button.click()
    assert dialog.isVisible()
    assert dialog.question.text() == "This computer has no browser for it; copy the address."
    dialog.reject()
