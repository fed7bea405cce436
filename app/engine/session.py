"""One loaded model with one persistent context: replies as a stream of events."""

import logging
import time
from collections.abc import Generator
from contextlib import closing

from app.core.cancel import CancelFlag
from app.core.errors import ContextFullError
from app.core.events import (
    Finished,
    FinishReason,
    Looking,
    ModelInfo,
    Peeked,
    PromptProgress,
    ReplyEvent,
    TextDelta,
    Timings,
)
from app.core.messages import Generation, ImagePart, Message
from app.core.overflow import Overflow
from app.core.requests import ChatRequest
from app.engine.batches import Mark, Marks, batch_ends
from app.engine.binding.model import Model
from app.engine.binding.sampler import SamplerChain
from app.engine.binding.vision_chunks import ImageChunk
from app.engine.chat_prompt import ChatPrompt
from app.engine.overflow import kept_messages
from app.engine.pictures import Pictures, show
from app.engine.prompt import Prompt
from app.engine.prompt_tokens import PromptTokens
from app.engine.reuse import ReusePlan
from app.engine.slot import Slot
from app.engine.stream_text import StreamText

_log = logging.getLogger(__name__)

_OPENING = 3
"""Entries with which a template opens an answer beyond what the history shows later, such as <think> and a newline."""

_TELLING = 32
"""Entries; how long fewer take says little about reading."""


