"""One message: what the user said in a bubble at the right, an answer as text on the page."""

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from app.core.messages import Role
from app.services.picture_shelf import PictureShelf
from app.services.states import Activity, Idle, LookingAt, Reading, Stopping, Waiting
from app.storage.conversations import MessageState, StoredMessage
from app.ui.blocks_view import BlocksView
from app.ui.figures import answer_details, answer_line
from app.ui.message_editor import MessageEditor
from app.ui.message_tools import MessageTools
from app.ui.message_wish import Reword
from app.ui.picture_flow import PictureFlow
from app.ui.picture_view import PictureView
from app.ui.prose import ProseView
from app.ui.theme import Look

_BUBBLE_SHARE = 0.78
_PADDING_X, _PADDING_TOP, _PADDING_BOTTOM = 16, 11, 5
"""The last line has room of its own below it."""
_PICTURE_GAP = 8
_TOOLS_GAP = 2


class UserView(QWidget):
    """The user's own words, as they were typed: never read as Markdown. Pictures stand above them."""

    picture_wanted = Signal(object)
    """PictureWish"""
    wished = Signal(object)
    """MessageWish"""

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
        self._stored = stored
        self._editor: MessageEditor | None = None
        self._tools = MessageTools(look, stored, lambda: self._stored.message.text, self)
        self._tools.wished.connect(self.wished)
        self._tools.edit_clicked.connect(self.edit)
        # With Tab the keyboard comes to the message, and from there to its tools.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(self.tr("Your message"))
        self.show_message(stored)

    @property
    def stored(self) -> StoredMessage:
        return self._stored

    @property
    def tools(self) -> MessageTools:
        return self._tools

    @property
    def editor(self) -> MessageEditor | None:
        """While the text is being changed."""
        return self._editor

    @property
    def text_view(self) -> ProseView:
        return self._text

    @property
    def bubble(self) -> QFrame:
        return self._bubble

    @property
    def pictures(self) -> tuple[PictureView, ...]:
        return self._pictures.views if self._pictures is not None else ()

    def edit(self) -> None:
        """Change the text in its place; the pictures stay."""
        if self._editor is None:
            self._editor = MessageEditor(self._stored.message.text, self)
            self._editor.saved.connect(lambda text: self.wished.emit(Reword(self._stored.id, text)))
            self._editor.cancelled.connect(self.close_editor)
            self._editor.resized.connect(self._place)
            self._editor.show()
            self._place()
        self._editor.setFocus()

    def close_editor(self) -> None:
        if self._editor is not None:
            self._editor.hide()
            self._editor.deleteLater()
            self._editor = None
            self._place()
            self._tools.edit_button.setFocus()
            self._place()

    def show_message(self, stored: StoredMessage) -> None:
        self._stored = stored
        self._text.show_plain(stored.message.text)
        self._tools.show_message(stored)
        if self._pictures is not None:
            self._pictures.show_pictures(stored.message.pictures)
        self._place()

    def show_version(self, stored: StoredMessage) -> None:
        """The same message, which may have another place among its versions."""
        self._stored = stored
        self._tools.show_message(stored)
        self._place()

    def set_last(self, is_last: bool) -> None:
        self._tools.set_last(is_last)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._tools.set_near(True)
        self._place()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._tools.set_near(self.hasFocus())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._tools.set_near(True)
        self._place()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._tools.set_near(self.underMouse())

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
        gap = _PICTURE_GAP if top else 0
        edits = self._editor is not None
        has_bubble = not edits and (bool(self._stored.message.text) or not top)
        self._bubble.setVisible(has_bubble)
        self._tools.setVisible(not edits)
        if self._editor is not None:
            height = self._editor.sizeHint().height()
            self._editor.setGeometry(0, top + gap, self.width(), height)
            self.setFixedHeight(top + gap + height)
            return
        bottom = self._place_bubble(top + gap) if has_bubble else top
        wide, high = self._tools.sizeHint().width(), self._tools.minimumHeight()
        left = self.width() - wide if self.layoutDirection() == Qt.LayoutDirection.LeftToRight else 0
        self._tools.setGeometry(left, bottom + _TOOLS_GAP, wide, high)
        self.setFixedHeight(bottom + _TOOLS_GAP + high)

    def _place_bubble(self, top: int) -> int:
        """Its lower end."""
        inside = self._text_width(self.width())
        high = self._text.height_for(inside)
        outside = inside + 2 * _PADDING_X
        left = self.width() - outside if self.layoutDirection() == Qt.LayoutDirection.LeftToRight else 0
        self._bubble.setGeometry(left, top, outside, high + _PADDING_TOP + _PADDING_BOTTOM)
        self._text.setGeometry(_PADDING_X, _PADDING_TOP, inside, high)
        return top + high + _PADDING_TOP + _PADDING_BOTTOM


