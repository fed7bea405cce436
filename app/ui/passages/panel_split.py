"""A panel beside the chat, as wide as it was drawn; in a narrow window it lies over it."""

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import half_scaled
from app.ui.widgets.dynamic_property import set_property
from app.ui.widgets.focus_return import FocusReturn

_LEAST_CONTENT, _LEAST_PANEL = 420, 300
"""Pixels, at the usual size of text."""
_HANDLE = 6
_STEP = 24
_OVER = 0.94
"""Of a narrow window, as much is taken."""


class PanelSplit(QWidget):
    """`content` has what the panel leaves."""

    width_chosen = Signal(int)
    """Pixels of the panel, when the mouse lets go or a key was pressed."""

    def __init__(
        self, appearance: Appearance, content: QWidget, panel: QWidget, width: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._content, self._panel = content, panel
        self._wanted = width
        self._came_from = FocusReturn()
        self._is_open = False
        self.handle = _Handle(appearance, self)
        self.handle.moved.connect(self._drag)
        self.handle.done.connect(lambda: self.width_chosen.emit(self._wanted))
        for each in (content, panel):
            each.setParent(self)
        panel.hide()
        self.handle.hide()
        appearance.changed.connect(self._place)

    @property
    def is_open(self) -> bool:
        return self._is_open

    @property
    def is_over(self) -> bool:
        """Whether the panel lies over the chat."""
        return self._is_open and self.width() < half_scaled(_LEAST_CONTENT) + half_scaled(_LEAST_PANEL)

    def open(self) -> None:
        if not self._is_open:
            self._is_open = True
            self._came_from.remember(self.window())
        self._place()

    def close_panel(self) -> None:
        """The keyboard goes back to where it was."""
        if self._is_open:
            self._is_open = False
            focus = self.window().focusWidget()
            if self._panel.isAncestorOf(focus):
                self._came_from.go_back()
            self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        whole = self.rect()
        wide = self._panel_width()
        beside = self._is_open and not self.is_over
        taken = wide + _HANDLE if beside else 0
        self._content.setGeometry(self._mirrored(QRect(0, 0, whole.width() - taken, whole.height())))
        self._panel.setGeometry(self._mirrored(QRect(whole.width() - wide, 0, wide, whole.height())))
        self.handle.setGeometry(self._mirrored(QRect(whole.width() - wide - _HANDLE, 0, _HANDLE, whole.height())))
        set_property(self._panel, "over", "true" if self.is_over else "false")
        self._panel.setVisible(self._is_open)
        self.handle.setVisible(beside)
        if self._is_open:
            self._panel.raise_()

    def _panel_width(self) -> int:
        if self.is_over:
            return round(self.width() * _OVER)
        most = self.width() - half_scaled(_LEAST_CONTENT) - _HANDLE
        return max(half_scaled(_LEAST_PANEL), min(self._wanted, most))

    def _mirrored(self, place: QRect) -> QRect:
        if self.layoutDirection() == Qt.LayoutDirection.LeftToRight:
            return place
        return QRect(QPoint(self.width() - place.right() - 1, place.y()), place.size())

    def _drag(self, by: int) -> None:
        """Pixels to the right."""
        wider = by if self.isRightToLeft() else -by
        self._wanted = max(half_scaled(_LEAST_PANEL), self._panel_width() + wider)
        self._place()


class _Handle(QWidget):
    """Drawn by the mouse, or moved by the arrow keys."""

    moved = Signal(int)
    done = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._from = 0
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(self.tr("Width of the page"))
        self.setAccessibleDescription(self.tr("The left and right arrow keys move the border."))
        appearance.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self._appearance.tokens
        painter.fillRect(self.rect(), QColor(tokens.window))
        ink = tokens.accent if self.hasFocus() else tokens.border
        painter.fillRect(self.width() // 2, 0, 1 + self.hasFocus(), self.height(), QColor(ink))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._from = event.position().toPoint().x()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.moved.emit(event.position().toPoint().x() - self._from)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.done.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -_STEP, Qt.Key.Key_Right: _STEP}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        self.moved.emit(step)
        self.done.emit()
