"""A button that lets people choose a folder instead of writing its path."""

import os
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget

from app.ui.widgets.file_dialogs import ask_for_folder
from app.ui.widgets.setting_editors import ListEdit, TextEdit, escaped


class BrowseButton(QPushButton):
    """What is chosen is written into `editor`: into one of several folders as one more of them."""

    def __init__(self, editor: TextEdit, label: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._editor = editor
        self.setText(self.tr("Browse…"))
        self.setAccessibleName(self.tr("{label}: choose a folder").format(label=label))
        self.setToolTip(self.accessibleName())
        self.setAutoDefault(False)
        self.clicked.connect(self.browse)

    def browse(self) -> QFileDialog:
        """It deletes itself when it closes."""
        last = self._editor.toPlainText().rstrip().rsplit("\n", 1)[-1]
        # Path.is_dir raises where the folder can't be read.
        start = last if os.path.isdir(last) else ""  # noqa: PTH112
        return ask_for_folder(self.window(), self.tr("Choose a folder"), self._take, folder=start)

    def _take(self, path: Path) -> None:
        editor, folder = self._editor, str(path)
        if not isinstance(editor, ListEdit):
            editor.write(folder)
            return
        try:
            known = editor.read_all()
        except ValueError:
            # A line that can't be read stays for whoever wrote it.
            editor.appendPlainText(escaped(folder))
            return
        if folder not in known:
            editor.write_all((*known, folder))
