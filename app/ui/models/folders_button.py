"""The user's own folders with models: which they are, one more, one less."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.services.models.models import Models
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton, pop_up
from app.ui.widgets.file_dialogs import ask_for_folder
from app.ui.widgets.menus import add_action, passing_menu


class FoldersButton(IconButton):
    open_file_wanted = Signal()

    def __init__(self, appearance: Appearance, models: Models, parent: QWidget) -> None:
        super().__init__(appearance, "folder", "", parent=parent)
        self.say(self.tr("Folders…"))
        self._models = models
        self.clicked.connect(self.open_menu)

    def open_menu(self) -> None:
        menu = passing_menu(self, self.tr("Folders"))
        add_action(menu, self.tr("Add a folder…"), self.ask)
        add_action(menu, self.tr("Open a model file…"), self.open_file_wanted.emit)
        folders = self._models.folders
        if folders:
            menu.addSeparator()
        for folder in folders:
            text = self.tr("No longer look in {folder}").format(folder=folder)
            add_action(menu, text, partial(self._models.remove_folder, folder))
        pop_up(menu, self, align_right=True)

    def ask(self) -> None:
        """Let the user name one more."""
        ask_for_folder(self.window(), self.tr("A folder with models"), self._models.add_folder)
