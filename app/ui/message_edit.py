"""The text field of the composer."""

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QFocusEvent, QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from app.ui.fonts import READING_SIZE, text_font
from app.ui.picture_drops import is_for_pictures, read_paste

_LEAST_LINES = 2


class MessageEdit(QPlainTextEdit):
    """The text field: Enter sends, Shift+Enter breaks the line."""

    entered = Signal()
    escaped = Signal()
    offered = Signal(object)
    """picture_drops.Offer: pictures were pasted"""
    focus_changed = Signal(bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("message")
        self.setAccessibleName(self.tr("Message"))
        self.setFont(text_font(READING_SIZE))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(2)
        self._composes = False

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composes = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._composes:
                # Enter chooses the word that the input method offers.
                return
            if not event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier):
                self.entered.emit()
                return
            self.textCursor().insertBlock()
            self.ensureCursorVisible()
            return
        if event.key() == Qt.Key.Key_Escape and not self._composes:
            self.escaped.emit()
            return
        super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return super().canInsertFromMimeData(source) or read_paste(source) is not None

    def insertFromMimeData(self, source: QMimeData) -> None:
        if (offer := read_paste(source)) is not None:
            self.offered.emit(offer)
        else:
            super().insertFromMimeData(source)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        # Pictures and files are the window's, wherever they are dropped; here they would become their addresses.
        if is_for_pictures(event.mimeData()):
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
