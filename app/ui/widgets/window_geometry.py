"""Where a window stands: on a screen that is there, and no larger than that."""

from collections.abc import Sequence

from PySide6.QtCore import QMargins, QRect, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

USUAL = QSize(1180, 820)
"""Pixels, where the screen has room for them."""
_FRAME = QMargins(1, 32, 1, 1)
"""What the system is thought to put around a window before it is shown."""


def fitting(wanted: QRect, screens: Sequence[QRect], frame: QMargins) -> QRect:
    """`wanted`, made smaller and moved until it lies with its frame within the one of `screens` that has most of it.

    The first screen is taken where none has any of it. `wanted` and what is returned are without the frame.
    """
    if not screens:
        return wanted
    room = max(screens, key=lambda screen: _area(screen.intersected(wanted))).marginsRemoved(frame)
    size = wanted.size().boundedTo(room.size())
    left = max(room.left(), min(wanted.left(), room.right() + 1 - size.width()))
    top = max(room.top(), min(wanted.top(), room.bottom() + 1 - size.height()))
    return QRect(left, top, size.width(), size.height())


def place_usual(window: QWidget) -> None:
    """In the middle of its screen, as large as usual where that fits."""
    wanted = QRect(0, 0, USUAL.width(), USUAL.height())
    wanted.moveCenter(window.screen().availableGeometry().center())
    window.setGeometry(fitting(wanted, _screens(window), _FRAME))


def bring_on_screen(window: QWidget) -> None:
    """Where what was kept, or a screen that was taken away, put it elsewhere."""
    if window.isMaximized() or window.isFullScreen() or window.isMinimized():
        return
    now, outer = window.geometry(), window.frameGeometry()
    around = QMargins(
        now.left() - outer.left(), now.top() - outer.top(), outer.right() - now.right(), outer.bottom() - now.bottom()
    )
    wanted = fitting(now, _screens(window), around if outer != now else _FRAME)
    if wanted != now:
        window.setGeometry(wanted)


def bounded(least: QSize, window: QWidget) -> QSize:
    """A minimum that the window's screen has room for, whatever its scale."""
    return least.boundedTo(window.screen().availableGeometry().marginsRemoved(_FRAME).size())


def size_dialog(dialog: QWidget, least: QSize, wanted: QSize) -> None:
    """As large as wanted and never smaller than `least`, as far as the screen has room."""
    dialog.setMinimumSize(bounded(least, dialog))
    dialog.resize(bounded(wanted.expandedTo(least), dialog))


def _screens(window: QWidget) -> list[QRect]:
    """What windows may take of each; the one that this window is on is the first."""
    screens = sorted(QGuiApplication.screens(), key=lambda screen: screen is not window.screen())
    return [screen.availableGeometry() for screen in screens]


def _area(rect: QRect) -> int:
    return rect.width() * rect.height() if rect.isValid() else 0
