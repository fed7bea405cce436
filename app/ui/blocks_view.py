"""The blocks of one Markdown text below each other, at once or while the text is being written."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.ui.code_block import CodeBlock
from app.ui.markdown import Block, Change, Code, MarkdownStream, Prose, parse
from app.ui.pacer import Pacer
from app.ui.prose import ProseView
from app.ui.theme import Look

_GAP = 12


class BlocksView(QWidget):
    """Closed blocks are laid out once: while text streams, only what follows them is touched."""

    link_clicked = Signal(str)
    rendered = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._stream: MarkdownStream | None = None
        self._blocks: list[Block] = []
        self._pacer = Pacer(self._render, self)
        self._widgets: list[ProseView | CodeBlock] = []
        self._placed_width = 0
        look.changed.connect(self._arrange_all)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """What is on screen now."""
        return tuple(self._blocks)

    @property
    def is_streaming(self) -> bool:
        return self._stream is not None

    @property
    def streamed_source(self) -> str:
        """All that was appended so far; empty when nothing is being written."""
        return self._stream.source if self._stream else ""

    def set_text(self, source: str) -> None:
        """Show a finished text."""
        self._pacer.cancel()
        self._stream = None
        self._apply(Change(0, parse(source)), growing=False)

    def append(self, text: str) -> None:
        """More of a text that is being written; it is drawn within the next frames."""
        if self._stream is None:
            self._stream = MarkdownStream()
            self._apply(Change(0, ()), growing=True)
        self._stream.feed(text)
        self._pacer.request()

    def finish(self, source: str) -> None:
        """The text is complete, and is `source`; whatever was streamed of it stays as it is."""
        stream = self._stream
        if stream is None or stream.source != source:
            self.set_text(source)
            return
        self._pacer.cancel()
        self._stream = None
        self._apply(stream.finish(), growing=False)

    def flush(self) -> None:
        """Draw now what was appended."""
        if self._stream is not None:
            self._pacer.run_now()

    def widget_at(self, index: int) -> ProseView | CodeBlock:
        return self._widgets[index]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.width() != self._placed_width:
            self._placed_width = self.width()
            self._arrange(0)

    def _render(self) -> None:
        if self._stream is not None:
            self._apply(self._stream.render(), growing=True)

    def _apply(self, change: Change, *, growing: bool) -> None:
        self._blocks[change.keep :] = change.blocks
        last = len(self._blocks) - 1
        for index in range(change.keep, len(self._blocks)):
            self._show(index, growing=growing and index == last)
        while len(self._widgets) > len(self._blocks):
            self._discard(self._widgets.pop())
        self._arrange(change.keep)
        self.rendered.emit()

    def _show(self, index: int, *, growing: bool) -> None:
        block = self._blocks[index]
        widget = self._widget_for(index, block)
        if isinstance(block, Code) and isinstance(widget, CodeBlock):
            widget.show_code(block, growing=growing)
        elif isinstance(block, Prose) and isinstance(widget, ProseView) and widget.html != block.html:
            widget.show_html(block.html)

    def _widget_for(self, index: int, block: Block) -> ProseView | CodeBlock:
        """The widget in this place if it is of the right kind, else a new one."""
        kind = CodeBlock if isinstance(block, Code) else ProseView
        if index < len(self._widgets):
            if isinstance(self._widgets[index], kind):
                return self._widgets[index]
            self._discard(self._widgets.pop(index))
        widget = self._make(block)
        self._widgets.insert(index, widget)
        return widget

    def _make(self, block: Block) -> ProseView | CodeBlock:
        if isinstance(block, Code):
            return CodeBlock(self._look, self)
        prose = ProseView(self._look, self.tr("Answer"), gap=_GAP, parent=self)
        prose.link_clicked.connect(self.link_clicked)
        return prose

    def _discard(self, widget: QWidget) -> None:
        widget.hide()
        widget.deleteLater()

    def _arrange_all(self) -> None:
        self._arrange(0)

    def _arrange(self, start: int) -> None:
        """Place the blocks from `start` on; those above it have not changed their height."""
        width = self._placed_width
        if not width:
            # Nobody has given this view its place yet.
            return
        top = self._widgets[start - 1].geometry().bottom() + 1 if start else 0
        for widget in self._widgets[start:]:
            height = widget.height_for(width)
            widget.setGeometry(0, top, width, height)
            widget.show()
            top += height
        self.setFixedHeight(top)
