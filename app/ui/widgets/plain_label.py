"""Labels that show what they are given: never rich text, which could be a model's."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QWidget


def plain_label(tone: str, parent: QWidget, *, wraps: bool = False) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("tone", tone)
    label.setWordWrap(wraps)
    label.setMinimumSize(QSize(0, 0))
    return label
