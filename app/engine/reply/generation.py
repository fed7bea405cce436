"""How an answer is written: tokens are drawn, told, and evaluated, until something ends it."""

from collections.abc import Callable
from dataclasses import dataclass

from app.core.cancel import CancelFlag
from app.core.errors import ContextFullError
from app.core.events import FinishReason, ReplyEvent
from app.engine.binding.sampler import SamplerChain
from app.engine.binding.vocab import Vocab
from app.engine.drafting.rounds import Steps
from app.engine.grammar.symbols import GrammarCancelledError, GrammarError
from app.engine.memory.slot import Slot
from app.engine.memory.turns import Working
from app.engine.reply.answer import Answer
from app.engine.reply.constraint import Constraint, unusable_grammar
from app.engine.reply.likelihood import token_logprob
from app.engine.reply.repetition import WINDOW, repeats

_LOOK_EVERY = 64
"""Tokens between two looks for repetition."""


@dataclass(frozen=True, slots=True)
class GenerationParams:
    """How an answer is to be written."""

    chain: SamplerChain
    constraint: Constraint
    piece: Callable[[int], bytes]
    """What a token says."""
    limit: int
    """Tokens."""
    n_top: int | None
    """How many likely tokens to tell at each place; None tells nothing."""
    stop_repetition: bool = False
    stop_tokens: frozenset[int] = frozenset()
    """They end it, as the model's own end does."""


class TokenGenerator:
    """Writes one answer into a slot.

    Each place is drawn once, with the whole chain and the grammar, whether or not a draft was there before: so what is
    written has the same distribution with drafts as without. Whatever ends the answer does so before what is wrong of a
    draft is taken back, once, and only then anybody hears of it: whenever the generator is left, the slot is true.
    """

    def __init__(self, slot: Slot, vocab: Vocab, cancel: CancelFlag, steps: Steps) -> None:
        self._slot = slot
        self._vocab = vocab
        self._cancel = cancel
        self._steps = steps
        self._token = -1
        """Drawn last."""

    def write(self, answer: Answer, params: GenerationParams) -> Working[ReplyEvent, FinishReason]:
        """The generator's value is why the answer ended. Raises ModelError where the grammar comes to ask too much."""
        steps = self._steps
        while True:
            told: list[ReplyEvent] = []
            draft, n_accepted, refusal = steps.draft, 0, None
            try:
                reason = self._draw(answer, params, told, 0)
                while reason is None and n_accepted < len(draft) and self._token == draft[n_accepted]:
                    n_accepted += 1
                    reason = self._draw(answer, params, told, n_accepted)
            except GrammarCancelledError:
                reason = FinishReason.CANCELLED
            except GrammarError as error:
                reason, refusal = FinishReason.STOP, unusable_grammar(error)
            steps.settle(n_accepted)
            yield from told
            if refusal is not None:
                raise refusal
            if reason is not None:
                return reason
            try:
                if not (yield from steps.evaluate(self._token, params.limit - answer.predicted)):
                    return FinishReason.CANCELLED
            except ContextFullError:
                return FinishReason.CONTEXT_FULL

    def _draw(
        self, answer: Answer, params: GenerationParams, told: list[ReplyEvent], n_accepted: int
    ) -> FinishReason | None:
        """Draw the token after the first `n_accepted` of the draft, and add it to the answer. Returns why that ends."""
        if self._cancel.is_set():
            return FinishReason.CANCELLED
        steps, context, constraint = self._steps, self._slot.context, params.constraint
        index = self._slot.row + n_accepted - len(steps.draft)
        logits = None if params.n_top is None else context.logits(index)
        token = params.chain.sample(context, constraint.grammar, index)
        if token is None or self._vocab.is_eog(token) or token in params.stop_tokens:
            answer.add_last()
            return FinishReason.STOP
        self._token = token
        piece = params.piece(token)
        constraint.saw(piece)
        likely = None if logits is None else token_logprob(self._vocab, logits, token, params.n_top or 0)
        told += answer.add(token, piece, likely)
        if answer.is_over:
            return FinishReason.STOP
        if answer.predicted >= params.limit:
            return FinishReason.LENGTH
        if params.stop_repetition and answer.predicted % _LOOK_EVERY == 0 and repeats(answer.tail(WINDOW)):
            return FinishReason.REPETITION
        if steps.n_past + n_accepted >= context.n_ctx:
            return FinishReason.CONTEXT_FULL
        return None
