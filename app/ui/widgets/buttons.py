"""Buttons of words, and small ones with an icon of the theme; all have a name for those who cannot see them."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, QSize, Qt, SignalInstance
from PySide6.QtGui import QGuiApplication, QHideEvent, QIcon
from PySide6.QtWidgets import QAbstractButton, QMenu, QPushButton, QToolButton, QWidget

from app.services.runtime.debounce import Debounce
from app.ui.theme.appearance import Appearance
from app.ui.theme.icons import icon_size

_COPIED_MS = 1500
Act = Callable[..., object] | SignalInstance
"""What a click does, or says."""


def push_button(
    text: str,
    parent: QWidget,
    act: Act | None = None,
    *,
    name: str = "",
    tip: str = "",
    tone: str = "",
) -> QPushButton:
    """A button that Enter presses only where it has the focus; a dialog chooses its default by itself.

    `name` is for screen readers, where `text` does not say it all; `tone` is the style sheet's.
    """
    button = QPushButton(text, parent)
    button.setAutoDefault(False)
    button.setAccessibleName(name or text)
    button.setToolTip(tip)
    button.setProperty("tone", tone)
    if act is not None:
        button.clicked.connect(act)
    return button


class IconButton(QToolButton):
    """A flat button. `name` is its tooltip and its accessible name; `role` the token that colours the icon."""

    def __init__(
        self,
        appearance: Appearance,
        icon: str,
        name: str,
        act: Act | None = None,
        *,
        role: str = "muted",
        size: int = 18,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        if act is not None:
            self.clicked.connect(act)
        self._appearance = appearance
        self._icon = icon
        self._role = role
        self._quiet = False
        self._size = size
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.say(name)
        self._tint()
        appearance.changed.connect(self._tint)

    def hideEvent(self, event: QHideEvent) -> None:
        """Shown again somewhere else, it would still look as if the pointer were at it."""
        super().hideEvent(event)
        self.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)

    def sizeHint(self) -> QSize:
        """Without the two blanks that Qt adds to a text: both would stand behind it."""
        hint = super().sizeHint()
        return QSize(hint.width() - blanks(self), hint.height()) if self.text() else hint

    def say(self, name: str) -> None:
        self.setToolTip(name)
        self.setAccessibleName(name)

    def show_icon(self, icon: str) -> None:
        self._icon = icon
        self._tint()

    def hush(self, quiet: bool) -> None:
        """Show nothing, and keep the place."""
        if quiet != self._quiet:
            self._quiet = quiet
            self._tint()

    def _tint(self) -> None:
        self.setIconSize(icon_size(self._size))
        self.setIcon(QIcon() if self._quiet else self._appearance.icon(self._icon, self._role))


class CopyButton(IconButton):
    """Puts what `source` returns on the clipboard and says so for a moment."""

    def __init__(
        self,
        appearance: Appearance,
        name: str,
        source: Callable[[], str],
        *,
        label: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(appearance, "copy", name, size=16 if label else 18, parent=parent)
        self._source = source
        self._name = name
        self._label = label
        if label:
            self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            self.setProperty("tone", "small")
            self.setText(label)
        self._timer = Debounce(_COPIED_MS, self._rest, self)
        self.clicked.connect(self._copy)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._source())
        self.show_icon("check")
        self.say(self.tr("Copied"))
        if self._label:
            self.setText(self.tr("Copied"))
        self._timer.start()

    def _rest(self) -> None:
        self.show_icon("copy")
        self.say(self._name)
        if self._label:
            self.setText(self._label)


def rename(button: QAbstractButton, text: str) -> None:
    """Another text, which screen readers are told as well."""
    button.setText(text)
    button.setAccessibleName(text)


def blanks(button: QToolButton) -> int:
    """Pixels that Qt adds to the width of a text beside an icon."""
    return 2 * button.fontMetrics().horizontalAdvance(" ")


def pop_up(menu: QMenu, button: QWidget, *, align_right: bool = False) -> None:
    """Open a menu below its button. A menu that a QToolButton owns would run an event loop of its own."""
    left = button.width() - menu.sizeHint().width() if align_right else 0
    menu.popup(button.mapToGlobal(QPoint(left, button.height() + 4)))
    if (first := next((action for action in menu.actions() if action.isEnabled()), None)) is not None:
        menu.setActiveAction(first)
