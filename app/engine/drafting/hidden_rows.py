"""What a multi-token-prediction head reads: the tokens of the last entries, and the hidden rows that they gave."""

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.engine.binding.nextn import Row


class HiddenRows:
    """Tokens and hidden rows by position, of the last `capacity` positions that were told."""

    def __init__(self, capacity: int, width: int) -> None:
        """`width` is a row's number of floats."""
        self.capacity = capacity
        self._rows = np.zeros((capacity, width), np.float32)
        self._address, self._row_size = self._rows.ctypes.data, self._rows.strides[0]
        self._row_of = np.full(capacity, -1, np.int64)
        """Which position each row belongs to; -1 none."""
        self._tokens = np.zeros(capacity, np.int32)
        self._token_of = np.full(capacity, -1, np.int64)
        # To set one element NumPy takes several times as long.
        self._views = self._tokens.data, self._token_of.data, self._row_of.data

    def put(self, position: int, tokens: Sequence[int], rows: NDArray[np.float32]) -> None:
        """From `position` on there are these tokens, and gave these rows, float32 of shape (len(tokens), width).

        At most `capacity`.
        """
        positions = np.arange(position, position + len(tokens))
        places = positions % self.capacity
        self._tokens[places], self._rows[places] = tokens, rows
        self._token_of[places] = self._row_of[places] = positions

    def put_one(self, position: int, token: int, row: Any) -> None:
        """`put`, of one; `row` is an address, or a pointer. It is called for each token, so it is quick."""
        place = position % self.capacity
        ctypes.memmove(self._address + place * self._row_size, row, self._row_size)
        tokens, token_of, row_of = self._views
        tokens[place] = token
        token_of[place] = row_of[place] = position

    def put_token(self, position: int, token: int) -> None:
        """`token` stands at `position`; its row is not known yet."""
        place = position % self.capacity
        self._tokens[place], self._token_of[place] = token, position
        self._row_of[place] = -1

    def put_row(self, position: int, row: Row) -> None:
        """The entry at `position` gave `row`, whatever its token was."""
        place = position % self.capacity
        self._rows[place], self._row_of[place] = row, position
        if self._token_of[place] != position:
            self._token_of[place] = -1

    def row(self, position: int) -> Row | None:
        """A view."""
        place = position % self.capacity
        return self._rows[place] if position >= 0 and self._row_of[place] == position else None

    def token(self, position: int) -> int | None:
        place = position % self.capacity
        return int(self._tokens[place]) if self._token_of[place] == position else None

    def tokens(self, start: int, stop: int) -> list[int]:
        """Those at positions [start, stop), all of which must be known."""
        places = np.arange(start, stop) % self.capacity
        if (self._token_of[places] != np.arange(start, stop)).any():
            raise ValueError(f"not all tokens from {start} to {stop} are known")
        found: list[int] = self._tokens[places].tolist()
        return found

    def rows_before(self, start: int, stop: int) -> NDArray[np.float32]:
        """The rows of the positions one before [start, stop), a copy of shape (stop - start, width); zeros where one
        is not known, as before the very first entry.
        """
        positions = np.arange(start - 1, stop - 1)
        places = positions % self.capacity
        known = (self._row_of[places] == positions) & (positions >= 0)
        return np.where(known[:, None], self._rows[places], np.float32(0))

    def cut(self, position: int) -> None:
        """Forget everything from `position` on."""
        self._row_of[self._row_of >= position] = -1
        self._token_of[self._token_of >= position] = -1
