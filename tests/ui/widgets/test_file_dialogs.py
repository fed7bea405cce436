"""Dialogs for files begin in a folder that is there."""

from pathlib import Path

import pytest
from PySide6.QtCore import QStandardPaths
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QComboBox, QToolButton, QTreeView, QWidget

from app.core.settings import Theme
from app.ui.theme.appearance import Appearance
from app.ui.widgets.file_dialogs import ask_for_file, documents_folder, pictures_folder


@pytest.mark.parametrize("is_there", [True, False])
def test_a_folder_that_is_not_there_is_left_for_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    wanted = tmp_path / "Documents"
    if is_there:
        wanted.mkdir()
    monkeypatch.setattr(QStandardPaths, "writableLocation", lambda _: str(wanted))
    expected = str(wanted if is_there else Path.home())
    assert (documents_folder(), pictures_folder()) == (expected, expected)


@pytest.mark.parametrize("theme", [Theme.LIGHT, Theme.DARK])
def test_the_arrows_of_qts_own_dialog_are_seen(
    theme: Theme, parent: QWidget, appearance: Appearance, tmp_path: Path
) -> None:
    appearance.choose(theme)
    dialog = ask_for_file(parent, "Open", print, folder=str(tmp_path))
    for name in ("backButton", "forwardButton", "toParentButton"):
        button = dialog.findChild(QToolButton, name)
        assert isinstance(button, QToolButton)
        drawn = button.icon().pixmap(20, 20).toImage()
        seen = [drawn.pixelColor(x, y) for x in range(drawn.width()) for y in range(drawn.height())]
        inks = {(each.red(), each.green(), each.blue()) for each in seen if each.alpha() == 255}
        ink = QColor(appearance.tokens.text)
        assert inks == {(ink.red(), ink.green(), ink.blue())}
    table = dialog.findChild(QTreeView, "treeView")
    assert isinstance(table, QTreeView) and table.header().count() == 4
    dialog.close()


def test_kinds_of_files_are_named_without_their_patterns(parent: QWidget, tmp_path: Path) -> None:
    patterns = " ".join(f"*.{n:03}" for n in range(20))
    dialog = ask_for_file(parent, "Open", print, folder=str(tmp_path), filters=[f"Pictures ({patterns})"])
    kinds = dialog.findChild(QComboBox, "fileTypeCombo")
    assert isinstance(kinds, QComboBox) and kinds.currentText() == "Pictures"
    assert dialog.nameFilters() == [f"Pictures ({patterns})"]
