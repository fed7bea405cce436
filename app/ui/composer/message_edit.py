"""The text field of the composer."""

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QFocusEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShowEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from app.core.settings import SendKey
from app.ui.composer.mime_content import is_for_window, read_paste
from app.ui.theme.fonts import READING_SIZE, text_font

_LEAST_LINES = 2
_MOST_PASTED_LINES = 60
_ENTERS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_BREAKS = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier


class MessageEdit(QPlainTextEdit):
    """The text field: Enter sends, Shift+Enter breaks the line; or Ctrl+Enter sends, and Enter breaks it."""

    entered = Signal()
    escaped = Signal()
    offered = Signal(object)
    """MimeContent: files or pictures were pasted"""
    long_pasted = Signal(str)
    """A text that is too long for a field"""
    older_wanted = Signal()
    newer_wanted = Signal()
    focus_changed = Signal(bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._long_paste = 0
        self._send_key = SendKey.ENTER
        self._model = ""
        self._busy = False
        self._composes = False
        self.setObjectName("message")
        self.setAccessibleName(self.tr("Message"))
        self.setFont(text_font(READING_SIZE))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(2)
        self._say_whom()

    def set_keys(self, send_key: SendKey, long_paste: int = 0) -> None:
        """How Enter is taken, and from how many characters on pasted text is handed out; 0 for never."""
        self._send_key, self._long_paste = send_key, long_paste
        self._say_whom()

    def set_model(self, name: str) -> None:
        """Who is being written to; empty for nobody yet."""
        self._model = name
        self._say_whom()

    def set_busy(self, busy: bool) -> None:
        """While an answer is being made, what is sent waits."""
        self._busy = busy
        self._say_whom()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._say_whom()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._say_whom()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self._say_whom()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composes = bool(event.preeditString())
        super().inputMethodEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and self._leaves(event):
            # The window's shortcut has it: the end of the conversation, or what was removed there.
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _ENTERS:
            self._press_enter(event)
        elif event.key() == Qt.Key.Key_Escape and not self._composes:
            self.escaped.emit()
        elif event.key() == Qt.Key.Key_Up and self._is_plain(event) and self._on_edge(QTextCursor.MoveOperation.Up):
            self.older_wanted.emit()
        elif event.key() == Qt.Key.Key_Down and self._is_plain(event) and self._on_edge(QTextCursor.MoveOperation.Down):
            self.newer_wanted.emit()
        else:
            super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return super().canInsertFromMimeData(source) or read_paste(source) is not None

    def insertFromMimeData(self, source: QMimeData) -> None:
        if (offer := read_paste(source)) is not None:
            self.offered.emit(offer)
        elif source.hasText() and self.is_long(source.text()):
            self.long_pasted.emit(source.text())
        else:
            super().insertFromMimeData(source)

    def is_long(self, text: str) -> bool:
        """Whether a text that is pasted is better attached."""
        if not self._long_paste:
            return False
        return len(text) > self._long_paste or text.rstrip("\n").count("\n") >= _MOST_PASTED_LINES

    def put(self, text: str) -> None:
        """Insert at the cursor, as one step that can be undone."""
        self.textCursor().insertText(text)
        self.ensureCursorVisible()

    def replace(self, text: str, where: QTextCursor.MoveOperation = QTextCursor.MoveOperation.End) -> None:
        """Another text instead of this one, as one step that can be undone; the cursor goes to its end or start."""
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.moveCursor(where)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        # Pictures and files are the window's, wherever they are dropped; here they would become their addresses.
        if is_for_window(event.mimeData()):
            event.ignore()
        else:
            super().dragEnterEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._composes = False
        self.focus_changed.emit(False)

    def lines_height(self) -> int:
        """Pixels that the whole text needs, wrapped lines included."""
        spacing = self.fontMetrics().lineSpacing()
        margin = 2 * int(self.document().documentMargin())
        return max(_LEAST_LINES, int(self.document().size().height())) * spacing + margin

    def _say_whom(self) -> None:
        """On one line: which keys send is left out where there is no room for it."""
        whom = self.tr("Message {model}…").format(model=self._model) if self._model else self.tr("Message…")
        room = self.viewport().width() - 2 * int(self.document().documentMargin()) - 2
        words = whom + self._keys()
        if self.isVisible() and self.fontMetrics().horizontalAdvance(words) > room:
            words = self.fontMetrics().elidedText(whom, Qt.TextElideMode.ElideRight, room)
        if words == self.placeholderText():
            return
        self.setPlaceholderText(words)
        # Qt 6.11 draws another placeholder only when it shows or hides.
        self.viewport().update()

    def _keys(self) -> str:
        if self._busy:
            return self.tr("  (sent when the answer ends)")
        if self._send_key is SendKey.CTRL_ENTER:
            return self.tr("  (Ctrl+Enter to send)")
        return self.tr("  (Enter to send, Shift+Enter for a new line)")

    def _leaves(self, event: QKeyEvent) -> bool:
        """Whether a key that goes to the end would go nowhere here, or one that undoes would undo nothing."""
        if event.matches(QKeySequence.StandardKey.Undo):
            return not self.document().isUndoAvailable()
        return event.matches(QKeySequence.StandardKey.MoveToEndOfDocument) and self.textCursor().atEnd()

    def _press_enter(self, event: QKeyEvent) -> None:
        if self._composes:
            # Enter chooses the word that the input method offers.
            return
        if self._sends(event):
            self.entered.emit()
        else:
            self.textCursor().insertBlock()
            self.ensureCursorVisible()

    def _sends(self, event: QKeyEvent) -> bool:
        if event.modifiers() & _BREAKS:
            return False
        return self._send_key is SendKey.ENTER or bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)

    def _is_plain(self, event: QKeyEvent) -> bool:
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        return not self._composes and held == Qt.KeyboardModifier.NoModifier

    def _on_edge(self, move: QTextCursor.MoveOperation) -> bool:
        """Whether the cursor could not go further that way: it is in the first line on screen, or in the last."""
        cursor = self.textCursor()
        return not cursor.hasSelection() and not cursor.movePosition(move)
