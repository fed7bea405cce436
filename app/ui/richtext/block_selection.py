"""Selecting across the blocks of one text, also those that have no widget just now."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.ui.formatting.utf16 import between, units
from app.ui.richtext.block_text import document_of, plain_text, raw_text
from app.ui.richtext.code_text import CodeText
from app.ui.richtext.document_text import selected
from app.ui.richtext.markdown_blocks import Block, Code
from app.ui.richtext.safe_document import SafeDocument
from app.ui.richtext.text_block_view import TextBlockView

Place = tuple[int, int]
"""A block's number, and a place in its document."""
_END = 1 << 30


class SelectableBlocks(Protocol):
    """A view of blocks, as its selection sees it."""

    @property
    def blocks(self) -> Sequence[Block]: ...
    @property
    def is_typed(self) -> bool: ...
    def parts(self) -> Iterable[tuple[int, TextBlockView | CodeText]]: ...
    def index_of(self, part: QWidget) -> int | None: ...
    def place_at(self, point: QPoint) -> Place: ...
    def mapFromGlobal(self, point: QPoint) -> QPoint: ...
    def isAncestorOf(self, child: QWidget) -> bool: ...


class BlockSelection(QObject):
    """A `Selector` for the widgets of one view of blocks."""

    dragged = Signal()
    """The mouse selects."""

    def __init__(self, view: SelectableBlocks, source: Callable[[], str], parent: QObject) -> None:
        """`source` is the Markdown of the whole message."""
        super().__init__(parent)
        self._view = view
        self._source = source
        self._anchor: Place = (0, 0)
        self._focus: Place = (0, 0)

    @property
    def has_selection(self) -> bool:
        return self._anchor != self._focus

    @property
    def range(self) -> tuple[Place, Place]:
        """First and last place."""
        return min(self._anchor, self._focus), max(self._anchor, self._focus)

    def move(self, part: QWidget, point: QPoint, *, extend: bool) -> None:
        if isinstance(part, TextBlockView | CodeText):
            self._move_to(self._place_at(part, point), extend=extend)
            if extend:
                self.dragged.emit()

    def extend_to(self, widget: QWidget, point: QPoint) -> None:
        """Select to this point of `widget`."""
        self._move_to(self._place_at(widget, point), extend=True)

    def select(self, part: QWidget, start: int, end: int) -> None:
        index = self._view.index_of(part)
        if index is not None:
            self._anchor, self._focus = (index, start), (index, end)
            self.show()

    def select_all(self) -> None:
        if self._view.blocks:
            self._anchor, self._focus = (0, 0), (len(self._view.blocks) - 1, _END)
            self.show()

    def clear(self) -> None:
        self._anchor = self._focus
        self.show()

    def left(self) -> None:
        """The keyboard went elsewhere; within the view, the selection goes on."""
        focus = QApplication.focusWidget()
        if focus is None or not self._view.isAncestorOf(focus):
            self.clear()

    def show(self) -> None:
        """Tell every widget there is what of it is selected."""
        for index, part in self._view.parts():
            span = self.span(index)
            if span is None:
                part.select(0, 0)
            else:
                part.select(span[0], min(span[1], part.length))

    def span(self, index: int) -> tuple[int, int] | None:
        """What of this block is selected."""
        (first, start), (last, end) = self.range
        if not self.has_selection or not first <= index <= last:
            return None
        return start if index == first else 0, end if index == last else _END

    def cut(self, length: int) -> None:
        """The blocks from `length` on are others now."""
        if self.has_selection and self.range[1][0] >= length and self.range[1][1] != _END:
            self._anchor, self._focus = ((min(index, max(0, length - 1)), place) for index, place in self.range)

    def text(self) -> str:
        """What is selected, as it reads; of what a person typed, as it was typed."""
        if self._view.is_typed and self.range == ((0, 0), (len(self._view.blocks) - 1, _END)):
            return self._source()
        return "\n\n".join(each for each in self._each(_as_typed if self._view.is_typed else _plain) if each)

    def markdown(self) -> str:
        """What is selected, as Markdown. Whole blocks are as they were written."""
        return "\n\n".join(each for each in self._each(_markdown) if each)

    def copy(self) -> None:
        if self.has_selection:
            QGuiApplication.clipboard().setText(self.text())

    def copy_markdown(self) -> None:
        if self.has_selection:
            QGuiApplication.clipboard().setText(self.markdown())

    def copy_message(self) -> None:
        QGuiApplication.clipboard().setText(self._source())

    def add_actions(self, menu: QMenu) -> None:
        for name, act in ((self.tr("Copy"), self.copy), (self.tr("Copy as Markdown"), self.copy_markdown)):
            action = menu.addAction(name)
            action.setEnabled(self.has_selection)
            action.triggered.connect(act)
        menu.addAction(self.tr("Copy message")).triggered.connect(self.copy_message)

    def _place_at(self, widget: QWidget, point: QPoint) -> Place:
        return self._view.place_at(self._view.mapFromGlobal(widget.mapToGlobal(point)))

    def _move_to(self, place: Place, *, extend: bool) -> None:
        self._focus = place
        if not extend:
            self._anchor = place
        self.show()

    def _each(self, told: Callable[[Block, int, int], str]) -> list[str]:
        if not self.has_selection:
            return []
        first, last = self.range[0][0], self.range[1][0]
        made = []
        for index in range(first, min(last + 1, len(self._view.blocks))):
            span = self.span(index)
            assert span is not None
            made.append(told(self._view.blocks[index], *span))
        return made


def _plain(block: Block, start: int, end: int) -> str:
    if start == 0 and end == _END:
        return plain_text(block)
    if isinstance(block, Code):
        return between(block.text, start, end)
    document = document_of(block)
    return selected(_cursor(document, start, end))


def _as_typed(block: Block, start: int, end: int) -> str:
    whole = start == 0 and end >= units(raw_text(block))
    return block.source if whole and not isinstance(block, Code) else _plain(block, start, end)


def _markdown(block: Block, start: int, end: int) -> str:
    if start == 0 and end >= units(raw_text(block)):
        return block.source
    if isinstance(block, Code):
        text = between(block.text, start, end)
        return f"```{block.language}\n{text}\n```" if "\n" in text else f"`{text}`"
    document = document_of(block)
    cursor = _cursor(document, start, end)
    if "\ufffc" in cursor.selectedText():
        return selected(cursor)
    return cursor.selection().toMarkdown().strip()


def _cursor(document: SafeDocument, start: int, end: int) -> QTextCursor:
    """Valid as long as the document is."""
    cursor = QTextCursor(document)
    last = document.characterCount() - 1
    cursor.setPosition(min(start, last))
    cursor.setPosition(min(end, last), QTextCursor.MoveMode.KeepAnchor)
    return cursor
