"""The pictures of the message that is being written, as small tiles above the text."""

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.services.drafts.pending import PendingPicture
from app.ui.composer.attachment_tray import BUTTON, RADIUS, AttachmentItem, AttachmentTray
from app.ui.formatting.sentences import translated
from app.ui.theme.appearance import Appearance
from app.ui.theme.rounded import draw_outline, draw_rounded
from app.ui.widgets.buttons import IconButton

TILE = 64
_OVERHANG = 6
"""Pixels by which the remove button stands out of its tile."""
_RING = 22


class _RemoveButton(IconButton):
    """The keyboard comes to it, and not to the tile."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            super().keyPressEvent(event)
        else:
            # The tile's, as with all other kinds.
            event.ignore()


class PictureTile(AttachmentItem[PendingPicture]):
    def __init__(self, appearance: Appearance, pending: PendingPicture, parent: QWidget) -> None:
        super().__init__(appearance, pending, parent, _RemoveButton(appearance, "close", "", role="text", size=12))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFixedSize(TILE + _OVERHANG, TILE + _OVERHANG)
        self.remove_button.setObjectName("remove")
        self.remove_button.move(self.width() - BUTTON, 0)

    @property
    def focus_place(self) -> QWidget:
        return self.remove_button

    def sizeHint(self) -> QSize:
        return self.size()

    def hitButton(self, place: QPoint) -> bool:
        return self._box().contains(place.toPointF())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = self._box()
        tokens = self._appearance.tokens
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.hover))
        painter.drawRoundedRect(box, RADIUS, RADIUS)
        if self._pending.thumbnail is not None:
            draw_rounded(painter, self._pending.thumbnail, box, RADIUS, fill=True)
        draw_outline(painter, box, RADIUS, tokens.border)
        if self._pending.is_busy:
            ring = QRectF(0, 0, _RING, _RING)
            ring.moveCenter(box.center())
            track, arc = QColor(tokens.scroll), QColor(tokens.accent)
            if self._pending.thumbnail is not None:
                # On a picture of any colour it needs a ground of its own.
                track, arc = QColor(255, 255, 255, 80), QColor("white")
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(0, 0, 0, 150))
                painter.drawEllipse(ring.adjusted(-5, -5, 5, 5))
            self._paint_ring(painter, ring, track, arc, None)

    def _said(self, place: int, of: int) -> str:
        return self.tr("Picture {place} of {count}: {name}").format(place=place, count=of, name=self._name())

    def _tip(self) -> list[str]:
        lines = [self._name()]
        part = self._pending.part
        if part is not None and part.width:
            lines.append(f"{part.width:,} × {part.height:,}")
        if part is None:
            lines.append(self.tr("is being read"))
        elif self._pending.is_encoding:
            lines.append(self.tr("the model is looking at it already"))
        if self._pending.note:
            lines.append(translated(self._pending.note))
        return lines

    def _name(self) -> str:
        return self._pending.name or self.tr("picture without a name")

    def _enter(self) -> None:
        self._remove()

    def _box(self) -> QRectF:
        return QRectF(0, _OVERHANG, TILE, TILE)


class PictureTray(AttachmentTray[PictureTile, PendingPicture]):
    GAP = 6

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(appearance, PendingPicture, parent)
        self.setAccessibleName(self.tr("Pictures of this message"))

    @property
    def waiting(self) -> str:
        return self.tr("The message goes as soon as its pictures are read…")

    def _make(self, pending: PendingPicture) -> PictureTile:
        return PictureTile(self._appearance, pending, self)

    def _highest(self, row: int) -> int:
        """There are never so many that they could not all be seen."""
        return 16 * row
