"""PromptTokens: a prompt as the entries that the slot would hold, media among them, and their positions."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from app.engine.binding.mtmd_chunks import MediaChunk


@dataclass(frozen=True, slots=True)
class MediaGroup:
    """The entries of one media chunk, which are never split."""

    start: int
    """Entries before it."""
    position: int
    """Of its first cell."""
    chunk: MediaChunk

    @property
    def stop(self) -> int:
        return self.start + self.chunk.n_tokens


class PromptTokens:
    """A growing sequence of entries. The only type that compares tokens.

    An entry is a text token or one cell of a medium. A text token moves the position on by one; a medium's group
    by what its chunk says, which for M-RoPE is less than its number of cells. So positions are asked for, not counted.
    """

    __slots__ = ("_groups", "_ids", "_shift")

    def __init__(self, ids: Iterable[int] = ()) -> None:
        self._ids = array("i", ids)
        self._groups: list[MediaGroup] = []
        self._shift = 0
        """What the position at the end has more than the number of entries."""

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[int]:
        """Token ids; a medium's cells are negative."""
        return iter(self._ids)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PromptTokens) and len(self) == len(other) == self.common_prefix(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = f"{list(self._ids[:8])}{'…' if len(self) > 8 else ''}"
        return f"PromptTokens({shown}, n={len(self)}, media={len(self._groups)})"

    @property
    def groups(self) -> tuple[MediaGroup, ...]:
        """The media' groups, ascending."""
        return tuple(self._groups)

    @property
    def position(self) -> int:
        """Of the entry that comes next."""
        return len(self) + self._shift

    def copy(self) -> "PromptTokens":
        made = PromptTokens(self._ids)
        made._groups, made._shift = self._groups.copy(), self._shift
        return made

    def append(self, token: int) -> None:
        self._ids.append(token)

    def extend(self, tokens: Iterable[int]) -> None:
        self._ids.extend(tokens)

    def append_media(self, chunk: MediaChunk) -> None:
        """A medium's group at the end."""
        self._groups.append(MediaGroup(len(self), self.position, chunk))
        # The cells' id only makes most differences show at once; `common_prefix` compares whole keys.
        self._ids.extend([-1 - (int.from_bytes(chunk.key[:4], "little") >> 1)] * chunk.n_tokens)
        self._shift += chunk.n_pos - chunk.n_tokens

    def append_all(self, other: "PromptTokens") -> None:
        """All entries of `other` at the end."""
        done = 0
        for group in other._groups:
            self._ids.extend(other._ids[done : group.start])
            self.append_media(group.chunk)
            done = group.stop
        self._ids.extend(other._ids[done:])

    def truncate(self, n: int) -> None:
        """Forget everything from entry `n` on, which must not lie inside a medium."""
        if self.whole(n) != n:
            raise ValueError(f"entry {n} lies inside a medium")
        del self._groups[bisect_left(self._groups, n, key=_start) :]
        del self._ids[n:]
        self._shift = sum(group.chunk.n_pos - group.chunk.n_tokens for group in self._groups)

    def is_text(self, n: int) -> bool:
        """Whether no medium lies among the first `n` entries."""
        return not self._groups or self._groups[0].start >= n

    def whole(self, n: int) -> int:
        """The most entries, at most `n`, that split no medium."""
        index = bisect_left(self._groups, n, key=_start) - 1
        return self._groups[index].start if index >= 0 and self._groups[index].stop > n else n

    def block_end(self, n: int, block: int) -> int:
        """The last place, at most `n`, where a batch ends if batches end at multiples of `block` and at media, and
        the same entries end it whatever follows. `n` is whole."""
        index = bisect_right(self._groups, n, key=_stop) - 1
        return max(n // block * block, self._groups[index].stop if index >= 0 else 0)

    def position_at(self, n: int) -> int:
        """Of entry `n`, which is the first of its medium where it belongs to one."""
        index = bisect_left(self._groups, n, key=_start) - 1
        if index < 0:
            return n
        last = self._groups[index]
        return last.position + last.chunk.n_pos + n - last.stop

    def newest_positions(self, n: int) -> range:
        """Where the newest of the first `n` entries may stand in the memory.

        A text token at one place; the cells of a picture with M-RoPE all at the place where it begins.
        """
        end = self.position_at(n)
        index = bisect_right(self._groups, n, key=_stop) - 1
        ends_in_media = index >= 0 and self._groups[index].stop == n
        return range(self._groups[index].position if ends_in_media else end - 1, end)

    def tokens(self, start: int, stop: int) -> NDArray[np.int32]:
        """A copy of the ids of entries [start, stop), int32 of shape (stop - start,), negative for media."""
        return np.array(self._ids[start:stop], dtype=np.int32)

    def spans(self, start: int) -> Iterator[tuple[int, MediaChunk | None]]:
        """The end of each stretch from entry `start` on, of text (None) or of one medium's group."""
        for group in self._groups[bisect_left(self._groups, start, key=_start) :]:
            if group.start > start:
                yield group.start, None
            yield group.stop, group.chunk
            start = group.stop
        if start < len(self):
            yield len(self), None

    def media_bounds(self) -> Iterator[tuple[int, int]]:
        """(start, stop) of each medium: of all its slices, with what its family writes between them."""
        firsts = [index for index, group in enumerate(self._groups) if group.chunk.ordinal == 0]
        for first, following in pairwise([*firsts, len(self._groups)]):
            yield self._groups[first].start, self._groups[following - 1].stop

    def common_prefix(self, other: "PromptTokens") -> int:
        """How many leading entries are equal, without part of a medium."""
        n = min(len(self), len(other))
        differs = np.nonzero(np.frombuffer(self._ids, np.int32, n) != np.frombuffer(other._ids, np.int32, n))[0]
        n = int(differs[0]) if differs.size else n
        for mine, theirs in zip(self._groups, other._groups, strict=False):
            if mine.start >= n and theirs.start >= n:
                break
            if mine.start != theirs.start or mine.chunk.key != theirs.chunk.key:
                n = min(n, mine.start, theirs.start)
                break
        return min(self.whole(n), other.whole(n))


def _start(group: MediaGroup) -> int:
    return group.start


def _stop(group: MediaGroup) -> int:
    return group.stop
