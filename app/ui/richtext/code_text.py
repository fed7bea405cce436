"""Program text as one light widget: painted line by line, so that its length costs nothing."""

from typing import cast

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextLayout,
    QTextLine,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QPlainTextDocumentLayout, QScrollBar, QWidget

from app.ui.richtext.selectable_text import SelectableText, Selector
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import code_font
from app.ui.widgets.accessible_roles import set_role
from app.ui.widgets.row_painter import format_range

_SCROLL_BAR = 12
"""Room below the text that a scroll bar may take, kept free so that nothing moves when it comes."""
_LEADING = 1.12
_TAB = 4
_STEP = 40


class _Layout(QPlainTextDocumentLayout):
    """Qt's own wraps for its own editors alone: the width comes to it by a private door."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._wrapped = 0

    def wrap_at(self, width: int) -> None:
        """Pixels; 0 leaves lines as long as they are."""
        self._wrapped = width
        length = self.document().characterCount()
        super().documentChanged(0, length, length)
        self._wrap(0, length)

    def documentChanged(self, start: int, removed: int, added: int) -> None:
        super().documentChanged(start, removed, added)
        self._wrap(start, start + added)

    def _wrap(self, start: int, end: int) -> None:
        block = self.document().findBlock(start)
        while self._wrapped and block.isValid() and block.position() <= end:
            layout = block.layout()
            layout.setTextOption(self.document().defaultTextOption())
            layout.beginLayout()
            while (line := layout.createLine()).isValid():
                line.setLineWidth(self._wrapped)
            layout.endLayout()
            block.setLineCount(layout.lineCount())
            block = block.next()


class CodeText(SelectableText):
    """Read-only. All lines are equally high, whatever letters they have; long ones scroll or are wrapped."""

    def __init__(self, appearance: Appearance, selector: Selector | None = None, parent: QWidget | None = None) -> None:
        super().__init__(QTextDocument(), selector, parent)
        self._appearance = appearance
        self._document.setUndoRedoEnabled(False)
        self._document.setDocumentMargin(0)
        self._document.setDefaultFont(code_font())
        self._layout = _Layout(self._document)
        self._document.setDocumentLayout(self._layout)
        self._metrics = metrics = QFontMetricsF(code_font())
        self._letter = metrics.horizontalAdvance("x")
        self._widest = 0.0
        self.line_height = int(metrics.lineSpacing() * _LEADING + 0.999)
        self._base = (self.line_height - metrics.height()) / 2 + metrics.ascent()
        self.wraps = False
        self._set_options(metrics.horizontalAdvance(" ") * _TAB)
        self.scroll_bar = QScrollBar(Qt.Orientation.Horizontal, self)
        """Hidden where all lines are in view."""
        self.scroll_bar.setSingleStep(_STEP)
        self.scroll_bar.valueChanged.connect(self.update)
        self.scroll_bar.hide()
        self._layout.update.connect(self._repaint)
        self.setAccessibleName(self.tr("Code"))
        set_role(self, QAccessible.Role.Paragraph)
        appearance.changed.connect(self.update)

    def plain_text(self) -> str:
        return self._document.toPlainText()

    def write(self, text: str) -> None:
        """Replace the text."""
        self._cursor.clearSelection()
        self._document.setPlainText(text)
        self._widest = 0.0
        self._measure(text)
        self._fit()

    def append_text(self, text: str) -> None:
        """Add to the end without touching what is there, a selection included."""
        kept = (self._cursor.anchor(), self._cursor.position())
        self._measure(self._document.lastBlock().text() + text)
        cursor = QTextCursor(self._document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)
        self._cursor.setPosition(kept[0])
        self._cursor.setPosition(kept[1], QTextCursor.MoveMode.KeepAnchor)
        self._fit()

    def set_wraps(self, wraps: bool) -> None:
        if wraps != self.wraps:
            self.wraps = wraps
            self.scroll_bar.setValue(0)
            self._rewrap()

    def height_for(self, width: int) -> int:
        """Pixels, the room for a scroll bar included."""
        if self.wraps and width != self.width():
            self.resize(width, self.height())
            self._rewrap()
        return self._document.lineCount() * self.line_height + _SCROLL_BAR

    def longest_line(self) -> int:
        """Pixels, without wrapping."""
        return int(self._widest) + 2

    def place_at(self, point: QPoint) -> int:
        number = max(0, point.y() // self.line_height)
        block = self._document.findBlockByLineNumber(number)
        if not block.isValid():
            return self.length
        self._layout.ensureBlockLayout(block)
        line = block.layout().lineAt(number - block.firstLineNumber())
        column = line.xToCursor(point.x() + self.scroll_bar.value()) if line.isValid() else 0
        return block.position() + column

    def top_of(self, place: int) -> int:
        return self._document.findBlock(place).firstLineNumber() * self.line_height

    def reveal(self, place: int) -> None:
        """Scroll sideways until this place is in view."""
        block = self._document.findBlock(place)
        self._layout.ensureBlockLayout(block)
        line = block.layout().lineForTextPosition(place - block.position())
        left = _left_of(line, place - block.position()) if line.isValid() else 0
        if not self.scroll_bar.value() <= left <= self.scroll_bar.value() + self.width() - 2 * _STEP:
            self.scroll_bar.setValue(max(0, left - self.width() // 2))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QColor(self._appearance.tokens.text))
        top, bottom = event.rect().top(), event.rect().bottom()
        block = self._document.findBlockByLineNumber(max(0, top // self.line_height))
        shift = -self.scroll_bar.value()
        clip = QRectF(event.rect())
        while block.isValid():
            y = block.firstLineNumber() * self.line_height
            if y > bottom:
                break
            self._straighten(block)
            block.layout().draw(painter, QPointF(shift, y), self._marks(block), clip)
            block = block.next()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.wraps and event.size().width() != event.oldSize().width():
            self._rewrap()
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.update()

    def _straighten(self, block: QTextBlock) -> None:
        """Put the lines of a block where they belong: letters of other fonts would make theirs higher."""
        self._layout.ensureBlockLayout(block)
        layout = block.layout()
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            y = number * self.line_height + self._base - line.ascent()
            if line.y() != y:
                line.setPosition(QPointF(0, y))

    def _marks(self, block: QTextBlock) -> list[QTextLayout.FormatRange]:
        tokens = self._appearance.tokens
        begin, length = block.position(), block.length()
        marks = []
        for start, end in self._hits:
            if start < begin + length and end > begin:
                now = (start, end) == self._current_hit
                ground, ink = (tokens.found_now, tokens.on_found) if now else (tokens.found, tokens.text)
                marks.append(_mark(max(0, start - begin), min(end - begin, length), ground, ink))
        if self._cursor.hasSelection():
            start, end = self._cursor.selectionStart() - begin, self._cursor.selectionEnd() - begin
            if start < length and end > 0:
                marks.append(_mark(max(0, start), min(end, length), tokens.selection, tokens.text))
        return marks

    def _repaint(self, area: QRectF) -> None:
        self.update()

    def _measure(self, lines: str) -> None:
        """Keep how wide the widest line is, without laying any of them out."""
        for line in lines.split("\n"):
            shown = line.expandtabs(_TAB) if "\t" in line else line
            wide = len(shown) * self._letter if shown.isascii() else self._metrics.horizontalAdvance(shown)
            self._widest = max(self._widest, wide)

    def _fit(self) -> None:
        wide = 0 if self.wraps else int(self._widest) + 1
        beyond = wide - self.width()
        self.scroll_bar.setRange(0, max(0, beyond))
        self.scroll_bar.setPageStep(max(1, self.width()))
        self.scroll_bar.setVisible(beyond > 0)
        self.scroll_bar.setGeometry(0, self.height() - _SCROLL_BAR + 1, self.width(), _SCROLL_BAR - 2)
        self.update()

    def _rewrap(self) -> None:
        option = self._document.defaultTextOption()
        mode = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere if self.wraps else QTextOption.WrapMode.NoWrap
        option.setWrapMode(mode)
        self._document.setDefaultTextOption(option)
        self._layout.wrap_at(max(20, self.width()) if self.wraps else 0)
        self._fit()

    def _set_options(self, tab: float) -> None:
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        option.setTabStopDistance(tab)
        # Programs are written from the left, also where their comments are not.
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        self._document.setDefaultTextOption(option)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta()
        sideways = turned.x() or (turned.y() if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 0)
        if self.scroll_bar.maximum() and abs(sideways) >= abs(turned.y() if turned.x() else 0) and sideways:
            self.scroll_bar.setValue(self.scroll_bar.value() - sideways // 2)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.scroll_bar.setValue(self.scroll_bar.value() + (_STEP if event.key() == Qt.Key.Key_Right else -_STEP))
        else:
            super().keyPressEvent(event)


def _mark(start: int, end: int, ground: str, ink: str) -> QTextLayout.FormatRange:
    return format_range(start, end - start, QColor(ink), ground=QColor(ground))


def _left_of(line: QTextLine, place: int) -> int:
    # PySide returns the place beside it, whatever its stubs say.
    left, _ = cast("tuple[float, int]", line.cursorToX(place))
    return int(left)
