"""Whether the text of a message is being changed, and where."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.core.settings import SendKey
from app.ui.transcript.message_editor import MessageEditor
from app.ui.widgets.discard import discard


class MessageEditing(QObject):
    """Opens and closes the editor of a message within `view`, which owns this and places the editor."""

    saved = Signal(str)
    """The text; the editor stays open"""
    turned = Signal(bool)
    """The editor was opened, or closed."""
    resized = Signal()
    """The editor needs another height."""

    def __init__(self, view: QWidget, text: Callable[[], str], *, sends: bool = False) -> None:
        """`sends` where the text is answered at once."""
        super().__init__(view)
        self._view = view
        self._text = text
        self._sends = sends
        self._editor: MessageEditor | None = None
        self.send_key = SendKey.ENTER
        """What hands the text out, as in the message field."""

    @property
    def editor(self) -> MessageEditor | None:
        """While it is open."""
        return self._editor

    @Slot()
    def open(self) -> None:
        """With the message's text, or the focus goes to the editor that is open."""
        if self._editor is None:
            self._editor = MessageEditor(self._text(), self._view, sends=self._sends, send_key=self.send_key)
            self._editor.saved.connect(self.saved)
            self._editor.cancelled.connect(self.close)
            self._editor.resized.connect(self.resized)
            self._editor.show()
            self.turned.emit(True)
        self._editor.setFocus()

    @Slot()
    def close(self) -> None:
        """What was changed is lost."""
        if self._editor is not None:
            gone, self._editor = self._editor, None
            discard(gone)
            self.turned.emit(False)