class AnswerView(QWidget):
    """An answer with its small row of buttons; grows while it is written."""

    link_clicked = Signal(str)
    wished = Signal(object)
    """MessageWish"""
    rendered = Signal()

    def __init__(self, look: Look, stored: StoredMessage, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stored = stored
        self._editor: MessageEditor | None = None
        self._blocks = BlocksView(look, self)
        self._blocks.link_clicked.connect(self.link_clicked)
        self._blocks.rendered.connect(self.rendered)
        self._quiet = _plain_label("muted", self)
        self._tools = MessageTools(look, stored, self.source, self)
        self._tools.wished.connect(self.wished)
        self._tools.edit_clicked.connect(self.edit)
        self._figures = _plain_label("small", self)
        self._tools.add_figures(self._figures)
        self._lay_out()
        self.show_message(stored)

    @property
    def stored(self) -> StoredMessage:
        return self._stored

    @property
    def blocks_view(self) -> BlocksView:
        return self._blocks

    @property
    def tools(self) -> MessageTools:
        return self._tools

    @property
    def editor(self) -> MessageEditor | None:
        """While the text is being changed."""
        return self._editor

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

    def show_version(self, stored: StoredMessage) -> None:
        """The same message, which may have another place among its versions."""
        self._stored = stored
        self._tools.show_message(stored)

    def append(self, text: str) -> None:
        self._blocks.append(text)
        self._quiet.hide()

    def show_activity(self, activity: Activity) -> None:
        """While nothing is written yet, say what is being done instead."""
        if self._stored.state is not MessageState.WRITING or self._blocks.blocks or self._blocks.is_streaming:
            return
        self._say(_doing(self, activity))

    def set_last(self, is_last: bool) -> None:
        self._tools.set_last(is_last)

    def edit(self) -> None:
        """Change the answer's Markdown in its place."""
        if self._stored.state is MessageState.WRITING:
            return
        if self._editor is None:
            self._editor = MessageEditor(self._stored.message.text, self)
            self._editor.saved.connect(lambda text: self.wished.emit(Reword(self._stored.id, text)))
            self._editor.cancelled.connect(self.close_editor)
            self._layout.insertWidget(0, self._editor)
            for each in (self._blocks, self._quiet, self._tools):
                each.hide()
            self._editor.show()
        self._editor.setFocus()

    def close_editor(self) -> None:
        if self._editor is not None:
            self._editor.hide()
            self._layout.removeWidget(self._editor)
            self._editor.deleteLater()
            self._editor = None
            self._blocks.show()
            self._show_state()
            self._tools.edit_button.setFocus()

    def _show_state(self) -> None:
        if self._editor is not None:
            return
        writing = self._stored.state is MessageState.WRITING
        self._tools.setVisible(not writing)
        self._tools.show_message(self._stored)
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
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(2)
        self._layout.addWidget(self._blocks)
        self._layout.addWidget(self._quiet)
        self._layout.addWidget(self._tools)


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
