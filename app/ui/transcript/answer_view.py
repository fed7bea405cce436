"""An answer as text on the page, with what was thought, the tools it asks for, and its small row of buttons."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.core.events import DeltaKind
from app.core.messages import Role, ToolCall
from app.engine.output.citations import with_citations
from app.engine.output.support import CheckedCitation
from app.services.engine.states import Activity, Calling, Prefilling
from app.services.pictures.preview_cache import PreviewCache
from app.storage.conversations import MessageState, StoredMessage
from app.ui.formatting.numbers import number
from app.ui.formatting.prefill_clock import PrefillClock
from app.ui.richtext.blocks_view import BlocksView, Hits
from app.ui.richtext.citation_marks import CitationMarks
from app.ui.richtext.text_marks import Hit
from app.ui.theme.appearance import Appearance
from app.ui.transcript.answer_calls import AnswerCalls
from app.ui.transcript.answer_status import doing, outcome
from app.ui.transcript.finder import Part
from app.ui.transcript.message_base import MessageBase
from app.ui.transcript.prefill_line import PrefillLine
from app.ui.transcript.reasoning_view import ReasoningView
from app.ui.transcript.source_chips import SourceChips
from app.ui.transcript.sources import Sources, citation_list, listed
from app.ui.transcript.stats_button import StatsButton
from app.ui.widgets.discard import discard
from app.ui.widgets.markdown_links import cited_of
from app.ui.widgets.plain_text import plain_label, tell, told

_GAP = 6
_FOLD_GAP = 12
_INTO_ROOM = 6


class AnswerView(MessageBase):
    """Grows while it is written. A tool's message that answers no call in sight is shown as one, too."""

    place_wanted = Signal(int)
    """A link leads to this height within the view."""
    passage_wanted = Signal(object)
    """CitationList"""

    def __init__(
        self,
        appearance: Appearance,
        stored: StoredMessage,
        parent: QWidget | None = None,
        *,
        previews: PreviewCache | None = None,
    ) -> None:
        """Without `previews` no pictures of tools are shown."""
        super().__init__(appearance, stored, parent)
        # It draws nothing itself: what is there stays as it is where it only grows.
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.reasoning_view: ReasoningView | None = None
        """None where nothing was thought."""
        self.calls = AnswerCalls(appearance, previews, self)
        self.calls.wished.connect(self.wished)
        self.calls.resized.connect(self.resized)
        self.blocks_view = BlocksView(appearance, self, source=self.source)
        self.blocks_view.place_wanted.connect(self._want_place)
        self.blocks_view.passage_wanted.connect(self._open_citation)
        self._sources = Sources()
        self.source_chips: SourceChips | None = None
        """None where there is nothing to cite."""
        self._quiet = plain_label("muted", self, wraps=True)
        self.prefill_line: PrefillLine | None = None
        """While the prompt is read."""
        self._make_tools(self.source)
        self.stats_button = StatsButton(appearance, self)
        self.tools.add_details(self.stats_button)
        self.show_message(stored)

    @property
    def outcome(self) -> str:
        """The quiet line: what is being done, or how the answer ended; empty for nothing to say."""
        if self.prefill_line is not None:
            return self.prefill_line.label.text()
        return told(self._quiet)

    def source(self) -> str:
        """The answer's Markdown, as far as it was told, without the numbers of passages: that is what is copied."""
        text = self.blocks_view.stream.streamed or self.stored.message.text
        return with_citations(text, self._sources.passages)

    def show_sources(self, sources: Sources) -> None:
        """What it may cite."""
        if sources != self._sources:
            self._sources = sources
            self.blocks_view.show_citations(CitationMarks(sources.passages))
            self._show_sources()

    def show_message(self, stored: StoredMessage) -> None:
        self.stored = stored
        message = stored.message
        writing = stored.state is MessageState.WRITING
        if message.reasoning or self.reasoning_view is not None:
            milliseconds = number(stored.figures or {}, "reasoning_ms")
            self._need_reasoning().show_text(message.reasoning, milliseconds)
            self._need_reasoning().setVisible(bool(message.reasoning) and self.editor is None)
        if writing:
            self.blocks_view.set_text("")
            if message.text:
                self.blocks_view.append(message.text)
                self.blocks_view.flush()
        else:
            self.blocks_view.finish(message.text)
        self.calls.show_calls(stored.id, message.tool_calls, growing=writing)
        self._show_state()

    def append(self, text: str, kind: DeltaKind = DeltaKind.CONTENT) -> None:
        if kind is DeltaKind.REASONING:
            reasoning = self._need_reasoning()
            if reasoning.isHidden() and self.editor is None:
                reasoning.show()
                self.resized.emit()
            reasoning.append(text)
        else:
            if self.reasoning_view is not None:
                self.reasoning_view.stop()
            self.blocks_view.append(text)
        self._say("")

    def grow_calls(self, calls: tuple[ToolCall, ...]) -> None:
        """The tool calls as far as they have come."""
        self.calls.show_calls(self.stored.id, calls, growing=True)
        self._say("")
        self.resized.emit()

    def show_activity(self, activity: Activity, clock: PrefillClock | None = None) -> None:
        """While nothing is written yet, say what is being done instead. `clock` knows how far the reading is."""
        if self.stored.state is not MessageState.WRITING:
            # While its calls are seen to, nothing can be done about the answer.
            self.tools.setVisible(self.editor is None and not isinstance(activity, Calling))
            return
        if isinstance(activity, Prefilling) and clock is not None:
            # Below its beginning, where an answer goes on.
            self._show_reading(clock)
            return
        began = self.blocks_view.blocks or self.blocks_view.stream.is_open or self.calls.views
        if not began and (self.reasoning_view is None or self.reasoning_view.isHidden()):
            self._say(doing(activity))
        elif self._end_reading():
            self.resized.emit()

    @Slot()
    def edit(self) -> None:
        """Change the answer's Markdown in its place."""
        if self.stored.state is not MessageState.WRITING:
            super().edit()

    def arrange(self, width: int, top: int, bottom: int) -> int:
        """Lay out at this width, with what can be seen between `top` and `bottom`; returns the height."""
        y = 0
        if self.reasoning_view is not None and not self.reasoning_view.isHidden():
            self.reasoning_view.show_range(top - y, bottom - y)
            y += _put(self.reasoning_view, y, width, self.reasoning_view.place(width)) + _FOLD_GAP
        if (editor := self.editor) is not None:
            y += _put(editor, y, width, editor.sizeHint().height()) + _GAP
            return self.calls.place(y, width, top, bottom)
        self.blocks_view.show_range(top - y, bottom - y)
        y += _put(self.blocks_view, y, width, self.blocks_view.place(width))
        if self.source_chips is not None and not self.source_chips.isHidden():
            self.source_chips.move(0, y)
            y += self.source_chips.place(width) + _FOLD_GAP
        y = self.calls.place(y, width, top, bottom)
        if self.prefill_line is not None:
            y += _put(self.prefill_line, y, width, self.prefill_line.sizeHint().height()) + _GAP
        if not self._quiet.isHidden():
            y += _put(self._quiet, y, width, self._quiet.heightForWidth(width)) + _GAP
        # While the answer is written too: it ends without a jump.
        # The last block has room of its own below it.
        return y - _INTO_ROOM + _put(self.tools, y - _INTO_ROOM, width, self.tools.minimumHeight())

    def anchor_at(self, y: int) -> object:
        """Something that `y_of` finds again after the layout has changed."""
        for name, view, top in self._texts():
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
                for each, view, top in self._texts():
                    if each == name:
                        return top + view.y_of((index, below))
        return 0

    def open_part(self, part: Part, block: int) -> None:
        if part == "reasoning" and self.reasoning_view is not None:
            self.reasoning_view.set_open(True)
            self.reasoning_view.blocks_view.uncover(block)
        if part == "text":
            self.blocks_view.uncover(block)
        if part == "tools":
            self.calls.open_part(block)

    def reveal(self, part: Part, place: tuple[int, int]) -> None:
        match part:
            case "text":
                super().reveal(part, place)
            case "reasoning" if self.reasoning_view is not None:
                self.reasoning_view.blocks_view.reveal(place)
            case "tools":
                self.calls.reveal(place)

    def show_hits(self, hits: Mapping[Part, Hits], current: tuple[Part, int, Hit] | None) -> None:
        for name, view, _ in self._texts():
            now = (current[1], current[2]) if current is not None and current[0] == name else None
            view.show_hits(hits.get(name, {}), now)
        now = (current[1], current[2]) if current is not None and current[0] == "tools" else None
        self.calls.show_hits(hits.get("tools", {}), now)

    def top_of(self, part: Part, place: tuple[int, int]) -> int:
        if part == "tools":
            return self.calls.top_of(place)
        for name, view, top in self._texts():
            if name == part:
                return top + view.top_of(place)
        return 0

    def _turn(self) -> None:
        edits = self.editor is not None
        self.blocks_view.setVisible(not edits)
        if edits:
            if self.source_chips is not None:
                self.source_chips.hide()
            self._quiet.hide()
            self.tools.hide()
            self.resized.emit()
        else:
            self._show_state()

    def _end_of_text(self) -> int:
        return self.blocks_view.y() + self.blocks_view.height()

    def _texts(self) -> list[tuple[Part, BlocksView, int]]:
        made: list[tuple[Part, BlocksView, int]] = []
        thought = self.reasoning_view
        if thought is not None and thought.is_open and not thought.isHidden():
            made.append(("reasoning", thought.blocks_view, thought.y() + thought.blocks_view.y()))
        made.append(("text", self.blocks_view, self.blocks_view.y()))
        return made

    def _show_sources(self) -> None:
        """When the answer is there."""
        if self.source_chips is None:
            self.source_chips = SourceChips(self._appearance, self)
            self.source_chips.wanted.connect(self._open_source)
            self.source_chips.resized.connect(self.resized)
        parts, cited = listed(self.stored.message.text, self._sources)
        self.source_chips.show_sources(parts, cited, no_words=self._sources.no_words)
        is_there = self.stored.state is not MessageState.WRITING and not self.source_chips.is_empty
        self.source_chips.setVisible(is_there and self.editor is None)
        self.resized.emit()

    def _open_citation(self, address: str) -> None:
        number, _ = cited_of(address) or (0, 0)
        self._open_source(number, self.blocks_view.citations.check_of(address))

    def _open_source(self, number: int, check: CheckedCitation | None = None) -> None:
        if (found := citation_list(self.stored.message.text, self._sources, number, check)) is not None:
            self.passage_wanted.emit(found)

    def _need_reasoning(self) -> ReasoningView:
        if self.reasoning_view is None:
            self.reasoning_view = ReasoningView(self._appearance, self)
            self.reasoning_view.resized.connect(self.resized)
        return self.reasoning_view

    def _want_place(self, y: int) -> None:
        self.place_wanted.emit(self.blocks_view.y() + y)

    def _show_state(self) -> None:
        if self.editor is not None:
            return
        writing = self.stored.state is MessageState.WRITING
        self.tools.setVisible(not writing)
        self.tools.show_message(self.stored)
        if not writing:
            self._say(outcome(self.stored))
        if self._sources.passages or self._sources.no_words:
            self._show_sources()
        self.setAccessibleName(self._name())
        figures = self.stored.figures or {}
        self.stats_button.show_figures(figures if not writing else {})
        self.resized.emit()

    def _name(self) -> str:
        """For a screen reader."""
        if self.stored.message.role is Role.TOOL:
            return self.tr("What a tool gave")
        if self.stored.state is MessageState.WRITING:
            return self.tr("Answer that is being written")
        words = len(self.stored.message.text.split())
        named = self.tr("Answer, %n word(s)", "", words)
        return named if self.stored.state is MessageState.COMPLETE else f"{named}. {outcome(self.stored)}"

    def _show_reading(self, clock: PrefillClock) -> None:
        if self.prefill_line is not None:
            self.prefill_line.refresh()
            return
        tell(self._quiet, "")
        self.prefill_line = PrefillLine(clock, self)
        self.prefill_line.show()
        self.resized.emit()

    def _end_reading(self) -> bool:
        """Whether there was a line about it. Whoever calls tells that the view needs another height."""
        if self.prefill_line is None:
            return False
        reading, self.prefill_line = self.prefill_line, None
        discard(reading)
        return True

    def _say(self, sentence: str) -> None:
        ended = self._end_reading()
        if not ended and sentence == self.outcome and bool(sentence) != self._quiet.isHidden():
            return
        tell(self._quiet, sentence)
        self.resized.emit()


def _put(widget: QWidget, y: int, width: int, height: int) -> int:
    place = widget.geometry()
    if (place.x(), place.y(), place.width(), place.height()) != (0, y, width, height):
        widget.setGeometry(0, y, width, height)
    return height
