"""gpt-oss' harmony format: messages with heads that name a channel, and perhaps whom they are for."""

import re

from app.engine.output.call_syntax import Schemas
from app.engine.output.cursor import Cursor, Parsing
from app.engine.output.format import OutputFormat
from app.engine.output.json_text import take_value
from app.engine.output.pieces import Pieces, Trimmed

START, CHANNEL, MESSAGE, CONSTRAIN = "<|start|>", "<|channel|>", "<|message|>", "<|constrain|>"
ENDS = ("<|end|>", "<|call|>", "<|return|>")
ANALYSIS = CHANNEL + "analysis" + MESSAGE
_RECIPIENT = re.compile(r"\bto=(functions\.)?([\w.\-]+)")
_CHANNEL = re.compile(re.escape(CHANNEL) + r"\s*(\w+)")
_LONGEST_HEAD = 100
"""Characters; more is no head that was cut off, but an answer without one."""
_HEADS = (START, CHANNEL, MESSAGE, CONSTRAIN, " to=", "to=")


class ChannelReader:
    """Analysis is reasoning, what goes to functions is a call, all else is content."""

    def __init__(self, format: OutputFormat, cursor: Cursor, pieces: Pieces, tools: Schemas) -> None:
        self._cursor = cursor
        self._pieces = pieces
        self._tools = tools

    def read(self, thinking_open: bool) -> Parsing[None]:
        pieces = self._pieces
        if thinking_open:
            marker = yield from self._text(pieces.reasoning)
        elif (yield from self._cursor.next_is(_HEADS)):
            marker = START
        else:
            marker = yield from self._text(pieces.content)
        while marker:
            if marker in ENDS:
                marker = yield from self._between()
            else:
                marker = yield from self._message("" if marker == START else marker)
        if pieces.n_calls:
            pieces.content.drop()
        pieces.content.flush()

    def _between(self) -> Parsing[str]:
        """Behind a message: blanks, and the next one's start. Anything else is content."""
        yield from self._cursor.take_space()
        if marker := (yield from self._cursor.take(START, CHANNEL, *ENDS)):
            return marker
        return (yield from self._text(self._pieces.content))

    def _message(self, head: str) -> Parsing[str]:
        """Take a message; its value is the marker behind it."""
        parts = [head]
        marker = yield from self._cursor.take_until((MESSAGE, *ENDS), parts.append)
        text = "".join(parts)
        if marker != MESSAGE:
            if len(text) > _LONGEST_HEAD:
                self._pieces.content.write(text)
            return marker
        recipient = _RECIPIENT.search(text)
        channels = _CHANNEL.findall(text)
        channel = channels[-1] if channels else "final"
        if recipient and self._tools and (recipient[1] or recipient[2] in self._tools):
            return (yield from self._call(recipient[2]))
        return (yield from self._text(self._pieces.reasoning if channel == "analysis" else self._pieces.content))

    def _call(self, name: str) -> Parsing[str]:
        """Take a call's arguments. What looks like a marker inside of a string of theirs is none."""
        self._pieces.begin(name)
        yield from self._cursor.take_space()
        found = (yield from self._cursor.peek()) == "{" and (yield from take_value(self._cursor, self._pieces.write))
        rest = Trimmed(self._pieces.write)
        marker = yield from self._cursor.take_until((START, CHANNEL, *ENDS), rest.write)
        if rest.empty and not found:
            self._pieces.write("{}")
        return marker

    def _text(self, writer: Trimmed) -> Parsing[str]:
        writer.restart()
        marker = yield from self._cursor.take_until((START, CHANNEL, *ENDS), writer.write)
        if marker:
            writer.drop()
        return marker
