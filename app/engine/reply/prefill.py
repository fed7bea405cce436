"""How a prompt is read: what the slot lacks is evaluated, in batches that end where they should."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.core.events import Looking, PromptProgress, ReplyEvent, TokenLogprob
from app.core.messages import AudioPart, MediaPart
from app.engine.binding.mtmd_chunks import MediaChunk
from app.engine.binding.vocab import Vocab
from app.engine.media.media import Media
from app.engine.memory.reuse import ReusePlan
from app.engine.memory.slot import Slot
from app.engine.memory.turns import OWN, TextTurn, WaitTurn, Working
from app.engine.prompt.prompt import Prompt
from app.engine.prompt.prompt_tokens import PromptTokens
from app.engine.reply.batches import Mark, Marks, batch_ends, block_ends
from app.engine.reply.likelihood import first_token, token_logprob

_OPENING = 3
"""Entries with which a template opens an answer beyond what the history shows later, such as <think> and a newline."""

_TELLING = 32
"""Entries; how long fewer take says little about reading."""

Read = Working[ReplyEvent, bool]
"""Its value is False when it was cancelled."""


class Prefill:
    """The reading of one prompt, from its plan to its figures."""

    def __init__(self, chosen: ReusePlan, told: str, notes: tuple[str, ...]) -> None:
        self.plan = chosen
        self.told = told
        self.notes = notes
        self.logprobs: tuple[TokenLogprob, ...] = ()
        """Of the prompt's tokens, where they were asked for."""
        self.prefixes: frozenset[int] = frozenset()
        """Entries at the beginning that are kept for other conversations when they have been read."""
        self.began = time.perf_counter()
        self.ended = 0.0
        self.seconds = 0.0
        """That the reading itself took of what has `elapsed`: others may have been at work in between."""

    def keep_prefixes(self, prefixes: Iterable[int]) -> None:
        """Keep these beginnings for other conversations when they have been read."""
        self.prefixes = frozenset(prefixes)

    def end(self, logprobs: Sequence[TokenLogprob] = ()) -> None:
        self.logprobs = tuple(logprobs)
        self.ended = time.perf_counter()

    def elapsed(self) -> float:
        return time.perf_counter() - self.began

    @contextmanager
    def timed(self) -> Iterator[None]:
        """What is done within counts as reading."""
        began = time.perf_counter()
        yield
        self.add(time.perf_counter() - began)

    def add(self, seconds: float) -> None:
        """So long it was read."""
        self.seconds += seconds


_TRIES = 3
"""Times that a medium is encoded: where no cache has room, another chat's takes the place of what was just made."""


