"""Reads pairs of a token and a hidden row with a multi-token-prediction head, and guesses what comes next."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.engine.binding.context import DecodeOutcome
from app.engine.binding.nextn import NextnContext, Row

_CANDIDATES = 10
"""A guess's probability is among this many likeliest tokens, as llama.cpp reckons it."""


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

    def guess(self, last: int, row: Row, position: int, n: int, p_min: float) -> tuple[list[int], bool]:
        """Up to `n` tokens that may follow `last` at `position`, and whether the pair of `last` stays read.

        `row` is the target's, of the entry before. It ends before a token with a smaller probability than `p_min`.
        """
        if self._heads > 1:
            return self._guess_in_chain(last, row, position, n, p_min), False
        return self._guess(last, row, position, n, p_min)

    def _guess(self, last: int, row: Row, position: int, n: int, p_min: float) -> tuple[list[int], bool]:
        context, found, stays = self._context, list[int](), False
        # In a memory that is shared, all guesses stand at the same position, and nothing is written.
        step = 0 if context.shares_memory else 1
        token, place = last, position
        while context.predict([token], row[None], place) is DecodeOutcome.DONE:
            # The first pair has the target's own row.
            stays = not context.shares_memory
            guess = self._likeliest(p_min)
            if guess is None:
                break
            found.append(guess)
            if len(found) == n:
                break
            token, row, place = guess, context.predicted_row(), place + step
        if not context.shares_memory:
            context.remove_from(position + stays)
        return found, stays

    def _guess_in_chain(self, last: int, row: Row, position: int, n: int, p_min: float) -> list[int]:
        """Each head reads all of the chain again, and adds a token to it."""
        context, found, rows = self._context, list[int](), row[None]
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
