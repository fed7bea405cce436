"""One picture in the conversation: a thumbnail that opens, leaves by a drag, and has a menu."""

from dataclasses import dataclass
from enum import Enum, auto

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QWidget

from app.core.messages import ImagePart
from app.services.pictures.preview_cache import PreviewCache
from app.services.pictures.states import KeptPicture
from app.ui.formatting.sentences import translated
from app.ui.theme.appearance import Appearance
from app.ui.theme.rounded import draw_outline, draw_rounded
from app.ui.widgets.plain_text import plain_tip


class PictureUse(Enum):
    OPEN = auto()
    COPY = auto()
    SAVE = auto()
    DRAG = auto()


@dataclass(frozen=True, slots=True)
class PictureAction:
    use: PictureUse
    part: ImagePart


ONE_HIGH, MANY_HIGH = 220, 150
"""Pixels that a picture is high at most: alone, and among others."""
_WIDEST = 360
_LEAST = 64
_RADIUS = 12
_ICON = 28
_UNKNOWN = QSize(200, 150)
"""Of a picture whose size nobody has kept."""


def shown_size(part: ImagePart, highest: int, widest: int = _WIDEST) -> QSize:
    """In the picture's proportions, never larger than it is, and large enough to be clicked."""
    size = QSize(part.width, part.height) if part.width > 0 and part.height > 0 else QSize(_UNKNOWN)
    box = QSize(max(_LEAST, min(_WIDEST, widest)), highest)
    if size.width() > box.width() or size.height() > box.height():
        size = size.scaled(box, Qt.AspectRatioMode.KeepAspectRatio)
    return size.expandedTo(QSize(_LEAST, _LEAST))


class PictureView(QAbstractButton):
    """Loads when it is first painted, which is when it comes into view."""

    wanted = Signal(object)
    """PictureAction"""

    def __init__(
        self, appearance: Appearance, previews: PreviewCache, part: ImagePart, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._previews = previews
        self.part = part
        self.problem = ""
        """Why it cannot be shown; empty while it can, or is not known yet."""
        self._pressed: QPoint | None = None
        self._menu: QMenu | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._name_it()
        self.clicked.connect(self._open)
        appearance.changed.connect(self.update)
        previews.loaded.connect(self._loaded)

    def make_menu(self) -> QMenu:
        """What a right click opens; the view owns it."""
        menu = QMenu(self)
        for text, use in (
            (self.tr("&Enlarge"), PictureUse.OPEN),
            (self.tr("&Copy the picture"), PictureUse.COPY),
            (self.tr("&Save as…"), PictureUse.SAVE),
        ):
            action = menu.addAction(text)
            action.setEnabled(not self.problem)
            action.triggered.connect(lambda _=False, use=use: self._wish(use))
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        self.make_menu().popup(self.mapToGlobal(self.rect().center()) if by_key else event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position().toPoint() if event.button() is Qt.MouseButton.LeftButton else None
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            way = event.position().toPoint() - self._pressed
            if way.manhattanLength() >= QApplication.startDragDistance():
                # A drag is no click.
                self._pressed = None
                self.setDown(False)
                self._wish(PictureUse.DRAG)
                return
        super().mouseMoveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, tokens = QRectF(self.rect()), self._appearance.tokens
        kept = self._previews.preview(self.part)
        if kept is not None and kept.problem != self.problem:
            self._loaded(kept)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.hover))
        painter.drawRoundedRect(box, _RADIUS, _RADIUS)
        if kept is None:
            place = QRect(0, 0, _ICON, _ICON)
            place.moveCenter(self.rect().center())
            self._appearance.icon("picture", "muted").paint(painter, place)
        elif kept.image is not None:
            # Of a picture whose size was not kept, the middle: bars beside it would look like a part of it.
            draw_rounded(painter, kept.image, box, _RADIUS, fill=not self.part.width)
        else:
            painter.setPen(QColor(tokens.muted))
            words = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(box.adjusted(8, 8, -8, -8), words, self.tr("The picture is missing"))
        if self.hasFocus():
            draw_outline(painter, box, _RADIUS, tokens.accent, 2)
        else:
            draw_outline(painter, box, _RADIUS, tokens.border)

    @Slot(object)
    def _loaded(self, kept: KeptPicture) -> None:
        if kept.content_hash == self.part.content_hash:
            self.problem = kept.problem
            self._name_it()
            self.update()

    def _name_it(self) -> None:
        name = self.part.name or self.tr("without a name")
        told = self.tr("Picture: {name}").format(name=name)
        if self.part.width:
            told += f", {self.part.width:,} × {self.part.height:,}"
        self.setAccessibleName(told)
        self.setAccessibleDescription(translated(self.problem))
        self.setToolTip(plain_tip(translated(self.problem) or self.part.name))

    def _open(self) -> None:
        if not self.problem:
            self._wish(PictureUse.OPEN)

    def _wish(self, use: PictureUse) -> None:
        self.wanted.emit(PictureAction(use, self.part))
