"""One message: what the user said in a bubble at the right, an answer as text on the page."""

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.core.messages import Role
from app.services.picture_shelf import PictureShelf
from app.services.states import Activity, Idle, LookingAt, Reading, Stopping, Waiting
from app.storage.conversations import MessageState, StoredMessage
from app.ui.blocks_view import BlocksView
from app.ui.buttons import CopyButton, IconButton
from app.ui.figures import answer_details, answer_line
from app.ui.picture_flow import PictureFlow
from app.ui.picture_view import PictureView
from app.ui.prose import ProseView
from app.ui.theme import Look

_BUBBLE_SHARE = 0.78
_PADDING_X, _PADDING_TOP, _PADDING_BOTTOM = 16, 11, 5
"""The last line has room of its own below it."""
_PICTURE_GAP = 8


class UserView(QWidget):
    """The user's own words, as they were typed: never read as Markdown. Pictures stand above them."""

    picture_wanted = Signal(object)
    """PictureWish"""

    def __init__(
        self, look: Look, stored: StoredMessage, parent: QWidget | None = None, *, shelf: PictureShelf | None = None
    ) -> None:
        """Without a shelf no pictures are shown."""
        super().__init__(parent)
        self._pictures = PictureFlow(look, shelf, self) if shelf is not None else None
        if self._pictures is not None:
            self._pictures.wanted.connect(self.picture_wanted)
        self._bubble = QFrame(self)
        self._bubble.setObjectName("bubble")
        self._text = ProseView(look, self.tr("Your message"), parent=self._bubble)
        self.show_message(stored)

    @property
    def text_view(self) -> ProseView:
        return self._text

    @property
    def bubble(self) -> QFrame:
        return self._bubble

    @property
    def pictures(self) -> tuple[PictureView, ...]:
        return self._pictures.views if self._pictures is not None else ()

    def show_message(self, stored: StoredMessage) -> None:
        self._text.show_plain(stored.message.text)
        if self._pictures is not None:
            self._pictures.show_pictures(stored.message.pictures)
        self._bubble.setVisible(bool(stored.message.text) or not self.pictures)
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.LayoutDirectionChange):
            self._place()

    def _text_width(self, width: int) -> int:
        """As wide as the longest line, up to a share of the page."""
        widest = int(width * _BUBBLE_SHARE) - 2 * _PADDING_X
        return max(20, min(widest, self._text.longest_line()))

    def _place(self) -> None:
        top = 0
        if self._pictures is not None and self.pictures:
            top = self._pictures.place(self.width())
        if self._bubble.isHidden():
            self.setFixedHeight(top)
            return
        top += _PICTURE_GAP if top else 0
        inside = self._text_width(self.width())
        high = self._text.height_for(inside)
        outside = inside + 2 * _PADDING_X
        left = self.width() - outside if self.layoutDirection() == Qt.LayoutDirection.LeftToRight else 0
        self._bubble.setGeometry(left, top, outside, high + _PADDING_TOP + _PADDING_BOTTOM)
        self._text.setGeometry(_PADDING_X, _PADDING_TOP, inside, high)
        self.setFixedHeight(top + high + _PADDING_TOP + _PADDING_BOTTOM)


