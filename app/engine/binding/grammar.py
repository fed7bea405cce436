"""A grammar (GBNF) that an answer keeps to, as llama.cpp's sampler."""

import ctypes

import numpy as np
from llama_cpp import llama_cpp as api

from app.engine.binding import library
from app.engine.binding.vocab import Vocab

_LONGEST = 1 << 18
"""Characters. llama.cpp has no limit of its own."""
_DEEPEST = 100
"""Brackets within brackets: llama.cpp reads them by recursion, and would overflow its stack."""


class GrammarError(Exception):
    """A text that is no grammar. Its message holds nothing of it."""


class Candidates:
    """The tokens that can come next, with their logits: a `llama_token_data_array` over memory of ours."""

    def __init__(self, n_vocab: int) -> None:
        self._cells = np.zeros(n_vocab, dtype=[("id", np.int32), ("logit", np.float32), ("p", np.float32)])
        self._ids = np.arange(n_vocab, dtype=np.int32)
        pointer = self._cells.ctypes.data_as(api.llama_token_data_p)
        self._array = api.llama_token_data_array(pointer, n_vocab, -1, False)

    def fill(self, logits: "np.ndarray[tuple[int], np.dtype[np.float32]]") -> None:
        """All tokens, with `logits` float32 of shape (n_vocab,)."""
        self._cells["id"], self._cells["logit"], self._cells["p"] = self._ids, logits, 0.0
        self._array.size, self._array.selected, self._array.sorted = len(self._ids), -1, False

    def fill_one(self, token: int) -> None:
        """`token` alone."""
        self._cells[0] = (token, 1.0, 0.0)
        self._array.size, self._array.selected, self._array.sorted = 1, -1, False

    def apply(self, sampler: object) -> None:
        api.llama_sampler_apply(sampler, ctypes.byref(self._array))

    @property
    def selected(self) -> int:
        """The token that the last sampler chose; -1 where it chose none."""
        at = int(self._array.selected)
        return int(self._cells["id"][at]) if at >= 0 else -1

    @property
    def first_is_possible(self) -> bool:
        return bool(np.isfinite(self._cells["logit"][0]))


class Grammar:
    """Owns a grammar sampler and its state, which goes on with each token that is accepted."""

    def __init__(self, vocab: Vocab, text: str) -> None:
        """Raises GrammarError. A grammar that is ambiguous without bound can keep llama.cpp busy for ever."""
        _check(text)
        with library.log.collect(private=True), library.no_standard_error():
            self._sampler: object | None = api.llama_sampler_init_grammar(vocab.handle, text.encode(), b"root")
        if not self._sampler:
            raise GrammarError("llama.cpp can't read it")
        self._one = Candidates(1)

    def close(self) -> None:
        if self._sampler is not None:
            api.llama_sampler_free(self._sampler)
            self._sampler = None

    def allows(self, token: int) -> bool:
        """Whether `token` may come next; an end-of-generation token only where the grammar is at its end."""
        self._one.fill_one(token)
        self._one.apply(self._sampler)
        return self._one.first_is_possible

    def restrict(self, candidates: Candidates) -> None:
        """Make impossible what may not come next."""
        candidates.apply(self._sampler)

    def accept(self, token: int) -> None:
        """Go on after `token`, which must be allowed: llama.cpp ends the process otherwise."""
        api.llama_sampler_accept(self._sampler, token)


def _check(text: str) -> None:
    if not text.strip() or len(text) > _LONGEST or "\0" in text:
        raise GrammarError("it is empty, too long, or holds a NUL")
    depth = deepest = 0
    for char in text:
        depth += (char == "(") - (char == ")")
        deepest = max(deepest, depth)
    if deepest > _DEEPEST:
        raise GrammarError("its brackets are too deep")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise GrammarError("it holds half a character") from None
