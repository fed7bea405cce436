"""What an answer has to keep to while it is written."""

from app.core.cancel import CancelFlag
from app.core.errors import ConstraintError, UserError
from app.core.requests import ChatRequest, ToolChoice
from app.engine.binding.vocab import Vocab
from app.engine.grammar.grammar import Grammar
from app.engine.grammar.symbols import GrammarCancelledError, GrammarError
from app.engine.output.call_grammar import grammar_for
from app.engine.output.call_syntax import schemas
from app.engine.output.format import OutputFormat
from app.engine.prompt.chat_prompt import ChatFormat
from app.engine.prompt.prompt import Prompt

_KEPT = 64
"""Bytes at the end of what was written, in which the end of the reasoning is looked for."""


class Constraint:
    """A grammar, or none; it may wait for the end of the reasoning."""

    def __init__(self, grammar: Grammar | None = None, *, after: tuple[str, ...] = (), begun: str = "") -> None:
        """With `after` the grammar holds from the first of these texts on; `begun` is what was written before."""
        self._grammar = grammar
        self._after = tuple(each.strip().encode() for each in after)
        self._tail = b""
        if self._after:
            self.saw(begun.encode())

    @property
    def grammar(self) -> Grammar | None:
        """What holds now."""
        return None if self._after else self._grammar

    def saw(self, piece: bytes) -> None:
        """What has just been written."""
        if self._after:
            text = self._tail + piece
            self._tail = text[-_KEPT:]
            if any(end in text for end in self._after):
                self._after = ()


def constraint_of(
    request: ChatRequest, prompt: Prompt, chat_format: ChatFormat, vocab: Vocab, cancel: CancelFlag
) -> Constraint | None:
    """What the request asks for; None when cancelled. Raises ConstraintError for a grammar that can't be used."""
    try:
        if request.prompt is not None:
            return Constraint(_grammar(vocab, request.grammar, cancel))
        if request.tools and request.tool_choice is ToolChoice.REQUIRED:
            return _required_call(request, prompt, chat_format, vocab, cancel)
        after = _content_begins(chat_format.format, prompt)
        return Constraint(_grammar(vocab, request.grammar, cancel), after=after, begun=prompt.begun)
    except GrammarError as error:
        raise unusable_grammar(error) from error
    except GrammarCancelledError:
        return None


def unusable_grammar(error: GrammarError) -> ConstraintError:
    return ConstraintError("The grammar can't be used: {reason}.", reason=error)


def _grammar(vocab: Vocab, text: str, cancel: CancelFlag) -> Grammar | None:
    return Grammar(vocab, text, cancel) if text else None


_FINAL = ("<|channel|>final<|message|>", "<|channel|>final <|constrain|>json<|message|>")
"""What gpt-oss says before it speaks to the user."""


def _content_begins(written: OutputFormat, prompt: Prompt) -> tuple[str, ...]:
    """The texts after which an answer's content begins; none where it begins at once."""
    if written.channels:
        return _FINAL
    return written.reasoning.ends if prompt.thinks else ()


def _required_call(
    request: ChatRequest, prompt: Prompt, chat_format: ChatFormat, vocab: Vocab, cancel: CancelFlag
) -> Constraint:
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
    return Constraint(Grammar(vocab, made.text, cancel), after=made.after, begun=prompt.begun)
