"""The dialogs of the window: settings, shortcuts, what the program is, an address, what went wrong."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.core.errors import UserError
from app.ui.commands.actions import Actions
from app.ui.commands.dialogs import DetailsDialog, ShortcutsDialog
from app.ui.settings.services import SettingsServices
from app.ui.theme.appearance import Appearance


class WindowDialogs(QObject):
    """`window` owns it. Each dialog is made when it is asked for."""

    def __init__(self, appearance: Appearance, services: SettingsServices, actions: Actions, window: QWidget) -> None:
        super().__init__(window)
        self._appearance = appearance
        self._services = services
        self._actions = actions
        self._window = window
        actions.settings.triggered.connect(self.open_settings)
        actions.shortcuts.triggered.connect(self.open_shortcuts)
        actions.about.triggered.connect(self.open_about)

    def open_settings(self) -> None:
        # Imported here: the pages are half as much again to load as the window.
        from app.ui.settings.dialog import SettingsDialog

        SettingsDialog(self._appearance, self._services, self._window).open()

    def open_tools(self) -> None:
        from app.core.settings import ToolSettings
        from app.ui.settings.dialog import SettingsDialog

        dialog = SettingsDialog(self._appearance, self._services, self._window)
        dialog.show_page(ToolSettings)
        dialog.open()

    def open_shortcuts(self) -> None:
        ShortcutsDialog(self._actions, self._window).open()

    def open_about(self) -> None:
        # Imported here: few ask, and what it needs takes time to load.
        from app.ui.window.licences_dialog import AboutWithLicences

        AboutWithLicences(self._window).open()

    def ask_link(self, address: str) -> None:
        from app.ui.widgets.links import ask_link

        ask_link(address, self._window)

    def show_details(self, error: UserError) -> None:
        DetailsDialog(error, self._window).show()
