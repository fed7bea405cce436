"""A notification of the system's, where it has any, and a mark at the window in its task bar."""

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from app.ui.theme.icons import app_icon


class SystemNotice(QObject):
    """For a window that is not in use. It is gone as soon as the window is."""

    clicked = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._tray: QSystemTrayIcon | None = None
        application = QGuiApplication.instance()
        assert isinstance(application, QApplication)
        application.applicationStateChanged.connect(self._hear_state)

    @property
    def is_wanted(self) -> bool:
        """Whether nobody sees what the window says."""
        return not self._window.window().isActiveWindow()

    def show(self, title: str, text: str) -> None:
        QApplication.alert(self._window.window())
        if not (QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()):
            return
        if self._tray is None:
            self._tray = QSystemTrayIcon(app_icon(), self)
            self._tray.messageClicked.connect(self.clicked)
            self._tray.activated.connect(self.clicked)
            self._tray.setToolTip("Hearth")
        # Systems show messages of icons alone that are there.
        self._tray.show()
        self._tray.showMessage(title, text, app_icon())

    @Slot(Qt.ApplicationState)
    def _hear_state(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive and self._tray is not None:
            self._tray.hide()
