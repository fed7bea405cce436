"""A framed block with one line that opens and closes it."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QToolButton, QWidget

from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import SMALL_SIZE, half_scaled, text_font
from app.ui.theme.icons import icon_size

_HIGH = 38
_SIDE = 14
_ICON = 16


class FoldButton(QToolButton):
    """A title that shows and hides what stands below it."""

    def __init__(self, appearance: Appearance, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.setCheckable(True)
        self.setText(title)
        self.setAccessibleName(title)
        self.setToolTip(self.tr("Open or close"))
        self.setProperty("tone", "fold")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.toggled.connect(self._refresh)
        appearance.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        is_open = self.isChecked()
        self.setAccessibleDescription(self.tr("Shown") if is_open else self.tr("Hidden"))
        self.setIconSize(icon_size(_ICON))
        self.setIcon(self._appearance.icon("chevron-down" if is_open else "chevron-right", "muted"))


class FoldLine(QAbstractButton):
    """A line over the whole width that opens and closes what is below. Click, Enter or Space does it."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(self.tr("Open or close"))
        appearance.changed.connect(self.update)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def draw_ground(self, painter: QPainter, box: QRectF, radius: float) -> None:
        """Where the mouse is, and a ring where the keyboard is."""
        tokens = self._appearance.tokens
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus() or self.underMouse():
            painter.setPen(QColor(tokens.accent) if self.hasFocus() else QPen(Qt.PenStyle.NoPen))
            painter.setBrush(QBrush(QColor(tokens.hover)) if self.underMouse() else QBrush())
            painter.drawRoundedRect(box, radius, radius)

    def draw_icon(self, painter: QPainter, place: QRect, name: str = "") -> None:
        """The chevron, unless another is named."""
        closed = "chevron-left" if self.isRightToLeft() else "chevron-right"
        shown = name or ("chevron-down" if self.isChecked() else closed)
        self._appearance.icon(shown, "muted").paint(painter, self.mirrored(place))

    def mirrored(self, place: QRect) -> QRect:
        """Where it is in a window that runs from right to left."""
        if self.isRightToLeft():
            place.moveLeft(self.width() - place.right() - 1)
        return place


class FoldHead(FoldLine):
    """The line of a `Fold`: what it is, and dimmer beside it a little of what is inside."""

    def __init__(self, appearance: Appearance, icon: str, parent: QWidget) -> None:
        super().__init__(appearance, parent)
        self._icon = icon
        self.hint = ""
        self._strong = ""

    def say(self, title: str, hint: str = "", strong: str = "") -> None:
        """`strong` stands behind the title in darker letters."""
        if (title, hint, strong) != (self.text(), self.hint, self._strong):
            self.setText(title)
            self.hint, self._strong = hint, strong
            self.setAccessibleName(f"{title} {strong}".strip())
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, half_scaled(_HIGH))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw_ground(painter, self.rect().adjusted(1, 1, -2, -2).toRectF(), 9)
        x, icon = _SIDE, half_scaled(_ICON)
        for name in ("", self._icon) if self._icon else ("",):
            self.draw_icon(painter, QRect(x, (self.height() - icon) // 2, icon, icon), name)
            x += icon + 10
        for text, role, strong in (
            (self.text(), "muted", True),
            (self._strong, "text", True),
            (self.hint, "muted", False),
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
        place = self.mirrored(QRect(x, 0, min(room, wide + 2), self.height()))
        painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading), shown)
        painter.setOpacity(1.0)
        return x + wide + 12


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
