"""The line of a `<details>` in a text: it opens and closes what stands below it."""

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.ui.richtext.text_block_view import TextBlockView
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import half_scaled

_ICON = 16
_PAD = 4
"""Pixels above and below the words."""


class DetailsLine(QAbstractButton):
    """A chevron and the summary. Click, Enter or Space opens it; `BlocksView` shows and hides what is below."""

    resized = Signal()
    """It needs another height at the same width."""

    def __init__(self, appearance: Appearance, text_view: TextBlockView, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._gap = 0
        self._text = text_view
        text_view.setParent(self)
        text_view.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        text_view.resized.connect(self.resized)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(self.tr("Open or close"))
        appearance.changed.connect(self.update)

    @property
    def text_view(self) -> TextBlockView:
        return self._text

    def show_prose(self, html: str, *, head: str = "", gap: int = 0) -> None:
        self._gap = gap
        self._text.show_prose(html, head=head)
        self.setAccessibleName(self._text.plain_text().strip())

    def height_for(self, width: int) -> int:
        """Pixels; whoever places the widget asks."""
        return self._text.height_for(max(1, width - indent() - _PAD)) + 2 * _PAD + self._gap

    def longest_line(self) -> int:
        return indent() + self._text.longest_line() + _PAD

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = QRect(indent(), _PAD, max(1, self.width() - indent() - _PAD), self._high() - 2 * _PAD)
        self._text.setGeometry(self._mirrored(room))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._appearance.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus() or self.underMouse():
            painter.setPen(QColor(tokens.accent) if self.hasFocus() else QPen(Qt.PenStyle.NoPen))
            painter.setBrush(QColor(tokens.hover) if self.underMouse() else Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(0.5, 0.5, self.width() - 1, self._high() - 1), 7, 7)
        closed = "chevron-left" if self.isRightToLeft() else "chevron-right"
        icon, line = half_scaled(_ICON), min(self._high(), self._text.fontMetrics().height() + 3 * _PAD)
        place = self._mirrored(QRect(_PAD, (line - icon) // 2 + 1, icon, icon))
        self._appearance.icon("chevron-down" if self.isChecked() else closed, "muted").paint(painter, place)

    def _high(self) -> int:
        return self.height() - self._gap

    def _mirrored(self, place: QRect) -> QRect:
        if self.isRightToLeft():
            place.moveLeft(self.width() - place.right() - 1)
        return place


def indent() -> int:
    """Pixels that what is folded stands to the right of other text."""
    return half_scaled(_ICON) + 3 * _PAD
