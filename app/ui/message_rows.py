"""The messages of a conversation below each other: how tall each is or is thought to be, and the views there are."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from PySide6.QtWidgets import QApplication

from app.core.messages import Role
from app.storage.conversations import MessageState, StoredMessage
from app.ui.heights import Heights
from app.ui.message_view import MessageView

_ABOVE, _BELOW = 18, 22
_GAP, _ANSWER_GAP, _TURN_GAP = 0, 8, 10
"""Between answers, below a question, and above one: beside the room in which an answer's row of buttons lies."""
_LINE = 23
_LETTER = 7.3
_CHROME = 50
_REASONING = 50
_PICTURES = 180
"""What messages are estimated by, until they are measured."""


@dataclass(slots=True)
class Row:
    """One message on screen."""

    stored: StoredMessage
    results: dict[str, str] = field(default_factory=dict)
    """What the tools gave that it asked for, by the ids of the calls."""
    view: MessageView | None = None


class MessageRows:
    """Makes views by `make` where they are wanted, and drops them.

    Places are pixels from the conversation's upper end.
    """

    def __init__(self, make: Callable[[Row], MessageView]) -> None:
        self._make = make
        self._rows: list[Row] = []
        self._index: dict[int, int] = {}
        self._heights = Heights()
        self._alive: set[int] = set()
        """The ids of the messages that have views."""
        self._width = 0

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    @property
    def height(self) -> int:
        """Of all of them, with the room above and below."""
        return _ABOVE + self._heights.total + _BELOW - (self._gap_below(len(self._rows) - 1) if self._rows else 0)

    def views(self) -> Iterator[tuple[int, MessageView]]:
        """Those that there are, with their rows, in the order of the conversation."""
        for index in sorted(self._index[each] for each in self._alive):
            view = self._rows[index].view
            assert view is not None
            yield index, view

    def index_of(self, message_id: int) -> int | None:
        return self._index.get(message_id)

    def top(self, index: int) -> int:
        return _ABOVE + self._heights.offset(index)

    def index_at(self, y: int) -> int:
        """The row at this height; 0 where there is none."""
        return self._heights.index_at(max(0, y - _ABOVE))

    def set_rows(self, rows: list[Row], keep: int = 0) -> None:
        """The first `keep` are the ones that were there."""
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

    def append(self, row: Row) -> None:
        self._index[row.stored.id] = len(self._rows)
        self._rows.append(row)
        self._heights.append(self._estimate(row))
        self._spread(len(self._rows) - 2)

    def set_width(self, width: int) -> None:
        was, self._width = self._width, width
        if not was:
            # What was estimated before there was a width is far off.
            for index, row in enumerate(self._rows):
                if row.view is None:
                    self._heights.set(index, self._estimate(row))

    def need(self, index: int) -> MessageView:
        """The view of this row, made if it is not there."""
        row = self._rows[index]
        if row.view is None:
            row.view = self._make(row)
            self._alive.add(row.stored.id)
            row.view.resize(self._width, self._heights[index])
        return row.view

    def drop_beyond(self, top: int, bottom: int) -> None:
        """Drop the views that lie wholly above or below, but those that someone writes in."""
        for index, view in list(self.views()):
            y = self.top(index)
            if (y > bottom or y + view.height() < top) and not _is_used(view):
                self._drop(self._rows[index])

    def _drop(self, row: Row) -> None:
        view, row.view = row.view, None
        self._alive.discard(row.stored.id)
        if view is not None:
            view.hide()
            view.deleteLater()

    def measure(self, top: int, bottom: int) -> bool:
        """Make and lay out what lies between these heights; returns whether any row was not as tall as was thought."""
        if not self._rows:
            return False
        index = self.index_at(top)
        changed = False
        y = self.top(index)
        while index < len(self._rows) and y < bottom:
            view = self.need(index)
            gap = self._gap_below(index)
            height = view.arrange(self._width, top - y, bottom - y) + gap
            if height != self._heights[index]:
                self._heights.set(index, height)
                changed = True
            if view.height() != height - gap or view.width() != self._width:
                view.resize(self._width, height - gap)
            y += height
            index += 1
        return changed

    def show_range(self, index: int, top: int, bottom: int) -> None:
        """Let one row's view know what of it is in sight, also when it is not measured otherwise."""
        y = self.top(index)
        self.need(index).arrange(self._width, top - y, bottom - y)

    def place_at(self, y: int) -> tuple[int, object] | None:
        """What stands at this height, in words that hold when heights change; None where there is nothing."""
        if not self._rows:
            return None
        index = self.index_at(y)
        view = self._rows[index].view
        within = y - self.top(index)
        return index, within if view is None or within < 0 else view.anchor_at(within)

    def y_of(self, place: tuple[int, object]) -> int:
        """Where what `place_at` found stands now."""
        index, within = place
        index = min(index, len(self._rows) - 1)
        view = self._rows[index].view if self._rows else None
        below = within if isinstance(within, int) else view.y_of(within) if view is not None else 0
        return self.top(max(0, index)) + below

    def _gap_below(self, index: int) -> int:
        if index + 1 < len(self._rows) and self._rows[index + 1].stored.message.role is Role.USER:
            return _TURN_GAP
        return _ANSWER_GAP if self._rows[index].stored.message.role is Role.USER else _GAP

    def _spread(self, index: int) -> None:
        """What follows this row is another one now."""
        view = self._rows[index].view if index >= 0 else None
        if view is not None:
            self._heights.set(index, view.height() + self._gap_below(index))

    def _estimate(self, row: Row) -> int:
        message = row.stored.message
        width = max(200, self._width)
        text = message.text
        lines = text.count("\n") + len(text) * _LETTER / width
        gap = _ANSWER_GAP if message.role is Role.USER else _TURN_GAP
        extras = _REASONING * bool(message.reasoning) + _PICTURES * bool(message.pictures)
        return int(lines * _LINE) + _CHROME + gap + extras


def _is_used(view: MessageView) -> bool:
    if view.editor is not None or view.stored.state is MessageState.WRITING:
        return True
    focus = QApplication.focusWidget()
    return focus is not None and (view is focus or view.isAncestorOf(focus))
