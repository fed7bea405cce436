"""The line above a conversation in which words are looked for."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from app.services.runtime.debounce import Debounce
from app.ui.formatting.numbers import count
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.layouts import Placed, grow, hbox
from app.ui.widgets.plain_text import plain_label
from app.ui.widgets.search_field import ClearButton

_PAUSE_MS = 120
"""Between the last letter and the search."""
_WIDEST = 440
"""Pixels of the field."""
_KEYS = (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class _Words(QLineEdit):
    """Enter and Escape are the bar's, whatever they mean in the window."""

    entered = Signal(bool)
    """Whether back, towards the beginning"""
    escaped = Signal()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.key() in _KEYS and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape:
                self.escaped.emit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.entered.emit(bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
            case _:
                super().keyPressEvent(event)


class FindBar(QFrame):
    """Says what is wanted; somebody else finds it."""

    words_changed = Signal(str)
    stepped = Signal(bool)
    """To the next hit, or back to the one before"""
    closed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("find")
        self.field = _Words(self)
        self.field.setPlaceholderText(self.tr("Find in this conversation"))
        self.field.setAccessibleName(self.tr("Find in this conversation"))
        ClearButton(self.field)
        self.count = plain_label("small", self)
        """What is said about the number of hits."""
        self.count.setMinimumWidth(64)
        self.back = IconButton(appearance, "chevron-up", self.tr("Previous hit (Shift+Enter)"), parent=self)
        self.forth = IconButton(appearance, "chevron-down", self.tr("Next hit (Enter)"), parent=self)
        close = IconButton(appearance, "close", self.tr("Close the search (Esc)"), self.closed, parent=self)
        self._pause = Debounce(_PAUSE_MS, lambda: self.words_changed.emit(self.field.text()), self)
        self.field.textChanged.connect(lambda _: self._pause.start())
        self.field.entered.connect(self._enter)
        self.field.escaped.connect(self.closed)
        self.back.clicked.connect(lambda: self.stepped.emit(True))
        self.forth.clicked.connect(lambda: self.stepped.emit(False))
        self.field.setMaximumWidth(_WIDEST)
        parts = (grow(self.field), self.count, self.back, self.forth, Placed(), close)
        hbox(*parts, on=self, gap=6, margins=(24, 8, 18, 8))
        self.show_count(0, 0, is_done=True)

    def open(self, words: str = "") -> None:
        """Take the keyboard; `words` are looked for at once."""
        self.show()
        if words:
            self.field.setText(words)
        self.field.selectAll()
        self.field.setFocus()

    def show_count(self, number: int, n_hits: int, *, is_done: bool) -> None:
        """Hit `number` (from 1, 0 for none) of `n_hits`, to which more may come."""
        more = "" if is_done else "…"
        if not self.field.text():
            told = ""
        elif not n_hits:
            told = self.tr("No hits") if is_done else self.tr("Searching…")
        elif number:
            told = self.tr("{number} of {total}").format(number=count(number), total=count(n_hits) + more)
        else:
            told = count(n_hits) + more
        self.count.setText(told)
        self.field.setAccessibleDescription(told)
        for button in (self.back, self.forth):
            button.setEnabled(n_hits > 0)

    def _enter(self, back: bool) -> None:
        if self._pause.isActive():
            self._pause.stop()
            self.words_changed.emit(self.field.text())
        else:
            self.stepped.emit(back)
