"""One loaded model with one persistent context: replies as a stream of events."""

import logging
import time
from collections.abc import Generator, Iterator
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.core.errors import ContextFullError
from app.core.events import Finished, FinishReason, ModelInfo, PromptProgress, ReplyEvent, TextDelta, Timings
from app.core.messages import Generation
from app.core.requests import ChatRequest
from app.engine.binding.context import Context, DecodeOutcome
from app.engine.binding.model import Model
from app.engine.binding.sampler import SamplerChain
from app.engine.chat_prompt import ChatPrompt
from app.engine.prompt import PromptTokens
from app.engine.reuse import MemoryTraits, ReuseAction, ReusePlan, plan
from app.engine.stream_text import StreamText

_log = logging.getLogger(__name__)


class Session:
    """Owns a model, its context and the record of what the context holds (the slot).

    Lives on one thread, the engine's. Only the cancel flag may be touched from others.
    """

    def __init__(
        self,
        model: Model,
        context: Context,
        chat: ChatPrompt,
        info: ModelInfo,
        traits: MemoryTraits,
        cancel: CancelFlag,
    ) -> None:
        self.info = info
        self.chat = chat
        self._model = model
        self._context = context
        self._traits = traits
        self._cancel = cancel
        self._slot = PromptTokens()

    @property
    def traits(self) -> MemoryTraits:
        return self._traits

    @property
    def n_past(self) -> int:
        """Entries that the context holds."""
        return len(self._slot)

    def logits(self) -> NDArray[np.float32]:
        """Logits after the entry that was evaluated last, float32 of shape (n_vocab,); a copy."""
        return self._context.logits()

    def close(self) -> None:
        """Free everything. No reply may be open."""
        self._context.close()
        self._model.close()

    def try_one_token(self) -> None:
        """Decode one token and forget it: what a preflight must have survived. Raises what decoding raises."""
        self._context.decode_one(max(self._model.vocab.bos, 0), 0)
        self._context.logits()
        self._forget()

    def reply(self, request: ChatRequest) -> Iterator[ReplyEvent]:
        """Answer the last message: PromptProgress, then TextDelta, and Finished as the last event.

        Cancelling ends it with FinishReason.CANCELLED and what was written so far. The generator may be
        closed at any event; the slot then holds what was evaluated, and the next reply is exact.
        Raises ContextFullError and what the template refuses (a UserError) before anything is evaluated.
        """
        prompt = self.chat.tokens(request.messages, dict(request.template_args))
        self._refuse_too_long(prompt)
        with closing(SamplerChain(self._model.vocab, request.sampling, self._context.n_ctx)) as chain:
            reading = _Reading(plan(self._slot, prompt, self._traits, self._context.pos_min))
            self._apply(reading.plan)
            _log.info("%s", reading.plan)
            complete = yield from self._read(prompt, reading)
            if not complete:
                yield self._finished(FinishReason.CANCELLED, _Answer(request.stop), reading, chain.seed)
                return
            chain.remember(prompt.tokens(max(0, len(prompt) - chain.window), len(prompt)).tolist())
            answer = _Answer((*request.stop, *self.chat.stops))
            reason = yield from self._write(answer, chain, self._limit(request))
            if rest := answer.stream.finish():
                answer.text.append(rest)
                yield TextDelta(rest, answer.predicted)
            yield self._finished(reason, answer, reading, chain.seed)

    def _refuse_too_long(self, prompt: PromptTokens) -> None:
        room = self._context.n_ctx
        if len(prompt) + 1 > room:
            raise ContextFullError(
                f"This conversation has {len(prompt):,} tokens, and the context holds {room:,}. "
                "Start a new conversation, shorten this one, or load the model with a larger context."
            )

    def _limit(self, request: ChatRequest) -> int:
        return request.sampling.max_tokens or self._context.n_ctx

    def _apply(self, chosen: ReusePlan) -> None:
        """Bring memory and slot to the state that the plan starts from."""
        if chosen.action is ReuseAction.TRIM and not self._context.remove_from(chosen.keep):
            _log.warning("The memory refused to forget entries from %d on; reading everything again.", chosen.keep)
            self._forget()
        elif chosen.action is ReuseAction.CLEAR:
            self._forget()
        else:
            self._slot.truncate(chosen.keep)

    def _forget(self) -> None:
        self._context.clear()
        self._slot.truncate(0)

    def _read(self, prompt: PromptTokens, reading: "_Reading") -> Generator[ReplyEvent, None, bool]:
        """Evaluate what the slot lacks. The generator's value is False when it was cancelled."""
        total, reused = len(prompt), len(self._slot)
        reading.reused = reused
        yield PromptProgress(total, reused, 0, 0.0)
        step = self._context.n_ubatch if self._traits.keeps else total
        while (done := len(self._slot)) < total:
            if self._cancel.is_set():
                return False
            tokens = prompt.tokens(done, min(done + step, total))
            if not self._evaluate(tokens.tolist()):
                return False
            yield PromptProgress(total, reused, len(self._slot) - reused, reading.elapsed())
        self._context.synchronize()
        reading.ended = time.perf_counter()
        return True

    def _evaluate(self, tokens: list[int]) -> bool:
        """Decode a batch and record it in the slot; False when it was aborted."""
        try:
            outcome = self._context.decode(tokens, len(self._slot))
        except Exception:
            self._forget()
            raise
        if outcome is DecodeOutcome.DONE:
            self._slot.extend(tokens)
            return True
        self._after_abort(tokens)
        return False

    def _after_abort(self, tokens: list[int]) -> None:
        """Make the slot true again after llama.cpp stopped inside a batch.

        Attention memories keep whole micro-batches, and pos_max tells how many. Recurrent parts are half
        updated, while pos_max pretends otherwise: nothing of them can be kept.
        """
        held = self._context.pos_max + 1
        if self._traits.trims and held >= len(self._slot):
            self._slot.extend(tokens[: held - len(self._slot)])
        else:
            self._forget()

    def _write(self, answer: "_Answer", chain: SamplerChain, limit: int) -> Generator[ReplyEvent, None, FinishReason]:
        """Generate; the generator's value is why it ended."""
        vocab, context = self._model.vocab, self._context
        while True:
            if self._cancel.is_set():
                return FinishReason.CANCELLED
            token = chain.sample(context)
            answer.predicted += 1
            if vocab.is_eog(token):
                return FinishReason.STOP
            if text := answer.add(token, vocab.piece(token)):
                yield TextDelta(text, answer.predicted)
            if answer.stream.stopped_by is not None:
                return FinishReason.STOP
            if answer.predicted >= limit:
                return FinishReason.LENGTH
            if len(self._slot) >= context.n_ctx:
                return FinishReason.CONTEXT_FULL
            if not self._evaluate_one(token):
                return FinishReason.CANCELLED

    def _evaluate_one(self, token: int) -> bool:
        try:
            outcome = self._context.decode_one(token, len(self._slot))
        except Exception:
            self._forget()
            raise
        if outcome is DecodeOutcome.DONE:
            self._slot.append(token)
            return True
        self._after_abort([token])
        return False

    def _finished(self, reason: FinishReason, answer: "_Answer", reading: "_Reading", seed: int) -> Finished:
        now = time.perf_counter()
        timings = Timings(
            cache_n=reading.reused,
            prompt_n=reading.plan.total - reading.reused,
            prompt_ms=((reading.ended or now) - reading.began) * 1000,
            predicted_n=answer.predicted,
            predicted_ms=(now - reading.ended) * 1000 if reading.ended else 0.0,
        )
        generation = Generation(self.info.vocab, answer.covered_tokens())
        told = str(reading.plan)
        return Finished(reason, "".join(answer.text), generation, timings, seed, len(self._slot), told)


class _Reading:
    """How the prompt was read."""

    def __init__(self, chosen: ReusePlan) -> None:
        self.plan = chosen
        self.reused = 0
        self.began = time.perf_counter()
        self.ended = 0.0

    def elapsed(self) -> float:
        return time.perf_counter() - self.began


class _Answer:
    """An answer as it grows: its tokens, and the text that may be shown."""

    def __init__(self, stops: tuple[str, ...]) -> None:
        self.stream = StreamText(stops)
        self.text: list[str] = []
        self.predicted = 0
        self._tokens: list[int] = []
        self._sizes: list[int] = []

    def add(self, token: int, piece: bytes) -> str:
        self._tokens.append(token)
        self._sizes.append(len(piece))
        text = self.stream.feed(piece)
        if text:
            self.text.append(text)
        return text

    def covered_tokens(self) -> tuple[int, ...]:
        """The tokens that the shown text covers whole: a stop string may have cut one in two."""
        if self.stream.stopped_by is None:
            return tuple(self._tokens)
        room = len("".join(self.text).encode())
        count = 0
        for size in self._sizes:
            room -= size
            if room < 0:
                break
            count += 1
        return tuple(self._tokens[:count])
