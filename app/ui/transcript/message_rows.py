"""The messages of a conversation below each other: how tall each is or is thought to be, and the views there are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from app.core.messages import AudioPart, ImagePart, Role, TextPart
from app.services.tools.call_states import CallState
from app.storage.conversations import MessageState, StoredMessage
from app.ui.richtext.row_heights import RowHeights
from app.ui.transcript.call_run_line import CallRun
from app.ui.transcript.message_view import MessageView
from app.ui.widgets.tab_order import has_focus_within

_ABOVE, _BELOW = 18, 22
_GAP, _ANSWER_GAP, _TURN_GAP = 0, 8, 10
"""Between answers, below a question, and above one: beside the room in which an answer's row of buttons lies."""
_LINE = 23
_LETTER = 7.3
_CHROME = 50
_REASONING = 50
_MEDIA: dict[type, int] = {ImagePart: 180, AudioPart: 54}
"""What messages are estimated by, until they are measured."""


@dataclass(slots=True)
class Row:
    """One message on screen."""

    stored: StoredMessage
    results: dict[str, StoredMessage] = field(default_factory=dict)
    """What the tools gave that it asked for, by the ids of the calls."""
    states: Mapping[str, CallState] | None = None
    """What becomes of its other calls; None where nothing is known of any."""
    run: CallRun | None = None
    """That begins here."""

    def take_over(self, new: "Row") -> bool:
        """The same message, as it is now; whether it was stored anew. What becomes of its calls stays known."""
        changed = self.stored != new.stored
        self.stored, self.results, self.run = new.stored, new.results, new.run
        return changed

    def store(self, stored: StoredMessage) -> None:
        """The same message was stored anew."""
        self.stored = stored

    def store_result(self, call: str, result: StoredMessage) -> bool:
        """The same result of a call was stored anew; False where it is not this message's."""
        is_own = (known := self.results.get(call)) is not None and known.id == result.id
        if is_own:
            self.results[call] = result
        return is_own

    def tell_states(self, states: Mapping[str, CallState]) -> None:
        """This becomes of its calls now."""
        self.states = states


