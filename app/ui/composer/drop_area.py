"""Takes pictures, files and text that are dropped anywhere in the window, and says what it would do with them."""

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from app.ui.composer.mime_content import announce, is_for_window, read_drop
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import text_font

_EDGE = 14
_RADIUS = 16
_ICON = 40


class _Overlay(QWidget):
    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        # The drag goes on to what lies below.
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._icon = "picture"
        self.say(self.tr("Drop files here"), "document")
        self.hide()

    def say(self, sentence: str, icon: str) -> None:
        self._icon = icon
        self.setAccessibleName(sentence)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._appearance.tokens
        ground = QColor(tokens.window)
        ground.setAlphaF(0.94)
        painter = QPainter(self)
        painter.fillRect(self.rect(), ground)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tint = QColor(tokens.accent)
        tint.setAlphaF(0.07)
        painter.setBrush(tint)
        painter.setPen(QPen(QColor(tokens.accent), 2, Qt.PenStyle.DashLine))
        box = QRectF(self.rect()).adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        painter.drawRoundedRect(box, _RADIUS, _RADIUS)
        middle = self.rect().center()
        icon = self._appearance.icon(self._icon, "accent")
        icon.paint(painter, middle.x() - _ICON // 2, middle.y() - _ICON - 4, _ICON, _ICON)
        painter.setFont(text_font(16))
        painter.setPen(QColor(tokens.text))
        words = QRectF(box.left(), middle.y() + 6, box.width(), 30)
        painter.drawText(words, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, self.accessibleName())


class DropArea(QWidget):
    """The window's inside. What its children do not take themselves comes here."""

    offered = Signal(object)
    """MimeContent"""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.overlay = _Overlay(appearance, self)
        self.setAcceptDrops(True)

    def leave_pictures(self, field: QWidget) -> None:
        """Keep `field`, which takes dropped text, from taking files and pictures as text."""
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragEnterEvent) and is_for_window(event.mimeData()):
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        told, icon = announce(event.mimeData())
        if not told:
            event.ignore()
            return
        _take(event)
        self.overlay.say(told, icon)
        self.overlay.setGeometry(self.rect())
        self.overlay.raise_()
        self.overlay.show()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        # Accepted when it came in; asking a slow program for its data at each move would stall the mouse.
        _take(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.overlay.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self.overlay.hide()
        _take(event)
        self.offered.emit(read_drop(event.mimeData()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.overlay.setGeometry(self.rect())


def _take(event: QDropEvent) -> None:
    """As a copy: a file manager that proposes to move would delete the original."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
