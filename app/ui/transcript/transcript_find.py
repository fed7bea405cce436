"""The search in a conversation: what the bar asks for, looked up in the messages and shown in the list."""

from bisect import bisect_left

from PySide6.QtCore import QObject, Signal

from app.ui.richtext.blocks_view import Hits
from app.ui.transcript.finder import Finder, Found, Part
from app.ui.transcript.message_list import MessageList
from app.ui.transcript.message_view import MessageView
from app.ui.transcript.tool_call_view import texts_of
from app.ui.widgets.find_bar import FindBar


class TranscriptFind(QObject):
    """Searches the text of all messages, and has only those shown that it goes to."""

    opened = Signal()

    def __init__(self, listed: MessageList, bar: FindBar) -> None:
        super().__init__(listed)
        self._list = listed
        self.bar = bar
        self.finder = Finder(self)
        self.current: Found | None = None
        """The hit that is shown."""
        self._waits = False
        """The first hit is gone to as soon as there is one."""
        self._words = ""
        bar.hide()
        bar.words_changed.connect(self._search)
        bar.stepped.connect(self.step)
        bar.closed.connect(self.close)
        self.finder.progressed.connect(self._found)
        self.finder.finished.connect(self._tell)

    @property
    def is_open(self) -> bool:
        return not self.bar.isHidden()

    def open(self) -> None:
        """With what is selected as its words; nothing where there are no messages."""
        if self._list.rows:
            view = self._list.focused()
            words = view.blocks_view.selection.text() if view is not None else ""
            self.bar.open("" if "\n" in words else words)
            self.opened.emit()

    def find_next(self) -> None:
        """Opens it where it is closed, as `find_previous` does."""
        self._step_or_open(back=False)

    def find_previous(self) -> None:
        self._step_or_open(back=True)

    def _step_or_open(self, *, back: bool) -> None:
        if self.is_open:
            self.step(back)
        else:
            self.open()

    def close(self) -> None:
        """The keyboard goes back to the conversation."""
        if not self.is_open:
            return
        self.bar.hide()
        self._forget()
        self._words = ""
        self._list.setFocus()

    def step(self, back: bool = False) -> None:
        """To the next hit, around the end."""
        hits = self.finder.hits
        if not self.is_open or not hits:
            return
        if self.current is None:
            self._go(hits[-1 if back else 0])
            return
        place = bisect_left(hits, self.current) + (-1 if back else 1)
        self._go(hits[place % len(hits)])

    def again(self) -> None:
        """The messages are others now."""
        if self.is_open and self._words:
            words, self._words = self._words, ""
            self._search(words, go=False)

    def mark(self, view: MessageView) -> None:
        """Mark the hits in a message that has come into sight."""
        index = self._list.index_of(view.stored.id)
        if index is None:
            return
        found = self.finder.of_message(index)
        current = self.current if self.current is not None and self.current.index == index else None
        parts: dict[Part, Hits] = {}
        for each in found:
            parts.setdefault(each.part, {}).setdefault(each.block, []).append((each.start, each.end))
        view.show_hits(parts, (current.part, current.block, (current.start, current.end)) if current else None)

    def _search(self, words: str, *, go: bool = True) -> None:
        if words == self._words:
            return
        self._forget()
        self._words = words
        self._waits = go
        rows = list(self._list.rows)
        messages = [row.stored for row in rows]
        self.finder.search(messages, words, self._list.first_in_sight(), lambda index: texts_of(rows[index].results))
        self._tell()

    def _forget(self) -> None:
        self.finder.stop()
        self.current = None
        self._mark_all()

    def _found(self, index: int) -> None:
        if (view := self._list.view_at(index)) is not None:
            self.mark(view)
        if self._waits:
            self._waits = False
            first = self.finder.of_message(index)[0]
            self._go(first)
        self._tell()

    def _go(self, found: Found) -> None:
        self.current = found
        view = self._list.need(found.index)
        place = (found.block, found.start)
        view.open_part(found.part, found.block)
        self._mark_all()
        self._list.go_to(found.index, lambda each: each.top_of(found.part, place))
        view.reveal(found.part, place)
        self._tell()

    def _mark_all(self) -> None:
        for view in self._list.views:
            self.mark(view)

    def _tell(self) -> None:
        hits = self.finder.hits
        number = bisect_left(hits, self.current) + 1 if self.current is not None else 0
        self.bar.show_count(number, len(hits), is_done=not self.finder.is_busy)
