"""Messages below each other in a scroll area that has widgets only for those in sight.

The heights of the others are estimates. What is in sight stays where it is when one of them turns out different.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QWidget

from app.core.messages import Role
from app.storage.conversations import MessageState, StoredMessage
from app.ui.accessible_roles import set_role
from app.ui.edge_fade import EdgeFade
from app.ui.heights import Heights
from app.ui.message_view import MessageView
from app.ui.tab_stops import leave, stops_in

COLUMN = 720
"""Pixels; the widest a line of the conversation gets."""
NARROW = 560
"""Pixels of width below which the boxes at the lower end have smaller margins."""
_MARGIN = 24
_ABOVE, _BELOW = 18, 22
_GAP, _ANSWER_GAP, _TURN_GAP = 14, 6, 32
"""Between answers, below a question, and above one. With the rows of buttons, seen or not, the last two look alike."""
_NEAR_END = 8
_MARGIN_STEP, _WIDEST_MARGIN = 200, 800
"""Pixels beyond what is in sight that are made ready while nothing else happens."""
_STEP = 24
_ROUNDS = 6
_LINE = 23
_LETTER = 7.3
_CHROME = 50


@dataclass(slots=True)
class Row:
    """One message on screen."""

    stored: StoredMessage
    results: dict[str, str] = field(default_factory=dict)
    """What the tools gave that it asked for, by the ids of the calls."""
    view: MessageView | None = None


class MessageList(QAbstractScrollArea):
    """`make` gives the view of a row; the list owns, places and drops it."""

    followed = Signal(bool)
    """Whether it sticks to the end"""

    def __init__(self, make: Callable[[Row, QWidget], MessageView], parent: QWidget) -> None:
        super().__init__(parent)
        self._make = make
        self._rows: list[Row] = []
        self._index: dict[int, int] = {}
        self._heights = Heights()
        self._alive: set[int] = set()
        """The ids of the messages that have views."""
        self._follows = True
        self._has_ring = False
        self._filling = False
        self._column = (0, 0)
        """Left and width."""
        self._margin = 0
        self._idle = QTimer(self)
        self._idle.setInterval(0)
        self._idle.timeout.connect(self._widen)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # The keyboard scrolls the conversation: arrows, Page Up, Page Down, Home and End.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setObjectName("column")
        set_role(self.viewport(), QAccessible.Role.List)
        self.viewport().setAutoFillBackground(True)
        self.verticalScrollBar().setSingleStep(_STEP)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self._fades = (EdgeFade(self, upper=True), EdgeFade(self, upper=False))

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    @property
    def follows(self) -> bool:
        """Whether the view sticks to the end."""
        return self._follows

    @property
    def is_settled(self) -> bool:
        """Whether all that is near what is in sight is laid out."""
        return not self._idle.isActive()

    @property
    def views(self) -> tuple[MessageView, ...]:
        """Those that there are, in the order of the conversation."""
        return tuple(view for index in sorted(self._alive_rows()) if (view := self._rows[index].view) is not None)

    def row_of(self, message_id: int) -> Row | None:
        index = self._index.get(message_id)
        return None if index is None else self._rows[index]

    def index_of(self, message_id: int) -> int | None:
        return self._index.get(message_id)

    # -- what it holds -------------------------------------------------------------------------------------------

    def set_rows(self, rows: list[Row], keep: int = 0) -> None:
        """Show these; the first `keep` are the ones that were there. Call `settle` next."""
        for row in self._rows[keep:]:
            self._drop(row)
        self._rows = rows
        self._index = {row.stored.id: index for index, row in enumerate(rows)}
        if keep:
            self._heights.cut(keep)
            self._spread(keep - 1)
            for row in rows[keep:]:
                self._heights.append(self._estimate(row))
        else:
            self._heights.reset(self._estimate(row) for row in rows)
        self._margin = 0

    def append(self, row: Row) -> None:
        self._index[row.stored.id] = len(self._rows)
        self._rows.append(row)
        self._heights.append(self._estimate(row))
        self._spread(len(self._rows) - 2)
        self.settle()

    def need(self, index: int) -> MessageView:
        """The view of this row, made if it is not there."""
        return self._need(index)

    def follow(self) -> None:
        """Stick to the end from now on."""
        self._set_follows(True)

    def stay(self) -> None:
        """What is in sight stays where it is, whatever comes below it."""
        self._follows = False

    def check_end(self) -> None:
        """Stick to the end again, if that is in sight."""
        self._set_follows(self._is_at_end())

    def settle(self) -> None:
        """Lay out now what is in sight."""
        self._fill()
        self._idle.start()

    # -- going to places -----------------------------------------------------------------------------------------

    def jump_to_end(self) -> None:
        self._set_follows(True)
        self._fill()

    def go_to(self, index: int, y: Callable[[MessageView], int] = lambda view: 0) -> MessageView:
        """Bring a height within a message into sight, a third down from the upper edge; returns the message's view.

        `y` is asked several times: a place is known better when what is near it is there.
        """
        self._set_follows(False)
        bar, third = self.verticalScrollBar(), self.viewport().height() // 3
        view = self._need(index)
        for _ in range(_ROUNDS):
            wanted = _ABOVE + self._heights.offset(index) + y(view) - third
            wanted = max(0, min(wanted, bar.maximum()))
            if bar.value() == wanted and self._rows[index].view is view:
                break
            self._set_value(wanted)
            self._fill()
            view = self._need(index)
            self._place_range(index, view)
        self._set_follows(self._is_at_end())
        return view

    def first_in_sight(self) -> int:
        """The row at the upper edge; 0 where there is none."""
        return self._heights.index_at(max(0, self.verticalScrollBar().value() - _ABOVE)) if self._rows else 0

    def show_view(self, view: QWidget) -> None:
        """Scroll as little as needed for `view` or a part of it to be in sight."""
        top = view.mapTo(self.viewport(), QPoint(0, 0)).y()
        bottom = top + view.height()
        bar = self.verticalScrollBar()
        if bottom > self.viewport().height():
            bar.setValue(bar.value() + min(top - _STEP, bottom - self.viewport().height() + _STEP))
        elif top < 0:
            bar.setValue(bar.value() + top - _STEP)

    def scroll_by(self, pixels: int) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + pixels)

    # -- laying out ----------------------------------------------------------------------------------------------

    def view_resized(self) -> None:
        """A view needs another height."""
        if not self._filling:
            self._fill()

    def _fill(self) -> None:
        if self._filling or not self._column[1]:
            return
        self._filling = True
        try:
            anchor = None if self._follows else self._anchor()
            for _ in range(_ROUNDS):
                self._update_range()
                bar = self.verticalScrollBar()
                value = bar.maximum() if self._follows else bar.value()
                if anchor is not None:
                    value = max(0, min(self._y_of(anchor), bar.maximum()))
                self._set_value(value)
                if not self._fill_once():
                    break
            self._move_views()
            self._drop_far()
        finally:
            self._filling = False
        self.followed.emit(self._follows)

    def _fill_once(self) -> bool:
        """Make and measure what is in sight; returns whether any height was another than was thought."""
        if not self._rows:
            return False
        top = self.verticalScrollBar().value() - _ABOVE - self._margin
        bottom = top + self.viewport().height() + 2 * self._margin
        index = self._heights.index_at(max(0, top))
        changed = False
        y = self._heights.offset(index)
        while index < len(self._rows) and y < bottom:
            view = self._need(index)
            gap = self._gap_below(index)
            height = view.arrange(self._column[1], top - y, bottom - y) + gap
            if height != self._heights[index]:
                self._heights.set(index, height)
                changed = True
            if view.height() != height - gap or view.width() != self._column[1]:
                view.resize(self._column[1], height - gap)
            y += height
            index += 1
        return changed

    def _gap_below(self, index: int) -> int:
        if index + 1 < len(self._rows) and self._rows[index + 1].stored.message.role is Role.USER:
            return _TURN_GAP
        return _ANSWER_GAP if self._rows[index].stored.message.role is Role.USER else _GAP

    def _spread(self, index: int) -> None:
        """What follows this row is another one now."""
        view = self._rows[index].view if index >= 0 else None
        if view is not None:
            self._heights.set(index, view.height() + self._gap_below(index))

    def _place_range(self, index: int, view: MessageView) -> None:
        """Let a view know what of it is in sight, also when it is not measured otherwise."""
        top = self.verticalScrollBar().value() - _ABOVE - self._heights.offset(index)
        view.arrange(self._column[1], top, top + self.viewport().height())

    def _move_views(self) -> None:
        value = self.verticalScrollBar().value()
        left = self._column[0]
        for index in self._alive_rows():
            view = self._rows[index].view
            assert view is not None
            y = _ABOVE + self._heights.offset(index) - value
            if (view.x(), view.y()) != (left, y):
                view.move(left, y)
            if view.isHidden():
                view.show()

    def _drop_far(self) -> None:
        height = self.viewport().height()
        for index in list(self._alive_rows()):
            view = self._rows[index].view
            assert view is not None
            beyond = _WIDEST_MARGIN + _MARGIN_STEP
            far = view.y() > height + beyond or view.y() + view.height() < -beyond
            if far and not self._is_used(view):
                self._drop(self._rows[index])

    def _is_used(self, view: MessageView) -> bool:
        if view.editor is not None or view.stored.state is MessageState.WRITING:
            return True
        focus = QApplication.focusWidget()
        return focus is not None and (view is focus or view.isAncestorOf(focus))

    def _need(self, index: int) -> MessageView:
        row = self._rows[index]
        if row.view is None:
            row.view = self._make(row, self.viewport())
            self._alive.add(row.stored.id)
            row.view.resized.connect(self.view_resized)
            row.view.resize(self._column[1], self._heights[index])
        return row.view

    def _drop(self, row: Row) -> None:
        view, row.view = row.view, None
        self._alive.discard(row.stored.id)
        if view is not None:
            view.hide()
            view.deleteLater()

    def _alive_rows(self) -> list[int]:
        return sorted(self._index[each] for each in self._alive)

    def _anchor(self) -> tuple[int, object] | None:
        """What stands at the upper edge."""
        if not self._rows:
            return None
        y = self.verticalScrollBar().value() - _ABOVE
        index = self._heights.index_at(max(0, y))
        view = self._rows[index].view
        within = y - self._heights.offset(index)
        return index, within if view is None or within < 0 else view.anchor_at(within)

    def _y_of(self, anchor: tuple[int, object]) -> int:
        index, within = anchor
        index = min(index, len(self._rows) - 1)
        view = self._rows[index].view if self._rows else None
        below = within if isinstance(within, int) else view.y_of(within) if view is not None else 0
        return _ABOVE + self._heights.offset(max(0, index)) + below

    def _estimate(self, row: Row) -> int:
        message = row.stored.message
        width = max(200, self._column[1])
        text = message.text
        lines = text.count("\n") + len(text) * _LETTER / width
        gap = _ANSWER_GAP if message.role is Role.USER else _TURN_GAP
        return int(lines * _LINE) + _CHROME + gap + (50 if message.reasoning else 0) + 180 * bool(message.pictures)

    def _update_range(self) -> None:
        bar = self.verticalScrollBar()
        high = self.viewport().height()
        total = _ABOVE + self._heights.total + _BELOW - (self._gap_below(len(self._rows) - 1) if self._rows else 0)
        filling, self._filling = self._filling, True
        bar.setPageStep(high)
        bar.setRange(0, max(0, total - high))
        self._filling = filling

    def _set_value(self, value: int) -> None:
        filling, self._filling = self._filling, True
        self.verticalScrollBar().setValue(value)
        self._filling = filling

    def _is_at_end(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - _NEAR_END

    def _set_follows(self, follows: bool) -> None:
        if follows != self._follows:
            self._follows = follows
            self.followed.emit(follows)

    def _scrolled(self) -> None:
        if not self._filling:
            self._follows = self._is_at_end()
            self._move_views()
            self._fill()
            self._margin = min(self._margin, _MARGIN_STEP)
            self._idle.start()

    def _widen(self) -> None:
        """Make ready what is just out of sight, a little in each turn of the event loop."""
        if self._margin >= _WIDEST_MARGIN or not self.isVisible():
            self._idle.stop()
            return
        self._margin += _MARGIN_STEP
        self._fill()

    # -- events --------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out_column()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """The views are moved by `_scrolled`."""

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._lay_out_column()
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        match event.key():
            case Qt.Key.Key_Home:
                bar.setValue(0)
            case Qt.Key.Key_End:
                self.jump_to_end()
            case Qt.Key.Key_Space:
                back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                bar.setValue(bar.value() + (-bar.pageStep() if back else bar.pageStep()))
            case _:
                super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self.palette().window())
        if self._has_ring:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(self.palette().accent().color())
            painter.drawRoundedRect(self.viewport().rect().toRectF().adjusted(4.5, 0.5, -4.5, -0.5), 8, 8)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._show_ring(event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._show_ring(False)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab follows the conversation, and makes the next message where there is none yet."""
        focus = QApplication.focusWidget()
        views = self.views
        if focus is self and forward:
            # What is made ready above would pull the page up.
            views = tuple(each for each in views if each.geometry().bottom() > 0)
        stops = [self, *(stop for view in views for stop in stops_in(view, self))]
        place = stops.index(focus) if focus in stops else -1
        if focus is not self and place < 0:
            return super().focusNextPrevChild(forward)
        following = place + (1 if forward else -1)
        if 0 <= following < len(stops):
            reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
            stops[following].setFocus(reason)
            if following:
                self.show_view(stops[following])
            return True
        return leave(self, forward=forward)

    def _show_ring(self, shown: bool) -> None:
        """Around the conversation, while the keyboard is at all of it."""
        self._has_ring = shown
        self.viewport().update()

    def _lay_out_column(self) -> None:
        parent = self.parentWidget()
        outer = self.width() if parent is None else parent.width()
        side = max(_MARGIN, (outer - COLUMN) // 2)
        # The scroll bar takes its room from the right margin: the column stays in line with the composer.
        right = max(8, side - (outer - self.viewport().width()))
        left = side if not self.isRightToLeft() else right
        column = (left, max(1, self.viewport().width() - side - right))
        if column[1] != self._column[1]:
            was = self._column[1]
            self._column = column
            for index, row in enumerate(self._rows):
                if row.view is None:
                    self._heights.set(index, self._estimate(row) if not was else self._heights[index])
        self._column = column
        self._fill()
