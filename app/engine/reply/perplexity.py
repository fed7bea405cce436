"""How likely a text is, as llama.cpp's `llama-perplexity` reckons it (tools/perplexity/perplexity.cpp).

A text is tokenized once, with the BOS that its vocabulary asks for, and cut into windows of n tokens. Each is read
from an empty memory, and of N scored tokens in all

    loss = -1/N · Σ ln p(x_k | x_start … x_(k-1)),   perplexity = exp(loss)

with the model's own probabilities, before any sampler.

- *Halves*, without a stride (`perplexity`): the windows [i·n, (i+1)·n), as many as are whole. The first token of each
  gives its place to the BOS, where the vocabulary asks for one. The tokens n/2+1 to n-1 of a window are scored, so
  that half a window stands before each; what is left over at the end of the text is not.
- *Strided* by s (`perplexity_v2`): windows begin at i·s as long as they end before the text does, and the last s tokens
  of each are scored. No BOS is put in: the tool writes it into its list only when the batch has been evaluated. Its n
  is the context's size, to which it adds half a stride and which llama.cpp rounds up to 256.

A text of fewer than two windows, which the tool refuses, is read as one and scored from its second token on where the
context holds it. So is an answer, after the conversation that it answers, as far as the context has room for it.
"""

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.core.errors import ModelError
from app.core.events import Looking, PromptProgress
from app.core.likelihood import Likelihood, LikelihoodEvent, ScoredToken, TextToScore, Windows
from app.core.requests import ChatRequest
from app.engine.binding.vocab import Vocab
from app.engine.memory.reuse import ReuseAction, ReusePlan
from app.engine.memory.slot import Slot
from app.engine.memory.turns import alone
from app.engine.prompt.prompt import Prompt
from app.engine.reply.prefill import Prefill, PromptReader

