"""What an answer has to keep to while it is written."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.core.errors import ConstraintError, UserError
from app.core.requests import ChatRequest, ToolChoice
from app.engine.binding.sampler import TokenFilter
from app.engine.binding.vocab import Vocab
from app.engine.grammar.symbols import GrammarCancelledError, GrammarError
from app.engine.output.call_syntax import schemas
from app.engine.output.format import OutputFormat
from app.engine.prompt.chat_prompt import ChatFormat
from app.engine.prompt.prompt import Prompt
from app.engine.template.turns import callable_tools

if TYPE_CHECKING:  # grammars take 20 ms of a start, and most questions have none
    from app.engine.grammar.grammar import Grammar

_KEPT = 64
"""Bytes at the end of what was written, in which the end of the reasoning is looked for."""


class Constraint:
    """A grammar, or none; it may wait for the end of the reasoning."""

    def __init__(self, grammar: "Grammar | None" = None, *, after: tuple[str, ...] = (), begun: str = "") -> None:
        """With `after` the grammar holds from the first of these texts on; `begun` is what was written before."""
        self._grammar = grammar
        self._after = tuple(each.strip().encode() for each in after)
        self._tail = b""
        if self._after:
            self.saw(begun.encode())

    @property
    def grammar(self) -> TokenFilter | None:
        """What holds now."""
        return None if self._after else self._grammar

    def saw(self, piece: bytes) -> None:
        """What has just been written."""
        if self._after:
            text = self._tail + piece
            self._tail = text[-_KEPT:]
            if any(end in text for end in self._after):
                self._after = ()


class CallConstraint(Constraint):
    """Waits for the text that opens a call: from there on only tools that are there can be called, and with valid
    arguments. It never ends an answer: where its grammar comes to ask too much, nothing holds.
    """

    def __init__(
        self, made: "Callable[[], Grammar]", written: OutputFormat, vocab: Vocab, *, thinks: bool, begun: str = ""
    ) -> None:
        """`made` makes a grammar of whole calls, when one is opened. `thinks`: the answer, of which `begun` is there,
        began inside the reasoning.
        """
        from app.engine.output.call_grammar import openings_of

        super().__init__()
        starts, ends = ((), ()) if written.channels else (written.reasoning.starts, written.reasoning.ends)
        self._made = made
        self._n_vocab = vocab.n_tokens
        self._openings = encoded(openings_of(written))
        self._awaited = (*self._openings, *encoded(starts))
        self._awaited_thinking = (*(self._openings if written.calls_end_reasoning else ()), *encoded(ends))
        self._thinks = thinks and bool(ends)
        self._kept = max(map(len, (*self._awaited, *self._awaited_thinking)))
        self._text = b""
        """The end of what was written, in which a mark may have begun."""
        self.saw(begun.encode())

    @property
    def grammar(self) -> TokenFilter | None:
        return self if self._grammar is not None else None

    def saw(self, piece: bytes) -> None:
        if self._grammar is not None:
            return
        text = self._text + piece
        while found := first_mark(text, self._awaited_thinking if self._thinks else self._awaited):
            at, mark = found
            if mark not in self._openings:
                self._thinks = not self._thinks
            elif text[max(0, at - 1) : at] != b"`" and self._holds_from(text[at:]):
                return
            text = text[at + len(mark) :]
        self._text = text[-self._kept :]

    def allows(self, token: int) -> bool:
        try:
            return self._grammar is None or self._grammar.allows(token)
        except GrammarError:
            self._grammar = None
            return True

    def allowed(self) -> NDArray[np.bool_]:
        try:
            if self._grammar is not None:
                return self._grammar.allowed()
        except GrammarError:
            self._grammar = None
        return np.ones(self._n_vocab, dtype=np.bool_)

    def accept(self, token: int) -> None:
        if self._grammar is not None:
            self._grammar.accept(token)

    def _holds_from(self, opened: bytes) -> bool:
        try:
            grammar = self._made()
            if grammar.follow(opened):
                self._grammar = grammar
        except (GrammarError, UserError):
            self._grammar = None
        return self._grammar is not None


def constraint_of(
    request: ChatRequest, prompt: Prompt, chat_format: ChatFormat, vocab: Vocab, cancel: CancelFlag
) -> Constraint | None:
    """What the request asks for; None when cancelled. Raises ConstraintError for a grammar that can't be used."""
    try:
        if request.schema is not None and not request.grammar:
            from app.engine.output.schema_grammar import json_grammar

            request = replace(request, grammar=json_grammar(request.schema))
        if request.prompt is not None:
            return Constraint(_grammar(vocab, request.grammar, cancel))
        if request.tools and request.tool_choice is ToolChoice.REQUIRED:
            return _required_call(request, prompt, chat_format, vocab, cancel)
        if request.tools and request.tool_choice is ToolChoice.AUTO and not request.grammar:
            return _free_calls(request, prompt, chat_format.format, vocab, cancel)
        after = _content_begins(chat_format.format, prompt)
        return Constraint(_grammar(vocab, request.grammar, cancel), after=after, begun=prompt.begun)
    except GrammarError as error:
        raise unusable_grammar(error) from error
    except GrammarCancelledError:
        return None


