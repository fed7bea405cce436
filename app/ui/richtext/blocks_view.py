"""The blocks of one Markdown text below each other, at once or while the text is being written."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from PySide6.QtCore import QPoint, QRect, Qt, QUrl, Signal
from PySide6.QtWidgets import QWidget

from app.ui.richtext.block_folds import Folds
from app.ui.richtext.block_selection import BlockSelection, Place
from app.ui.richtext.block_text import GAP, estimated_height, gap_below, note_place, note_text
from app.ui.richtext.citation_marks import CitationMarks
from app.ui.richtext.code_block import CodeBlock
from app.ui.richtext.code_text import CodeText
from app.ui.richtext.details_line import DetailsLine, indent
from app.ui.richtext.markdown_blocks import Block, Change, Code
from app.ui.richtext.row_heights import RowHeights
from app.ui.richtext.text_block_view import TextBlockView
from app.ui.richtext.text_marks import Hit
from app.ui.richtext.text_stream import TextStream
from app.ui.theme.appearance import Appearance
from app.ui.widgets.discard import discard
from app.ui.widgets.markdown_links import cited_of, note_of
from app.ui.widgets.tab_order import has_focus_within

_SHORT = 24
"""Blocks of a text that is measured line by line."""
_ALL = (0, 1 << 40)
BlockWidget = TextBlockView | CodeBlock | DetailsLine
Hits = dict[int, list[Hit]]
"""By the number of the block."""


class BlocksView(QWidget):
    """Closed blocks are laid out once: while text streams, only what follows them is touched.

    Told what of it can be seen (`show_range`), it has widgets for that much alone, and estimates for the rest.
    """

    link_clicked = Signal(str)
    rendered = Signal()
    resized = Signal()
    """It needs another height at the same width. Until `place` nothing in it has moved."""
    passage_wanted = Signal(str)
    """The address of a citation"""
    place_wanted = Signal(int)
    """A link leads to this height within the view."""

    def __init__(
        self,
        appearance: Appearance,
        parent: QWidget | None = None,
        *,
        quiet: bool = False,
        typed: bool = False,
        source: Callable[[], str] | None = None,
        name: str = "",
    ) -> None:
        """`source` is what "Copy message" copies; `quiet` text stands back; `name` is for screen readers.

        What a person `typed` is Markdown only in part (see `user_text_html`).
        """
        super().__init__(parent)
        # It draws nothing itself: what is there stays as it is where it only grows.
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self._appearance = appearance
        self._quiet = quiet
        self.is_typed = typed
        """Whether a person wrote it."""
        self._name = name or self.tr("Answer")
        self.stream = TextStream(self._apply, self, typed=typed)
        """The text; append to it by this view."""
        self._blocks: list[Block] = []
        self._folds = Folds()
        self._heights = RowHeights()
        self._widgets: dict[int, BlockWidget] = {}
        self._width = 0
        self._range: tuple[int, int] | None = None
        self._laid_out: range | None = None
        """The blocks that could be seen when all was last measured and put in its place; None once that changes."""
        self._longest: dict[int, int] = {}
        """What `longest_line` said."""
        self._hits: Hits = {}
        self._current_hit: tuple[int, Hit] | None = None
        self.citations = CitationMarks({})
        """What it may cite."""
        self.selection = BlockSelection(self, source or (lambda: self.stream.source), self)
        appearance.changed.connect(self._restyle)

    @property
    def blocks(self) -> Sequence[Block]:
        """What is on screen now."""
        return self._blocks

    def set_text(self, source: str) -> None:
        """Show a finished text."""
        self.stream.set_text(source)

    def append(self, text: str) -> None:
        """More of a text that is being written; it is drawn within the next frames."""
        self.stream.append(text)

    def finish(self, source: str) -> None:
        """The text is complete, and is `source`; whatever was streamed of it stays as it is."""
        self.stream.finish(source)

    def flush(self) -> None:
        """Draw now what was appended."""
        self.stream.flush()

    def place(self, width: int) -> int:
        """The height that is needed at this width. Whoever owns the view then gives it that."""
        if width != self._width:
            self._width = width
            self._forget()
            self._heights.reset(map(self._estimated, range(len(self._blocks))))
        if self._laid_out is None or self._laid_out != self._in_sight():
            self._fill()
        return self._heights.total

    @property
    def growth(self) -> int:
        """Pixels by which `place` will make it higher."""
        return self._heights.total - self.height() if self._width else 0

    def show_range(self, top: int, bottom: int) -> None:
        """What of it can be seen, in pixels; `place` acts on it."""
        self._range = (top, bottom)

    def longest_line(self, most: int) -> int:
        """Pixels that the text would take without being wrapped; `most` where it would take more, or is long."""
        if len(self._blocks) > _SHORT:
            return most
        if most not in self._longest:
            widest = 0
            for index in filter(self._folds.is_shown, range(len(self._blocks))):
                widget = self._widgets.get(index) or self._make(index)
                widest = max(widest, widget.longest_line())
                if widest >= most:
                    break
            self._longest[most] = min(widest, most)
        return self._longest[most]

    def anchor_at(self, y: int) -> Place:
        """The block at this height, and how far below its upper edge."""
        if not self._blocks:
            return 0, y
        index = self._heights.index_at(y)
        return index, y - self._heights.offset(index)

    def y_of(self, anchor: Place) -> int:
        """Where an anchor is now."""
        return self._heights.offset(min(anchor[0], len(self._blocks))) + anchor[1]

    def widget_at(self, index: int) -> BlockWidget:
        """Of a block that can be seen."""
        return self._widgets[index]

    def parts(self) -> Iterator[tuple[int, TextBlockView | CodeText]]:
        for index, widget in self._widgets.items():
            yield index, _part(widget)

    def index_of(self, part: QWidget) -> int | None:
        return next((index for index, each in self.parts() if each is part), None)

    def place_at(self, point: QPoint) -> Place:
        """The place in the text that is nearest to a point of the view."""
        if not self._blocks:
            return 0, 0
        index = self._heights.index_at(point.y())
        widget = self._widgets.get(index)
        if widget is None:
            return index, 0
        part = _part(widget)
        return index, part.place_at(part.mapFrom(self, point))

    def show_citations(self, citations: CitationMarks) -> None:
        """Mark what it cites."""
        self.citations = citations
        for index in self._widgets:
            self._show(index)
        self._part_resized()

    def show_hits(self, hits: Hits, current: tuple[int, Hit] | None) -> None:
        """Mark what was searched for."""
        self._hits, self._current_hit = hits, current
        for index in self._widgets:
            self._show_hits(index)

    def top_of(self, place: Place) -> int:
        """How high a place is in the view; exact once its block can be seen."""
        index, at = place
        top = self._heights.offset(min(index, len(self._blocks)))
        widget = self._widgets.get(index)
        if widget is None:
            return top
        part = _part(widget)
        return top + part.mapTo(widget, QPoint(0, part.top_of(at))).y()

    def uncover(self, index: int) -> None:
        """Open what a block is folded in."""
        if index >= len(self._blocks) or (head := self._folds.head_of(index)) is None:
            return
        widget = self._widgets.get(head)
        if isinstance(widget, DetailsLine):
            widget.setChecked(True)
        else:
            self._fold(head, is_open=True)

    def reveal(self, place: Place) -> None:
        """Scroll sideways within the block."""
        part = _part(self._widgets[place[0]]) if place[0] in self._widgets else None
        if isinstance(part, CodeText):
            part.reveal(place[1])

    def _apply(self, change: Change) -> None:
        self._forget()
        was = self._heights.total
        self._blocks[change.keep :] = change.blocks
        self._folds.follow(self._blocks, change.keep)
        self._heights.cut(change.keep)
        for index in range(change.keep, len(self._blocks)):
            self._heights.append(self._estimated(index))
        self.selection.cut(change.keep)
        gone = self._take(each for each in self._widgets if each >= len(self._blocks))
        gone += self._take(each for each in self._widgets if each >= change.keep and self._is_of_another_kind(each))
        discard(*gone)
        for index in [each for each in self._widgets if each >= change.keep]:
            self._show(index)
        if isinstance(self._widgets.get(change.keep - 1), TextBlockView | DetailsLine):
            # What is below it may be a heading now.
            self._show(change.keep - 1)
        if self._width or self._range is None:
            self._measure_seen()
        if self._heights.total != was:
            self.resized.emit()
        elif self._width:
            self._fill()
        self.rendered.emit()

    def _fill(self) -> None:
        """Have widgets for what can be seen, in their places."""
        seen = self._measure_seen()
        far = (each for each, widget in self._widgets.items() if each not in seen and not has_focus_within(widget))
        gone = self._take(far)
        if self._width:
            self._put(seen)
            self._laid_out = self._in_sight()
        discard(*gone)

    def _measure_seen(self) -> range:
        """Make what can be seen, and know how high it is. Nothing moves yet."""
        first, bottom = self._in_sight().start, (self._range or _ALL)[1]
        y = self._heights.offset(first)
        index = first
        while index < len(self._blocks) and (y < bottom or index == first):
            if self._folds.is_shown(index):
                y += self._measure(index, self._widgets.get(index) or self._make(index))
            index += 1
        return range(first, index)

    def _in_sight(self) -> range:
        """The blocks that can be seen, as far as heights are known; one at least."""
        if len(self._blocks) < 2:
            return range(len(self._blocks))
        top, bottom = self._range or _ALL
        first = self._heights.index_at(max(0, top))
        return range(first, max(first, self._heights.index_at(max(0, bottom - 1))) + 1)

    def _forget(self) -> None:
        """Heights or widths may be others now."""
        self._laid_out = None
        self._longest.clear()

    def _measure(self, index: int, widget: BlockWidget) -> int:
        if self._width:
            self._heights.set(index, widget.height_for(self._width - self._indent(index)))
        return self._heights[index]

    def _put(self, seen: range) -> None:
        for index in sorted(self._widgets):
            widget = self._widgets[index]
            if index not in seen:
                self._measure(index, widget)
            left = self._indent(index)
            x = 0 if self.isRightToLeft() else left
            place = QRect(x, self._heights.offset(index), self._width - left, self._heights[index])
            if widget.geometry() != place:
                widget.setGeometry(place)
            if widget.isHidden():
                widget.show()

    def _make(self, index: int) -> BlockWidget:
        block = self._blocks[index]
        widget: BlockWidget
        if isinstance(block, Code):
            widget = CodeBlock(self._appearance, self, selector=self.selection)
        else:
            prose = TextBlockView(
                self._appearance, self._name, gap=GAP, quiet=self._quiet, describe=self._describe,
                selector=self.selection, parent=self,
            )  # fmt: skip
            prose.link_clicked.connect(self._follow)
            widget = self._make_line(index, prose) if self._folds.is_head(index) else prose
        widget.resized.connect(self._part_resized)
        self._widgets[index] = widget
        self._show(index)
        return widget

    def _make_line(self, index: int, prose: TextBlockView) -> DetailsLine:
        made = DetailsLine(self._appearance, prose, self)
        made.setChecked(self._folds.is_open(index))
        made.toggled.connect(lambda is_open: self._fold(index, is_open=is_open))
        return made

    def _fold(self, head: int, *, is_open: bool) -> None:
        self._folds.set_open(head, is_open)
        inside = self._folds.inside(head)
        gone = [] if is_open else self._take(each for each in inside if each in self._widgets)
        if head in self._widgets and any(map(has_focus_within, gone)):
            self._widgets[head].setFocus()
        discard(*gone)
        for each in inside:
            self._heights.set(each, self._estimated(each))
        self._part_resized()

    def _indent(self, index: int) -> int:
        return indent() if self._folds.head_of(index) is not None else 0

    def _estimated(self, index: int) -> int:
        return estimated_height(self._blocks[index], self._width or 600) if self._folds.is_shown(index) else 0

    def _is_of_another_kind(self, index: int) -> bool:
        """Whether the block with this number needs another widget than it has, or none."""
        widget, is_code = self._widgets[index], isinstance(self._blocks[index], Code)
        is_other = isinstance(widget, CodeBlock) != is_code
        is_other = is_other or isinstance(widget, DetailsLine) != self._folds.is_head(index)
        return is_other or not self._folds.is_shown(index)

    def _show(self, index: int) -> None:
        block, widget = self._blocks[index], self._widgets[index]
        if isinstance(widget, CodeBlock):
            assert isinstance(block, Code)
            widget.show_code(block, growing=self.stream.is_open and index == len(self._blocks) - 1)
        elif not isinstance(block, Code):
            following = next((self._blocks[each] for each in self._after(index)), None)
            gap = gap_below(block, following, is_line=isinstance(widget, DetailsLine))
            html = self.citations.marked(block, is_whole=not self.stream.is_open)
            widget.show_prose(html, head=block.head, gap=gap)
        self._show_hits(index)
        if (span := self.selection.span(index)) is not None:
            part = _part(widget)
            part.select(span[0], min(span[1], part.length))

    def _after(self, index: int) -> Iterator[int]:
        """The blocks on screen below this one."""
        return filter(self._folds.is_shown, range(index + 1, len(self._blocks)))

    def _show_hits(self, index: int) -> None:
        current = self._current_hit
        now = current[1] if current is not None and current[0] == index else None
        _part(self._widgets[index]).show_hits(self._hits.get(index, ()), now)

    def _take(self, indices: Iterable[int]) -> list[BlockWidget]:
        """Their widgets, which are not this view's any more."""
        return [self._widgets.pop(index) for index in list(indices)]

    def _part_resized(self) -> None:
        self._forget()
        self._fill()
        self.resized.emit()

    def _restyle(self) -> None:
        self._forget()
        if self._width:
            self._fill()
            # The blocks hear of the change after this.
            self._forget()
            self.resized.emit()

    def _follow(self, address: str) -> None:
        if cited_of(address) is not None:
            self.passage_wanted.emit(address)
        elif not (name := note_of(address)):
            self.link_clicked.emit(address)
        else:
            for index, block in enumerate(self._blocks):
                if (place := note_place(block, name)) is not None:
                    self.uncover(index)
                    self.place_wanted.emit(self.top_of((index, place)))

    def _describe(self, address: str) -> str:
        """What a number leads to: a passage, or footnotes."""
        if cited_of(address) is not None:
            return self.citations.described(address)
        return note_text(self._blocks, note_of(address)) or QUrl(address).toString()


def _part(widget: BlockWidget) -> TextBlockView | CodeText:
    return widget if isinstance(widget, TextBlockView) else widget.text_view
