"""What questions and answers have in common on screen: a text, its editor, and a row of buttons."""

from collections.abc import Mapping

from PySide6.QtCore import QPoint, Signal, Slot
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from app.core.settings import SendKey
from app.storage.conversations import StoredMessage
from app.ui.richtext.blocks_view import BlocksView, Hits
from app.ui.richtext.text_marks import Hit
from app.ui.theme.appearance import Appearance
from app.ui.transcript.finder import Part
from app.ui.transcript.message_actions import EditMessage
from app.ui.transcript.message_editing import MessageEditing
from app.ui.transcript.message_editor import MessageEditor
from app.ui.transcript.message_toolbar import MessageToolbar
from app.ui.widgets.accessible_roles import set_role


class MessageBase(QWidget):
    """Subclasses lay it out, and show themselves last in their constructors."""

    link_clicked = Signal(str)
    wished = Signal(object)
    """MessageAction"""
    resized = Signal()
    """It needs another height at the same width."""
    place_wanted = Signal(int)
    """A link leads to this height within the view."""

    def __init__(self, appearance: Appearance, stored: StoredMessage, parent: QWidget | None, *, sends: bool) -> None:
        """`sends`: an edited text is answered at once."""
        super().__init__(parent)
        self._appearance = appearance
        self.stored = stored
        self.blocks_view = self.make_blocks()
        # Nothing of it is made before it is known what can be seen.
        self.blocks_view.show_range(0, 0)
        self.blocks_view.link_clicked.connect(self.link_clicked)
        self.blocks_view.resized.connect(self.resized)
        self.blocks_view.place_wanted.connect(self._want_place)
        self.editing = MessageEditing(self, lambda: self.stored.message.text, sends=sends)
        self.editing.saved.connect(self._reword)
        self.editing.turned.connect(self.show_editing)
        self.editing.resized.connect(self.resized)
        self.tools = MessageToolbar(appearance, stored, self.source, self)
        self.tools.wished.connect(self.wished)
        self.tools.edit_clicked.connect(self.edit)
        set_role(self, QAccessible.Role.ListItem)

    @property
    def editor(self) -> MessageEditor | None:
        """While the text is being changed."""
        return self.editing.editor

    def source(self) -> str:
        """What is copied of it."""
        return self.stored.message.text

    def make_blocks(self) -> BlocksView:
        """The view of the text; asked once."""
        raise NotImplementedError

    def arrange(self, width: int, top: int, bottom: int) -> int:
        """Lay out at this width, with what can be seen between `top` and `bottom`; returns the height."""
        raise NotImplementedError

    def show_editing(self, edits: bool) -> None:
        """The editor was opened, or closed."""
        raise NotImplementedError

    def show_version(self, stored: StoredMessage) -> None:
        """The same message, which may have another place among its versions."""
        self.stored = stored
        self.tools.show_message(stored)

    def set_send_key(self, key: SendKey) -> None:
        """What hands out the text that is edited here."""
        self.editing.send_key = key

    def set_last(self, is_last: bool) -> None:
        self.tools.set_last(is_last)

    def edit(self) -> None:
        """Change the text in its place."""
        self.editing.open()

    def close_editor(self) -> None:
        self.editing.close()

    def anchor_at(self, y: int) -> object:
        """Something that `y_of` finds again after the layout has changed."""
        for name, view, top in self.texts():
            if top <= y < top + view.height():
                return name, view.anchor_at(y - top)
        return ("below", (0, y - self._end_of_text())) if y >= self._end_of_text() else y

    def y_of(self, anchor: object) -> int:
        match anchor:
            case int():
                return anchor
            case ("below", (_, int() as below)):
                return self._end_of_text() + below
            case (str() as name, (int() as index, int() as below)):
                for each, view, top in self.texts():
                    if each == name:
                        return top + view.y_of((index, below))
        return 0

    def open_part(self, part: Part, block: int) -> None:
        """Open what is folded, so that a place in there can be shown."""
        if part == "text":
            self.blocks_view.uncover(block)

    def reveal(self, part: Part, place: tuple[int, int]) -> None:
        """Scroll sideways within what has this place."""
        if part == "text":
            self.blocks_view.reveal(place)

    def show_hits(self, hits: Mapping[Part, Hits], current: tuple[Part, int, Hit] | None) -> None:
        """Mark what was searched for."""
        for name, view, _ in self.texts():
            now = (current[1], current[2]) if current is not None and current[0] == name else None
            view.show_hits(hits.get(name, {}), now)

    def top_of(self, part: Part, place: tuple[int, int]) -> int:
        """How high a place is in this view."""
        return next((top + view.top_of(place) for name, view, top in self.texts() if name == part), 0)

    def texts(self) -> list[tuple[Part, BlocksView, int]]:
        """Those that are shown, with how high they are in this view."""
        return [("text", self.blocks_view, self._text_top())]

    def _text_top(self) -> int:
        return self.blocks_view.mapTo(self, QPoint(0, 0)).y()

    def _end_of_text(self) -> int:
        return self._text_top() + self.blocks_view.height()

    def _want_place(self, y: int) -> None:
        self.place_wanted.emit(self._text_top() + y)

    @Slot(str)
    def _reword(self, text: str) -> None:
        self.wished.emit(EditMessage(self.stored.id, text))