def unusable_grammar(error: GrammarError) -> ConstraintError:
    return ConstraintError("The grammar can't be used: {reason}.", reason=error)


def _grammar(vocab: Vocab, text: str, cancel: CancelFlag) -> "Grammar | None":
    if not text:
        return None
    from app.engine.grammar.grammar import Grammar

    return Grammar(vocab, text, cancel)


FINAL = ("<|channel|>final<|message|>", "<|channel|>final <|constrain|>json<|message|>")
"""What gpt-oss says before it speaks to the user."""


def _content_begins(written: OutputFormat, prompt: Prompt) -> tuple[str, ...]:
    """The texts after which an answer's content begins; none where it begins at once."""
    if written.channels:
        return FINAL
    return written.reasoning.ends if prompt.thinks else ()


def _required_call(
    request: ChatRequest, prompt: Prompt, chat_format: ChatFormat, vocab: Vocab, cancel: CancelFlag
) -> Constraint:
    from app.engine.output.call_grammar import grammar_for

    try:
        made = grammar_for(
            chat_format.format,
            schemas(request.tools),
            name=request.tool_name or None,
            parallel=request.parallel_tool_calls,
            thinking_open=prompt.thinks,
        )
    except UserError as error:
        raise ConstraintError(error.sentence, detail=error.detail) from error
    if prompt.begun and not made.after:
        return Constraint()  # the grammar is of whole answers
    return Constraint(_grammar(vocab, made.text, cancel), after=made.after, begun=prompt.begun)


def _free_calls(
    request: ChatRequest, prompt: Prompt, written: OutputFormat, vocab: Vocab, cancel: CancelFlag
) -> Constraint:
    from app.engine.grammar.grammar import Grammar
    from app.engine.output.call_grammar import grammar_of_calls, openings_of

    def made() -> Grammar:
        text = grammar_of_calls(written, schemas(callable_tools(request)), parallel=request.parallel_tool_calls)
        return Grammar(vocab, text, cancel)

    if not openings_of(written):
        return Constraint()
    return CallConstraint(made, written, vocab, thinks=prompt.thinks, begun=prompt.begun)


def encoded(texts: Iterable[str]) -> tuple[bytes, ...]:
    """Marks as they stand among the bytes of an answer."""
    return tuple(text.strip().encode() for text in texts if text.strip())


def first_mark(text: bytes, marks: tuple[bytes, ...]) -> tuple[int, bytes] | None:
    """The mark that stands first, the longest of those that begin there, and where that is."""
    found = [(at, -len(mark), mark) for mark in marks if (at := text.find(mark)) >= 0]
    return (min(found)[0], min(found)[2]) if found else None
