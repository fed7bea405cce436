"""Vectors of texts by latent semantic analysis, with NumPy alone: no word that the corpus lacks means anything."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from app.storage.passages.questions import STOP_WORDS

_RARE, _COMMON = 3, 0.1
"""Texts in which a word stands at least, and the share of them in which at most."""
_STEPS = 3
_MORE = 16


class Latent:
    """Truncated SVD of log tf x idf by random projections (Halko, Martinsson and Tropp 2011)."""

    def __init__(self, texts: Sequence[str], n_dimensions: int, seed: int = 25) -> None:
        counted = [Counter(_words(each)) for each in texts]
        found = Counter(word for each in counted for word in each)
        self._known = {
            word: n
            for n, word in enumerate(each for each, times in found.items() if _RARE <= times <= _COMMON * len(texts))
        }
        self._weights = np.zeros(len(self._known), np.float32)
        for word, n in self._known.items():
            self._weights[n] = math.log(len(texts) / found[word])
        self._rows = [self._sparse(each) for each in counted]
        chance = np.random.default_rng(seed)
        basis = chance.standard_normal((len(self._known), n_dimensions + _MORE)).astype(np.float32)
        for _ in range(_STEPS):
            basis, _ = np.linalg.qr(self._times_transposed(self._times(basis)))
        _, _, turned = np.linalg.svd(self._times(basis), full_matrices=False)
        self._basis = (basis @ turned.T[:, :n_dimensions]).astype(np.float32)
        self.rows = _unit(self._times(self._basis))

    def of(self, text: str) -> NDArray[np.float32]:
        places, values = self._sparse(Counter(_words(text)))
        made: NDArray[np.float32] = _unit((values @ self._basis[places])[None])[0]
        return made

    def _sparse(self, counted: Counter[str]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        known = [(self._known[word], times) for word, times in counted.items() if word in self._known]
        places = np.array([place for place, _ in known], np.int64)
        values = np.array([1 + math.log(times) for _, times in known], np.float32) * self._weights[places]
        unit: NDArray[np.float32] = _unit(values[None])[0]
        return places, unit

    def _times(self, basis: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.stack([values @ basis[places] for places, values in self._rows])

    def _times_transposed(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        made = np.zeros((len(self._known), rows.shape[1]), np.float32)
        for (places, values), row in zip(self._rows, rows, strict=True):
            made[places] += values[:, None] * row
        return made


def _words(text: str) -> Iterator[str]:
    """Roughly stemmed."""
    for found in re.finditer(r"[a-z]{2,}", text.lower()):
        if found[0] not in STOP_WORDS:
            yield re.sub(r"(?:ing|ed|es|s)$", "", found[0]) if len(found[0]) > 4 else found[0]


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    made: NDArray[np.float32] = (rows / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    return made
