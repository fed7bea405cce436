"""What opens over the window at a button: a box with round corners that stays inside the window."""

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QBitmap, QGuiApplication, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QStyle, QStyleOption, QStylePainter, QWidget

_GAP = 6
_MARGIN = 8
"""Pixels that it keeps from the window's edges."""
_ROUND = 10
"""As `QFrame#popover` has it in the style sheet."""


class Popover(QFrame):
    """Closes by Esc and by a click elsewhere."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        # A click on the button closes it, and does not open it again.
        self.setAttribute(Qt.WidgetAttribute.WA_NoMouseReplay)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setObjectName("popover")

    def put_at(self, anchor: QWidget, *, ends: bool) -> None:
        """Above `anchor`, or below it where there is no room; beginning where it begins, or ending where it ends."""
        room = _room(anchor)
        at_right = ends != self.isRightToLeft()
        corner = anchor.mapToGlobal(QPoint(anchor.width() - self.width() if at_right else 0, -self.height() - _GAP))
        below = anchor.mapToGlobal(QPoint(0, anchor.height() + _GAP)).y()
        top = corner.y() if corner.y() >= room.top() or below + self.height() > room.bottom() else below
        left = max(room.left(), min(corner.x(), room.right() + 1 - self.width()))
        screen = anchor.screen().availableGeometry()
        self.move(left, max(screen.top(), top))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt draws no ground of its own where a window may be clear."""
        option = QStyleOption()
        option.initFrom(self)
        painter = QStylePainter(self)
        if _may_be_bare():
            painter.fillRect(self.rect(), self.palette().window())
        painter.drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not _may_be_bare():
            return
        shape = QBitmap(self.size())
        shape.clear()
        painter = QPainter(shape)
        painter.setBrush(Qt.GlobalColor.color1)
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), _ROUND, _ROUND)
        painter.end()
        self.setMask(shape)


def _may_be_bare() -> bool:
    """Whether nobody may mix windows, as on a bare X server: what is clear would be black there."""
    return QGuiApplication.platformName() == "xcb"


def _room(anchor: QWidget) -> QRect:
    """Of the window, as far as it is on the screen."""
    window = anchor.window()
    inside = QRect(window.mapToGlobal(QPoint(0, 0)), window.size()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
    return inside.intersected(anchor.screen().availableGeometry())
