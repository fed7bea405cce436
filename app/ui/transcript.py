"""The conversation on screen: messages below each other, or a welcome where there are none."""

from itertools import pairwise

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from app.core.messages import Role
from app.services.picture_shelf import PictureShelf
from app.services.states import Activity, AnswerDelta, Idle, OpenConversation
from app.storage.conversations import StoredMessage
from app.ui.buttons import IconButton
from app.ui.message_view import AnswerView, MessageView, UserView, make_message_view
from app.ui.theme import Look

COLUMN = 720
"""Pixels; the widest a line of the conversation gets."""
_MARGIN = 24
_NEAR_END = 8


class Transcript(QWidget):
    """Follows the end while new text comes, until the user scrolls up; then a button leads back."""

    link_clicked = Signal(str)
    wished = Signal(object)
    """MessageWish"""
    picture_wanted = Signal(object)
    """PictureWish"""

    def __init__(
        self, look: Look, welcome: QWidget, parent: QWidget | None = None, *, shelf: PictureShelf | None = None
    ) -> None:
        super().__init__(parent)
        self._shelf = shelf
        self.setObjectName("transcript")
        self._look = look
        self._views: dict[int, MessageView] = {}
        self._conversation: int | None = None
        self._activity: Activity = Idle()
        self._follows = True
        self._column = QWidget()
        self._column.setObjectName("column")
        self._layout = QVBoxLayout(self._column)
        self._layout.setSpacing(14)
        self._layout.addStretch(1)
        self._scroll = self._make_scroll_area()
        self._jump = self._make_jump_button()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(welcome)
        self._stack.addWidget(self._scroll)

    @property
    def views(self) -> tuple[MessageView, ...]:
        return tuple(self._views.values())

    @property
    def follows(self) -> bool:
        """Whether the view sticks to the end."""
        return self._follows

    @property
    def jump_button(self) -> IconButton:
        return self._jump

    @property
    def scroll_area(self) -> QScrollArea:
        return self._scroll

    def last_answer(self) -> AnswerView | None:
        return next((view for view in reversed(self.views) if isinstance(view, AnswerView)), None)

    def last_question(self) -> UserView | None:
        return next((view for view in reversed(self.views) if isinstance(view, UserView)), None)

    def focused(self) -> MessageView | None:
        """The message that the keyboard is in."""
        focus: QWidget | None = self.focusWidget()  # PySide's stubs promise one
        if focus is None or not focus.hasFocus():
            return None
        return next((view for view in self.views if view is focus or view.isAncestorOf(focus)), None)

    def edit_question(self) -> None:
        """Change the last question in its place."""
        if (question := self.last_question()) is not None:
            question.edit()
            self._scroll.ensureWidgetVisible(question)

    def close_editor(self, message_id: int) -> None:
        if (view := self._views.get(message_id)) is not None:
            view.close_editor()

    def show_conversation(self, opened: OpenConversation | None) -> None:
        """Show this conversation from its end; None shows the welcome."""
        wanted = opened.messages if opened else ()
        if self._shelf is not None:
            self._shelf.forget_waiting()
        for message_id in list(self._views):
            self._drop(message_id)
        self._conversation = opened.conversation.id if opened else None
        for stored in wanted:
            self._add(stored)
        self._mark_last()
        self._choose_page()
        self.jump_to_end()

    def lead(self, opened: OpenConversation) -> None:
        """Show another way through the conversation: what stands above where it begins is left alone."""
        if opened.conversation.id != self._conversation:
            self.show_conversation(opened)
            return
        bar = self._scroll.verticalScrollBar()
        place, focused = bar.value(), self.focused()
        forth = isinstance(focused, UserView | AnswerView) and focused.tools.pager.forth.hasFocus()
        shown = tuple(self._views)
        same = [each.id for each, message_id in zip(opened.messages, shown, strict=False) if each.id == message_id]
        for message_id in shown[len(same) :]:
            self._drop(message_id)
        for stored in opened.messages:
            if (view := self._views.get(stored.id)) is None:
                self._add(stored)
            elif view.stored != stored:
                view.show_message(stored)
            else:
                view.show_version(stored)
        self._mark_last()
        self._choose_page()
        self._settle(self.views[len(same) :])
        bar.setValue(place)
        self._scrolled(bar.value())
        if focused is not None and focused not in self.views:
            self._focus_at(len(same), forth=forth)

    def add_message(self, stored: StoredMessage) -> None:
        if stored.id in self._views:
            self.change_message(stored)
            return
        self._add(stored)
        self._mark_last()
        self._choose_page()
        if stored.message.role is Role.USER:
            self.jump_to_end()

    def change_message(self, stored: StoredMessage) -> None:
        if (view := self._views.get(stored.id)) is not None:
            view.show_message(stored)

    def grow_answer(self, delta: AnswerDelta) -> None:
        view = self._views.get(delta.message_id)
        if isinstance(view, AnswerView):
            view.append(delta.text)

    def show_activity(self, activity: Activity) -> None:
        self._activity = activity
        if (answer := self.last_answer()) is not None:
            answer.show_activity(activity)

    def jump_to_end(self) -> None:
        self._follows = True
        self._jump.hide()
        bar = self._scroll.verticalScrollBar()
        bar.setValue(bar.maximum())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._scroll.viewport() and event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _add(self, stored: StoredMessage) -> None:
        view = make_message_view(self._look, stored, self._column, self._shelf)
        view.wished.connect(self.wished)
        if isinstance(view, UserView):
            view.picture_wanted.connect(self.picture_wanted)
        if isinstance(view, AnswerView):
            view.link_clicked.connect(self.link_clicked)
            view.show_activity(self._activity)
        self._views[stored.id] = view
        self._layout.insertWidget(self._layout.count() - 1, view)

    def _drop(self, message_id: int) -> None:
        view = self._views.pop(message_id)
        view.hide()
        self._layout.removeWidget(view)
        view.deleteLater()

    def _settle(self, new: tuple[MessageView, ...]) -> None:
        """Lay out now, so that the place on screen can be kept before anything is drawn."""
        for view in new:
            view.show()
        # A view knows its height when it has its width: the second round is for what follows from that.
        for _ in range(3):
            for widget in (*new, self._column, self._scroll.viewport()):
                QCoreApplication.sendPostedEvents(widget, QEvent.Type.LayoutRequest.value)

    def _focus_at(self, index: int, *, forth: bool) -> None:
        """The message that had the focus is gone: what took its place has it now."""
        if self.views:
            self.views[min(index, len(self.views) - 1)].tools.take_focus(forth=forth)
        else:
            self._scroll.setFocus()

    def _mark_last(self) -> None:
        views = self.views
        for view, later in (*pairwise(views), *((view, None) for view in views[-1:])):
            view.set_last(later is None)

    def _choose_page(self) -> None:
        self._stack.setCurrentIndex(1 if self._views else 0)
        self._jump.raise_()

    def _place(self) -> None:
        """Centre the column, and keep the button above the end of it."""
        side = max(_MARGIN, (self.width() - COLUMN) // 2)
        # The scroll bar takes its room from the right margin: the column stays in line with the composer.
        bar = self.width() - self._scroll.viewport().width()
        self._layout.setContentsMargins(side, 18, max(8, side - bar), 22)
        self._jump.move((self.width() - self._jump.width()) // 2, self.height() - self._jump.height() - 12)
        self._jump.raise_()

    def _range_changed(self) -> None:
        bar = self._scroll.verticalScrollBar()
        if self._follows:
            bar.setValue(bar.maximum())
        self._jump.setVisible(not self._follows)

    def _scrolled(self, value: int) -> None:
        bar = self._scroll.verticalScrollBar()
        self._follows = value >= bar.maximum() - _NEAR_END
        self._jump.setVisible(not self._follows)

    def _make_scroll_area(self) -> QScrollArea:
        area = QScrollArea(self)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self._column)
        # The keyboard scrolls the conversation: arrows, Page Up, Page Down, Home and End.
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        area.setAccessibleName(self.tr("Conversation"))
        area.viewport().installEventFilter(self)
        bar = area.verticalScrollBar()
        bar.setSingleStep(24)
        bar.rangeChanged.connect(self._range_changed)
        bar.valueChanged.connect(self._scrolled)
        return area

    def _make_jump_button(self) -> IconButton:
        button = IconButton(self._look, "arrow-down", self.tr("Jump to the end"), role="text", parent=self)
        button.setObjectName("jump")
        button.setFixedSize(34, 34)
        button.clicked.connect(self.jump_to_end)
        button.hide()
        return button
