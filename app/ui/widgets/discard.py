"""Taking widgets away for good."""

from PySide6.QtWidgets import QWidget


def discard(*widgets: QWidget) -> None:
    """Hide them, and have them deleted by the event loop; they say nothing any more.

    Whoever owns them forgets them first: hiding a widget sends events to others, such as Enter to what the pointer is
    over now, and those may come back to the owner at once.
    """
    for widget in widgets:
        widget.blockSignals(True)
    for widget in widgets:
        widget.hide()
        widget.deleteLater()
