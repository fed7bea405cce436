"""The conversation on screen: messages below each other, or a welcome where there are none."""

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from app.core.events import DeltaKind
from app.core.messages import Role, ToolCall
from app.core.settings import SendKey
from app.services.engine.states import Activity, Calling, Idle, OpenConversation, Prefilling
from app.services.pictures.preview_cache import PreviewCache
from app.services.recordings.service import RecordingService
from app.services.tools.call_states import CallState
from app.storage.conversations import MessageState, StoredMessage
from app.ui.formatting.prefill_clock import PrefillClock
from app.ui.theme.appearance import Appearance
from app.ui.transcript.call_runs import CallRuns
from app.ui.transcript.drag_scroll import DragScroll
from app.ui.transcript.jump_button import JumpButton
from app.ui.transcript.message_list import MessageList
from app.ui.transcript.message_rows import Row, asking_row
from app.ui.transcript.message_view import AnswerView, MessageView, make_message_view
from app.ui.transcript.sources import Sources, brings_any, sources_of
from app.ui.transcript.transcript_find import TranscriptFind
from app.ui.widgets.find_bar import FindBar
from app.ui.widgets.layouts import grow, vbox


class Transcript(QWidget):
    """Follows the end while new text comes, until the user scrolls up; then a button leads back."""

    link_clicked = Signal(str)
    passage_wanted = Signal(object)
    """CitationList"""
    wished = Signal(object)
    """MessageAction"""
    picture_wanted = Signal(object)
    """PictureAction"""

    def __init__(
        self,
        appearance: Appearance,
        welcome: QWidget,
        parent: QWidget | None = None,
        *,
        previews: PreviewCache | None = None,
        recordings: RecordingService | None = None,
    ) -> None:
        super().__init__(parent)
        self._previews = previews
        self._recordings = recordings
        self.setObjectName("transcript")
        self._appearance = appearance
        self._messages: tuple[StoredMessage, ...] = ()
        self._has_versions: bool | None = None
        self._brings_any: bool | None = None
        self._conversation: int | None = None
        self._activity: Activity = Idle()
        self._reading = PrefillClock()
        self._send_key = SendKey.ENTER
        self._offers_again = False
        self._hidden: frozenset[int] = frozenset()
        self._runs = CallRuns()
        page = QWidget(self)
        self.scroll_area = MessageList(self._make_view, page)
        self.scroll_area.setAccessibleName(self.tr("Conversation"))
        self.scroll_area.followed.connect(self._followed)
        self.finding = TranscriptFind(self.scroll_area, FindBar(appearance, page))
        self.finding.opened.connect(self._unfold)
        self._drag = DragScroll(self.scroll_area)
        self.jump_button = JumpButton(appearance, page, self)
        self.jump_button.clicked.connect(self.scroll_area.jump_to_end)
        vbox(self.finding.bar, grow(self.scroll_area), self.jump_button.foot, on=page, gap=0)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(welcome)
        self._stack.addWidget(page)

    @property
    def messages(self) -> tuple[StoredMessage, ...]:
        """All of the conversation, root to head."""
        return self._messages

    @property
    def has_versions(self) -> bool:
        """Whether any message has another version."""
        if self._has_versions is None:
            self._has_versions = any(each.n_versions > 1 for each in self._messages)
        return self._has_versions

    @property
    def views(self) -> tuple[MessageView, ...]:
        """Of the messages in sight and near it, in the order of the conversation."""
        return self.scroll_area.views

    def last_answer(self) -> StoredMessage | None:
        return next((each for each in reversed(self._messages) if each.message.role is Role.ASSISTANT), None)

    def last_question(self) -> StoredMessage | None:
        return next((each for each in reversed(self._messages) if each.message.role is Role.USER), None)

    def answer_text(self, message_id: int) -> str:
        """An answer's Markdown as far as it has come; empty where there is none."""
        view = self.view_of(message_id)
        if isinstance(view, AnswerView):
            return view.source()
        return next((each.message.text for each in self._messages if each.id == message_id), "")

    def view_of(self, message_id: int) -> MessageView | None:
        """None for a message that is far from sight."""
        return self.scroll_area.view_of(message_id)

    def edit_question(self) -> None:
        """Change the last question in its place."""
        question = self.last_question()
        index = self.scroll_area.index_of(question.id) if question is not None else None
        if index is not None:
            view = self.view_of(question.id) if question is not None else None
            if view is None:
                view = self.scroll_area.go_to(index)
            view.edit()
            self.scroll_area.show_view(view)

    def close_editor(self, message_id: int) -> None:
        if (view := self.view_of(message_id)) is not None:
            view.close_editor()

    def show_conversation(self, opened: OpenConversation | None) -> None:
        """Show this conversation from its end; None shows the welcome."""
        if self._previews is not None:
            self._previews.forget_waiting()
        self._conversation = opened.conversation.id if opened else None
        self._set_messages(opened.messages if opened else ())
        # Before anything else: whatever fails from here on, what was on screen is not there any more.
        self.scroll_area.set_rows(self._rows_of(self._messages))
        self._choose_page()
        self.finding.close()
        self.scroll_area.jump_to_end()
        self.scroll_area.settle()

    def lead(self, opened: OpenConversation) -> None:
        """Show another way through the conversation: what stands above where it begins is left alone."""
        if opened.conversation.id == self._conversation:
            self._lead(opened.messages)
        else:
            self.show_conversation(opened)

    def hide_answers(self, ids: Collection[int]) -> None:
        """Leave these messages out, for they are shown elsewhere."""
        if ids != self._hidden:
            self._hidden = frozenset(ids)
            self._lead(self._messages)

    def put_below(self, widget: QWidget) -> None:
        """Give it most of the room below the messages."""
        page = self.scroll_area.parentWidget()
        layout = page.layout() if page is not None else None
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(self.scroll_area) + 1, widget, 3)

    def _lead(self, messages: tuple[StoredMessage, ...]) -> None:
        focused = self.scroll_area.focused()
        forth = focused is not None and focused.tools.pager.forth.hasFocus()
        rows = self._rows_of(messages)
        self._set_messages(messages)
        keep = self.scroll_area.lead(rows, self._take_over)
        lost = focused is not None and self.view_of(focused.stored.id) is not focused
        # What was found lies by the numbers of the rows that were.
        self.finding.again()
        self._choose_page()
        self._mark_last()
        self._show_sources()
        self.scroll_area.settle()
        self.scroll_area.check_end()
        if lost:
            self._focus_at(keep, forth=forth)

    def add_message(self, stored: StoredMessage) -> None:
        if any(each.id == stored.id for each in self._messages):
            self.change_message(stored)
            return
        self._set_messages((*self._messages, stored))
        asked = stored.message.tool_call_id
        row = asking_row(self.scroll_area.rows, asked) if asked and stored.message.role is Role.TOOL else None
        if row is not None:
            row.results[asked] = stored
            self._show_results(row)
            return
        if stored.message.role is Role.USER:
            self.scroll_area.follow()
        self.scroll_area.append(Row(stored))
        self._mark_last()
        self._choose_page()
        self.scroll_area.settle()
        if len(rows := self.scroll_area.rows) > 1 and rows[-2].stored.message.tool_calls:
            self._fold()

    def change_message(self, stored: StoredMessage) -> None:
        self._set_messages(tuple(stored if each.id == stored.id else each for each in self._messages))
        asked = stored.message.tool_call_id
        for asking in self.scroll_area.rows:
            if asked and asking.store_result(asked, stored):
                self._show_results(asking)
        if stored.message.passages:
            self._show_sources()
        row = self.scroll_area.row_of(stored.id)
        if row is not None:
            row.store(stored)
            if (view := self.scroll_area.view_of(stored.id)) is not None:
                view.show_message(stored)
        if stored.state is not MessageState.WRITING:
            self.finding.again()

    def append_text(self, message_id: int, text: str, kind: DeltaKind = DeltaKind.CONTENT) -> None:
        """More of an answer that is being written; nothing where it is not on screen."""
        if (view := self._growing(message_id)) is not None:
            view.append(text, kind)

    def show_calls(self, message_id: int, calls: tuple[ToolCall, ...]) -> None:
        """All tool calls of an answer that is being written, as far as they have come."""
        if (view := self._growing(message_id)) is not None:
            view.grow_calls(calls)

    def offer_again(self) -> None:
        """Calls of the last answer that nobody decided can be asked about again."""
        self._offers_again = True

    def show_call_states(self, message_id: int, states: Mapping[str, CallState]) -> None:
        """What becomes of an answer's calls that are not answered yet, by their ids."""
        if (row := self.scroll_area.row_of(message_id)) is not None:
            row.tell_states(states)
            self._show_results(row)

    def _show_results(self, row: Row) -> None:
        view = self.scroll_area.view_of(row.stored.id)
        if isinstance(view, AnswerView):
            view.calls.show_results(dict(row.results), row.states or {}, offers_again=self._offers(row))

    def _show_sources(self) -> None:
        """Passages came above answers that are there."""
        for view in self.views:
            if isinstance(view, AnswerView):
                view.show_sources(self._sources_of(view.stored.id))

    def _sources_of(self, message_id: int) -> Sources:
        if self._brings_any is None:
            self._brings_any = brings_any(self._messages)
        return sources_of(self._messages, message_id) if self._brings_any else Sources()

    def _offers(self, row: Row) -> bool:
        """Whether its calls can be asked about again, as far as nobody decided them."""
        if not self._offers_again or row is not next(reversed(self.scroll_area.rows), None):
            return False
        return row.stored.state is not MessageState.WRITING and not isinstance(self._activity, Calling)

    def _growing(self, message_id: int) -> AnswerView | None:
        index = self.scroll_area.index_of(message_id)
        view = self.scroll_area.need(index) if index is not None else None
        return view if isinstance(view, AnswerView) else None

    def show_activity(self, activity: Activity) -> None:
        self._activity = activity
        self._reading.hear(activity.progress if isinstance(activity, Prefilling) else None)
        last = self.scroll_area.view_at(len(self.scroll_area.rows) - 1)
        if isinstance(last, AnswerView):
            last.show_activity(activity, self._reading)
            self._show_results(self.scroll_area.rows[-1])

    def renew(self) -> None:
        """Make what is shown anew, as for another size of text. What is read stays in sight, and what is being changed
        stays open.
        """
        place = None if self.scroll_area.follows else self.scroll_area.reading_place()
        edited = {view.stored.id: view.editor.field.toPlainText() for view in self.views if view.editor is not None}
        self.scroll_area.set_rows(self._rows_of(self._messages))
        if place is None:
            self.scroll_area.jump_to_end()
        else:
            self.scroll_area.show_reading_place(place)
        self.scroll_area.settle()
        for message_id, text in edited.items():
            if (index := self.scroll_area.index_of(message_id)) is not None:
                view = self.scroll_area.go_to(index)
                view.edit()
                if view.editor is not None:
                    view.editor.field.replace(text)

    def set_send_key(self, key: SendKey) -> None:
        """What hands out a message that is edited in its place."""
        self._send_key = key
        for view in self.views:
            view.set_send_key(key)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_jump()

    def _rows_of(self, messages: Sequence[StoredMessage]) -> list[Row]:
        shown = [each for each in messages if each.id not in self._hidden] if self._hidden else messages
        return self._runs.shown_rows(shown, all_open=self.finding.is_open)

    def _fold(self) -> None:
        """Calls are done with: they fold together, unless somebody reads or writes among them."""
        if self.scroll_area.follows and not self.finding.is_open:
            rows, focused = self._rows_of(self._messages), self.scroll_area.focused()
            kept = {row.stored.id for row in rows}
            used = [each for each in self.views if each is focused or each.editor is not None]
            if any(row.run for row in rows) and all(each.stored.id in kept for each in used):
                self._lead(self._messages)
                self.scroll_area.jump_to_end()

    def _unfold(self) -> None:
        if self._runs.hides_any:
            # It would not be found.
            self._lead(self._messages)

    def _fold_run(self, message_id: int, is_open: bool) -> None:
        self._runs.set_open(message_id, is_open)
        self._lead(self._messages)

    def _set_messages(self, messages: tuple[StoredMessage, ...]) -> None:
        self._messages = messages
        self._has_versions = self._brings_any = None

    def _make_view(self, row: Row, parent: QWidget) -> MessageView:
        view = make_message_view(self._appearance, row.stored, parent, self._previews, self._recordings)
        view.set_send_key(self._send_key)
        view.wished.connect(self.wished)
        view.blocks_view.link_clicked.connect(self.link_clicked)
        selection = view.blocks_view.selection
        selection.dragged.connect(lambda: self._drag.watch(selection))
        if isinstance(view, AnswerView):
            view.calls.picture_wanted.connect(self.picture_wanted)
            view.show_sources(self._sources_of(row.stored.id))
            view.passage_wanted.connect(self.passage_wanted)
            view.calls.show_results(dict(row.results), row.states or {}, offers_again=self._offers(row))
            view.calls.show_run(row.run)
            view.calls.run_toggled.connect(lambda is_open, stored=row.stored: self._fold_run(stored.id, is_open))
            view.show_activity(self._activity, self._reading)
            view.place_wanted.connect(lambda y, stored=row.stored: self._go_within(stored.id, y))
        elif view.picture_flow is not None:
            view.picture_flow.wanted.connect(self.picture_wanted)
        view.set_last(bool(self.scroll_area.rows) and row is self.scroll_area.rows[-1])
        self.finding.mark(view)
        return view

    def show_message(self, message_id: int) -> None:
        """Bring a message on screen into sight, and the focus to it; one that is not there is no error."""
        if self._runs.open_at(message_id):
            self._lead(self._messages)
        if (index := self.scroll_area.index_of(message_id)) is not None:
            self.scroll_area.go_to(index)
            self._focus_at(index, forth=True)

    def _go_within(self, message_id: int, y: int) -> None:
        if (index := self.scroll_area.index_of(message_id)) is not None:
            self.scroll_area.go_to(index, lambda _: y)

    def _focus_at(self, index: int, *, forth: bool) -> None:
        """The message that had the focus is gone: what took its place has it now."""
        if self.scroll_area.rows:
            self.scroll_area.need(min(index, len(self.scroll_area.rows) - 1)).tools.take_focus(forth=forth)
        else:
            self.scroll_area.setFocus()

    def _take_over(self, row: Row, new: Row) -> None:
        """The same message, as it is now."""
        changed = row.take_over(new)
        view = self.scroll_area.view_of(new.stored.id)
        if view is None:
            return
        if changed:
            view.show_message(new.stored)
        else:
            view.show_version(new.stored)
        if isinstance(view, AnswerView):
            view.calls.show_run(row.run)
        self._show_results(row)

    def _mark_last(self) -> None:
        last = self.scroll_area.view_at(len(self.scroll_area.rows) - 1)
        for view in self.views:
            view.set_last(view is last)
        for row in self.scroll_area.rows[-2:]:
            self._show_results(row)

    def _choose_page(self) -> None:
        self._stack.setCurrentIndex(1 if self.scroll_area.rows else 0)
        self.jump_button.raise_()

    def _followed(self, follows: bool) -> None:
        self.jump_button.setVisible(not follows)
        self._place_jump()

    def _place_jump(self) -> None:
        self.jump_button.place(self.scroll_area.verticalScrollBar().sizeHint().width())
