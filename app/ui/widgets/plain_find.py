"""Joins a find bar to a field of plain text."""

import re
from bisect import bisect_left

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from app.ui.widgets.find_bar import FindBar

_MOST = 10_000
"""Hits that are counted; whoever gets that many wants other words."""
_WIDE = re.compile("[\U00010000-\U0010ffff]")


class PlainFind(QObject):
    """The text must not change. Hits are selected, one at a time."""

    moved = Signal(int)
    """Where the hit begins, in characters of the text"""

    def __init__(self, bar: FindBar, field: QPlainTextEdit, text: str) -> None:
        """`text` is what `field` shows."""
        super().__init__(field)
        self._bar = bar
        self._field = field
        self._text = text
        self._hits: list[tuple[int, int]] = []
        self._at = 0
        bar.words_changed.connect(self._search)
        bar.stepped.connect(self.step)
        bar.closed.connect(self._close)

    @Slot(bool)
    def step(self, back: bool = False) -> None:
        """To the next hit, or the one before, around the ends."""
        if self._hits:
            self._go((self._at + (-1 if back else 1)) % len(self._hits))

    @Slot(str)
    def _search(self, words: str) -> None:
        self._hits = []
        if words:
            for found in re.finditer(re.escape(words), self._text, re.IGNORECASE):
                self._hits.append(found.span())
                if len(self._hits) == _MOST:
                    break
        if self._hits:
            # From where one is; wide characters only move that a little towards the end.
            self._go(bisect_left(self._hits, (self._field.textCursor().selectionStart(), 0)) % len(self._hits))
        else:
            self._bar.show_count(0, 0, is_done=True)

    def _go(self, at: int) -> None:
        self._at = at
        start, end = self._hits[at]
        # Qt counts UTF-16 units.
        first = start + len(_WIDE.findall(self._text, 0, start))
        cursor = self._field.textCursor()
        cursor.setPosition(first)
        length = end - start + len(_WIDE.findall(self._text, start, end))
        cursor.setPosition(first + length, QTextCursor.MoveMode.KeepAnchor)
        self._field.setTextCursor(cursor)
        self._field.centerCursor()
        self._bar.show_count(at + 1, len(self._hits), is_done=len(self._hits) < _MOST)
        self.moved.emit(start)

    @Slot()
    def _close(self) -> None:
        self._bar.hide()
        self._field.setFocus()
