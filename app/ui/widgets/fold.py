"""A framed block with one line that opens and closes it."""

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QWidget

from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import SMALL_SIZE, half_scaled, text_font

_HIGH = 38
_SIDE = 14
_ICON = 16


class FoldHead(QAbstractButton):
    """The line: what it is, and dimmer beside it a little of what is inside. Click, Enter or Space opens it."""

    def __init__(self, appearance: Appearance, icon: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._icon = icon
        self._hint = ""
        self._strong = ""
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(self.tr("Open or close"))
        appearance.changed.connect(self.update)

    @property
    def hint(self) -> str:
        return self._hint

    def say(self, title: str, hint: str = "", strong: str = "") -> None:
        """`strong` stands behind the title in darker letters."""
        if (title, hint, strong) != (self.text(), self._hint, self._strong):
            self.setText(title)
            self._hint, self._strong = hint, strong
            self.setAccessibleName(f"{title} {strong}".strip())
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, half_scaled(_HIGH))

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

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._appearance.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus() or self.underMouse():
            painter.setPen(QColor(tokens.accent) if self.hasFocus() else QPen(Qt.PenStyle.NoPen))
            painter.setBrush(QBrush(QColor(tokens.hover)) if self.underMouse() else QBrush())
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -2, -2), 9, 9)
        closed = "chevron-left" if self.isRightToLeft() else "chevron-right"
        x, icon = _SIDE, half_scaled(_ICON)
        for name in ("chevron-down" if self.isChecked() else closed, self._icon):
            if name:
                place = self._mirrored(QRect(x, (self.height() - icon) // 2, icon, icon))
                self._appearance.icon(name, "muted").paint(painter, place)
                x += icon + 10
        for text, role, strong in (
            (self.text(), "muted", True),
            (self._strong, "text", True),
            (self._hint, "muted", False),
        ):
            if text:
                x = self._write(painter, x, text, role, strong=strong)

    def _write(self, painter: QPainter, x: int, text: str, role: str, *, strong: bool) -> int:
        font = text_font(SMALL_SIZE + 1 if strong else SMALL_SIZE)
        font.setWeight(font.Weight.Medium if strong else font.Weight.Normal)
        painter.setFont(font)
        painter.setPen(QColor(getattr(self._appearance.tokens, role)))
        painter.setOpacity(1.0 if strong else 0.72)
        room = max(0, self.width() - x - _SIDE)
        mode = Qt.TextElideMode.ElideRight if strong else Qt.TextElideMode.ElideLeft
        shown = painter.fontMetrics().elidedText(text, mode, room)
        wide = painter.fontMetrics().horizontalAdvance(shown)
        place = self._mirrored(QRect(x, 0, min(room, wide + 2), self.height()))
        painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading), shown)
        painter.setOpacity(1.0)
        return x + wide + 12

    def _mirrored(self, place: QRect) -> QRect:
        if self.isRightToLeft():
            place.moveLeft(self.width() - place.right() - 1)
        return place


class Fold(QFrame):
    """Its body is made by subclasses when it is first opened."""

    resized = Signal()
    """It needs another height at the same width."""

    def __init__(self, appearance: Appearance, icon: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("fold")
        self._appearance = appearance
        self._range: tuple[int, int] | None = None
        self.head = FoldHead(appearance, icon, self)
        self.head.toggled.connect(self._toggled)

    @property
    def is_open(self) -> bool:
        return self.head.isChecked()

    def set_open(self, is_open: bool) -> None:
        self.head.setChecked(is_open)

    def show_range(self, top: int, bottom: int) -> None:
        """What of it can be seen, in pixels; `place` acts on it."""
        self._range = (top, bottom)

    def place(self, width: int) -> int:
        """Lay out at this width; returns the height."""
        high = half_scaled(_HIGH)
        self.head.setGeometry(0, 0, width, high)
        if not self.is_open:
            return high
        return high + self.place_body(QRect(_SIDE, high, width - 2 * _SIDE, 0)) + 8

    def place_body(self, room: QRect) -> int:
        """Lay out what is inside at the place and width of `room`; returns the height."""
        raise NotImplementedError

    def show_body(self, is_open: bool) -> None:
        """Make the body or hide it."""
        raise NotImplementedError

    def _toggled(self, is_open: bool) -> None:
        self.show_body(is_open)
        self.resized.emit()