class Session:
    """Owns a model, its context and the record of what the context holds (the slot).

    Lives on one thread, the engine's. Only the cancel flag may be touched from others.
    """

    def __init__(
        self,
        model: Model,
        slot: Slot,
        chat: ChatPrompt,
        info: ModelInfo,
        cancel: CancelFlag,
        pictures: Pictures | None = None,
    ) -> None:
        self.info = info
        self.chat = chat
        self._model = model
        self._slot = slot
        self._cancel = cancel
        self._pictures = pictures

    @property
    def slot(self) -> Slot:
        return self._slot

    def close(self) -> None:
        """Free everything. No reply may be open."""
        if self._pictures is not None:
            self._pictures.close()
        self._slot.close()
        self._model.close()

    def try_one_token(self) -> None:
        """Decode one token and forget it: what a preflight must have survived. Raises what decoding raises."""
        self._slot.evaluate_one(max(self._model.vocab.bos, 0))
        self._slot.logits()
        self._slot.forget()

    def encode(self, part: ImagePart) -> bool:
        """Look at a picture before it is asked about. False when cancelled, or when this model sees none.

        Raises UserError where the picture is gone or damaged.
        """
        return self._pictures is not None and self._pictures.encode(part)

    def reply(self, request: ChatRequest) -> Generator[ReplyEvent, None, None]:
        """Answer the last message: PromptProgress, then TextDelta, and Finished as the last event.

        Cancelling ends it with FinishReason.CANCELLED and what was written so far. The generator may be
        closed at any event; the slot then holds what was evaluated, and the next reply is exact.
        Raises ContextFullError and what the template refuses (a UserError) before anything is evaluated.
        """
        prompt, messages, notes = self._fitting_prompt(request)
        tokens = prompt.tokens
        with closing(SamplerChain(self._model.vocab, request.sampling, self._slot.context.n_ctx)) as chain:
            chosen = self._slot.settle(tokens)
            where = self._slot.divergence(prompt, messages, chosen, self._model.vocab)
            chosen = self._slot.apply(chosen, request.conversation, keep_on_disk=request.keep_on_disk)
            reading = _Reading(chosen, f"{chosen} {where}".strip(), notes)
            _log.info("%s", chosen)
            complete = yield from self._read(prompt, reading)
            before = self._tokens_before(request, tokens)
            if not complete:
                yield self._finished(FinishReason.CANCELLED, _Answer(request.stop, before), reading, chain.seed)
                return
            recent = tokens.tokens(max(0, len(tokens) - chain.window), len(tokens))
            chain.remember(recent[recent >= 0].tolist())
            answer = _Answer((*request.stop, *self.chat.stops), before)
            reason = yield from self._write(answer, chain, self._limit(request))
            if rest := answer.stream.finish():
                answer.text.append(rest)
                yield TextDelta(rest, answer.predicted)
            yield self._finished(reason, answer, reading, chain.seed)

    def peek(self, request: ChatRequest) -> Peeked:
        """What `reply` would read, without doing it. Raises as `reply` does."""
        prompt, messages, _ = self._fitting_prompt(request)
        chosen = self._slot.plan(prompt.tokens)
        told = f"{chosen} {self._slot.divergence(prompt, messages, chosen, self._model.vocab)}".strip()
        return Peeked(chosen.total, chosen.keep, told)

    def _fitting_prompt(self, request: ChatRequest) -> tuple[Prompt, tuple[Message, ...], tuple[str, ...]]:
        """The prompt, the messages in it, and sentences about those that the policy left out."""
        messages = request.messages
        notes: tuple[str, ...] = ()
        prompt = self._prompt(messages, request)
        if len(prompt.tokens) + 1 > self._room(request) and request.overflow is not Overflow.STOP:
            kept = self._kept(prompt, messages, request)
            left_out = len(messages) - len(kept)
            if left_out:
                messages = tuple(messages[index] for index in kept)
                notes = (f"{left_out} earlier messages were left out, because the context is full.",)
                prompt = self._prompt(messages, request)
        self._refuse_too_long(prompt.tokens)
        return prompt, messages, notes

    def _prompt(self, messages: tuple[Message, ...], request: ChatRequest) -> Prompt:
        shown, laid_out = show(messages, self._pictures)
        return self.chat.prompt(shown, request.template_args, laid_out, continues=request.continues)

    def _room(self, request: ChatRequest) -> int:
        """Entries that a prompt may take. A policy that drops turns leaves room for an answer."""
        n_ctx = self._slot.context.n_ctx
        if request.overflow is Overflow.STOP:
            return n_ctx
        return n_ctx - min(request.sampling.max_tokens or n_ctx, n_ctx // 4)

    def _kept(self, prompt: Prompt, messages: tuple[Message, ...], request: ChatRequest) -> tuple[int, ...]:
        sizes = prompt.sizes(len(messages))
        return kept_messages([each.role for each in messages], sizes, self._room(request), request.overflow)

    def _refuse_too_long(self, prompt: PromptTokens) -> None:
        room = self._slot.context.n_ctx
        if len(prompt) + 1 > room:
            raise ContextFullError(
                f"This conversation has {len(prompt):,} tokens, and the context holds {room:,}. "
                "Start a new conversation, shorten this one, or load the model with a larger context."
            )

    def _tokens_before(self, request: ChatRequest, prompt: PromptTokens) -> tuple[int, ...] | None:
        """The tokens of the beginning of the answer that is continued; None where it went in by other ones."""
        if not request.continues:
            return ()
        known = request.messages[-1].generation
        if known is None or prompt.tokens(len(prompt) - len(known.tokens), len(prompt)).tolist() != list(known.tokens):
            return None
        return known.tokens

    def _limit(self, request: ChatRequest) -> int:
        return request.sampling.max_tokens or self._slot.context.n_ctx

    def _read(self, prompt: Prompt, reading: "_Reading") -> Generator[ReplyEvent, None, bool]:
        """Evaluate what the slot lacks. The generator's value is False when it was cancelled."""
        slot, tokens, reused = self._slot, prompt.tokens, reading.plan.keep
        yield PromptProgress(len(tokens), reused, 0, 0.0)
        slot.mark(matters=True)
        marks = self._marks(prompt)
        to_look_at = self._not_encoded(tokens, reused)
        for stop, chunk in tokens.spans(reused):
            if chunk is None:
                complete = yield from self._read_text(tokens, stop, marks, reading)
            else:
                pictures = self._pictures_of(chunk)
                if not pictures.is_encoded(chunk):
                    if chunk.picture not in to_look_at:  # a small cache has let go of it meanwhile
                        to_look_at.append(chunk.picture)
                    number = to_look_at.index(chunk.picture) + 1
                    yield Looking(number, len(to_look_at), pictures.name_of(chunk))
                complete = self._read_image(chunk, last=stop == len(tokens))
                if complete:
                    if stop < len(tokens) and stop in marks.places:
                        slot.mark(matters=True)
                    yield PromptProgress(len(tokens), reused, stop - reused, reading.elapsed())
            if not complete:
                return False
        slot.context.synchronize()
        reading.ended = time.perf_counter()
        if not to_look_at and len(tokens) - reused >= _TELLING:
            slot.rates.reading.add(len(tokens) - reused, reading.elapsed())
        return True

    def _read_text(
        self, tokens: PromptTokens, stop: int, marks: Marks, reading: "_Reading"
    ) -> Generator[ReplyEvent, None, bool]:
        slot, total, reused = self._slot, len(tokens), reading.plan.keep
        for end, mark in batch_ends(len(slot), stop, self._step(total), marks):
            if self._cancel.is_set():
                return False
            if not slot.evaluate(tokens.tokens(len(slot), end).tolist()):
                return False
            if end < total and mark is not Mark.NONE:
                slot.mark(matters=mark is Mark.PLACE)
            yield PromptProgress(total, reused, end - reused, reading.elapsed())
        return True

    def _read_image(self, chunk: ImageChunk, *, last: bool) -> bool:
        if self._cancel.is_set():
            return False
        pictures = self._pictures_of(chunk)
        embedding = pictures.embedding(chunk)
        return embedding is not None and self._slot.evaluate_image(pictures.vision, chunk, embedding, last=last)

    def _pictures_of(self, chunk: ImageChunk) -> Pictures:
        if self._pictures is None:
            raise ValueError(f"no projector for {chunk}")
        return self._pictures

    def _not_encoded(self, tokens: PromptTokens, start: int) -> list[str]:
        """The pictures from entry `start` on that the encoder must look at, in order, each once."""
        chunks = (chunk for _, chunk in tokens.spans(start) if chunk is not None)
        return list(dict.fromkeys(chunk.picture for chunk in chunks if not self._pictures_of(chunk).is_encoded(chunk)))

    def _step(self, total: int) -> int:
        """Entries to evaluate at a time: micro-batches, so that progress is told and a cancel is seen."""
        return self._slot.context.n_ubatch if self._slot.traits.keeps else total

    def _marks(self, prompt: Prompt) -> Marks:
        """Where batches must end: where a checkpoint is wanted, and where the last entry must come alone."""
        traits, tokens = self._slot.traits, prompt.tokens
        last = tokens.whole(len(tokens) - 1)
        if traits.needs_checkpoints:
            around = (place for bounds in tokens.picture_bounds() for place in bounds)
            wanted = (prompt.last_turn, tokens.whole(max(0, last - _OPENING)), last, *around)
            places = tuple(place for place in wanted if place > 0)
            return Marks(places, self._slot.checkpoints.settings.every)
        return Marks((last,)) if traits.last_alone else Marks()

    def _write(self, answer: "_Answer", chain: SamplerChain, limit: int) -> Generator[ReplyEvent, None, FinishReason]:
        """Generate; the generator's value is why it ended."""
        vocab, slot = self._model.vocab, self._slot
        every = slot.checkpoints.settings.every
        while True:
            if self._cancel.is_set():
                return FinishReason.CANCELLED
            token = chain.sample(slot.context)
            answer.predicted += 1
            if vocab.is_eog(token):
                return FinishReason.STOP
            if text := answer.add(token, vocab.piece(token)):
                yield TextDelta(text, answer.predicted)
            if answer.stream.stopped_by is not None:
                return FinishReason.STOP
            if answer.predicted >= limit:
                return FinishReason.LENGTH
            if len(slot) >= slot.context.n_ctx:
                return FinishReason.CONTEXT_FULL
            if not slot.evaluate_one(token):
                return FinishReason.CANCELLED
            if every and len(slot) % every == 0:
                slot.mark(matters=False)

    def _finished(self, reason: FinishReason, answer: "_Answer", reading: "_Reading", seed: int) -> Finished:
        now = time.perf_counter()
        kept = reading.plan.keep
        read = reading.plan.total if reading.ended else max(kept, len(self._slot))
        timings = Timings(
            cache_n=kept,
            prompt_n=read - kept,
            prompt_ms=((reading.ended or now) - reading.began) * 1000,
            predicted_n=answer.predicted,
            predicted_ms=(now - reading.ended) * 1000 if reading.ended else 0.0,
        )
        generation = Generation(self.info.vocab, answer.covered_tokens())
        text = "".join(answer.text)
        past = len(self._slot)
        return Finished(reason, text, generation, timings, seed, past, reading.told, reading.notes, self._slot.status())


class _Reading:
    """How the prompt was read."""

    def __init__(self, chosen: ReusePlan, told: str, notes: tuple[str, ...]) -> None:
        self.plan = chosen
        self.told = told
        self.notes = notes
        self.began = time.perf_counter()
        self.ended = 0.0

    def elapsed(self) -> float:
        return time.perf_counter() - self.began


class _Answer:
    """An answer as it grows: its tokens, and the text that may be shown."""

    def __init__(self, stops: tuple[str, ...], before: tuple[int, ...] | None = ()) -> None:
        """`before` are the tokens of an answer that goes on; None where they are not known."""
        self._before = before
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
        return () if self._before is None else (*self._before, *self._covered())

    def _covered(self) -> tuple[int, ...]:
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
