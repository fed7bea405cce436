"""The pictures of the message that is being written, as small tiles above the text."""

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.services.pictures.states import PendingPicture, PictureState
from app.ui.formatting.sentences import translated
from app.ui.theme.appearance import Appearance
from app.ui.theme.rounded import draw_outline, draw_rounded
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.discard import discard
from app.ui.widgets.flow import flow
from app.ui.widgets.plain_text import plain_tip

TILE = 64
_GAP = 8
_BELOW = 6
_RADIUS = 10
_OVERHANG = 6
"""Pixels by which the remove button stands out of its tile."""
_BUTTON = 20
_RING = 22
_AROUND_RING = 14
"""Pixels between the ring's ground and the tile's edge."""
_TURN_MS = 40
_STEP = 16
"""Degrees that the ring turns each time."""


class _RemoveButton(IconButton):
    removed = Signal()
    stepped = Signal(int)
    """Left or right, -1 or 1"""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, "close", "", role="text", size=12, parent=parent)
        self.setObjectName("remove")
        self.setFixedSize(_BUTTON, _BUTTON)
        self.clicked.connect(self.removed)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace | Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.removed.emit()
            case Qt.Key.Key_Left:
                self.stepped.emit(-1)
            case Qt.Key.Key_Right:
                self.stepped.emit(1)
            case _:
                super().keyPressEvent(event)


