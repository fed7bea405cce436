"""The text of a message while it is being changed, in its place in the conversation."""

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.core.settings import SendKey
from app.ui.composer.message_edit import MessageEdit

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
        self._field = _Field(self)
        self._field.setObjectName("editing")
        self._field.setAccessibleName(self.tr("Edit message"))
        self._field.set_keys(send_key)
        self._field.setPlainText(text)
        self._field.moveCursor(QTextCursor.MoveOperation.End)
        self._save = QPushButton(self.tr("Send") if sends else self.tr("Save"), self)
        self._save.setProperty("tone", "primary")
        key = self.tr("Enter") if send_key is SendKey.ENTER else self.tr("Ctrl+Enter")
        self._save.setToolTip((self.tr("Send ({key})") if sends else self.tr("Save ({key})")).format(key=key))
        self._cancel = QPushButton(self.tr("Cancel"), self)
        self._cancel.setToolTip(self.tr("Cancel (Esc)"))
        for button in (self._save, self._cancel):
            button.setAccessibleName(button.text())
        self._field.entered.connect(self._hand_out)
        self._field.escaped.connect(self.cancelled)
        self._save.clicked.connect(self._hand_out)
        self._cancel.clicked.connect(self.cancelled)
        self._field.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._lay_out()
        self._fit()
        self.setFocusProxy(self._field)

    @property
    def field(self) -> MessageEdit:
        return self._field

    @property
    def save_button(self) -> QPushButton:
        return self._save

    @property
    def cancel_button(self) -> QPushButton:
        return self._cancel

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _hand_out(self) -> None:
        self.saved.emit(self._field.toPlainText())

    def _fit(self) -> None:
        wanted, most = self._field.lines_height(), max(80, int(self.window().height() * _SHARE))
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if wanted > most else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self._field.setVerticalScrollBarPolicy(policy)
        height = min(wanted, most)
        if height != self._field.height():
            self._field.setFixedHeight(height)
            self.resized.emit()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(self._cancel)
        row.addWidget(self._save)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 11, 11, 11)
        column.setSpacing(8)
        column.addWidget(self._field)
        column.addLayout(row)
