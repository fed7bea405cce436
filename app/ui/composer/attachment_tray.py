"""What is attached to the message that is being written, above the text: what the trays of all kinds share."""

from collections.abc import Iterable
from typing import Any, ClassVar, Generic, TypeVar

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QScrollArea, QSizePolicy, QWidget

from app.services.drafts.pending import PendingAttachment
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.discard import discard
from app.ui.widgets.flow import flow
from app.ui.widgets.plain_text import plain_tip

BUTTON = 20
"""Pixels of the button that removes, as all here."""
RADIUS = 10
_BELOW = 6
_SHARE = 0.25
"""Of the window's height, no tray takes more than this."""
_MOST_ROWS = 3.5
"""The half of a row tells of more."""
_TURN_MS = 40
_STEP = 16
"""Degrees that the ring turns each time."""

PendingT = TypeVar("PendingT", bound=PendingAttachment)


class AttachmentItem(QAbstractButton, Generic[PendingT]):
    """One of them: a click opens it, Delete removes it, the arrow keys go to its neighbours.

    A ring turns in it while something is done about it. A kind says how it is named (`_said`, `_tip`) and painted.
    """

    remove_wanted = Signal(int)
    """Its number, as with the other"""
    opened = Signal(int)
    stepped = Signal(object, int)
    """This item, and -1 or 1"""
    focused = Signal(object)
    """This item"""

    def __init__(self, appearance: Appearance, pending: PendingT, parent: QWidget, button: IconButton) -> None:
        """`button` removes it."""
        super().__init__(parent)
        self._appearance = appearance
        self._pending = pending
        self._angle = 0
        self.remove_button = button
        button.setParent(self)
        button.setFixedSize(BUTTON, BUTTON)
        button.clicked.connect(self._remove)
        self.clicked.connect(self._open)
        self._turning = QTimer(self)
        self._turning.setInterval(_TURN_MS)
        self._turning.timeout.connect(self._turn)

    @property
    def pending(self) -> PendingT:
        return self._pending

    @property
    def focus_place(self) -> QWidget:
        """What of it the keyboard comes to."""
        return self

    def show_pending(self, pending: PendingT, place: int, of: int) -> None:
        """`place` counts from 1."""
        self._pending = pending
        said = self._said(place, of)
        self.setAccessibleName(said)
        self.setToolTip(plain_tip("\n".join(self._tip()), wraps=False))
        self.remove_button.say(self.tr("{attachment}, remove").format(attachment=said))
        self.remove_button.setToolTip(self.tr("Remove"))
        has_part = pending.part is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if has_part else Qt.CursorShape.ArrowCursor)
        if not pending.is_busy:
            self._turning.stop()
        elif not self._turning.isActive() and not self._appearance.reduced_motion:
            self._turning.start()
        self.updateGeometry()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace:
                self._remove()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._enter()
            case Qt.Key.Key_Left:
                self.stepped.emit(self, -1)
            case Qt.Key.Key_Right:
                self.stepped.emit(self, 1)
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit(self)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def _said(self, place: int, of: int) -> str:
        """Its name for those who cannot see it."""
        raise NotImplementedError

    def _tip(self) -> list[str]:
        """Lines."""
        raise NotImplementedError

    def _enter(self) -> None:
        self._open()

    def _paint_ring(self, painter: QPainter, ring: QRectF, track: QColor, arc: QColor, share: float | None) -> None:
        """As long as `share` of the whole is done, or turning where nobody knows it."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(track, 2.5))
        painter.drawEllipse(ring)
        painter.setPen(QPen(arc, 2.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        start, length = (-self._angle, 100) if share is None else (90, -round(share * 360))
        painter.drawArc(ring, start * 16, length * 16)

    def _turn(self) -> None:
        self._angle = (self._angle + _STEP) % 360
        self.update()

    def _remove(self) -> None:
        self.remove_wanted.emit(self._pending.number)

    def _open(self) -> None:
        if self._pending.part is not None:
            self.opened.emit(self._pending.number)


ItemT = TypeVar("ItemT", bound=AttachmentItem[Any])


class AttachmentTray(QScrollArea, Generic[ItemT, PendingT]):
    """Shows what it is given and reports what is wanted. Hidden while there is nothing in it."""

    remove_wanted = Signal(int)
    opened = Signal(int)
    emptied = Signal()
    """The last of them went by the keyboard: the focus needs another place."""

    GAP: ClassVar[int] = 8
    """Pixels, at the usual size of text."""

    def __init__(self, appearance: Appearance, kind: type[PendingT], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._kind = kind
        self._items: dict[int, ItemT] = {}
        appearance.changed.connect(self._place)
        self._inside = QWidget(self)
        self._inside.setObjectName("bare")
        self.setWidget(self._inside)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    @property
    def items(self) -> tuple[ItemT, ...]:
        """They take the focus in this order."""
        return tuple(self._items.values())

    @property
    def is_empty(self) -> bool:
        return not self._items

    @property
    def is_reading(self) -> bool:
        """Whether some of it is not ready to be sent yet."""
        return any(item.pending.part is None for item in self.items)

    @property
    def waiting(self) -> str:
        """A sentence: that the message goes when all of it is read."""
        raise NotImplementedError

    def show_pending(self, attachments: Iterable[PendingAttachment]) -> bool:
        """Those of its kind; whether some of what was there is lost."""
        pending = [each for each in attachments if isinstance(each, self._kind)]
        focused = next((index for index, item in enumerate(self.items) if item.focus_place.hasFocus()), None)
        lost = self._items.keys() - {each.number for each in pending}
        discard(*(self._items.pop(number) for number in lost))
        self._items = {each.number: self._items.get(each.number) or self._add(each) for each in pending}
        for place, (item, each) in enumerate(zip(self.items, pending, strict=True), 1):
            item.show_pending(each, place, len(pending))
        self._place()
        self.setVisible(bool(pending))
        if focused is not None:
            self._focus(min(focused, len(self._items) - 1))
        return bool(lost)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self._place()

    def _make(self, pending: PendingT) -> ItemT:
        raise NotImplementedError

    def _highest(self, row: int) -> int:
        """Pixels, with rows of `row` each; what is beyond scrolls."""
        return round(min(_MOST_ROWS * (row + self.GAP), _SHARE * self.window().height()))

    def _add(self, pending: PendingT) -> ItemT:
        item = self._make(pending)
        item.setParent(self._inside)
        item.focused.connect(self._show_item)
        item.remove_wanted.connect(self.remove_wanted)
        item.opened.connect(self.opened)
        item.stepped.connect(self._step)
        item.show()
        return item

    def _step(self, item: ItemT, by: int) -> None:
        self._focus((self.items.index(item) + by) % len(self._items))

    def _focus(self, index: int) -> None:
        if self._items:
            self.items[index].focus_place.setFocus(Qt.FocusReason.TabFocusReason)
        else:
            self.emptied.emit()

    def _show_item(self, item: ItemT) -> None:
        self.ensureWidgetVisible(item, 0, self.GAP)

    def _place(self) -> None:
        width = self.viewport().width()
        hints = [item.sizeHint() for item in self.items]
        sizes = [hint.boundedTo(QSize(max(60, width), hint.height())) for hint in hints]
        places, height = flow(sizes, width, self.GAP)
        for item, size, place in zip(self.items, sizes, places, strict=True):
            item.resize(size)
            right = width - place.x() - size.width()
            item.move(place if self.layoutDirection() == Qt.LayoutDirection.LeftToRight else QPoint(right, place.y()))
        self._inside.resize(width, height)
        self.setFixedHeight(min(height, self._highest(hints[0].height())) + _BELOW if hints else 0)