class PictureTile(QWidget):
    """One picture, with a ring while something is done about it."""

    remove_wanted = Signal(int)
    """The picture's number"""
    stepped = Signal(object, int)
    """This tile, and -1 or 1"""
    opened = Signal(object)
    """ImagePart"""

    def __init__(self, appearance: Appearance, picture: PendingPicture, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._picture = picture
        self._angle = 0
        self.setFixedSize(TILE + _OVERHANG, TILE + _OVERHANG)
        self.remove_button = _RemoveButton(appearance, self)
        self.remove_button.move(self.width() - _BUTTON, 0)
        self.remove_button.removed.connect(self._remove)
        self.remove_button.stepped.connect(self._step)
        self._turning = QTimer(self)
        self._turning.setInterval(_TURN_MS)
        self._turning.timeout.connect(self._turn)

    @property
    def picture(self) -> PendingPicture:
        return self._picture

    @property
    def is_turning(self) -> bool:
        """Whether the ring is shown."""
        return self._picture.state is not PictureState.READY

    def show_picture(self, picture: PendingPicture, place: int, count: int) -> None:
        """`place` counts from 1."""
        self._picture = picture
        name = picture.name or self.tr("picture without a name")
        told = self.tr("Picture {place} of {count}: {name}").format(place=place, count=count, name=name)
        self.setAccessibleName(told)
        self.setToolTip(plain_tip(self._tip(name), wraps=False))
        self.remove_button.say(self.tr("{picture}, remove").format(picture=told))
        self.remove_button.setToolTip(self.tr("Remove"))
        has_part = picture.part is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if has_part else Qt.CursorShape.ArrowCursor)
        if picture.state is PictureState.READY:
            self._turning.stop()
        elif not self._turning.isActive() and not self._appearance.reduced_motion:
            self._turning.start()
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        inside = self._box().contains(event.position())
        if event.button() is Qt.MouseButton.LeftButton and inside and self._picture.part is not None:
            self.opened.emit(self._picture.part)
            return
        super().mouseReleaseEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = self._box()
        tokens = self._appearance.tokens
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.hover))
        painter.drawRoundedRect(box, _RADIUS, _RADIUS)
        if self._picture.thumbnail is not None:
            draw_rounded(painter, self._picture.thumbnail, box, _RADIUS, fill=True)
        draw_outline(painter, box, _RADIUS, tokens.border)
        if self.is_turning:
            self._paint_ring(painter, box)

    def _paint_ring(self, painter: QPainter, box: QRectF) -> None:
        ring = QRectF(0, 0, _RING, _RING)
        ring.moveCenter(box.center())
        track, arc = QColor(self._appearance.tokens.scroll), QColor(self._appearance.tokens.accent)
        if self._picture.thumbnail is not None:
            # On a picture of any colour it needs a ground of its own.
            track, arc = QColor(255, 255, 255, 80), QColor("white")
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(0, 0, 0, 150))
            painter.drawEllipse(ring.adjusted(-5, -5, 5, 5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(track, 2.5))
        painter.drawEllipse(ring)
        painter.setPen(QPen(arc, 2.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawArc(ring, -self._angle * 16, 100 * 16)

    def _tip(self, name: str) -> str:
        lines = [name]
        part = self._picture.part
        if part is not None and part.width:
            lines.append(f"{part.width:,} × {part.height:,}")
        if self._picture.state is PictureState.READING:
            lines.append(self.tr("is being read"))
        elif self._picture.state is PictureState.ENCODING:
            lines.append(self.tr("the model is looking at it already"))
        if self._picture.note:
            lines.append(translated(self._picture.note))
        return "\n".join(lines)

    def _box(self) -> QRectF:
        return QRectF(0, _OVERHANG, TILE, TILE)

    def _turn(self) -> None:
        self._angle = (self._angle + _STEP) % 360
        self.update(self._box().toRect().adjusted(_AROUND_RING, _AROUND_RING, -_AROUND_RING, -_AROUND_RING))

    def _remove(self) -> None:
        self.remove_wanted.emit(self._picture.number)

    def _step(self, by: int) -> None:
        self.stepped.emit(self, by)


class ImageTray(QWidget):
    """Shows what it is given and reports what is wanted. Hidden while there is nothing in it."""

    remove_wanted = Signal(int)
    opened = Signal(object)
    """ImagePart"""
    emptied = Signal()
    """The last picture went by the keyboard: the focus needs another place."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._tiles: dict[int, PictureTile] = {}
        self.setAccessibleName(self.tr("Pictures of this message"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    @property
    def tiles(self) -> tuple[PictureTile, ...]:
        return tuple(self._tiles.values())

    @property
    def is_empty(self) -> bool:
        return not self._tiles

    @property
    def is_reading(self) -> bool:
        """Whether a picture is not ready to be sent yet."""
        return any(tile.picture.state is PictureState.READING for tile in self.tiles)

    def show_pictures(self, pictures: tuple[PendingPicture, ...]) -> None:
        focused = next((index for index, tile in enumerate(self.tiles) if tile.remove_button.hasFocus()), None)
        wanted = {each.number for each in pictures}
        discard(*(self._tiles.pop(number) for number in list(self._tiles) if number not in wanted))
        self._tiles = {each.number: self._tiles.get(each.number) or self._add(each) for each in pictures}
        for place, (tile, picture) in enumerate(zip(self.tiles, pictures, strict=True), 1):
            tile.show_picture(picture, place, len(pictures))
        self._place()
        self.setVisible(bool(pictures))
        if focused is not None:
            self._focus(min(focused, len(self._tiles) - 1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self._place()

    def _add(self, picture: PendingPicture) -> PictureTile:
        tile = PictureTile(self._appearance, picture, self)
        tile.remove_wanted.connect(self.remove_wanted)
        tile.stepped.connect(self._step)
        tile.opened.connect(self.opened)
        tile.show()
        return tile

    def _step(self, tile: PictureTile, by: int) -> None:
        self._focus((self.tiles.index(tile) + by) % len(self._tiles))

    def _focus(self, index: int) -> None:
        if self._tiles:
            self.tiles[index].remove_button.setFocus(Qt.FocusReason.TabFocusReason)
        else:
            self.emptied.emit()

    def _place(self) -> None:
        side = TILE + _OVERHANG
        places, height = flow([QSize(side, side)] * len(self._tiles), self.width(), _GAP - _OVERHANG + 4)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        for tile, place in zip(self.tiles, places, strict=True):
            tile.move(self.width() - place.x() - side if mirrored else place.x(), place.y())
        self.setFixedHeight(height + _BELOW if self._tiles else 0)
