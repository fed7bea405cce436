"""Messages below each other in a scroll area that has widgets only for those in sight.

The heights of the others are estimates. What is in sight stays where it is when one of them turns out different.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QAccessible, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QWidget

from app.services.runtime.debounce import Debounce
from app.ui.theme.measures import COLUMN, MARGIN
from app.ui.transcript.message_rows import MessageRows, Row
from app.ui.transcript.message_view import MessageView
from app.ui.widgets.accessible_roles import set_role
from app.ui.widgets.discard import discard
from app.ui.widgets.edge_fade import EdgeFade
from app.ui.widgets.tab_order import give_focus, step, stops_in

_LEAST_RIGHT = 8
_NEAR_END = 8
_MARGIN_STEP, _WIDEST_MARGIN = 200, 800
"""Pixels beyond what is in sight that are made ready while nothing else happens."""
_KEPT = _WIDEST_MARGIN + _MARGIN_STEP
"""Pixels beyond what is in sight within which views stay."""
_STEP = 24
_ROUNDS = 6


ReadingPlace = tuple[int, object, float]
"""A row, what of it `anchor_at` found, and which share of its height lies above."""


class MessageList(QAbstractScrollArea):
    """`make` gives the view of a row; the list owns, places and drops it."""

    followed = Signal(bool)
    """Whether it sticks to the end"""

    def __init__(self, make: Callable[[Row, QWidget], MessageView], parent: QWidget) -> None:
        super().__init__(parent)
        self._make = make
        self._rows = MessageRows(self._make_view)
        self.follows = True
        """Whether the view sticks to the end."""
        self._has_ring = False
        self._filling = False
        """What is asked for meanwhile is not done at once: it would begin in the midst of itself."""
        self._again = Debounce(0, self._fill, self)
        self._left, self._width = 0, 0
        """Of the column."""
        self._shown_from = 0
        """What the scroll bar says where the views stand in their places."""
        self._margin = 0
        # Once each time: a message that can't be drawn must not be tried for ever.
        self._idle = Debounce(0, self._widen, self)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # The keyboard scrolls the conversation: arrows, Page Up, Page Down, Home and End.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setObjectName("column")
        set_role(self.viewport(), QAccessible.Role.List)
        # `paintEvent` fills it.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.verticalScrollBar().setSingleStep(_STEP)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self._fades = tuple(EdgeFade(self, upper=is_upper, is_told=True) for is_upper in (True, False))

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows.rows

    @property
    def is_settled(self) -> bool:
        """Whether all that is near what is in sight is laid out."""
        return not self._idle.isActive()

    @property
    def views(self) -> tuple[MessageView, ...]:
        """Those that there are, in the order of the conversation."""
        return tuple(view for _, view in self._rows.views())

    def focused(self) -> MessageView | None:
        """The message that the keyboard is in."""
        focus = QApplication.focusWidget()
        if focus is None:
            return None
        return next((view for view in self.views if view is focus or view.isAncestorOf(focus)), None)

    def row_of(self, message_id: int) -> Row | None:
        index = self._rows.index_of(message_id)
        return None if index is None else self.rows[index]

    def view_at(self, index: int) -> MessageView | None:
        """The view of this row; None where there is none."""
        return self._rows.view_at(index)

    def view_of(self, message_id: int) -> MessageView | None:
        """None where there is none: it is far from sight."""
        index = self._rows.index_of(message_id)
        return None if index is None else self._rows.view_at(index)

    def index_of(self, message_id: int) -> int | None:
        return self._rows.index_of(message_id)

    def set_rows(self, rows: list[Row], keep: int = 0) -> None:
        """Show these; the first `keep` are the ones that were there. Call `settle` next.

        Until then nothing is laid out, whatever the views that go make others ask for.
        """
        with self._held():
            discard(*self._rows.set_rows(rows, keep))
        self._margin = 0

    def lead(self, rows: list[Row], take_over: Callable[[Row, Row], None]) -> int:
        """Show these, and stay where one reads. Messages that are there keep their rows and views; `take_over` hears
        each of those rows with what it is now. Returns the place of the first that is another. Call `settle` next.
        """
        both = zip(self.rows, rows, strict=False)
        others = (index for index, (old, new) in enumerate(both) if old.stored.id != new.stored.id)
        keep = next(others, min(len(self.rows), len(rows)))
        known = {row.stored.id: row for row in self.rows} if keep else {}
        for index, row in enumerate(rows):
            if (old := known.get(row.stored.id)) is not None:
                take_over(old, row)
                rows[index] = old
        self.stay()
        self.set_rows(rows, keep)
        return keep

    def append(self, row: Row) -> None:
        self._rows.append(row)
        self.settle()

    def need(self, index: int) -> MessageView:
        """The view of this row, made if it is not there."""
        return self._rows.need(index)

    def follow(self) -> None:
        """Stick to the end from now on."""
        self._set_follows(True)

    def stay(self) -> None:
        """What is in sight stays where it is, whatever comes below it."""
        self.follows = False

    def check_end(self) -> None:
        """Stick to the end again, if that is in sight."""
        self._set_follows(self._is_at_end())

    def settle(self) -> None:
        """Lay out now what is in sight."""
        self._fill()
        self._idle.start()

    def jump_to_end(self) -> None:
        self._set_follows(True)
        self._fill()

    def go_to(self, index: int, y: Callable[[MessageView], int] = lambda view: 0) -> MessageView:
        """Bring a height within a message into sight, a third down from the upper edge; returns the message's view.

        `y` is asked several times: a place is known better when what is near it is there.
        """
        self._set_follows(False)
        bar, high = self.verticalScrollBar(), self.viewport().height()
        view = self.need(index)
        for _ in range(_ROUNDS):
            wanted = self._rows.top(index) + y(view) - high // 3
            wanted = max(0, min(wanted, bar.maximum()))
            if bar.value() == wanted and self.view_at(index) is view:
                break
            self._set_value(wanted)
            self._fill()
            view = self.need(index)
            self._rows.show_range(index, bar.value(), bar.value() + high)
        self._set_follows(self._is_at_end())
        return view

    def reading_place(self) -> ReadingPlace | None:
        """What stands where people read, a third down from the upper edge; None where there is nothing."""
        bar, high = self.verticalScrollBar(), self.viewport().height()
        found = self._rows.place_at(bar.value() + high // 3)
        if found is None:
            return None
        index, within = found
        view = self.need(index)
        share = (bar.value() + high // 3 - self._rows.top(index)) / max(1, view.height())
        return index, within, share

    def show_reading_place(self, place: ReadingPlace) -> None:
        """Bring it back to where it stood, also where all is made anew in another size."""
        index, within, share = place
        is_in_text = isinstance(within, tuple)
        self.go_to(index, lambda view: view.y_of(within) if is_in_text else round(share * view.height()))

    def first_in_sight(self) -> int:
        """The row at the upper edge; 0 where there is none."""
        return self._rows.index_at(self.verticalScrollBar().value())

    def show_view(self, view: QWidget) -> None:
        """Scroll as little as needed for `view` or a part of it to be in sight."""
        top = view.mapTo(self.viewport(), QPoint(0, 0)).y()
        bottom = top + view.height()
        if bottom > self.viewport().height():
            self.scroll_by(min(top - _STEP, bottom - self.viewport().height() + _STEP))
        elif top < 0:
            self.scroll_by(top - _STEP)

    def scroll_by(self, pixels: int) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + pixels)

    def view_resized(self) -> None:
        """A view needs another height."""
        if self._filling:
            self._again.start()
        else:
            self._fill()

    def _make_view(self, row: Row) -> MessageView:
        view = self._make(row, self.viewport())
        view.resized.connect(self.view_resized)
        return view

    def _fill(self) -> None:
        if self._filling or not self._width:
            return
        with self._held():
            bar, high = self.verticalScrollBar(), self.viewport().height()
            anchor = None if self.follows else self._rows.place_at(bar.value())
            if self.follows:
                # Now, for where something has moved Qt copies nothing.
                self._scroll_to(max(0, self._rows.height + self._rows.growth - high))
            for _ in range(_ROUNDS):
                self._update_range()
                value = bar.maximum() if self.follows else bar.value()
                if anchor is not None:
                    value = max(0, min(self._rows.y_of(anchor), bar.maximum()))
                self._set_value(value)
                if not self._rows.measure(value - self._margin, value + high + self._margin):
                    break
            # All that was asked for so far is done by now.
            self._again.stop()
            self._move_views()
            discard(*self._rows.take_beyond(bar.value() - _KEPT, bar.value() + high + _KEPT))
        # Who had scrolled up, and has more room now, may see the end.
        self.followed.emit(self.follows or self._is_at_end())

    def _move_views(self) -> None:
        value = self.verticalScrollBar().value()
        self._scroll_to(value)
        is_any_new = False
        for index, view in self._rows.views():
            y = self._rows.top(index) - value
            if (view.x(), view.y()) != (self._left, y):
                view.move(self._left, y)
            if view.isHidden():
                view.show()
                is_any_new = True
        for fade in self._fades:
            fade.refresh()
            if is_any_new:
                fade.raise_()

    def _scroll_to(self, value: int) -> None:
        """Move all views at once. Qt copies what is painted, and only the rest is painted."""
        by, self._shown_from = self._shown_from - value, value
        if not by:
            return
        self.viewport().scroll(0, by)
        for fade in self._fades:
            fade.put()
        if self._has_ring or not self.devicePixelRatioF().is_integer():
            # The ring stays where it is; and rows of pixels can't be copied in parts.
            self.viewport().update()

    def _update_range(self) -> None:
        bar = self.verticalScrollBar()
        high = self.viewport().height()
        with self._held():
            bar.setPageStep(high)
            bar.setRange(0, max(0, self._rows.height - high))

    def _set_value(self, value: int) -> None:
        with self._held():
            self.verticalScrollBar().setValue(value)

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Nothing is laid out meanwhile, whatever the views and the scroll bar ask for."""
        was, self._filling = self._filling, True
        try:
            yield
        finally:
            self._filling = was

    def _is_at_end(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - _NEAR_END

    def _set_follows(self, follows: bool) -> None:
        if follows != self.follows:
            self.follows = follows
            self.followed.emit(follows)

    def _scrolled(self) -> None:
        if not self._filling:
            self.follows = self._is_at_end()
            self._move_views()
            self._fill()
            self._margin = min(self._margin, _MARGIN_STEP)
            self._idle.start()

    def _widen(self) -> None:
        """Make ready what is just out of sight, a little in each turn of the event loop."""
        if self._margin < _WIDEST_MARGIN and self.isVisible():
            self._margin += _MARGIN_STEP
            self._fill()
            self._idle.start()

    def _lay_out_column(self) -> None:
        parent = self.parentWidget()
        outer = self.width() if parent is None else parent.width()
        side = max(MARGIN, (outer - COLUMN) // 2)
        # The scroll bar takes its room from the right margin: the column stays in line with the composer.
        right = max(_LEAST_RIGHT, side - (outer - self.viewport().width()))
        self._left = side if not self.isRightToLeft() else right
        self._width = max(1, self.viewport().width() - side - right)
        self._rows.set_width(self._width)
        self._fill()

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
                self.scroll_by(-bar.pageStep() if back else bar.pageStep())
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
            give_focus(stops[following], forward=forward)
            if following:
                self.show_view(stops[following])
            return True
        return step(self, self, forward=forward)

    def _show_ring(self, shown: bool) -> None:
        """Around the conversation, while the keyboard is at all of it."""
        self._has_ring = shown
        self.viewport().update()
