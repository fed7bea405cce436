"""Rows and columns of widgets, each said in one expression."""

from typing import NamedTuple, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.ui.widgets.discard import discard

_ANYWHERE = Qt.AlignmentFlag(0)
_Box = TypeVar("_Box", bound=QBoxLayout)


class Placed(NamedTuple):
    """A part that takes room of its own, or stands at a side of what it is given."""

    part: QWidget | QLayout | None = None
    """None for an empty place."""
    share: int = 0
    """Of the room that is left."""
    side: Qt.AlignmentFlag = _ANYWHERE


Part = QWidget | QLayout | Placed | int
"""A number is a gap of so many pixels, beside the one between all parts."""
Margins = tuple[int, int, int, int]
"""Pixels at the left, above, at the right, below."""
FILL = Placed(share=1)
"""An empty place that takes the room that is left."""
_NONE: Margins = (0, 0, 0, 0)


def grow(part: QWidget | QLayout, share: int = 1) -> Placed:
    return Placed(part, share)


def lead(part: QWidget) -> Placed:
    """As wide as it wants to be, where lines begin."""
    return Placed(part, side=Qt.AlignmentFlag.AlignLeading)


def middle(part: QWidget) -> Placed:
    return Placed(part, side=Qt.AlignmentFlag.AlignHCenter)


def at_top(part: QWidget, share: int = 0) -> Placed:
    return Placed(part, share, Qt.AlignmentFlag.AlignTop)


def hbox(*parts: Part, on: QWidget | None = None, gap: int | None = None, margins: Margins = _NONE) -> QHBoxLayout:
    """Beside each other, `gap` pixels apart, or as far as Qt's style has it; `on` is the widget that they fill."""
    return _filled(QHBoxLayout() if on is None else QHBoxLayout(on), parts, gap, margins)


def vbox(*parts: Part, on: QWidget | None = None, gap: int | None = None, margins: Margins = _NONE) -> QVBoxLayout:
    """As `hbox`, below each other."""
    return _filled(QVBoxLayout() if on is None else QVBoxLayout(on), parts, gap, margins)


def _filled(box: _Box, parts: tuple[Part, ...], gap: int | None, margins: Margins) -> _Box:
    box.setContentsMargins(*margins)
    if gap is not None:
        box.setSpacing(gap)
    for each in parts:
        if isinstance(each, int):
            box.addSpacing(each)
            continue
        part, share, side = each if isinstance(each, Placed) else Placed(each)
        if part is None:
            box.addStretch(share)
        elif isinstance(part, QWidget):
            box.addWidget(part, share, side)
        else:
            box.addLayout(part, share)
    return box


def turn(row: QBoxLayout, *, beside: bool) -> None:
    """Its parts beside each other, or below."""
    row.setDirection(QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom)


def grid(on: QWidget | None = None, *, gaps: tuple[int, int], margins: Margins = _NONE) -> QGridLayout:
    """Empty; `gaps` are the pixels between its columns, and between its rows."""
    made = QGridLayout(on)
    made.setContentsMargins(*margins)
    made.setHorizontalSpacing(gaps[0])
    made.setVerticalSpacing(gaps[1])
    return made


def scroll(area: QScrollArea, inside: QWidget) -> None:
    """Have `area` show `inside` as a part of the page that it stands in: without a frame, and never sideways."""
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inside)


def clear(layout: QLayout) -> None:
    """Take out all widgets, for good."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            discard(widget)