class PromptReader:
    """Evaluates prompts in one slot."""

    def __init__(self, slot: Slot, media: Media | None, cancel: CancelFlag) -> None:
        self._slot = slot
        self._media = media
        self._cancel = cancel

    def read(self, prompt: Prompt, reading: Prefill) -> Read:
        """Evaluate what the slot lacks."""
        slot, tokens, reused = self._slot, prompt.tokens, reading.plan.keep
        yield PromptProgress(len(tokens), reused, 0, 0.0)
        slot.checkpoints.begin_prompt(prompt.places)
        slot.mark(matters=True)
        reading.keep_prefixes(self._prefixes(prompt, reused))
        if reused in reading.prefixes:
            slot.keep_prefix()
        marks = self._marks(prompt, reading)
        to_look_at = self._not_encoded(tokens, reused)
        for stop, chunk in tokens.spans(reused):
            if chunk is None:
                complete = yield from self._read_text(tokens, stop, marks, reading)
            else:
                part = prompt.media[chunk.media_id]
                if not self._media_of(chunk).is_encoded(chunk):
                    yield self._looking(part, to_look_at)
                complete = yield from self._read_media(chunk, part, reading, last=stop == len(tokens))
                if complete:
                    if stop < len(tokens) and stop in marks.places:
                        slot.mark(matters=True)
                    yield PromptProgress(len(tokens), reused, stop - reused, reading.elapsed())
            if not complete:
                return False
        with reading.timed():
            slot.context.synchronize()
        reading.end()
        if not to_look_at and len(tokens) - reused >= _TELLING:
            slot.rates.reading.add(len(tokens) - reused, reading.seconds)
        return True

    def read_with_logprobs(self, prompt: Prompt, reading: Prefill, vocab: Vocab, n_top: int) -> Read:
        """Evaluate all of a text's tokens into an empty slot, and tell how likely each was."""
        slot, tokens = self._slot, prompt.tokens.tokens(0, len(prompt.tokens)).tolist()
        step = 1 if slot.traits.last_alone else slot.context.n_rows
        found = [first_token(vocab, tokens[0])]
        yield PromptProgress(len(tokens), 0, 0, 0.0)
        for start in range(0, len(tokens), step):
            granted = yield OWN
            rows = None if not granted or self._cancel.is_set() else slot.evaluate_rows(tokens[start : start + step])
            if rows is None:
                return False
            following = tokens[start + 1 : start + 1 + len(rows)]
            found += [token_logprob(vocab, row, each, n_top) for row, each in zip(rows, following, strict=False)]
            yield PromptProgress(len(tokens), 0, min(start + step, len(tokens)), reading.elapsed())
        slot.mark(matters=True)
        reading.end(found)
        return True

    def _read_text(self, tokens: PromptTokens, stop: int, marks: Marks, reading: Prefill) -> Read:
        slot, total, reused = self._slot, len(tokens), reading.plan.keep
        # Micro-batches, so that progress is told and a cancel is seen.
        for end, mark in self._ends(tokens, stop, marks):
            while len(slot) < end:
                before = slot.worked
                if self._cancel.is_set() or not (yield TextTurn(slot, tokens.tokens(len(slot), end).tolist())):
                    return False
                reading.add(slot.worked - before)
            if end < total and mark is not Mark.NONE:
                slot.mark(matters=mark is Mark.PLACE)
            if end in reading.prefixes:
                slot.keep_prefix()
            yield PromptProgress(total, reused, end - reused, reading.elapsed())
        return True

    def _ends(self, tokens: PromptTokens, stop: int, marks: Marks) -> Iterator[tuple[int, Mark]]:
        slot = self._slot
        if not slot.block:
            return batch_ends(len(slot), stop, slot.context.n_ubatch, marks)
        alone = tokens.whole(len(tokens) - 1) if slot.traits.last_alone else None
        return block_ends(len(slot), stop, slot.block, marks, alone)

    def _read_media(self, chunk: MediaChunk, part: MediaPart, reading: Prefill, *, last: bool) -> Read:
        mtmd, embedding = self._media_of(chunk).mtmd, (yield from self._embedding(chunk, part))
        if embedding is None or not (yield OWN) or self._cancel.is_set():
            return False
        with reading.timed():
            return self._slot.evaluate_media(mtmd, chunk, embedding, last=last)

    def _embedding(self, chunk: MediaChunk, part: MediaPart) -> Working[ReplyEvent, NDArray[np.float32] | None]:
        """What the encoder makes of it, while others are at work."""
        media = self._media_of(chunk)
        for _ in range(_TRIES):
            if (found := media.known(chunk)) is not None:
                return found
            if not (yield from self._encoded(media, part)):
                return None
        return media.known(chunk)

    def _encoded(self, media: Media, part: MediaPart) -> Working[ReplyEvent, bool]:
        """False where it was cancelled."""
        run = media.begin(part)
        try:
            while (yield WaitTurn(run.wait)) and not self._cancel.is_set():
                is_over = run.wait(0)
                media.keep(run, part)
                if is_over:
                    return True
        finally:
            run.stop()
        return False

    def _looking(self, part: MediaPart, to_look_at: list[str]) -> Looking:
        if part.digest not in to_look_at:  # a small cache has let go of it meanwhile
            to_look_at.append(part.digest)
        number = to_look_at.index(part.digest) + 1
        return Looking(number, len(to_look_at), part.name, listens=isinstance(part, AudioPart))

    def _media_of(self, chunk: MediaChunk) -> Media:
        if self._media is None:
            raise ValueError(f"no projector for {chunk}")
        return self._media

    def _not_encoded(self, tokens: PromptTokens, start: int) -> list[str]:
        """The media from entry `start` on that the encoder must look at, in order, each once."""
        chunks = (chunk for _, chunk in tokens.spans(start) if chunk is not None)
        return list(dict.fromkeys(chunk.media_id for chunk in chunks if not self._media_of(chunk).is_encoded(chunk)))

    def _prefixes(self, prompt: Prompt, reused: int) -> Iterator[int]:
        """What stands before the first question, and what ends with a document, where it is still to be read."""
        slot = self._slot
        for wanted in (next(iter(prompt.places), 0), *prompt.documents):
            place = wanted
            if slot.block:
                place = prompt.tokens.block_end(prompt.tokens.whole(place), slot.block)
            if reused <= place > 0 and slot.lacks_prefix(prompt.tokens, place):
                yield place

    def _marks(self, prompt: Prompt, reading: Prefill) -> Marks:
        """Where batches end: where a checkpoint is wanted, where what is kept ends, and before a last entry alone."""
        traits, tokens, prefixes = self._slot.traits, prompt.tokens, reading.prefixes
        last = tokens.whole(len(tokens) - 1)
        if traits.needs_checkpoints:
            wanted = self._places(prompt, reading.plan, last)
            if self._slot.block:
                wanted = (tokens.block_end(tokens.whole(place), self._slot.block) for place in wanted)
            places = tuple(sorted({*prefixes, *(place for place in wanted if place > 0)}))
            kept = self._slot.checkpoints
            return Marks(places, kept.every, min(kept.settings.every // 2, kept.every))
        return Marks((*([last] if traits.last_alone else ()), *prefixes))

    def _places(self, prompt: Prompt, chosen: ReusePlan, last: int) -> Iterator[int]:
        yield from self._slot.checkpoints.worth_marking(prompt.places, len(prompt.tokens))
        if chosen.keep < chosen.common < last:
            yield prompt.tokens.whole(chosen.common)  # what was changed there is often changed again
        yield prompt.tokens.whole(max(0, last - _OPENING))
        yield last
        for bounds in prompt.tokens.media_bounds():
            yield from bounds
