"""The window as the system sees it: painted at once, and filled when everything else is there."""

from pathlib import Path

from PySide6.QtCore import QEvent, QEventLoop, QRect, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent, QColor, QGuiApplication, QPainter, QPaintEvent, QPen, QScreen
from PySide6.QtWidgets import QMainWindow

from app.ui.presenters.window_state import WindowState
from app.ui.theme.measures import COLUMN, MARGIN, NARROW, SIDEBAR
from app.ui.theme.palette import DARK, LIGHT, Palette
from app.ui.widgets.window_geometry import bounded, bring_on_screen, place_usual

_COMPOSER_HIGH, _COMPOSER_BELOW, _COMPOSER_ROUND = 88, 16, 16
_LONGEST_MS = 500
"""A window that is hidden or minimised at the start may never be painted."""


class Frame(QMainWindow):
    """Until `fill`, it draws the grounds on which the parts will stand. Imports Qt and colours alone."""

    painted = Signal()

    def __init__(self, state_folder: Path) -> None:
        super().__init__()
        self._state = WindowState(state_folder)
        self._tokens = _tokens(self._state.theme)
        self._content: QMainWindow | None = None
        self._was_closed = False
        self.setWindowTitle("Hearth")
        self.setMinimumSize(bounded(QSize(560, 420), self))
        # What is under the parts is drawn here; there is no style sheet yet.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        if self.restoreGeometry(self._state.geometry):
            bring_on_screen(self)
        else:
            place_usual(self)
        self._watch_screens()

    def open(self) -> None:
        """Show it, and come back when it is on screen. For the time before the program's event loop runs."""
        loop = QEventLoop()
        self.painted.connect(loop.quit, Qt.ConnectionType.QueuedConnection)
        QTimer.singleShot(_LONGEST_MS, loop.quit)
        self.show()
        loop.exec()

    def fill(self, content: QMainWindow) -> None:
        """Show `content` in it. Closing it closes that, and whoever owns that decides what happens."""
        self._content = content
        self.setWindowIcon(content.windowIcon())
        self.setWindowTitle(content.windowTitle())
        content.windowTitleChanged.connect(self.setWindowTitle)
        self.setMinimumSize(bounded(content.minimumSize(), self))
        self.setCentralWidget(content)
        # By now it is known how much the system puts around it.
        self._fit_screen()
        if self._was_closed:
            QTimer.singleShot(0, content, content.close)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest and self._content is not None:
            # How small it may be depends on the size of text.
            self.setMinimumSize(bounded(self._content.minimumSize(), self))
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            QTimer.singleShot(0, self, self._fit_screen)

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()
        self._was_closed = True
        if self._content is not None:
            self._content.close()
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._draw(painter)
        painter.end()
        self.painted.emit()

    def _watch_screens(self) -> None:
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.screenRemoved.connect(self._screens_changed)
        application.screenAdded.connect(self._watch_screen)
        for screen in QGuiApplication.screens():
            self._watch_screen(screen)

    @Slot(QScreen)
    def _watch_screen(self, screen: QScreen) -> None:
        screen.availableGeometryChanged.connect(self._screens_changed)

    @Slot()
    def _screens_changed(self) -> None:
        # Qt moves the window to a screen that is left first.
        QTimer.singleShot(0, self, self._fit_screen)

    @Slot()
    def _fit_screen(self) -> None:
        least = QSize(560, 420) if self._content is None else self._content.minimumSize()
        self.setMinimumSize(bounded(least, self))
        bring_on_screen(self)

    def _draw(self, painter: QPainter) -> None:
        tokens, mirrored = self._tokens, self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        painter.fillRect(self.rect(), QColor(tokens.window))
        side = SIDEBAR if self._state.sidebar_shown and self.width() >= NARROW else 0
        page = self.rect().adjusted(0 if mirrored else side, 0, -side if mirrored else 0, 0)
        if side:
            bar = QRect(page.right() + 1 if mirrored else 0, 0, side, self.height())
            painter.fillRect(bar, QColor(tokens.sidebar))
            line = bar.left() if mirrored else bar.right()
            painter.fillRect(line, 0, 1, self.height(), QColor(tokens.border))
        margin = max(MARGIN, (page.width() - COLUMN) // 2)
        box = page.adjusted(margin, page.height() - _COMPOSER_HIGH - _COMPOSER_BELOW, -margin, -_COMPOSER_BELOW)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.border)))
        painter.setBrush(QColor(tokens.raised))
        painter.drawRoundedRect(box.toRectF().adjusted(0.5, 0.5, -0.5, -0.5), _COMPOSER_ROUND, _COMPOSER_ROUND)


def _tokens(theme: str) -> Palette:
    """Of the theme that was chosen last; of the system where nothing was chosen, and light where that says nothing."""
    if theme in ("light", "dark"):
        return DARK if theme == "dark" else LIGHT
    return DARK if QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark else LIGHT
