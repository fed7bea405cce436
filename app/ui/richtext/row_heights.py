"""Heights of rows below each other, many of them only estimated, with their sums at hand."""

from collections.abc import Iterable
from itertools import accumulate


class RowHeights:
    """A Fenwick tree: every operation but `reset` takes a time that grows with the logarithm of the rows."""

    def __init__(self) -> None:
        self._values: list[int] = []
        self._sums: list[int] = [0]
        """Entry i, from 1, is the sum of the rows from i - (i & -i) up to i."""

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> int:
        return self._values[index]

    @property
    def total(self) -> int:
        return self.offset(len(self._values))

    def reset(self, values: Iterable[int]) -> None:
        self._values = list(values)
        offsets = [0, *accumulate(self._values)]
        self._sums = [offset - offsets[place & (place - 1)] for place, offset in enumerate(offsets)]

    def append(self, value: int) -> None:
        self._values.append(value)
        place = len(self._values)
        low = place - (place & -place)
        self._sums.append(self.offset(place - 1) - self.offset(low) + value)

    def cut(self, length: int) -> None:
        """Forget all rows from `length` on."""
        del self._values[length:]
        del self._sums[length + 1 :]

    def set(self, index: int, value: int) -> None:
        change = value - self._values[index]
        if not change:
            return
        self._values[index] = value
        place = index + 1
        while place < len(self._sums):
            self._sums[place] += change
            place += place & -place

    def offset(self, index: int) -> int:
        """The sum of all rows before `index`."""
        total = 0
        while index:
            total += self._sums[index]
            index &= index - 1
        return total

    def index_at(self, y: int) -> int:
        """The row that `y` lies in: the first for what is above, the last for what is below; 0 where there is none."""
        place, step = 0, 1 << len(self._values).bit_length()
        while step:
            further = place + step
            if further < len(self._sums) and self._sums[further] <= y:
                place = further
                y -= self._sums[further]
            step >>= 1
        return max(0, min(place, len(self._values) - 1))
