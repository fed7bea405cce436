"""What questions and answers have in common: the row of buttons, and that their text is changed in its place."""

from collections.abc import Callable

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from app.core.settings import SendKey
from app.storage.conversations import StoredMessage
from app.ui.theme.appearance import Appearance
from app.ui.transcript.message_actions import EditMessage
from app.ui.transcript.message_editor import MessageEditor
from app.ui.transcript.message_toolbar import MessageToolbar
from app.ui.widgets.discard import discard


class MessageBase(QWidget):
    """Whoever is one makes the rest, and gives everything its place."""

    wished = Signal(object)
    """MessageAction"""
    resized = Signal()
    """It needs another height at the same width."""
    _is_question = False
    """Then its text is answered at once where it was changed."""

    def __init__(self, appearance: Appearance, stored: StoredMessage, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._stored = stored
        self._editor: MessageEditor | None = None
        self._send_key = SendKey.ENTER

    @property
    def stored(self) -> StoredMessage:
        return self._stored

    @property
    def tools(self) -> MessageToolbar:
        return self._tools

    @property
    def editor(self) -> MessageEditor | None:
        """While the text is being changed."""
        return self._editor

    def set_send_key(self, key: SendKey) -> None:
        """What hands out the text that is edited here."""
        self._send_key = key

    def set_last(self, is_last: bool) -> None:
        self._tools.set_last(is_last)

    def show_version(self, stored: StoredMessage) -> None:
        """The same message, which may have another place among its versions."""
        self._stored = stored
        self._tools.show_message(stored)

    @Slot()
    def edit(self) -> None:
        """Change the text in its place, or go on where that is being done."""
        if self._editor is None:
            text, key = self._stored.message.text, self._send_key
            self._editor = MessageEditor(text, self, sends=self._is_question, send_key=key)
            self._editor.saved.connect(self._reword)
            self._editor.cancelled.connect(self.close_editor)
            self._editor.resized.connect(self.resized)
            self._editor.show()
            self._turn()
        self._editor.setFocus()

    @Slot()
    def close_editor(self) -> None:
        """What was changed is lost."""
        if self._editor is not None:
            gone, self._editor = self._editor, None
            discard(gone)
            self._turn()
            self._tools.edit_button.setFocus()

    def _make_tools(self, source: Callable[[], str]) -> None:
        """After what stands above them, for the keyboard comes to them in that order. `source` is what is copied."""
        self._tools = MessageToolbar(self._appearance, self._stored, source, self)
        self._tools.wished.connect(self.wished)
        self._tools.edit_clicked.connect(self.edit)

    def _turn(self) -> None:
        """The editor was opened, or closed."""
        raise NotImplementedError

    @Slot(str)
    def _reword(self, text: str) -> None:
        self.wished.emit(EditMessage(self._stored.id, text))
