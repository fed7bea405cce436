"""Output text to deltas, as it streams."""

import secrets
import string
from collections.abc import Callable
from typing import NamedTuple

from app.core.events import DeltaKind, TextDelta, ToolCallDelta, grow_calls
from app.core.messages import ToolCall
from app.engine.output.answer_reader import AnswerReader
from app.engine.output.call_syntax import Schemas
from app.engine.output.channel_reader import ChannelReader
from app.engine.output.cursor import Cursor
from app.engine.output.format import OutputFormat
from app.engine.output.pieces import Piece, Pieces

_ID_LENGTH = 9
"""What Mistral's templates insist on; nobody else minds."""


class OutputParser:
    """Feed text, get pieces. Joined, the pieces do not depend on how the text was cut.

    Only what may begin a marker is kept back, with blanks before it; the head of a call up to its arguments; a value
    whose type must be seen first. Nothing is lost: what looks like a call and is none is content.
    """

    def __init__(
        self,
        format: OutputFormat,
        *,
        thinking_open: bool = False,
        tools: Schemas | None = None,
        new_id: Callable[[], str] | None = None,
    ) -> None:
        """`tools` are the offered functions, by name, with the schemas of their parameters; without any, calls are
        ordinary text. `thinking_open`: the prompt has opened the reasoning. `new_id` makes up ids of calls.
        """
        self._cursor = Cursor()
        self._pieces = Pieces(self._cursor, new_id or _new_id)
        reader = ChannelReader if format.channels else AnswerReader
        self._reading = reader(format, self._cursor, self._pieces, tools or {}).read(thinking_open)
        self._behind_call = False
        """Nothing was said since the last call."""
        self._done = False
        self._advance()

    def feed(self, text: str) -> list[Piece]:
        if text and not self._cursor.write_plain(text):
            self._cursor.feed(text)
            self._advance()
        pieces = self._pieces.take()
        if pieces:
            self._behind_call = isinstance(pieces[-1], ToolCallDelta)
        return pieces

    def finish(self, *, cut: bool = False) -> list[Piece]:
        """What was kept back, now that no more comes. `cut`: the model would have written more; then what may begin
        another call is not told. Of a first call it is: with that as its text, the answer can go on.
        """
        self._cursor.end()
        self._advance()
        pieces = self._pieces.take()
        if cut and self._behind_call:
            return [each for each in pieces if isinstance(each, ToolCallDelta)]
        return pieces

    def _advance(self) -> None:
        if not self._done:
            self._done = next(self._reading, _DONE) is _DONE


class ParsedOutput(NamedTuple):
    reasoning: str
    content: str
    tool_calls: tuple[ToolCall, ...]


def parse(
    format: OutputFormat,
    text: str,
    *,
    thinking_open: bool = False,
    tools: Schemas | None = None,
    new_id: Callable[[], str] | None = None,
) -> ParsedOutput:
    """A whole output at once; other arguments as for `OutputParser`."""
    parser = OutputParser(format, thinking_open=thinking_open, tools=tools, new_id=new_id)
    return joined([*parser.feed(text), *parser.finish()])


def joined(pieces: list[Piece]) -> ParsedOutput:
    """What pieces amount to."""
    texts: dict[DeltaKind, list[str]] = {DeltaKind.REASONING: [], DeltaKind.CONTENT: []}
    calls: list[ToolCall] = []
    for piece in pieces:
        match piece:
            case TextDelta():
                texts[piece.kind].append(piece.text)
            case ToolCallDelta():
                grow_calls(calls, piece)
    return ParsedOutput("".join(texts[DeltaKind.REASONING]), "".join(texts[DeltaKind.CONTENT]), tuple(calls))


def _new_id() -> str:
    return "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(_ID_LENGTH))


_DONE = object()
