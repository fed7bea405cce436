"""Program text in a card of its own: language, a copy button, and a scroll bar for long lines."""

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QTextCursor, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from app.ui.buttons import CopyButton
from app.ui.code_colours import CodeColours
from app.ui.fonts import code_font
from app.ui.markdown import Code
from app.ui.theme import Look

_SCROLL_BAR = 12
"""Room below the text that a scroll bar may take, kept free so that nothing moves when it comes."""
_OPEN_MS = 120


class CodeText(QPlainTextEdit):
    """The text itself: read-only, never wrapped, as high as its lines."""

    def __init__(self, parent: QWidget) -> None:
        self._is_plain = True
        super().__init__(parent)
        self.setProperty("tone", "code")
        self.setAccessibleName(self.tr("Code"))
        self.setFont(code_font())
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setWordWrapMode(QTextOption.WrapMode.NoWrap)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Keyboards reach the text: it scrolls and is selected with the arrow keys.
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(0)
        self._fit()

    def write(self, text: str) -> None:
        """Replace the text."""
        self._is_plain = text.isascii()
        self.setPlainText(text)
        self._fit()

    def append_text(self, text: str) -> None:
        """Add to the end without touching what is there, a selection included."""
        self._is_plain = self._is_plain and text.isascii()
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        sideways = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if not sideways and abs(event.angleDelta().y()) >= abs(event.angleDelta().x()):
            event.ignore()
        else:
            super().wheelEvent(event)

    def _fit(self) -> None:
        layout, block = self.document().documentLayout(), self.document().firstBlock()
        line = layout.blockBoundingRect(block).height()
        height = line * self.blockCount()
        if not self._is_plain:
            # Letters of another font can make a line higher than its neighbours.
            height = 0.0
            while block.isValid():
                height += layout.blockBoundingRect(block).height()
                block = block.next()
        self.setFixedHeight(int(height + 0.999) + _SCROLL_BAR)


class CodeBlock(QFrame):
    """Grows by `show_code` without laying out again what it holds. Colours come a little later than the text."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("code")
        self._code = Code("", "")
        self._coloured: Code | None = None
        self._language = QLabel(self)
        self._language.setTextFormat(Qt.TextFormat.PlainText)
        self._language.setProperty("tone", "small")
        self._copy = CopyButton(look, self.tr("Copy code"), self._source, label=self.tr("Copy"), parent=self)
        self._text = CodeText(self)
        self._colours = CodeColours(look, self._text.document(), self)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_OPEN_MS)
        self._later.timeout.connect(self._colour_end)
        self._lay_out()

    @property
    def code(self) -> Code:
        return self._code

    @property
    def text_view(self) -> QPlainTextEdit:
        return self._text

    @property
    def colours(self) -> CodeColours:
        return self._colours

    def show_code(self, code: Code, *, growing: bool) -> None:
        """`growing` code is coloured near its end only; finished code exactly, in small steps."""
        if code != self._code:
            self._write(code)
        if growing:
            if not self._later.isActive():
                self._later.start()
        elif code != self._coloured:
            self._later.stop()
            self._coloured = code
            self._colours.colour_all(code.language, code.text)

    def height_for(self, width: int) -> int:
        """The same at every width, as no line is wrapped."""
        return self.sizeHint().height()

    def _write(self, code: Code) -> None:
        shown = self._code.text
        if shown and code.text.startswith(shown):
            self._text.append_text(code.text[len(shown) :])
        else:
            self._text.write(code.text)
        self._code = code
        self._language.setText(code.language or self.tr("text"))

    def _colour_end(self) -> None:
        self._colours.colour_end(self._code.language, self._code.text)

    def _source(self) -> str:
        return self._code.text

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(self._language)
        head.addStretch(1)
        head.addWidget(self._copy)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 6, 8, 2)
        layout.setSpacing(2)
        layout.addLayout(head)
        layout.addWidget(self._text)
