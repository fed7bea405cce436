"""Colours for program text, set on the document's layouts in slices too short to be felt."""

from collections.abc import Iterator
from functools import lru_cache
from time import perf_counter

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextDocument, QTextLayout

from app.services.runtime.debounce import Ticker
from app.ui.richtext.highlight import Span, spans_by_line
from app.ui.theme.appearance import Appearance
from app.ui.theme.palette import Palette

_SLICE = 0.002
"""Seconds of work between two turns of the event loop."""
_WINDOW = 1500
"""Characters at the end of growing code that are looked at again."""


class CodeColours(QObject):
    """Colours the lines of `document`. Only formats change: the text is never laid out in another way."""

    finished = Signal()

    def __init__(self, appearance: Appearance, document: QTextDocument, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._document = document
        self._language = ""
        self._text = ""
        self._lines: Iterator[tuple[Span, ...]] = iter(())
        self._block = QTextBlock()
        self._timer = Ticker(0, self._slice, self)
        appearance.changed.connect(self._again)

    @property
    def is_busy(self) -> bool:
        return self._timer.isActive()

    def colour_all(self, language: str, text: str) -> None:
        self._language, self._text = language, text
        self._begin(spans_by_line(language, text), self._document.begin())
        self._timer.start()

    def colour_end(self, language: str, text: str) -> None:
        """A good guess for the last lines: the lexer begins in their midst, so `colour_all` has to follow."""
        offset = _line_start(text, max(0, len(text) - _WINDOW))
        block = self._document.findBlockByNumber(text.count("\n", 0, offset))
        self._begin(spans_by_line(language, text[offset:]), block)
        while self._step():
            pass

    def _begin(self, lines: Iterator[tuple[Span, ...]], block: QTextBlock) -> None:
        self._timer.stop()
        self._lines = lines
        self._block = block

    def _slice(self) -> None:
        until = perf_counter() + _SLICE
        while perf_counter() < until:
            if not self._step():
                self._timer.stop()
                self.finished.emit()
                return

    def _step(self) -> bool:
        spans = next(self._lines, None)
        if spans is None or not self._block.isValid():
            return False
        _set_formats(self._document, self._block, spans, self._appearance.tokens)
        self._block = self._block.next()
        return True

    def _again(self) -> None:
        self.colour_all(self._language, self._text)


def _set_formats(document: QTextDocument, block: QTextBlock, spans: tuple[Span, ...], tokens: Palette) -> None:
    ranges = []
    for span in spans:
        each = QTextLayout.FormatRange()
        each.start, each.length, each.format = span.start, span.length, _format(tokens, span.role)
        ranges.append(each)
    block.layout().setFormats(ranges)
    document.markContentsDirty(block.position(), block.length())


@lru_cache(maxsize=32)
def _format(tokens: Palette, role: str) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(QColor(getattr(tokens, f"code_{role}")))
    return made


def _line_start(text: str, offset: int) -> int:
    """The start of the first line at or after `offset` that is not indented, as lexers begin best there."""
    while offset:
        offset = text.find("\n", offset) + 1
        if not offset or offset >= len(text):
            return text.rfind("\n") + 1
        if not text[offset].isspace():
            break
    return offset
