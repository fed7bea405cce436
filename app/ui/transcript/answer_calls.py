"""The tools that an answer asks for, with the pictures that they gave, as an answer's view shows them."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.core.messages import ToolCall
from app.services.pictures.preview_cache import PreviewCache
from app.services.tools.call_states import CallState
from app.storage.conversations import StoredMessage
from app.tools.forms import FormAnswer
from app.ui.pictures.flow import PictureFlow
from app.ui.richtext.blocks_view import Hits
from app.ui.richtext.text_marks import Hit
from app.ui.theme.appearance import Appearance
from app.ui.tools.approval_bar import CallAnswer
from app.ui.transcript.call_run_line import CallRun, CallRunLine
from app.ui.transcript.message_actions import AskAgain, DecideCall, FillForm, UndoCall
from app.ui.transcript.tool_call_view import ToolCallView
from app.ui.widgets.discard import discard

_GAP = 12


class AnswerCalls(QObject):
    """Its widgets are the answer's children. A place in it is (block, character), where blocks are as `shown_texts`
    numbers them.
    """

    wished = Signal(object)
    """MessageAction"""
    resized = Signal()
    picture_wanted = Signal(object)
    """PictureAction"""
    run_toggled = Signal(bool)
    """Whether the calls that begin here, and fold together, are to be open"""

    def __init__(self, appearance: Appearance, previews: PreviewCache | None, parent: QWidget) -> None:
        """Without `previews` no pictures are shown."""
        super().__init__(parent)
        self._appearance = appearance
        self._previews = previews
        self._parent = parent
        self._message_id = 0
        self._run: CallRun | None = None
        self._results: Mapping[str, StoredMessage] = {}
        self._states: Mapping[str, CallState] = {}
        self._offers_again = False
        self.views: list[ToolCallView] = []
        self.pictures: dict[str, PictureFlow] = {}
        """What tools gave, by the ids of their calls."""
        self.run_line: CallRunLine | None = None
        """Where they fold together, perhaps with those of answers below this one."""

    def show_calls(self, message_id: int, calls: tuple[ToolCall, ...], *, growing: bool) -> None:
        self._message_id = message_id
        gone = self.views[len(calls) :]
        del self.views[len(calls) :]
        ids = {call.id for call in calls}
        discard(*gone, *(self.pictures.pop(each) for each in self.pictures.keys() - ids))
        for index, call in enumerate(calls):
            if index == len(self.views):
                self.views.append(self._make_view(index, call))
            self.views[index].show_call(call, growing=growing)
            self._show_result(self.views[index])

    def show_results(
        self, results: Mapping[str, StoredMessage], states: Mapping[str, CallState], *, offers_again: bool
    ) -> None:
        """What tools gave, and what becomes of the others, by the ids of their calls."""
        self._results, self._states, self._offers_again = results, states, offers_again
        for view in self.views:
            self._show_result(view)

    def show_run(self, run: CallRun | None) -> None:
        """None where they stand for themselves."""
        if run == self._run:
            return
        self._run = run
        if self.run_line is None:
            self.run_line = CallRunLine(self._appearance, self._parent)
            self.run_line.head.clicked.connect(self.run_toggled)
        self.run_line.setVisible(run is not None)
        if run is not None:
            self.run_line.show_run(run)
        for view in self.views:
            view.setVisible(self._are_shown)
        self.resized.emit()

    def place(self, y: int, width: int, top: int, bottom: int) -> int:
        """Lay out at this height and width, with what can be seen between `top` and `bottom`; returns where it ends."""
        if self.run_line is not None and self._run is not None:
            high = self.run_line.place(width)
            self.run_line.setGeometry(0, y, width, high)
            y += high + _GAP
        for view in self.views:
            if self._are_shown:
                view.show_range(top - y, bottom - y)
                high = view.place(width)
                view.setGeometry(0, y, width, high)
                y += high + _GAP
            if (pictures := self.pictures.get(view.call.id)) is not None:
                pictures.move(0, y)
                y += pictures.place(width) + _GAP
        return y

    def open_part(self, block: int) -> None:
        if block // 2 < len(self.views):
            self.views[block // 2].set_open(True)

    def reveal(self, place: tuple[int, int]) -> None:
        block, at = place
        if block // 2 < len(self.views):
            self.views[block // 2].reveal(block % 2, at)

    def show_hits(self, hits: Hits, current: tuple[int, Hit] | None) -> None:
        """Mark what was searched for; `current` is the block and the place of the hit that is shown."""
        for index, view in enumerate(self.views):
            numbers = (2 * index, 2 * index + 1)
            found = {each % 2: hits[each] for each in numbers if each in hits}
            is_here = current is not None and current[0] in numbers
            view.show_hits(found, (current[0] % 2, current[1]) if current is not None and is_here else None)

    def top_of(self, place: tuple[int, int]) -> int:
        """How high it is in the answer; 0 where there is none."""
        block, at = place
        if block // 2 >= len(self.views):
            return 0
        view = self.views[block // 2]
        return view.y() + view.top_of(block % 2, at)

    @property
    def _are_shown(self) -> bool:
        return self._run is None or self._run.is_open

    def _make_view(self, index: int, call: ToolCall) -> ToolCallView:
        view = ToolCallView(self._appearance, call, self._parent)
        view.resized.connect(self.resized)
        view.decided.connect(partial(self._decide, index))
        view.filled.connect(partial(self._fill, index))
        view.again_wanted.connect(lambda: self.wished.emit(AskAgain(self._message_id)))
        view.undo_wanted.connect(lambda number: self.wished.emit(UndoCall(number)))
        view.setVisible(self._are_shown)
        return view

    def _show_result(self, view: ToolCallView) -> None:
        call_id = view.call.id
        result = self._results.get(call_id)
        view.show_result(result, self._states.get(call_id), offers_again=self._offers_again)
        if result is not None and result.message.pictures and self._previews is not None:
            if call_id not in self.pictures:
                made = self.pictures[call_id] = PictureFlow(
                    self._appearance, self._previews, self._parent, of_user=False
                )
                made.wanted.connect(self.picture_wanted)
                made.show()
            self.pictures[call_id].show_pictures(result.message.pictures)
            self.resized.emit()

    def _decide(self, index: int, answer: CallAnswer) -> None:
        self.wished.emit(DecideCall(self._message_id, self.views[index].call.id, answer))

    def _fill(self, index: int, answer: FormAnswer) -> None:
        self.wished.emit(FillForm(self._message_id, self.views[index].call.id, answer))