_NOTHING = ModelError("There is too little text to score: a token needs another one before it.")


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens [start, stop) of a text, of which those from `first` on are scored."""

    start: int
    stop: int
    first: int


def windows_of(n_tokens: int, asked: Windows, n_ctx: int) -> list[Window]:
    """How a text of so many tokens is cut for a context of `n_ctx`. Raises ModelError for what can't be."""
    size, stride = min(asked.window, n_ctx), asked.stride
    if stride >= size:
        told = "A stride of {stride:,} does not fit a window of {size:,} tokens; it must be shorter."
        raise ModelError(told, stride=stride, size=size)
    if n_tokens < 2:
        raise _NOTHING.with_traceback(None)
    if n_tokens < 2 * size and n_tokens <= n_ctx:
        return [Window(0, n_tokens, 1)]
    if stride:
        starts = range(0, n_tokens - size, stride)
        return [Window(start, start + size, start + size - stride) for start in starts]
    starts = range(0, n_tokens - size + 1, size)
    return [Window(start, start + size, start + size // 2 + 1) for start in starts]


class LikelihoodReader:
    """Scores in one slot. What it holds of a conversation is kept aside, as when another one takes it over."""

    def __init__(self, slot: Slot, vocab: Vocab, reader: PromptReader, cancel: CancelFlag) -> None:
        self._slot = slot
        self._vocab = vocab
        self._reader = reader
        self._cancel = cancel

    def of_text(self, asked: TextToScore) -> Generator[LikelihoodEvent, None, None]:
        """PromptProgress over all windows, and Likelihood as the last event; cancelled, it ends without one. The slot
        is empty then. Raises ModelError.
        """
        ids = self._ids(asked.text)
        windows = windows_of(len(ids), asked.windows, self._slot.context.n_ctx)
        is_whole = windows == [Window(0, len(ids), 1)]
        puts_bos = self._vocab.add_bos and not asked.windows.stride and not is_whole
        found: dict[int, float] = {}
        why = "the probabilities of another text were asked for"
        self._slot.apply(ReusePlan(ReuseAction.CLEAR, 0, len(ids), 0, why))
        try:
            yield from self._windows(ids, windows, found, puts_bos=puts_bos)
        finally:
            self._slot.forget()
        if len(found) == sum(each.stop - each.first for each in windows):
            size = 0 if is_whole else windows[0].stop
            logprobs = [found.get(index) for index in range(len(ids))]
            yield Likelihood(self._scored(ids, logprobs), len(windows), size, asked.windows.stride)

    def of_answer(self, before: Prompt, whole: Prompt, chat: ChatRequest) -> Generator[LikelihoodEvent, None, None]:
        """The same for what `whole` has and `before`, the prompt without the answer, has not. The slot goes on to hold
        the conversation, and what it knows of that is not read again. What the context has no room for is not scored.
        """
        keep = before.tokens.common_prefix(whole.tokens)
        ids = whole.tokens.tokens(keep, len(whole.tokens)).tolist()
        if not keep or not ids:
            raise _NOTHING.with_traceback(None)
        opening = replace(before, tokens=before.tokens.copy())
        opening.tokens.truncate(keep)
        read = ids[: self._slot.context.n_ctx - keep]
        end = keep + len(read)
        plan = self._slot.apply(self._slot.settle(opening.tokens), chat.conversation, keep_on_disk=chat.keep_on_disk)
        reading = Prefill(plan, "", ())
        for event in alone(self._reader.read(opening, reading)):
            if isinstance(event, PromptProgress):
                yield replace(event, total=end)
            elif isinstance(event, Looking):
                yield event
        if len(self._slot) < keep:
            return
        found = _logprobs(self._slot.logits()[None], ids[:1])
        for logprobs in self._rows(read, ids[1:]):
            found += logprobs
            yield PromptProgress(end, plan.keep, len(self._slot) - plan.keep, reading.elapsed())
        if len(self._slot) == end:
            self._slot.mark(matters=True)
            yield Likelihood(self._scored(ids, [*found, *[None] * (len(ids) - len(found))]))

    def _ids(self, text: str | tuple[int, ...]) -> list[int]:
        if not isinstance(text, str):
            return list(text)
        return [*([self._vocab.bos] if self._vocab.add_bos else []), *self._vocab.tokenize(text)]

    def _scored(self, ids: Sequence[int], logprobs: Sequence[float | None]) -> tuple[ScoredToken, ...]:
        both = zip(ids, logprobs, strict=True)
        return tuple(ScoredToken(token, self._vocab.piece(token, special=True), logprob) for token, logprob in both)

    def _windows(
        self, ids: list[int], windows: Sequence[Window], found: dict[int, float], *, puts_bos: bool
    ) -> Iterator[PromptProgress]:
        """Fills in `found`, by their places, the tokens that are scored; not all of them when it was cancelled."""
        began, done = time.perf_counter(), 0
        total = sum(each.stop - each.start - 1 for each in windows)
        yield PromptProgress(total, 0, 0, 0.0)
        for window in windows:
            inside = ids[window.start : window.stop]
            if puts_bos:
                inside[0] = self._vocab.bos
            place = window.first
            for logprobs in self._window(inside, window.first - window.start):
                found.update(enumerate(logprobs, place))
                place += len(logprobs)
                yield PromptProgress(total, 0, done + len(self._slot), time.perf_counter() - began)
            if place < window.stop:
                return
            done += len(self._slot)

    def _window(self, ids: list[int], first: int) -> Iterator[list[float]]:
        """How likely the tokens from `first` on were, in pieces, of which empty ones tell that reading goes on."""
        slot = self._slot
        slot.forget()
        step = slot.context.n_ubatch
        for start in range(0, first - 1, step):
            if self._cancel.is_set() or not slot.evaluate(ids[start : min(start + step, first - 1)]):
                return
            yield []
        yield from self._rows(ids[first - 1 : -1], ids[first:])

    def _rows(self, ids: list[int], following: list[int]) -> Iterator[list[float]]:
        """Evaluate `ids`, and tell how likely each of `following` was after them."""
        step = 1 if self._slot.traits.last_alone else self._slot.context.n_rows
        for start in range(0, len(ids), step):
            rows = None if self._cancel.is_set() else self._slot.evaluate_rows(ids[start : start + step])
            if rows is None:
                return
            wanted = following[start : start + len(rows)]
            yield _logprobs(rows[: len(wanted)], wanted)


def _logprobs(rows: NDArray[np.float32], tokens: Sequence[int]) -> list[float]:
    """Of one token after each row of logits, which has shape (len(tokens), n_vocab)."""
    shifted = rows.astype(np.float64) - rows.max(axis=1, keepdims=True)
    chosen = shifted[np.arange(len(tokens)), list(tokens)]
    logprobs: list[float] = (chosen - np.log(np.exp(shifted).sum(axis=1))).tolist()
    return logprobs
