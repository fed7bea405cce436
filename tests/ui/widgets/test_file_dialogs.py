"""Dialogs for files begin in a folder that is there."""

from pathlib import Path

import pytest
from PySide6.QtCore import QStandardPaths

from app.ui.widgets.file_dialogs import documents_folder, pictures_folder


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