class MessageRows:
    """Makes views by `make` where they are wanted, and hands out those that are not: `discard` them.

    Heights and places are pixels from the conversation's upper end. A view belongs to the number of its row and is
    known nowhere else, so that there is none without a row, whatever is asked for and whenever.
    """

    def __init__(self, make: Callable[[Row], MessageView]) -> None:
        self._make = make
        self.rows: list[Row] = []
        self._index: dict[int, int] = {}
        self._heights = RowHeights()
        self._views: dict[int, MessageView] = {}
        """By the number of the row."""
        self._width = 0

    @property
    def height(self) -> int:
        """Of all of them, with the room above and below."""
        return _ABOVE + self._heights.total + _BELOW - (self._gap_below(len(self.rows) - 1) if self.rows else 0)

    @property
    def growth(self) -> int:
        """Pixels by which the last message is about to get higher."""
        last = self._views.get(len(self.rows) - 1)
        return last.growth if last is not None else 0

    def views(self) -> Iterator[tuple[int, MessageView]]:
        """Those that there are, with their rows, in the order of the conversation."""
        yield from sorted(self._views.items(), key=lambda each: each[0])

    def view_at(self, index: int) -> MessageView | None:
        """None where there is none, and beyond the rows."""
        return self._views.get(index)

    def index_of(self, message_id: int) -> int | None:
        return self._index.get(message_id)

    def top(self, index: int) -> int:
        return _ABOVE + self._heights.offset(index)

    def index_at(self, y: int) -> int:
        """The row at this height; 0 where there is none."""
        return self._heights.index_at(max(0, y - _ABOVE))

    def set_rows(self, rows: list[Row], keep: int = 0) -> list[MessageView]:
        """The first `keep` are the ones that were there; where there are any, the views of others go to where their
        messages stand now. Returns the views that are left.
        """
        left = [(self.rows[index], self._views.pop(index)) for index in sorted(self._views) if index >= keep]
        self.rows = rows
        self._index = {row.stored.id: index for index, row in enumerate(rows)}
        gone = []
        for row, view in left:
            index = self._index.get(row.stored.id, 0)
            if keep and index >= keep:
                self._views[index] = view
            else:
                gone.append(view)
        if keep:
            self._heights.cut(keep)
            self._spread(keep - 1)
            for row in rows[keep:]:
                self._heights.append(self._estimate(row))
        else:
            self._heights.reset(self._estimate(row) for row in rows)
        return gone

    def append(self, row: Row) -> None:
        self._index[row.stored.id] = len(self.rows)
        self.rows.append(row)
        self._heights.append(self._estimate(row))
        self._spread(len(self.rows) - 2)

    def set_width(self, width: int) -> None:
        was, self._width = self._width, width
        if not was:
            # What was estimated before there was a width is far off.
            for index, row in enumerate(self.rows):
                if index not in self._views:
                    self._heights.set(index, self._estimate(row))

    def need(self, index: int) -> MessageView:
        """The view of this row, made if it is not there."""
        if index not in self._views:
            view = self._views[index] = self._make(self.rows[index])
            view.resize(self._width, self._heights[index])
        return self._views[index]

    def take_beyond(self, top: int, bottom: int) -> list[MessageView]:
        """Take out the views that lie wholly above or below, but those that someone writes in."""
        far = []
        for index, view in self.views():
            y = self.top(index)
            if (y > bottom or y + view.height() < top) and not _is_used(view):
                far.append(index)
        return [self._views.pop(index) for index in far]

    def measure(self, top: int, bottom: int) -> bool:
        """Make and lay out what lies between these heights; returns whether any row was not as tall as was thought."""
        if not self.rows:
            return False
        index = self.index_at(top)
        changed = False
        y = self.top(index)
        while index < len(self.rows) and y < bottom:
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
        if not self.rows:
            return None
        index = self.index_at(y)
        view = self._views.get(index)
        within = y - self.top(index)
        return index, within if view is None or within < 0 else view.anchor_at(within)

    def y_of(self, place: tuple[int, object]) -> int:
        """Where what `place_at` found stands now."""
        index, within = place
        index = min(index, len(self.rows) - 1)
        view = self._views.get(index)
        below = within if isinstance(within, int) else view.y_of(within) if view is not None else 0
        return self.top(max(0, index)) + below

    def _gap_below(self, index: int) -> int:
        if index + 1 < len(self.rows) and self.rows[index + 1].stored.message.role is Role.USER:
            return _TURN_GAP
        return _ANSWER_GAP if self.rows[index].stored.message.role is Role.USER else _GAP

    def _spread(self, index: int) -> None:
        """What follows this row is another one now."""
        view = self._views.get(index)
        if view is not None:
            self._heights.set(index, view.height() + self._gap_below(index))

    def _estimate(self, row: Row) -> int:
        message = row.stored.message
        width = max(200, self._width)
        # Plain loops, for there are as many as messages, and each is estimated before any is shown.
        kinds: set[type] = set()
        length = breaks = 0
        for part in message.parts:
            if isinstance(part, TextPart):
                length += len(part.text)
                breaks += part.text.count("\n")
            else:
                kinds.add(type(part))
        lines = breaks + length * _LETTER / width
        gap = _ANSWER_GAP if message.role is Role.USER else _TURN_GAP
        media = sum(_MEDIA.get(kind, 0) for kind in kinds) if kinds else 0
        return int(lines * _LINE) + _CHROME + gap + media + _REASONING * bool(message.reasoning)


def _is_used(view: MessageView) -> bool:
    if view.editor is not None or view.stored.state is MessageState.WRITING:
        return True
    return has_focus_within(view)


def rows_of(messages: Sequence[StoredMessage]) -> list[Row]:
    """What a tool gave is shown with the call that it answers."""
    rows: list[Row] = []
    for stored in messages:
        message = stored.message
        if message.role is Role.TOOL and (row := asking_row(rows, message.tool_call_id)) is not None:
            row.results[message.tool_call_id] = stored
        elif message.role is not Role.SYSTEM:
            rows.append(Row(stored))
    return rows


def asking_row(rows: Sequence[Row], call_id: str) -> Row | None:
    """The last answer, if it has made this call."""
    last = rows[-1] if rows else None
    if last is not None and any(call.id == call_id for call in last.stored.message.tool_calls):
        return last
    return None
