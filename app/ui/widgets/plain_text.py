"""Texts that somebody else wrote, shown as they are: Qt takes what looks like HTML for such."""

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

_SHORT = 60
"""Characters. Qt would break even two words, for the sake of a box that is as high as it is wide."""


def plain_label(tone: str, parent: QWidget | None, text: str = "", *, wraps: bool = False) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setText(text)
    label.setProperty("tone", tone)
    label.setWordWrap(wraps)
    return label


def tell(label: QLabel, text: str) -> None:
    """Say `text` there; nothing to say takes no room."""
    label.setText(text)
    label.setVisible(bool(text))


def told(label: QLabel) -> str:
    """What a label says that is hidden where it has nothing to say."""
    return "" if label.isHidden() else label.text()


def plain_tip(text: str, *, wraps: bool = True) -> str:
    """A tooltip that shows `text` as it is, with its line breaks; empty for none.

    `wraps`: long lines are broken, if there are any.
    """
    if not text:
        return ""
    is_long = any(len(line) > _SHORT for line in text.split("\n"))
    style = "" if wraps and is_long else " style='white-space:pre'"
    return f"<p{style}>" + escape(text, quote=False).replace("\n", "<br>") + "</p>"
