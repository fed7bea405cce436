"""The blocks of one Markdown text below each other, at once or while the text is being written."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

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
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)

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

    def widget_at(self, index: int) -> QWidget:
        item = self._layout.itemAt(index)
        widget = item.widget() if item is not None else None
        assert widget is not None
        return widget

    def _render(self) -> None:
        if self._stream is not None:
            self._apply(self._stream.render(), growing=True)

    def _apply(self, change: Change, *, growing: bool) -> None:
        before = self._blocks
        self._blocks = before[: change.keep] + list(change.blocks)
        last = len(self._blocks) - 1
        for index in range(change.keep, len(self._blocks)):
            old = before[index] if index < len(before) else None
            self._show(index, old, growing=growing and index == last)
        for index in range(len(before) - 1, last, -1):
            self._remove(index)
        self.rendered.emit()

    def _show(self, index: int, old: Block | None, *, growing: bool) -> None:
        block = self._blocks[index]
        if old is not None and type(old) is not type(block):
            self._remove(index)
            old = None
        if old is None:
            self._insert(index, block)
        widget = self.widget_at(index)
        if isinstance(block, Code) and isinstance(widget, CodeBlock):
            widget.show_code(block, growing=growing)
        elif isinstance(block, Prose) and isinstance(widget, ProseView) and widget.html != block.html:
            widget.show_html(block.html)

    def _insert(self, index: int, block: Block) -> None:
        if isinstance(block, Code):
            self._layout.insertWidget(index, CodeBlock(self._look, self))
        else:
            prose = ProseView(self._look, self.tr("Answer"), gap=_GAP, parent=self)
            prose.link_clicked.connect(self.link_clicked)
            self._layout.insertWidget(index, prose)

    def _remove(self, index: int) -> None:
        item = self._layout.takeAt(index)
        widget = item.widget() if item is not None else None
        if widget is not None:
            widget.hide()
            widget.deleteLater()
