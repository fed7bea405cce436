"""One attachment as a chip: an icon, its name, and what there is to tell of it."""

from typing import ClassVar

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.ui.composer.attachment_tray import BUTTON, RADIUS, AttachmentItem, PendingT
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled, text_font
from app.ui.widgets.buttons import IconButton

_HEIGHT = 46
_WIDEST, _NARROWEST = 260, 150
"""Pixels, as all here, at the usual size of text."""
_ICON = 20
_ICON_ROOM = 40
_BUTTON_ROOM = 30
_NAME_SIZE, _TOLD_SIZE = 13, 12


class AttachmentChip(AttachmentItem[PendingT]):
    ICON: ClassVar[str]

    def __init__(self, appearance: Appearance, pending: PendingT, parent: QWidget) -> None:
        super().__init__(appearance, pending, parent, IconButton(appearance, "close", "", role="muted", size=12))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # By the keyboard it is the chip itself that is removed.
        self.remove_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    @property
    def icon_name(self) -> str:
        return self.ICON

    @property
    def told(self) -> str:
        """The second line."""
        raise NotImplementedError

    def show_pending(self, pending: PendingT, place: int, of: int) -> None:
        super().show_pending(pending, place, of)
        self.setAccessibleName(f"{self.accessibleName()}, {self.told}")

    def sizeHint(self) -> QSize:
        name, told = (self._metrics_width(*each) for each in ((self._pending.name, True), (self.told, False)))
        wanted = _ICON_ROOM + max(name, told) + _BUTTON_ROOM
        return QSize(min(scaled(_WIDEST), max(scaled(_NARROWEST), wanted)), scaled(_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_button()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self._place_button()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._appearance.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = 2.0 if self.hasFocus() else 1.0
        painter.setPen(QPen(QColor(tokens.accent if self.hasFocus() else tokens.border), width))
        painter.setBrush(QColor(tokens.hover if self.underMouse() or self.isDown() else tokens.window))
        box = QRectF(self.rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2)
        painter.drawRoundedRect(box, RADIUS, RADIUS)
        place = QRect((_ICON_ROOM - _ICON) // 2 + 2, (self.height() - _ICON) // 2, _ICON, _ICON)
        if self._pending.is_busy:
            ring = QRectF(self._mirrored(place)).adjusted(2, 2, -2, -2)
            self._paint_ring(painter, ring, QColor(tokens.scroll), QColor(tokens.accent), self._progress())
        else:
            self._appearance.icon(self.icon_name, "muted").paint(painter, self._mirrored(place))
        words = self.width() - _ICON_ROOM - _BUTTON_ROOM - self._beside()
        for text, top, size, role in (
            (self._pending.name or self.tr("A file without a name"), 6, _NAME_SIZE, tokens.text),
            (self.told, 25, _TOLD_SIZE, tokens.muted),
        ):
            painter.setFont(text_font(size))
            painter.setPen(QColor(role))
            middle = size == _NAME_SIZE
            mode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
            shown = painter.fontMetrics().elidedText(text, mode, words)
            line = self._mirrored(QRect(_ICON_ROOM, scaled(top), words, scaled(18)))
            painter.drawText(line, Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.end()

    def _mirrored(self, place: QRect) -> QRect:
        if self.layoutDirection() == Qt.LayoutDirection.LeftToRight:
            return place
        return QRect(self.width() - place.right() - 1, place.top(), place.width(), place.height())

    def _place_button(self) -> None:
        place = QRect(self.width() - BUTTON - 6, (self.height() - BUTTON) // 2, BUTTON, BUTTON)
        self.remove_button.move(self._mirrored(place).topLeft())

    def _metrics_width(self, text: str, is_name: bool) -> int:
        return QFontMetrics(text_font(_NAME_SIZE if is_name else _TOLD_SIZE)).horizontalAdvance(text) + 6

    def _beside(self) -> int:
        """Pixels between the words and the button, for what a kind paints there."""
        return 0

    def _progress(self) -> float | None:
        """0 to 1, where it is known how far the reading has come."""
        return None
