"""What the tokens of a vocabulary say, byte by byte, for looking at all of them at once."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray


class PieceColumns:
    """The first bytes of all tokens, then the second ones, and so on; the longest tokens first.

    Tokens that say nothing, or begin with a NUL, have no part in it.
    """

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = pieces
        lengths = np.array([0 if each[:1] == b"\0" else len(each) for each in pieces], dtype=np.int32)
        order = np.argsort(-lengths, kind="stable")
        self.tokens: NDArray[np.int64] = order[: int(np.count_nonzero(lengths))]
        """Their numbers, in the order of the columns' rows."""
        self.count = len(self.tokens)
        longest = int(lengths.max(initial=0))
        sizes = lengths[self.tokens]
        self._counts = [int(np.searchsorted(-sizes, -at)) for at in range(longest + 1)]
        """Tokens longer than so many bytes."""
        spoken = [pieces[token] for token in self.tokens]
        self._columns = [
            np.frombuffer(bytes(each[at] for each in spoken[: self._counts[at]]), dtype=np.uint8)
            for at in range(longest)
        ]

    def piece(self, token: int) -> bytes:
        """Of a token that has a part in it; empty for others."""
        found = self._pieces[token] if 0 <= token < len(self._pieces) else b""
        return b"" if found[:1] == b"\0" else found

    def __iter__(self) -> Iterator[tuple[NDArray[np.uint8], int]]:
        """Each column, and how many of its tokens go on behind it."""
        return iter(zip(self._columns, self._counts[1:], strict=True))
