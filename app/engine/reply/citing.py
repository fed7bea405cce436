"""While an answer is written: numbers of passages that don't exist can't be cited."""

from collections.abc import Callable, Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from app.core.document_form import cited_parts
from app.core.messages import Message
from app.core.requests import ChatRequest
from app.engine.binding.sampler import TokenFilter
from app.engine.binding.vocab import PieceColumns, Vocab
from app.engine.output.citations import CitationRule, Place
from app.engine.output.format import OutputFormat
from app.engine.prompt.chat_prompt import ChatFormat
from app.engine.prompt.prompt import Prompt
from app.engine.reply.constraint import FINAL, Constraint, encoded, first_mark
from app.engine.template.turns import callable_tools

_KEPT = 64
"""Bytes at the end of what was written, in which a mark may have begun."""
_OPEN, _CLOSE, _COMMA, _SPACE = b"[], "
_ZERO, _NINE = b"09"


def cited_numbers(messages: Iterable[Message]) -> frozenset[int]:
    """Those of all that stands there to be cited."""
    return frozenset(part.number for each in messages for part in cited_parts(each))


def with_citing(
    inner: Constraint, request: ChatRequest, prompt: Prompt, chat_format: ChatFormat, vocab: Vocab
) -> Constraint:
    """What the request asks for, and that only its passages are cited, where there are any."""
    numbers = cited_numbers(request.messages)
    if not numbers or request.prompt is not None:
        return inner
    spelling, calls = chat_format.tokenizer.piece, bool(callable_tools(request))
    return CitingConstraint(
        inner, numbers, chat_format.format, vocab, spelling, thinks=prompt.thinks, calls=calls, begun=prompt.begun
    )


class CitingConstraint(Constraint):
    """Stands beside another constraint, which alone holds where it holds anything.

    In thoughts nothing holds, nor from the first tool call on. Each drawn token is looked at by itself; only where one
    is refused all of them are (`SamplerChain.sample`).
    """

    def __init__(
        self,
        inner: Constraint,
        numbers: Collection[int],
        written: OutputFormat,
        vocab: Vocab,
        spelling: Callable[[int], bytes],
        *,
        thinks: bool,
        calls: bool,
        begun: str = "",
    ) -> None:
        """`spelling` says what a token says, `calls` that tools may be called; the rest as of `CallConstraint`."""
        super().__init__()
        self._inner = inner
        self._numbers = numbers
        self._vocab = vocab
        self._spelling = spelling
        self._rule = CitationRule(numbers)
        self._tried: tuple[bytes, CitationRule] | None = None
        """What the drawn token says, and the rule behind it."""
        reasoning = written.reasoning
        self._calls = encoded(written.calls.openings if calls else ())
        self._marks = (*encoded(() if written.channels else reasoning.starts), *self._calls)
        self._ends = encoded(FINAL if written.channels else reasoning.ends)
        self._thinks = (thinks or written.channels) and bool(self._ends)
        self._tail = b""
        self._may_be_call = calls
        """Nothing was said yet: an object would be a call without marks."""
        self._is_over = False
        self.saw(begun.encode())

    @property
    def grammar(self) -> TokenFilter | None:
        inner = self._inner.grammar
        return inner if inner is not None or self._thinks or self._is_over else self

    def saw(self, piece: bytes) -> None:
        self._inner.saw(piece)
        said, text = piece, self._tail + piece
        while found := first_mark(text, self._ends if self._thinks else self._marks):
            at, mark = found
            said = text = text[at + len(mark) :]
            self._is_over = self._is_over or mark in self._calls
            self._thinks, self._rule = not self._thinks, CitationRule(self._numbers)
        self._tail = text[-_KEPT:]
        if not self._thinks:
            self._say(said)

    def _say(self, piece: bytes) -> None:
        if self._may_be_call and piece.strip():
            self._may_be_call = False
            self._is_over = self._is_over or piece.lstrip().startswith(b"{")
        tried, self._tried = self._tried, None
        if tried is not None and tried[0] == piece:
            self._rule = tried[1]
        elif not self._rule.follow(piece):
            self._rule = CitationRule(self._numbers)  # another constraint let it be said

    def allows(self, token: int) -> bool:
        piece = self._spelling(token)
        if self._rule.is_plain(piece) or not piece or self._vocab.is_eog(token):
            return True
        rule = self._rule.copy()
        allowed = rule.follow(piece)
        self._tried = (piece, rule) if allowed else None
        return allowed

    def allowed(self) -> NDArray[np.bool_]:
        columns = self._vocab.columns
        within = self._rule.place in (Place.NUMBER, Place.COMMA, Place.BLANK)
        mask = np.full(self._vocab.n_tokens, not within)
        for token in columns.tokens[_suspects(columns, self._rule.place)]:
            mask[token] = self._rule.copy().follow(columns.piece(int(token)))
        mask[list(self._vocab.ends)] = True
        return mask

    def accept(self, token: int) -> None:
        """`saw` is told, too."""


def _suspects(columns: PieceColumns, place: Place) -> NDArray[np.bool_]:
    """Tokens that have to be looked at one by one, by the rows of `columns`: all others can't begin a citation, and
    can't stand in one that is open.
    """
    first, second = (np.zeros(columns.count, dtype=np.uint8) for _ in range(2))
    opens = np.zeros(columns.count, dtype=np.bool_)
    for number, (column, _) in enumerate(columns):
        opens[: len(column)] |= column == _OPEN
        if number < 2:
            (first, second)[number][: len(column)] = column
    digit = (first >= _ZERO) & (first <= _NINE)
    found = opens
    match place:
        case Place.OPENED:
            found |= digit
        case Place.NUMBER:
            found = digit | (first == _CLOSE) | (first == _COMMA)
        case Place.COMMA:
            blank = (first == _SPACE) & ((second == 0) | ((second >= _ZERO) & (second <= _NINE)))
            found = digit | blank
        case Place.BLANK:
            found = digit
    return found
