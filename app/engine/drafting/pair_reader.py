"""Reads pairs of a token and a hidden row with a multi-token-prediction head, and guesses what comes next."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.binding.context import DecodeOutcome
from app.engine.binding.nextn import NextnContext

_CANDIDATES = 10
"""A guess's probability is among this many likeliest tokens, as llama.cpp reckons it."""


class Guess(NamedTuple):
    tokens: list[int]
    stays: bool
    """The pairs that were given are read now."""


class PairReader:
    """The heads of one model, in their context. All methods raise DecodeFailedError."""

    def __init__(self, context: NextnContext, heads: int, n_vocab: int) -> None:
        """`heads` is how many follow one upon the other; 1 where one does for all. `n_vocab`: tokens of the target."""
        self._context = context
        self._heads = heads
        self._n_vocab = n_vocab

    def read(self, tokens: Sequence[int], rows: NDArray[np.float32], position: int) -> bool:
        """Read pairs that stand from `position` on, behind all that was read.

        `rows` is float32 of shape (len(tokens), width). False when it was aborted; nothing of them is read then.
        """
        context, done = self._context, True
        for head in range(self._heads):
            if head:
                # Each head has a layer of its own in the same cells.
                context.remove_from(position)
                context.choose_head(head)
            done = done and context.feed(tokens, rows, position) is DecodeOutcome.DONE
        if self._heads > 1:
            context.choose_head(0)
        return done

    @property
    def reads_on(self) -> bool:
        """Whether `guess` takes several pairs, and keeps them read."""
        return self._heads == 1 and self._context.takes_several

    def guess(self, tokens: Sequence[int], rows: NDArray[np.float32], position: int, n: int, p_min: float) -> Guess:
        """Up to `n` tokens that may follow `tokens`, which stand from `position` on: one, or where it `reads_on`
        several.

        `rows` are the target's, as in `read`. It ends before a token with a smaller probability than `p_min`.
        """
        if self._heads > 1:
            return Guess(self._guess_in_chain(tokens[0], rows, position, n, p_min), stays=False)
        return self._guess(tokens, rows, position, n, p_min)

    def _guess(self, tokens: Sequence[int], rows: NDArray[np.float32], position: int, n: int, p_min: float) -> Guess:
        context, found, stays = self._context, list[int](), False
        place, end = position, position + len(tokens)
        while context.predict(tokens, rows, place) is DecodeOutcome.DONE:
            # The first pairs have the target's own rows.
            stays = not context.shares_memory
            guess = self._likeliest(p_min)
            if guess is None:
                break
            found.append(guess)
            if len(found) == n:
                break
            # In a memory that is shared, all guesses stand at the same position, and nothing is written.
            place += 0 if context.shares_memory else len(tokens)
            tokens, rows = [guess], context.predicted_row()[None]
        if not context.shares_memory:
            context.remove_from(end if stays else position)
        return Guess(found, stays)

    def _guess_in_chain(self, last: int, rows: NDArray[np.float32], position: int, n: int, p_min: float) -> list[int]:
        """Each head reads all of the chain again, and adds a token to it."""
        context, found = self._context, list[int]()
        for head in range(n):
            context.choose_head(head)
            if context.predict([last, *found], rows, position) is not DecodeOutcome.DONE:
                break
            guess = self._likeliest(p_min)
            if guess is None:
                break
            found.append(guess)
            rows = np.vstack([rows, context.predicted_row()])
            context.remove_from(position)
        context.remove_from(position)
        context.choose_head(0)
        return found

    def _likeliest(self, p_min: float) -> int | None:
        """The likeliest token; None where it is too unlikely, or none of the target's."""
        logits = self._context.predicted_logits()
        best = int(logits.argmax())
        if best >= self._n_vocab:
            return None
        if p_min > 0:
            few = min(_CANDIDATES, len(logits))
            top = np.partition(logits, len(logits) - few)[-few:].astype(np.float64)
            if 1 / np.exp(top - top.max()).sum() < p_min:
                return None
        return best
