"""What questions and answers have in common: the row of buttons, and that their text is changed in its place."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, Signal, Slot
from PySide6.QtGui import QAccessible, QEnterEvent
from PySide6.QtWidgets import QWidget

from app.core.settings import SendKey
from app.storage.conversations import StoredMessage
from app.ui.richtext.blocks_view import BlocksView, Hits
from app.ui.richtext.text_marks import Hit
from app.ui.theme.appearance import Appearance
from app.ui.transcript.finder import Part
from app.ui.transcript.message_actions import EditMessage
from app.ui.transcript.message_editor import MessageEditor
from app.ui.transcript.message_toolbar import MessageToolbar
from app.ui.widgets.accessible_roles import set_role
from app.ui.widgets.discard import discard


class MessageBase(QWidget):
    """Whoever is one makes `blocks_view` and the rest, and gives everything its place.

    Of the parts of a message there is only the text here.
    """

    wished = Signal(object)
    """MessageAction"""
    resized = Signal()
    """It needs another height at the same width."""
    blocks_view: BlocksView
    """Its text."""
    _is_question = False
    """Then its text is answered at once where it was changed."""

    def __init__(self, appearance: Appearance, stored: StoredMessage, parent: QWidget | None) -> None:
        super().__init__(parent)
        set_role(self, QAccessible.Role.ListItem)
        self._appearance = appearance
        self.stored = stored
        self.editor: MessageEditor | None = None
        """While the text is being changed."""
        self._send_key = SendKey.ENTER

    @property
    def growth(self) -> int:
        """Pixels by which its text will make it higher."""
        return self.blocks_view.growth if self.editor is None else 0

    def set_send_key(self, key: SendKey) -> None:
        """What hands out the text that is edited here."""
        self._send_key = key

    def set_last(self, is_last: bool) -> None:
        self.tools.set_last(is_last)

    def show_version(self, stored: StoredMessage) -> None:
        """The same message, which may have another place among its versions."""
        self.stored = stored
        self.tools.show_message(stored)

    @Slot()
    def edit(self) -> None:
        """Change the text in its place, or go on where that is being done."""
        if self.editor is None:
            text, key = self.stored.message.text, self._send_key
            self.editor = MessageEditor(text, self, sends=self._is_question, send_key=key)
            self.editor.saved.connect(self._reword)
            self.editor.cancelled.connect(self.close_editor)
            self.editor.resized.connect(self.resized)
            self.editor.show()
            self._turn()
        self.editor.setFocus()

    @Slot()
    def close_editor(self) -> None:
        """What was changed is lost."""
        if self.editor is not None:
            gone, self.editor = self.editor, None
            discard(gone)
            self._turn()
            self.tools.edit_button.setFocus()

    def open_part(self, part: Part, block: int) -> None:
        """Open what is folded, so that a place in there can be shown."""

    def reveal(self, part: Part, place: tuple[int, int]) -> None:
        """Scroll sideways within what has this place."""
        self.blocks_view.reveal(place)

    def show_hits(self, hits: Mapping[Part, Hits], current: tuple[Part, int, Hit] | None) -> None:
        """Mark what was searched for."""
        self.blocks_view.show_hits(hits.get("text", {}), current[1:] if current is not None else None)

    def top_of(self, part: Part, place: tuple[int, int]) -> int:
        """How high a place is in this view."""
        raise NotImplementedError

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._set_near(True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._set_near(self.hasFocus())

    def _set_near(self, near: bool) -> None:
        self.tools.set_near(near)

    def _make_tools(self, source: Callable[[], str]) -> None:
        """After what stands above them, for the keyboard comes to them in that order. `source` is what is copied."""
        # Nothing of the text is made before it is known what can be seen.
        self.blocks_view.show_range(0, 0)
        self.blocks_view.resized.connect(self.resized)
        self.tools = MessageToolbar(self._appearance, self.stored, source, self)
        self.tools.wished.connect(self.wished)
        self.tools.edit_clicked.connect(self.edit)

    def _turn(self) -> None:
        """The editor was opened, or closed."""
        self.resized.emit()

    @Slot(str)
    def _reword(self, text: str) -> None:
        self.wished.emit(EditMessage(self.stored.id, text))
