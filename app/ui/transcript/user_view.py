"""What the user said: a bubble at the right, with documents and pictures above it."""

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QFrame, QWidget

from app.services.pictures.preview_cache import PreviewCache
from app.services.recordings.service import RecordingService
from app.storage.conversations import StoredMessage
from app.ui.formatting.dates import full_moment
from app.ui.pictures.flow import PictureFlow
from app.ui.pictures.view import PictureView
from app.ui.recordings.view import RecordingRow, RecordingView
from app.ui.richtext.blocks_view import BlocksView
from app.ui.theme.appearance import Appearance
from app.ui.transcript.document_chips import DocumentChips
from app.ui.transcript.finder import Part
from app.ui.transcript.message_base import MessageBase

_BUBBLE_SHARE = 0.78
_PADDING_X, _PADDING_TOP, _PADDING_BOTTOM = 16, 13, -8
"""The last block has room of its own below it."""
_ABOVE_GAP = 8
_EDITOR_GAP = 18
_BESIDE, _ABOVE_END, _BELOW = 8, 8, 2
"""Pixels between the bubble and the row of buttons: at its side, up from its lower end, or below it."""


class UserView(MessageBase):
    """The user's own words: code and lists as such, the rest as it was typed."""

    _is_question = True

    def __init__(
        self,
        appearance: Appearance,
        stored: StoredMessage,
        parent: QWidget | None = None,
        *,
        previews: PreviewCache | None = None,
        recordings: RecordingService | None = None,
    ) -> None:
        """Without a service no pictures, or no recordings, are shown."""
        super().__init__(appearance, stored, parent)
        self.picture_flow = PictureFlow(appearance, previews, self) if previews is not None else None
        self._recordings = RecordingRow(appearance, recordings, self) if recordings is not None else None
        self.documents: DocumentChips | None = None
        self.bubble = QFrame(self)
        self.bubble.setObjectName("bubble")
        self._width, self._end, self._beside = 0, 0, False
        """Of the message, where its bubble or pictures end, and whether the row of buttons stands beside that."""
        self._arranged: tuple[int, int] | None = None
        """Its width and height, until it is `resized`, where these are the same whatever of it is in sight."""
        self.resized.connect(self._forget_arranged)
        self.blocks_view = BlocksView(
            appearance, self.bubble, typed=True, source=lambda: self.stored.message.text, name=self.tr("Your message")
        )
        self._make_tools(lambda: self.stored.message.text)
        # The height stays: a message that grew under the mouse would push the others away.
        self.tools.awake_changed.connect(self._place_tools)
        # With Tab the keyboard comes to the message, and from there to its tools.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(self.tr("Your message"))
        self.setAccessibleDescription(full_moment(stored.created_at))
        self.show_message(stored)

    @property
    def pictures(self) -> tuple[PictureView, ...]:
        return self.picture_flow.views if self.picture_flow is not None else ()

    @property
    def recordings(self) -> tuple[RecordingView, ...]:
        return self._recordings.views if self._recordings is not None else ()

    def show_message(self, stored: StoredMessage) -> None:
        self.stored = stored
        self.blocks_view.set_text(stored.message.text)
        self.tools.show_message(stored)
        if self.picture_flow is not None:
            self.picture_flow.show_pictures(stored.message.pictures)
        if self._recordings is not None:
            self._recordings.show_recordings(stored.message.recordings)
        if stored.message.documents and self.documents is None:
            self.documents = DocumentChips(self._appearance, self)
            self.documents.show()
        if self.documents is not None:
            self.documents.show_documents(stored.message.documents)
        self.resized.emit()

    def show_version(self, stored: StoredMessage) -> None:
        super().show_version(stored)
        self.resized.emit()

    def arrange(self, width: int, top: int, bottom: int) -> int:
        """Lay out at this width, with what can be seen between `top` and `bottom`; returns the height."""
        if self._arranged is not None and self._arranged[0] == width:
            return self._arranged[1]
        height = self._arrange(width, top, bottom)
        if self.editor is None and self.isVisible() and self._is_plain():
            self._arranged = width, height
        return height

    def _is_plain(self) -> bool:
        """One paragraph and nothing else, as most are."""
        has_media = bool(self.documents is not None or self.pictures or self.recordings)
        return not has_media and len(self.blocks_view.blocks) == 1

    @Slot()
    def _forget_arranged(self) -> None:
        self._arranged = None

    def _arrange(self, width: int, top: int, bottom: int) -> int:
        y = 0
        for each in (self.documents, self._recordings, self.picture_flow):
            if each is None or (isinstance(each, PictureFlow | RecordingRow) and not each.views):
                continue
            each.move(0, y)
            y += each.place(width) + _ABOVE_GAP
        editor = self.editor
        edits = editor is not None
        has_bubble = not edits and (bool(self.stored.message.text) or not y)
        self.bubble.setVisible(has_bubble)
        self.tools.setVisible(not edits)
        if editor is not None:
            height = editor.sizeHint().height()
            editor.setGeometry(0, y, width, height)
            return y + height + _EDITOR_GAP
        self.blocks_view.show_range(top - y - _PADDING_TOP, bottom - y - _PADDING_TOP)
        y = self._place_bubble(width, y) if has_bubble else y - _ABOVE_GAP
        self._width, self._end = width, y
        self._beside = has_bubble and self.tools.least_width() + _BESIDE <= self._room()
        self._place_tools()
        return y + _ABOVE_END if self._beside else y + _BELOW + self.tools.minimumHeight()

    def anchor_at(self, y: int) -> object:
        """Something that `y_of` finds again after the layout has changed."""
        within = y - self._text_top()
        if within >= self.blocks_view.height():
            return "below", within - self.blocks_view.height()
        return self.blocks_view.anchor_at(within) if within >= 0 else y

    def y_of(self, anchor: object) -> int:
        match anchor:
            case int():
                return anchor
            case ("below", int() as below):
                return self._text_top() + self.blocks_view.height() + below
            case (int() as index, int() as below):
                return self._text_top() + self.blocks_view.y_of((index, below))
        return 0

    def top_of(self, part: Part, place: tuple[int, int]) -> int:
        return self._text_top() + self.blocks_view.top_of(place)

    def _room(self) -> int:
        """Pixels beside the bubble."""
        bubble = self.bubble.geometry()
        return bubble.left() if not self.isRightToLeft() else self._width - bubble.right() - 1

    def _place_tools(self) -> None:
        """Beside the last line, where they take no height; below it where there is no room."""
        tools, room = self.tools, self._room() - _BESIDE if self._beside else self._width
        tools.show_time(True)
        if (wide := tools.sizeHint().width()) > room:
            tools.show_time(False)
            wide = tools.sizeHint().width()
        high = tools.minimumHeight()
        top = self._end - high - _ABOVE_END if self._beside else self._end + _BELOW
        tools.setGeometry(room - wide if not self.isRightToLeft() else self._width - room, top, wide, high)

    def _text_top(self) -> int:
        return self.bubble.y() + self.blocks_view.y()

    def _text_width(self, width: int) -> int:
        """As wide as the longest line, up to a share of the page."""
        return max(20, self.blocks_view.longest_line(int(width * _BUBBLE_SHARE) - 2 * _PADDING_X))

    def _place_bubble(self, width: int, top: int) -> int:
        """Its lower end."""
        inside = self._text_width(width)
        high = self.blocks_view.place(inside)
        outside = inside + 2 * _PADDING_X
        left = width - outside if self.layoutDirection() == Qt.LayoutDirection.LeftToRight else 0
        self.bubble.setGeometry(left, top, outside, high + _PADDING_TOP + _PADDING_BOTTOM)
        self.blocks_view.setGeometry(_PADDING_X, _PADDING_TOP, inside, high)
        return top + high + _PADDING_TOP + _PADDING_BOTTOM

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._set_near(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._set_near(self.underMouse())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.LayoutDirectionChange):
            self.resized.emit()
