"""The user's own folders with models: which they are, one more, one less."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from app.services.models.models import Models
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton, pop_up


class FoldersButton(IconButton):
    open_file_wanted = Signal()

    def __init__(self, appearance: Appearance, models: Models, parent: QWidget) -> None:
        super().__init__(appearance, "folder", "", parent=parent)
        self.say(self.tr("Folders…"))
        self._models = models
        self.clicked.connect(self.open_menu)

    def open_menu(self) -> None:
        menu = QMenu(self)
        menu.setAccessibleName(self.tr("Folders"))
        menu.aboutToHide.connect(menu.deleteLater)
        add_action(menu, self.tr("Add a folder…"), self.ask)
        add_action(menu, self.tr("Open a model file…"), self.open_file_wanted.emit)
        folders = self._models.folders
        if folders:
            menu.addSeparator()
        for folder in folders:
            text = self.tr("No longer look in {folder}").format(folder=str(folder).replace("&", "&&"))
            add_action(menu, text, partial(self._models.remove_folder, folder))
        pop_up(menu, self, align_right=True)

    def ask(self) -> None:
        """Let the user name one more."""
        dialog = QFileDialog(self.window(), self.tr("A folder with models"), str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda name: self._models.add_folder(Path(name)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


def add_action(menu: QMenu, text: str, act: Callable[[], object]) -> None:
    menu.addAction(text).triggered.connect(lambda _checked=False: act())
