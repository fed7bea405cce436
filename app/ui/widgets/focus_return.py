"""Where the keyboard was before something was laid over the window."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid


class FocusReturn:
    """Remembers a widget, which may be gone when the keyboard wants to go back."""

    def __init__(self) -> None:
        self._widget: QWidget | None = None

    def remember(self, window: QWidget) -> None:
        """Whatever has the focus in `window`."""
        self._widget = window.focusWidget()

    def forget(self) -> None:
        self._widget = None

    def go_back(self) -> None:
        """Once; to nowhere where the widget is gone or hidden."""
        widget, self._widget = self._widget, None
        if widget is not None and isValid(widget) and widget.isVisible():
            widget.setFocus(Qt.FocusReason.PopupFocusReason)
