"""An answer as it grows: tokens, the text that they make, and what that text is."""

import time
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from app.core.events import DeltaKind, TextDelta, TokenLogprob, ToolCallDelta, grow_calls
from app.core.messages import ToolCall
from app.engine.output.parser import OutputParser
from app.engine.reply.stream_text import StreamText

Piece = TextDelta | ToolCallDelta


class Answer:
    """Takes tokens, gives deltas. Text is cut off at stop strings first, and then understood."""

    def __init__(
        self,
        stops: Sequence[str],
        parser: "OutputParser | PlainText",
        *,
        thinks: bool = False,
        before: tuple[int, ...] | None = (),
        begun: str = "",
        most_calls: int | None = None,
    ) -> None:
        """`thinks`: the prompt ends inside the reasoning. An answer that goes on has `before`, its tokens so far (None
        where they are not known), and `begun`, what was written of it. The answer is over where more than `most_calls`
        tool calls begin.
        """
        self._most_calls = most_calls
        self._too_many = False
        self.stream = StreamText(stops)
        self.predicted = 0
        self.reasoning_n = 0
        self.logprobs: list[TokenLogprob] = []
        self._parser = parser
        self._before = before
        self._tokens: list[int] = []
        self._ends: list[int] = []
        """Characters that had begun after each of `_tokens`."""
        self._raw: list[str] = []
        self._told = 0
        """Of `logprobs`, by the deltas so far."""
        self._said: dict[DeltaKind, list[str]] = {kind: [] for kind in DeltaKind}
        self._calls: list[ToolCall] = []
        self._thinks = thinks
        self._thinking = _Stopwatch()
        for piece in parser.feed(begun):
            self._keep(piece)
        for said in self._said.values():
            said.clear()

    def add(self, token: int, piece: bytes, logprob: TokenLogprob | None = None) -> list[Piece]:
        self.predicted += 1
        if self._thinks:
            self._thinking.start()
        self._tokens.append(token)
        if logprob is not None:
            self.logprobs.append(logprob)
        thought = self._thinks
        pieces = self._take(self._parser.feed(self._shown(self.stream.feed(piece))))
        self._ends.append(self.stream.n_begun)
        self.reasoning_n += thought or self._thinks
        return pieces

    def add_last(self) -> None:
        """The model drew the token that ends an answer: it counts, and says nothing."""
        self.predicted += 1

    def end(self, *, cut: bool = False) -> list[Piece]:
        """What was held back, now that no more comes. `cut`: a limit or somebody ended it, not the model."""
        rest = self._shown(self.stream.finish())
        if self.stream.stopped_by is not None:
            del self.logprobs[len(self._covered()) :]
        cut = cut or self.stream.stopped_by is not None
        pieces = self._take([*self._parser.feed(rest), *self._parser.finish(cut=cut)])
        self._thinking.stop()
        return pieces

    @property
    def is_over(self) -> bool:
        """Whatever else the model would write."""
        return self.stream.stopped_by is not None or self._too_many

    @property
    def text(self) -> str:
        return "".join(self._said[DeltaKind.CONTENT])

    @property
    def reasoning(self) -> str:
        return "".join(self._said[DeltaKind.REASONING])

    @property
    def reasoning_ms(self) -> float:
        return self._thinking.seconds * 1000

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """As far as they have come."""
        return tuple(self._calls)

    @property
    def raw(self) -> str:
        """All text of the tokens that were added, with all its marks, up to a stop string."""
        return "".join(self._raw)

    def tail(self, n: int) -> str:
        """The end of `raw`, of at least `n` characters where there are as many."""
        pieces: list[str] = []
        for piece in reversed(self._raw):
            if n <= 0:
                break
            pieces.append(piece)
            n -= len(piece)
        return "".join(reversed(pieces))

    def covered_tokens(self) -> tuple[int, ...]:
        """The tokens that the shown text covers whole: a stop string may have cut one in two."""
        return () if self._before is None else (*self._before, *self._covered())

    def _covered(self) -> tuple[int, ...]:
        if self.stream.stopped_by is None:
            return tuple(self._tokens)
        return tuple(self._tokens[: bisect_right(self._ends, len(self.raw))])

    def _shown(self, text: str) -> str:
        if text:
            self._raw.append(text)
        return text

    def _take(self, pieces: list[Piece]) -> list[Piece]:
        told: list[Piece] = []
        for piece in pieces:
            if isinstance(piece, ToolCallDelta) and piece.index == self._most_calls:
                self._too_many = True
            if self._too_many:
                break
            self._keep(piece)
            if isinstance(piece, TextDelta):
                told.append(TextDelta(piece.text, self.predicted, piece.kind, self._fresh_logprobs()))
            else:
                told.append(replace(piece, predicted_n=self.predicted))
        return told

    def _fresh_logprobs(self) -> tuple[TokenLogprob, ...]:
        if self._told == len(self.logprobs):
            return ()
        fresh = tuple(self.logprobs[self._told :])
        self._told = len(self.logprobs)
        return fresh

    def _keep(self, piece: Piece) -> None:
        match piece:
            case TextDelta(text, _, kind):
                self._said[kind].append(text)
                self._thinks = kind is DeltaKind.REASONING
            case ToolCallDelta():
                grow_calls(self._calls, piece)
                self._thinks = False
        if self._thinks:
            self._thinking.start()
        else:
            self._thinking.stop()


class _Stopwatch:
    """The seconds from the first start to the last stop after it, without what lay between a stop and a start."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._began: float | None = None

    def start(self) -> None:
        if self._began is None:
            self._began = time.perf_counter()

    def stop(self) -> None:
        if self._began is not None:
            self.seconds += time.perf_counter() - self._began
            self._began = None


class PlainText:
    """Stands in for a parser where all is content."""

    def feed(self, text: str) -> list[Piece]:
        return [TextDelta(text)] if text else []

    def finish(self, *, cut: bool = False) -> list[Piece]:
        return []