class AnswerView(QWidget):
    """An answer with its small row of buttons; grows while it is written."""

    link_clicked = Signal(str)
    regenerate_clicked = Signal()
    rendered = Signal()

    def __init__(self, look: Look, stored: StoredMessage, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stored = stored
        self._is_last = False
        self._blocks = BlocksView(look, self)
        self._blocks.link_clicked.connect(self.link_clicked)
        self._blocks.rendered.connect(self.rendered)
        self._quiet = _plain_label("muted", self)
        self._copy = CopyButton(look, self.tr("Copy answer"), self.source, parent=self)
        self._again = IconButton(look, "refresh", self.tr("Answer again"), parent=self)
        self._again.clicked.connect(self.regenerate_clicked)
        self._figures = _plain_label("small", self)
        self._lay_out()
        self.show_message(stored)

    @property
    def stored(self) -> StoredMessage:
        return self._stored

    @property
    def blocks_view(self) -> BlocksView:
        return self._blocks

    @property
    def outcome(self) -> str:
        """The quiet line: what is being done, or how the answer ended; empty for nothing to say."""
        return "" if self._quiet.isHidden() else self._quiet.text()

    @property
    def figures_label(self) -> QLabel:
        return self._figures

    def source(self) -> str:
        """The answer's Markdown, as far as it was told."""
        return self._blocks.streamed_source or self._stored.message.text

    def show_message(self, stored: StoredMessage) -> None:
        self._stored = stored
        text = stored.message.text
        if stored.state is MessageState.WRITING:
            self._blocks.set_text("")
            if text:
                self._blocks.append(text)
                self._blocks.flush()
        else:
            self._blocks.finish(text)
        self._show_state()

    def append(self, text: str) -> None:
        self._blocks.append(text)
        self._quiet.hide()

    def show_activity(self, activity: Activity) -> None:
        """While nothing is written yet, say what is being done instead."""
        if self._stored.state is not MessageState.WRITING or self._blocks.blocks or self._blocks.is_streaming:
            return
        self._say(_doing(self, activity))

    def set_last(self, is_last: bool) -> None:
        self._is_last = is_last
        self._show_state()

    def _show_state(self) -> None:
        writing = self._stored.state is MessageState.WRITING
        self._tools.setVisible(not writing)
        self._copy.setVisible(bool(self._stored.message.text))
        self._again.setVisible(self._is_last)
        if not writing:
            self._say(self._outcome())
        figures = self._stored.figures or {}
        self._figures.setText(answer_line(figures))
        details = answer_details(figures)
        self._figures.setToolTip(f"<p>{_as_html(details)}</p>" if details else "")
        self._figures.setAccessibleDescription(details)

    def _outcome(self) -> str:
        figures = self._stored.figures or {}
        reason = figures.get("reason")
        match self._stored.state:
            case MessageState.INTERRUPTED:
                return self.tr("Hearth was closed while this was being written; the rest is missing.")
            case MessageState.CANCELLED:
                return self.tr("Stopped.")
            case MessageState.FAILED:
                told = str(figures.get("error") or "")
                return told or self.tr("Something went wrong here, and the answer ends early.")
        if reason == "length":
            return self.tr("The limit on the answer's length was reached.")
        if reason == "context_full":
            return self.tr("The context is full: the answer ends here.")
        return ""

    def _say(self, sentence: str) -> None:
        self._quiet.setText(sentence)
        self._quiet.setVisible(bool(sentence))

    def _lay_out(self) -> None:
        self._tools = QWidget(self)
        row = QHBoxLayout(self._tools)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self._copy)
        row.addWidget(self._again)
        row.addSpacing(6)
        row.addWidget(self._figures)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self._blocks)
        layout.addWidget(self._quiet)
        layout.addWidget(self._tools)


MessageView = UserView | AnswerView


def make_message_view(
    look: Look, stored: StoredMessage, parent: QWidget, shelf: PictureShelf | None = None
) -> MessageView:
    if stored.message.role is Role.USER:
        return UserView(look, stored, parent, shelf=shelf)
    return AnswerView(look, stored, parent)


def _doing(view: QWidget, activity: Activity) -> str:
    match activity:
        case Waiting():
            return view.tr("Waiting for the model…")
        case Reading():
            return view.tr("Reading…")
        case LookingAt(looking) if looking.count > 1:
            sentence = view.tr("Looking at picture {number} of {count}…")
            return sentence.format(number=looking.number, count=looking.count)
        case LookingAt():
            return view.tr("Looking at the picture…")
        case Stopping():
            return view.tr("Stopping…")
        case Idle():
            return ""
        case _:
            return view.tr("Thinking…")


def _plain_label(tone: str, parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("tone", tone)
    label.setWordWrap(tone == "muted")
    label.setMinimumSize(QSize(0, 0))
    return label


def _as_html(text: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return escaped.replace("\n", "<br>")
