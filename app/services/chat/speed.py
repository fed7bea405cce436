"""Tokens a second while an answer is written, from its events' arrival."""

import time

from app.services.engine.states import Generating


class Speed:
    """One reply's."""

    def __init__(self) -> None:
        self._began = 0.0
        self._first = 0
        self._n_prompt = 0

    def read(self, entries: int) -> None:
        self._n_prompt = entries

    def wrote(self, predicted: int) -> Generating:
        now = time.monotonic()
        if not self._began:
            self._began, self._first = now, predicted
        elapsed = now - self._began
        return Generating((predicted - self._first) / elapsed if elapsed > 0 else 0.0, self._n_prompt + predicted)
