"""The line of a `<details>` in a text: it opens and closes what stands below it."""

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.ui.richtext.text_block_view import TextBlockView
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import half_scaled
from app.ui.widgets.fold import FoldLine

_ICON = 16
_PAD = 4
"""Pixels above and below the words."""


class DetailsLine(FoldLine):
    """A chevron and the summary. `BlocksView` shows and hides what is below."""

    resized = Signal()
    """It needs another height at the same width."""

    def __init__(self, appearance: Appearance, text_view: TextBlockView, parent: QWidget) -> None:
        super().__init__(appearance, parent)
        self._gap = 0
        self.text_view = text_view
        text_view.setParent(self)
        text_view.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        text_view.resized.connect(self.resized)

    def show_prose(self, html: str, *, head: str = "", gap: int = 0) -> None:
        self._gap = gap
        self.text_view.show_prose(html, head=head)
        self.setAccessibleName(self.text_view.plain_text().strip())

    def height_for(self, width: int) -> int:
        """Pixels; whoever places the widget asks."""
        return self.text_view.height_for(max(1, width - indent() - _PAD)) + 2 * _PAD + self._gap

    def longest_line(self) -> int:
        return indent() + self.text_view.longest_line() + _PAD

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = QRect(indent(), _PAD, max(1, self.width() - indent() - _PAD), self._high() - 2 * _PAD)
        self.text_view.setGeometry(self.mirrored(room))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw_ground(painter, QRectF(0.5, 0.5, self.width() - 1, self._high() - 1), 7)
        icon, line = half_scaled(_ICON), min(self._high(), self.text_view.fontMetrics().height() + 3 * _PAD)
        self.draw_icon(painter, QRect(_PAD, (line - icon) // 2 + 1, icon, icon))

    def _high(self) -> int:
        return self.height() - self._gap


def indent() -> int:
    """Pixels that what is folded stands to the right of other text."""
    return half_scaled(_ICON) + 3 * _PAD
