"""A tool that an answer asks for: its name, its arguments, and what it gave."""

import json
from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QLabel, QWidget

from app.core.messages import ToolCall
from app.ui.richtext.code_block import CodeBlock
from app.ui.richtext.markdown_blocks import Code
from app.ui.richtext.text_marks import Hit
from app.ui.theme.appearance import Appearance
from app.ui.widgets.fold import Fold
from app.ui.widgets.plain_text import plain_label

_LONG = 24
"""Lines; what is longer stays closed until somebody opens it."""
_LABEL = 20


class ToolCallView(Fold):
    """Open from the start, if it is short; once it is answered, what came of it stands in the text."""

    def __init__(self, appearance: Appearance, call: ToolCall, parent: QWidget | None = None) -> None:
        super().__init__(appearance, "tool", parent)
        self._call = call
        self._result: str | None = None
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

    def show_call(self, call: ToolCall, *, growing: bool) -> None:
        self._call = call
        self._tell()
        if not self._chosen:
            self.set_open(self._opens())
        if self.is_open:
            self._fill(growing=growing)

    def show_result(self, result: str | None) -> None:
        """None while there is none."""
        if result == self._result:
            return
        self._result = result
        self._tell()
        if not self._chosen:
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
        for each in (self._arguments, self._label, self._answer):
            if each is not None:
                each.setVisible(is_open)

    def place_body(self, room: QRect) -> int:
        y = room.top()
        for each in (self._arguments, self._label, self._answer):
            if each is None:
                continue
            height = each.height_for(room.width()) if isinstance(each, CodeBlock) else _LABEL
            each.setGeometry(room.left(), y, room.width(), height)
            y += height
        return y - room.top() - 6

    def _fill(self, *, growing: bool) -> None:
        if self._arguments is None:
            self._arguments = self._make_code()
        self._arguments.show_code(
            Code("", self._call.arguments) if growing else pretty(self._call.arguments), growing=growing
        )
        if self._result is not None:
            if self._answer is None or self._label is None:
                self._label = plain_label("small", self)
                self._label.setText(self.tr("Result"))
                self._answer = self._make_code()
                self._label.show()
            self._answer.show_code(pretty(self._result), growing=False)
        self._mark()

    def _make_code(self) -> CodeBlock:
        made = CodeBlock(self._appearance, self)
        made.resized.connect(self.resized)
        made.show()
        return made

    def _opens(self) -> bool:
        return self._result is None and pretty(self._call.arguments).text.count("\n") <= _LONG

    def _tell(self) -> None:
        waits = self._result is None
        self.head.say(self.tr("Tool call"), "" if waits else self.tr("answered"), self._call.name or "…")

    def _choose(self) -> None:
        self._chosen = True


def pretty(text: str) -> Code:
    """JSON with a line for each entry; anything else as it is."""
    try:
        return Code("json", json.dumps(json.loads(text), indent=2, ensure_ascii=False))
    except ValueError:
        return Code("", text)


def shown_texts(calls: Sequence[ToolCall], results: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Each text with its number: of call n, 2n has the arguments and 2n + 1 the result, where there is one."""
    for number, call in enumerate(calls):
        yield 2 * number, pretty(call.arguments).text
        if (result := results.get(call.id)) is not None:
            yield 2 * number + 1, pretty(result).text
