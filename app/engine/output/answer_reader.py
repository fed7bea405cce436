"""The common layout of an answer: reasoning, content, calls."""

from app.engine.output.call_syntax import Schemas
from app.engine.output.cursor import Cursor, Parsing
from app.engine.output.format import OutputFormat
from app.engine.output.json_calls import take_fenced
from app.engine.output.pieces import Pieces


class AnswerReader:
    def __init__(self, format: OutputFormat, cursor: Cursor, pieces: Pieces, tools: Schemas) -> None:
        self._format = format
        self._cursor = cursor
        self._pieces = pieces
        self._tools = tools
        self._openings = format.calls.openings if tools else ()
        heads = (head.format(name) for head in format.heads for name in ("user", *tools))
        self._hidden = (*format.hidden, *heads)

    def read(self, thinking_open: bool) -> Parsing[None]:
        opening = ""
        if thinking_open or (yield from self._cursor.take_behind(*self._format.reasoning.starts)):
            opening = yield from self._reasoning()
        if not opening and self._format.opened:
            yield from self._opened(self._format.opened)
        elif not opening and self._tools:
            yield from self._bare()
        while True:
            if not opening:
                opening = yield from self._content()
            if not opening:
                break
            if opening in self._format.reasoning.starts:
                opening = yield from self._reasoning()
                continue
            if opening in self._openings:
                yield from self._calls(opening)
            opening = ""
        if self._pieces.n_calls:
            self._pieces.content.drop()
        self._pieces.content.flush()

    def _reasoning(self) -> Parsing[str]:
        """Take reasoning with its end; its value is the opening of a call that ended it instead."""
        cursor, writer = self._cursor, self._pieces.reasoning
        writer.restart()
        # Some models repeat the opening that the template has written already.
        yield from cursor.take_behind(*self._format.reasoning.starts)
        endings = self._format.reasoning.ends
        openings = self._openings if self._format.calls_end_reasoning else ()
        while True:
            found = yield from cursor.take_until((*endings, *openings), writer.write)
            if found and writer.last == "`" and (yield from cursor.next_is(("`",))):
                writer.write(found)
                continue
            break
        writer.drop()
        self._pieces.content.trim_start()
        if found in openings:
            return found
        yield from self._wrapped()
        return ""

    def _wrapped(self) -> Parsing[None]:
        """Take the tag before the content; then the one behind it is nothing to show either."""
        before, behind = self._format.wrapper
        if before and (yield from self._cursor.take_behind(before)):
            self._hidden = (*self._hidden, behind)

    def _opened(self, opening: str) -> Parsing[None]:
        """A call, or content, whose opening stands in the prompt."""
        cursor = self._cursor
        cursor.mark()
        if (yield from cursor.take(*(each.removeprefix(opening) for each in self._hidden if each.startswith(opening)))):
            cursor.forget_mark()
        elif self._tools:
            yield from self._format.calls.read(cursor, self._pieces, self._tools, opening)
        if cursor.is_marked:
            cursor.rewind()
        if self._pieces.n_calls:
            self._pieces.content.trim_start()

    def _bare(self) -> Parsing[None]:
        """A call without markers, where the answer begins with one."""
        self._cursor.mark()
        if (yield from take_fenced(self._cursor, self._pieces, only=self._tools.__contains__)):
            self._pieces.content.trim_start()
        else:
            self._cursor.rewind()

    def _content(self) -> Parsing[str]:
        """Take content up to the opening of a call or of more reasoning; its value is that, "" at the end."""
        cursor, writer, form = self._cursor, self._pieces.content, self._format
        hidden = (*self._hidden, *(form.reasoning.ends if form.reasoning.anywhere else ()))
        markers = (*self._openings, *form.reasoning.inner_starts, *hidden)
        while True:
            found = yield from cursor.take_until(markers, writer.write)
            if found in hidden and found:
                continue
            if found and writer.last == "`":
                writer.write(found)
                continue
            return found

    def _calls(self, opening: str) -> Parsing[None]:
        before = self._pieces.n_calls
        self._cursor.mark()
        yield from self._format.calls.read(self._cursor, self._pieces, self._tools, opening)
        if self._cursor.is_marked:
            self._cursor.rewind()
        if self._pieces.n_calls == before:
            self._pieces.content.write(opening)
        else:
            self._pieces.content.trim_start()
