"""Drafts by a smaller model with the same vocabulary, in a context of its own."""

import logging
from collections.abc import Sequence
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from app.core.errors import ContextFullError
from app.core.speculation import DrafterKind
from app.engine.binding.context import DecodeFailedError
from app.engine.binding.model import Model
from app.engine.drafting.drafter import Drafter
from app.engine.memory.reuse import ReuseAction
from app.engine.memory.slot import Slot
from app.engine.prompt.prompt_tokens import PromptTokens

_log = logging.getLogger(__name__)

_CANDIDATES = 10
"""A token's probability is among this many likeliest ones, as llama.cpp reckons it."""


class ModelDrafter(Drafter):
    """Owns the model and its slot, which follows the text of the target's history whenever a draft is wanted.

    Pictures are left out: it reads the text around them.
    """

    kind = DrafterKind.DRAFT_MODEL

    def __init__(self, model: Model, slot: Slot, *, n_max: int, n_vocab: int, p_min: float = 0.0) -> None:
        """`n_vocab`: tokens that the target has."""
        super().__init__(n_max, p_min=p_min)
        self._model = model
        self._slot = slot
        self._n_vocab = n_vocab
        self._text = PromptTokens()
        self._known = 0
        """Entries of the history that are in `_text`, as far as they are text."""
        self._common = 0
        """Of `_text`, how many entries the slot is known to hold."""
        self._prompt = 0
        """Of `_text`, how many entries the answer follows."""
        self._failed = False

    def close(self) -> None:
        self._slot.close()
        self._model.close()

    def begin(self, history: Sequence[int]) -> None:
        self._text, self._known, self._failed = PromptTokens(), 0, False
        self._learn(history)
        self._prompt = len(self._text)
        self._common = self._slot.plan(self._text).keep

    def prospect(self, history: Sequence[int], last: int) -> int:
        self._learn(history)
        return int(not self._failed and len(self._text) + 2 < self._slot.context.n_ctx)

    def behind(self) -> int:
        # What it lacks after a round is a part of drafting.
        lacks = len(self._text) - self._common
        return lacks if lacks > self.n_max else 0

    def waits(self) -> int:
        return max(0, self._slot.context.n_rows - (len(self._text) - max(self._common, self._prompt)))

    def look_back(self, history: Sequence[int], last: int) -> Sequence[bool]:
        self._learn(history)
        text, slot = self._text, self._slot
        try:
            self._go_back()
            since = max(len(slot), self._prompt, len(text) - slot.context.n_rows)
            if not self._read(since):
                return ()
            written = text.tokens(since, len(text)).tolist()
            rows = slot.evaluate_rows(written) if written else None
            self._common = len(slot)
        except (DecodeFailedError, ContextFullError) as error:
            self._give_up(error)
            return ()
        if rows is None:
            return ()
        right = rows.argmax(1) == [*written[1:], last]
        # A draft ends before a guess that is too unlikely; one that comes to nothing is a wrong one.
        sure = [self.p_min <= 0 or _share(row) >= self.p_min for row in rows]
        return right[sure].tolist() or [False]

    def prepare(self, history: Sequence[int]) -> None:
        self._learn(history)
        if len(self._text) and self.behind() and not self._failed:
            try:
                self._go_back()
                self._read()
            except (DecodeFailedError, ContextFullError) as error:
                self._give_up(error)

    def draft(self, history: Sequence[int], last: int, n: int) -> list[int]:
        self._learn(history)
        text, slot = self._text, self._slot
        n = min(n, self.n_max, slot.context.n_ctx - len(text) - 1)
        if n < 1 or self._failed:
            return []
        text.append(last)
        try:
            self._go_back()
            if not self._read():
                return []
            if not slot.traits.trims:
                slot.mark(matters=True)
            return self._guess(n)
        except (DecodeFailedError, ContextFullError) as error:
            self._give_up(error)
            return []
        finally:
            text.truncate(len(text) - 1)

    def _give_up(self, error: Exception) -> None:
        """Until the next answer. The slot is true, or empty by now."""
        _log.warning("The draft model failed (%s); nothing is drafted with it for this answer.", error)
        self._failed = True

    def _learn(self, history: Sequence[int]) -> None:
        self._text.extend(token for token in history[self._known :] if token >= 0)
        self._known = len(history)

    def _go_back(self) -> None:
        """Keep what is equal of what the slot holds."""
        slot = self._slot
        chosen = slot.plan(self._text)
        match chosen.action:
            case ReuseAction.CLEAR:
                slot.forget()
            case ReuseAction.TRIM:
                slot.take_back(len(slot) - chosen.keep)
            case ReuseAction.RESTORE:
                kept = slot.checkpoints.at(chosen.keep)
                slot.take_back(len(slot) - chosen.keep, kept.data if kept is not None else None)
            case ReuseAction.EXTEND:
                pass
            case _:
                assert_never(chosen.action)
        slot.checkpoints.drop_after(len(slot))

    def _read(self, stop: int | None = None) -> bool:
        """Evaluate what the slot lacks of the text, up to `stop` or its end. False when it was aborted."""
        slot, text = self._slot, self._text
        end = len(text) if stop is None else stop
        while len(slot) < end:
            if not slot.evaluate(text.tokens(len(slot), min(end, len(slot) + slot.context.n_ubatch)).tolist()):
                return False
            if slot.traits.needs_checkpoints and len(slot) < len(text):
                slot.mark(matters=True)
        self._common = len(slot)
        return True

    def _guess(self, n: int) -> list[int]:
        """`n` tokens, each the likeliest after those before it."""
        slot, guessed = self._slot, list[int]()
        while True:
            token = slot.context.likeliest()
            if token >= self._n_vocab or (self.p_min > 0 and _share(slot.logits()) < self.p_min):
                return guessed
            guessed.append(token)
            if len(guessed) == n or not slot.evaluate_one(token):
                return guessed


def _share(logits: NDArray[np.float32]) -> float:
    """The probability of the likeliest token among the likeliest few; `logits` of shape (n_vocab,)."""
    few = min(_CANDIDATES, len(logits))
    top = np.partition(logits, len(logits) - few)[-few:].astype(np.float64)
    return float(1 / np.exp(top - top.max()).sum())
