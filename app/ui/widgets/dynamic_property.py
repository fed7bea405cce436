"""Properties that the style sheet selects by, such as `tone`."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Styling again is dear, so only where something changes."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
            widget.style().unpolish(widget)
            widget.style().polish(widget)
