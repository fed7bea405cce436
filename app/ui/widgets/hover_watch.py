"""Where the pointer is, when Qt was told late: what is hidden, or lies under a box that opened, hears of no leaving."""

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget


class HoverWatch(QObject):
    """Looks again whenever another window, dialog or popup has the keyboard. `window` owns it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.focusWindowChanged.connect(self.look_again)

    @Slot()
    def look_again(self) -> None:
        under = QApplication.widgetAt(QCursor.pos())
        for widget in QApplication.allWidgets():
            if widget.underMouse() and widget is not under and (under is None or not widget.isAncestorOf(under)):
                leave(widget)


def leave(widget: QWidget) -> None:
    """Have it look as it does when nobody points at it."""
    widget.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    QApplication.sendEvent(widget, QEvent(QEvent.Type.Leave))
    widget.update()
