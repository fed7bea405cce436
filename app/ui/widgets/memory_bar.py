"""The memory that a model would take, as a bar of its parts, and what its colours mean."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.ui.theme.appearance import Appearance
from app.ui.widgets.flow_row import FlowRow
from app.ui.widgets.layouts import hbox
from app.ui.widgets.plain_text import plain_label

_HEIGHT = 12
_CHIP = 10
_APART = 10
"""Pixels between two parts in the legend, beside the gap of the row."""


class Part(NamedTuple):
    role: str
    """The token that colours it."""
    size: int
    """Bytes."""


class StackedBar(QWidget):
    """Parts side by side, on a track as long as `whole`. It says nothing; the words stand beside it."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._parts: Sequence[Part] = ()
        self._whole = 0
        self._limit = 0
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        appearance.changed.connect(self.update)

    def show_parts(self, parts: Sequence[Part], limit: int) -> None:
        """`limit` is where a mark stands: what there is. 0 for unknown."""
        self._parts = parts
        self._limit = limit
        self._whole = max(limit, sum(part.size for part in parts), 1)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(300, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QPainterPath()
        track.addRoundedRect(QRectF(self.rect()), _HEIGHT / 2, _HEIGHT / 2)
        painter.setClipPath(track)
        painter.fillPath(track, QColor(self._appearance.tokens.hover))
        left = 0.0
        for part in self._parts:
            wide = self.width() * part.size / self._whole
            painter.fillRect(
                self._turned(QRectF(left, 0, wide, _HEIGHT)), QColor(getattr(self._appearance.tokens, part.role))
            )
            left += wide
        if self._limit and self._limit < self._whole:
            place = self.width() * self._limit / self._whole
            painter.fillRect(self._turned(QRectF(place - 1.5, 0, 3, _HEIGHT)), QColor(self._appearance.tokens.text))
        painter.end()

    def _turned(self, place: QRectF) -> QRectF:
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            place.moveLeft(self.width() - place.right())
        return place


class _Chip(QWidget):
    def __init__(self, appearance: Appearance, role: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._role = role
        self.setFixedSize(_CHIP, _CHIP)
        appearance.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(self._appearance.tokens, self._role)))
        painter.drawRoundedRect(self.rect(), 3, 3)
        painter.end()


class MemoryLegend(FlowRow):
    """What the colours of bars mean, and how much each part takes; `show_texts` says it."""

    def __init__(self, appearance: Appearance, roles: Iterable[str], parent: QWidget) -> None:
        self._entries = {role: QWidget() for role in roles}
        self._labels = {role: plain_label("small", entry) for role, entry in self._entries.items()}
        super().__init__(tuple(self._entries.values()), parent)
        for role, entry in self._entries.items():
            chip = _Chip(appearance, role, entry)
            hbox(chip, self._labels[role], on=entry, gap=8, margins=(0, 0, _APART, 0))

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(label.text() for label in self._labels.values() if label.text())

    def arrange(self) -> None:
        for role, label in self._labels.items():
            besides = self._entries[role].minimumSizeHint().width() - label.minimumSizeHint().width()
            wraps = label.fontMetrics().horizontalAdvance(label.text()) + besides > self.width()
            if wraps is not label.wordWrap():
                label.setWordWrap(wraps)
        super().arrange()

    def show_texts(self, texts: Mapping[str, str]) -> None:
        """By role; those without a text are left out."""
        for role, label in self._labels.items():
            label.setText(texts.get(role, ""))
            self._entries[role].setVisible(role in texts)
        self.arrange()
