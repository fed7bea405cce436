"""What a parser says, collected."""

from collections.abc import Callable

from app.core.events import DeltaKind, TextDelta, ToolCallDelta, joined_deltas
from app.engine.output.cursor import Cursor

Piece = TextDelta | ToolCallDelta
"""With `predicted_n` 0: nobody here counts tokens."""


class Pieces:
    """Takes texts and calls from readers."""

    def __init__(self, cursor: Cursor, new_id: Callable[[], str]) -> None:
        self.n_calls = 0
        self.reasoning = Trimmed(self._reason)
        self.content = Trimmed(self._say)
        self._cursor = cursor
        self._new_id = new_id
        self._ready: list[Piece] = []

    def take(self) -> list[Piece]:
        """All since the last time, neighbours of one kind joined."""
        ready, self._ready = self._ready, []
        return joined_deltas(ready)

    def begin(self, name: str, call_id: str = "") -> None:
        """A call, which nothing can undo: the cursor's mark is forgotten. An `id` is made up where it has none."""
        self._cursor.forget_mark()
        self.n_calls += 1
        self._ready.append(ToolCallDelta(self.n_calls - 1, call_id or self._new_id(), name))

    def write(self, text: str) -> None:
        """More of the JSON text of its arguments."""
        if text:
            self._ready.append(ToolCallDelta(self.n_calls - 1, arguments=text))

    def _reason(self, text: str) -> None:
        self._ready.append(TextDelta(text, kind=DeltaKind.REASONING))

    def _say(self, text: str) -> None:
        self._ready.append(TextDelta(text))


class Trimmed:
    """A text whose blanks at its end, and where asked at its beginning, are not written."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._held = ""
        self._before = ""
        self._trims_start = False
        self.last = ""
        """The last character, written or not."""
        self.empty = True
        """Nothing but blanks came."""

    def write(self, text: str) -> None:
        if text:
            self.last = text[-1]
        if self._trims_start:
            text = text.lstrip()
        if not text:
            return
        self._trims_start = False
        kept = text.rstrip()
        if kept:
            self.empty = False
            self._write(self._before + self._held + kept)
            self._before = self._held = ""
        self._held += text[len(kept) :]

    def restart(self) -> None:
        """Another text of the same kind comes: on a line of its own, if anything comes of it."""
        self._held = ""
        self._before = "" if self.empty else "\n"
        self.last = ""
        self.trim_start()

    def trim_start(self) -> None:
        """Drop the blanks that come next."""
        self._trims_start = True

    def flush(self) -> None:
        """Write blanks that were kept back."""
        held, self._held = self._held, ""
        if held:
            self._write(held)

    def drop(self) -> None:
        self._held = ""
