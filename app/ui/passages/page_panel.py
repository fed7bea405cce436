"""The page beside the chat: where a cited passage stands, and what was found out about the citation."""

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QKeyEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QScrollArea, QStackedWidget, QTextEdit, QWidget

from app.services.documents.page_reader import ShownPage
from app.ui.formatting.sentences import translated
from app.ui.formatting.utf16 import units
from app.ui.passages.citation_list import CitationList, ShownCitation
from app.ui.passages.page_canvas import PageCanvas
from app.ui.richtext.citation_marks import source_line, support_line
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.layouts import grow, hbox, vbox
from app.ui.widgets.plain_text import plain_label, tell

_ABOVE = 60
"""Pixels of the page that stay in sight above what is marked."""
_MOST_TEXT = 1 << 20
"""Characters of a text that are shown, around what is marked."""
_SENTENCE = 160
"""Characters of a sentence that are repeated."""


class PagePanel(QFrame):
    """Shows what it is told; Esc closes it."""

    page_wanted = Signal(object, int)
    """PassagePart, and which page of its document"""
    closed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._list = CitationList(())
        self._at = 0
        self._page, self._n_pages = 0, 0
        self._marked: QTextCursor | None = None
        """Of the text."""
        self.setObjectName("passage-panel")
        self.setAccessibleName(self.tr("Page of a document"))
        self.name = plain_label("", self)
        self.name.setObjectName("passage-name")
        self.place = plain_label("muted", self)
        self.told = plain_label("muted", self, wraps=True)
        self.problem = plain_label("muted", self, wraps=True)
        self.previous = self._button("chevron-left", self.tr("Previous citation"), lambda: self._step(-1))
        self.following = self._button("chevron-right", self.tr("Next citation"), lambda: self._step(1))
        self.count = plain_label("muted", self)
        self.back = self._button("arrow-up", self.tr("Page before"), lambda: self._turn(-1))
        self.forth = self._button("arrow-down", self.tr("Next page"), lambda: self._turn(1))
        self.close_button = self._button("close", self.tr("Close the page"), self.closed.emit)
        self.canvas = PageCanvas(appearance)
        self.pages = QScrollArea(self)
        self.pages.setWidgetResizable(True)
        self.pages.setFrameShape(QFrame.Shape.NoFrame)
        self.pages.setWidget(self.canvas)
        # A page is as wide before it is there as afterwards, or what is marked would move out of sight.
        self.pages.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.pages.setAccessibleName(self.tr("Page"))
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setAccessibleName(self.tr("Text of the document"))
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.stack = QStackedWidget(self)
        self.stack.addWidget(self.pages)
        self.stack.addWidget(self.text)
        walking = hbox(self.previous, self.count, self.following, gap=2)
        turning = hbox(self.back, self.forth, grow(self.place), gap=2)
        vbox(
            hbox(grow(self.name), walking, self.close_button, gap=6),
            hbox(turning, gap=6),
            self.told,
            self.problem,
            grow(self.stack),
            on=self,
            gap=6,
            margins=(14, 10, 14, 12),
        )
        appearance.changed.connect(self._mark_text)

    def sizeHint(self) -> QSize:
        return QSize(460, 600)

    @property
    def current(self) -> ShownCitation | None:
        return self._list.citations[self._at] if self._list.citations else None

    def show_citations(self, citations: CitationList) -> None:
        """Begin with the one that was asked for; its page is asked for."""
        self._list, self._at = citations, citations.at
        self._show_citation()

    def show_page(self, shown: ShownPage) -> None:
        self._page, self._n_pages = shown.page, shown.n_pages
        tell(self.problem, translated(shown.problem))
        if shown.image is not None:
            self.canvas.show_page(shown.image, shown.marks)
            self.stack.setCurrentWidget(self.pages)
            self.canvas.resize(self.pages.viewport().width(), self.canvas.heightForWidth(self.pages.viewport().width()))
            self.pages.verticalScrollBar().setValue(max(0, self.canvas.top_of_marks() - _ABOVE))
        else:
            # First: the text has to know its height, or what is marked is not in the middle.
            self.stack.setCurrentWidget(self.text)
            self._show_text(shown.text, *shown.mark)
        self._tell_place()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def _button(self, icon: str, name: str, act: Callable[[], object]) -> IconButton:
        return IconButton(self._appearance, icon, name, act, parent=self)

    def _step(self, by: int) -> None:
        if 0 <= self._at + by < len(self._list.citations):
            self._at += by
            self._show_citation()

    def _turn(self, by: int) -> None:
        current = self.current
        if current is not None and 0 < self._page + by <= self._n_pages:
            self._ask(current, self._page + by)

    def _show_citation(self) -> None:
        current, count = self.current, len(self._list.citations)
        if current is None:
            return
        self.name.setText(f"[{current.part.number}] {current.part.name or self.tr('Pasted text')}")
        self.name.setToolTip(source_line(current.part))
        self.count.setText(self.tr("{n} of {count}").format(n=self._at + 1, count=count))
        self.previous.setEnabled(self._at > 0)
        self.following.setEnabled(self._at + 1 < count)
        tell(self.told, self._told(current))
        self._ask(current, current.part.page or 1)

    def _ask(self, current: ShownCitation, page: int) -> None:
        self.place.setText(self.tr("Opening the page…"))
        self.back.setEnabled(False)
        self.forth.setEnabled(False)
        self.page_wanted.emit(current.part, page)

    def _told(self, current: ShownCitation) -> str:
        check = current.check
        if check is None:
            return self.tr("This passage was looked at.")
        sentence = check.sentence if len(check.sentence) <= _SENTENCE else f"{check.sentence[: _SENTENCE - 1]}…"
        return self.tr("“{sentence}”: {told}").format(sentence=sentence, told=support_line(check))

    def _tell_place(self) -> None:
        paged = bool(self._page and self._n_pages)
        if paged:
            self.place.setText(self.tr("Page {n} of {count}").format(n=self._page, count=self._n_pages))
        else:
            self.place.setText(self.tr("Text of the document") if self.stack.currentWidget() is self.text else "")
        for button in (self.back, self.forth):
            button.setVisible(paged)
        self.back.setEnabled(self._page > 1)
        self.forth.setEnabled(self._page < self._n_pages)

    def _show_text(self, text: str, start: int, end: int) -> None:
        """Qt counts UTF-16 units, and ends of lines as one."""
        first = max(0, start - _MOST_TEXT // 2)
        before, marked = _plain(text[first:start]), _plain(text[start:end])
        shown = before + marked + _plain(text[end : end + _MOST_TEXT // 2])
        self.text.setPlainText(shown)
        cursor = QTextCursor(self.text.document())
        cursor.setPosition(units(before))
        cursor.setPosition(units(before + marked), QTextCursor.MoveMode.KeepAnchor)
        self._marked = cursor
        self._mark_text()
        at = QTextCursor(self.text.document())
        at.setPosition(cursor.selectionStart())
        self.text.setTextCursor(at)
        self.text.centerCursor()

    @Slot()
    def _mark_text(self) -> None:
        if self._marked is None or self._marked.document() is not self.text.document():
            return
        style = QTextCharFormat()
        style.setBackground(QColor(self._appearance.tokens.found))
        selection = QTextEdit.ExtraSelection()
        selection.cursor, selection.format = self._marked, style
        self.text.setExtraSelections([selection])


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")
