"""A tool that an answer asks for: its name, its arguments, and what it gave."""

import json
from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import QPoint, QRect, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.core.messages import ToolCall
from app.services.tools.call_states import Asked, CallState, Filling, Looking, Running
from app.storage.conversations import MessageState, StoredMessage
from app.ui.formatting.numbers import number
from app.ui.formatting.sentences import translated
from app.ui.richtext.code_block import CodeBlock
from app.ui.richtext.markdown_blocks import Code
from app.ui.richtext.text_marks import Hit
from app.ui.theme.appearance import Appearance
from app.ui.tools.approval_bar import ApprovalBar
from app.ui.tools.form_bar import FormBar
from app.ui.widgets.buttons import push_button
from app.ui.widgets.discard import discard
from app.ui.widgets.fold import Fold
from app.ui.widgets.plain_text import plain_label

_LONG = 24
"""Lines; what is longer stays closed until somebody opens it."""
_LABEL = 20
_BELOW = 6
"""Pixels below a button, which may be the last that is seen."""


class ToolCallView(Fold):
    """Open from the start, if it is short; once it is answered, what came of it stands in the text."""

    decided = Signal(object)
    """CallAnswer"""
    filled = Signal(object)
    """FormAnswer"""
    again_wanted = Signal()
    """Nobody decided, and the model may ask again."""
    undo_wanted = Signal(int)
    """The id of the result's message: what was written is to be put back."""

    def __init__(self, appearance: Appearance, call: ToolCall, parent: QWidget | None = None) -> None:
        super().__init__(appearance, "tool", parent)
        self._call = call
        self._result: StoredMessage | None = None
        self._state: CallState | None = None
        self._growing = False
        self._offers_again = False
        self._bar: ApprovalBar | None = None
        self._form: FormBar | None = None
        self._again: QPushButton | None = None
        self._undo: QPushButton | None = None
        self._chosen = False
        self._hits: Mapping[int, Sequence[Hit]] = {}
        self._current_hit: tuple[int, Hit] | None = None
        self._arguments: CodeBlock | None = None
        self._answer: CodeBlock | None = None
        self._label: QLabel | None = None
        self.head.clicked.connect(self._choose)
        self.show_call(call, growing=False)

    @property
    def call(self) -> ToolCall:
        return self._call

    @property
    def arguments_view(self) -> CodeBlock | None:
        """None until it is open."""
        return self._arguments

    @property
    def result_view(self) -> CodeBlock | None:
        """None until it is open and there is a result."""
        return self._answer

    @property
    def approval_bar(self) -> ApprovalBar | None:
        """While a person is asked."""
        return self._bar

    @property
    def form_bar(self) -> FormBar | None:
        """While its server asks something."""
        return self._form

    @property
    def again_button(self) -> QPushButton | None:
        """Where nobody decided."""
        return self._again

    @property
    def undo_button(self) -> QPushButton | None:
        """Of a call that has written a file, until that is undone."""
        return self._undo

    def show_call(self, call: ToolCall, *, growing: bool) -> None:
        self._call, self._growing = call, growing
        self._tell()
        if not self._chosen:
            self.set_open(self._opens())
        if self.is_open:
            self._fill(growing=growing)

    def show_result(
        self, result: StoredMessage | None, state: CallState | None = None, *, offers_again: bool = False
    ) -> None:
        """None while there is none, and what becomes of the call. `offers_again`: a call that nobody decided can be
        asked about again."""
        if (result, state, offers_again) == (self._result, self._state, self._offers_again):
            return
        self._result, self._state, self._offers_again = result, state, offers_again
        self._ask()
        self._ask_more()
        self._tell()
        if not self._chosen or isinstance(state, Asked | Filling):
            self.set_open(self._opens())
        if self.is_open:
            self._fill(growing=False)
        self.resized.emit()

    def show_hits(self, hits: Mapping[int, Sequence[Hit]], current: tuple[int, Hit] | None) -> None:
        """Mark what was searched for: 0 is the arguments, 1 the result."""
        self._hits, self._current_hit = hits, current
        self._mark()

    def top_of(self, text: int, place: int) -> int:
        """How high a place of the arguments (0) or of the result (1) is in this view."""
        code = self._answer if text else self._arguments
        if not self.is_open or code is None:
            return 0
        return code.text_view.mapTo(self, QPoint(0, code.text_view.top_of(place))).y()

    def reveal(self, text: int, place: int) -> None:
        """Scroll sideways within a text that is shown."""
        code = self._answer if text else self._arguments
        if code is not None:
            code.text_view.reveal(place)

    def _mark(self) -> None:
        for text, code in enumerate((self._arguments, self._answer)):
            if code is not None:
                now = self._current_hit
                code.text_view.show_hits(self._hits.get(text, ()), now[1] if now and now[0] == text else None)

    def show_body(self, is_open: bool) -> None:
        if is_open:
            self._fill(growing=False)
        for each in (self._arguments, self._label, self._answer, self._bar, self._form, self._again, self._undo):
            if each is not None:
                each.setVisible(is_open)
        self._make_room()

    def place_body(self, room: QRect) -> int:
        y = room.top()
        for each in (self._arguments, self._bar, self._form, self._again, self._label, self._answer, self._undo):
            if each is None or each.isHidden():
                continue
            match each:
                case CodeBlock() | ApprovalBar() | FormBar():
                    height, width = each.height_for(room.width()), room.width()
                case QPushButton():
                    height, width = each.sizeHint().height() + _BELOW, each.sizeHint().width()
                case _:
                    height, width = _LABEL, room.width()
            each.setGeometry(room.left() + (room.width() - width) * self.isRightToLeft(), y, width, height)
            y += height
        return y - room.top() - 6

    def _fill(self, *, growing: bool) -> None:
        if self._arguments is None:
            self._arguments = self._make_code()
        self._arguments.show_code(self._asked_for(growing=growing), growing=growing)
        if self._result is not None and self._result.state is not MessageState.WRITING:
            if self._answer is None or self._label is None:
                self._label = plain_label("small", self)
                self._label.setText(self.tr("Result"))
                self._answer = self._make_code()
                self._label.show()
                if "\n" not in self._result.message.text:
                    # A sentence, as of what went wrong.
                    self._answer.wrap()
            self._answer.show_code(pretty(self._result.message.text), growing=False)
        self._mark()

    def _asked_for(self, *, growing: bool) -> Code:
        if isinstance(self._state, Asked) and self._state.preview:
            return Code("diff", self._state.preview)
        return Code("", self._call.arguments) if growing else readable(self._call.arguments)

    def _make_code(self) -> CodeBlock:
        made = CodeBlock(self._appearance, self)
        made.resized.connect(self.resized)
        made.show()
        return made

    def _ask(self) -> None:
        """Show what a person may do about the call."""
        if not isinstance(self._state, Asked) and self._bar is not None:
            discard(self._bar)
            self._bar = None
        elif isinstance(self._state, Asked) and self._bar is None:
            self._bar = ApprovalBar(self._state, pretty(self._call.arguments).text, self)
            self._bar.decided.connect(self.decided)
            self._bar.edits.connect(self._make_room)
            self._bar.resized.connect(self.resized)
            self._bar.setVisible(self.is_open)
        if not self._is_undecided and self._again is not None:
            discard(self._again)
            self._again = None
        elif self._is_undecided and self._again is None:
            self._again = push_button(self.tr("Ask again"), self, self.again_wanted, tone="link")
            self._again.setVisible(self.is_open)
        self._offer_undo()

    def _offer_undo(self) -> None:
        figures = self._result.figures or {} if self._result is not None else {}
        offers = "written" in figures and "undone" not in figures
        if not offers and self._undo is not None:
            discard(self._undo)
            self._undo = None
        elif offers and self._undo is None and self._result is not None:
            number = self._result.id
            self._undo = push_button(self.tr("Undo"), self, lambda: self.undo_wanted.emit(number), tone="link")
            self._undo.setVisible(self.is_open)

    def _ask_more(self) -> None:
        """Show the form of its server, another one where it asks again."""
        form = self._state.form if isinstance(self._state, Filling) else None
        if self._form is not None and (form is None or form != self._form.form):
            discard(self._form)
            self._form = None
        if form is not None and self._form is None:
            self._form = FormBar(form, self)
            self._form.filled.connect(self.filled)
            self._form.resized.connect(self.resized)
            self._form.setVisible(self.is_open)

    def _make_room(self) -> None:
        """Arguments that are being changed are not shown twice."""
        if self._arguments is not None:
            edited = self._bar is not None and not self._bar.editor.isHidden()
            self._arguments.setVisible(self.is_open and not edited)
        self.resized.emit()

    @property
    def _is_undecided(self) -> bool:
        return self._offers_again and self._result is None and self._state is None and not self._growing

    def _opens(self) -> bool:
        if isinstance(self._state, Asked | Filling):
            return True
        return (
            self._result is None
            and not isinstance(self._state, Running)
            and readable(self._call.arguments).text.count("\n") <= _LONG
        )

    def _tell(self) -> None:
        self.head.say(self.tr("Tool call"), self._told(), self._call.name or "…")

    def _told(self) -> str:
        """What has become of it."""
        match self._state:
            case Asked() | Filling():
                return self.tr("waits for you")
            case Looking():
                return self.tr("is looked at…")
            case Running(progress=progress):
                return translated(progress) or self.tr("runs…")
        if self._result is None:
            return self.tr("not allowed") if self._is_undecided else ""
        figures = self._result.figures or {}
        if self._result.state is MessageState.INTERRUPTED or self._result.state is MessageState.CANCELLED:
            return self.tr("stopped")
        if figures.get("denied"):
            return self.tr("not allowed")
        seconds = number(figures, "ms") / 1000
        took = self.tr("{seconds} s").format(seconds=f"{seconds:.1f}") if seconds >= 0.05 else self.tr("answered")
        return self.tr("failed") if figures.get("error") else took

    def _choose(self) -> None:
        self._chosen = True


def pretty(text: str) -> Code:
    """JSON with a line for each entry; anything else as it is."""
    try:
        return Code("json", json.dumps(json.loads(text), indent=2, ensure_ascii=False))
    except ValueError:
        return Code("", text)


def readable(arguments: str) -> Code:
    """As `pretty`; but a text of several lines that is all that a tool is asked, such as code, as it stands."""
    try:
        told = json.loads(arguments)
    except ValueError:
        told = None
    match list(told.items()) if isinstance(told, dict) else []:
        case [(str(name), str(text))] if "\n" in text:
            return Code("python" if name == "code" else "", text)
    return pretty(arguments)


def texts_of(results: Mapping[str, StoredMessage]) -> dict[str, str]:
    """Of what tools gave, by the ids of the calls."""
    return {call_id: stored.message.text for call_id, stored in results.items()}


def shown_texts(calls: Sequence[ToolCall], results: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Each text with its number: of call n, 2n has the arguments and 2n + 1 the result, where there is one."""
    for index, call in enumerate(calls):
        yield 2 * index, readable(call.arguments).text
        if (result := results.get(call.id)) is not None:
            yield 2 * index + 1, pretty(result).text
