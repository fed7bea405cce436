"""A list of texts that is a part of the page it stands on."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QListWidget, QWidget


def plain_list(name: str, parent: QWidget, tip: str = "") -> QListWidget:
    """Without a frame, and never sideways; `name` is for screen readers."""
    made = QListWidget(parent)
    made.setObjectName("pages")
    made.setAccessibleName(name)
    made.setToolTip(tip)
    made.setFrameShape(QFrame.Shape.NoFrame)
    made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return made
