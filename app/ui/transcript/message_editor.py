"""The text of a message while it is being changed, in its place in the conversation."""

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from app.core.settings import SendKey
from app.ui.composer.message_edit import MessageEdit
from app.ui.widgets.buttons import push_button
from app.ui.widgets.layouts import FILL, hbox, vbox

_SHARE = 0.5
"""Of the window's height, the text takes no more than this."""
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class _Field(MessageEdit):
    """Takes Enter as the message field does."""

    def event(self, event: QEvent) -> bool:
        # The window's own keys, Escape for one, are not for it while something is being written here.
        mine = isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Escape, *_ENTER)
        if mine and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.lines_height() <= self.height():
            # Qt stays where it scrolled to while there was less room.
            self.verticalScrollBar().setValue(0)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        # The pictures of a message stay what they are: text alone goes in.
        return QPlainTextEdit.canInsertFromMimeData(self, source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        QPlainTextEdit.insertFromMimeData(self, source)


class MessageEditor(QFrame):
    """Hands the text out by `saved`, and stays open until its owner closes it."""

    saved = Signal(str)
    cancelled = Signal()
    resized = Signal()
    """It needs another height, `sizeHint`."""

    def __init__(self, text: str, parent: QWidget, *, sends: bool = False, send_key: SendKey = SendKey.ENTER) -> None:
        """`sends` where the text is answered at once; `send_key` hands it out."""
        super().__init__(parent)
        self.setObjectName("editor")
        field = self.field = _Field(self)
        field.setObjectName("editing")
        field.setAccessibleName(self.tr("Edit message"))
        field.set_keys(send_key)
        field.setPlainText(text)
        field.moveCursor(QTextCursor.MoveOperation.End)
        key = self.tr("Enter") if send_key is SendKey.ENTER else self.tr("Ctrl+Enter")
        tip = (self.tr("Send ({key})") if sends else self.tr("Save ({key})")).format(key=key)
        hands_out = self.tr("Send") if sends else self.tr("Save")
        self.save_button = push_button(hands_out, self, self._hand_out, tip=tip, tone="primary")
        self.cancel_button = push_button(self.tr("Cancel"), self, self.cancelled, tip=self.tr("Cancel (Esc)"))
        field.entered.connect(self._hand_out)
        field.escaped.connect(self.cancelled)
        field.document().documentLayout().documentSizeChanged.connect(self._fit)
        row = hbox(FILL, self.cancel_button, self.save_button, gap=8)
        vbox(field, row, on=self, gap=8, margins=(14, 11, 11, 11))
        self._fit()
        self.setFocusProxy(field)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _hand_out(self) -> None:
        self.saved.emit(self.field.toPlainText())

    def _fit(self) -> None:
        wanted, most = self.field.lines_height(), max(80, int(self.window().height() * _SHARE))
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if wanted > most else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.field.setVerticalScrollBarPolicy(policy)
        height = min(wanted, most)
        if height != self.field.height():
            self.field.setFixedHeight(height)
            self.resized.emit()
