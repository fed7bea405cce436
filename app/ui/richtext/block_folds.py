"""Which blocks of a text lie in a `<details>`, and which of these are closed. No Qt in here."""

from collections.abc import Sequence

from app.ui.richtext.markdown_blocks import Block, Mark, Prose

_BEGINS = (Mark.BEGIN, Mark.BEGIN_OPEN)
_WHOLE = (Mark.WHOLE, Mark.WHOLE_OPEN)
_NONE = -1


class Folds:
    """Follows a list of blocks that is cut and grows. A fold within a fold is none: it is shown with the outer one."""

    def __init__(self) -> None:
        self._heads: list[int] = []
        """Of each block: the summary that it lies under."""
        self._after: list[tuple[int, int]] = []
        """Behind each block: how many `<details>` are open there, and under which summary."""
        self._is_open: dict[int, bool] = {}
        """Of each summary."""
        self._empty: set[int] = set()
        """Lines of which nothing is shown."""

    def follow(self, blocks: Sequence[Block], keep: int) -> None:
        """The blocks from `keep` on are others now. What was opened stays so."""
        known = self._is_open
        self._is_open = {head: is_open for head, is_open in known.items() if head < keep}
        self._empty = {each for each in self._empty if each < keep}
        del self._heads[keep:], self._after[keep:]
        for index in range(keep, len(blocks)):
            self._add(index, blocks[index], blocks[index - 1] if index else None)
            if index in self._is_open and index in known:
                self._is_open[index] = known[index]

    def is_head(self, index: int) -> bool:
        return index in self._is_open

    def is_open(self, head: int) -> bool:
        return self._is_open[head]

    def set_open(self, head: int, is_open: bool) -> None:
        self._is_open[head] = is_open

    def head_of(self, index: int) -> int | None:
        """The summary that a block lies under."""
        return self._heads[index] if self._heads[index] != _NONE else None

    def is_shown(self, index: int) -> bool:
        head = self._heads[index]
        return index not in self._empty and (head == _NONE or self._is_open[head])

    def inside(self, head: int) -> range:
        """The blocks under a summary."""
        end = head + 1
        while end < len(self._heads) and self._heads[end] == head:
            end += 1
        return range(head + 1, end)

    def _add(self, index: int, block: Block, before: Block | None) -> None:
        mark = _mark(block)
        depth, head = self._after[-1] if self._after else (0, _NONE)
        self._heads.append(head)
        if mark is not Mark.NONE and isinstance(block, Prose) and not block.html:
            self._empty.add(index)
        if mark is Mark.END:
            depth = max(0, depth - 1)
        elif mark in _BEGINS or mark in _WHOLE:
            depth += 1
        begun = _mark(before) if mark is Mark.SUMMARY else mark if mark in _WHOLE else Mark.NONE
        if depth == 1 and head == _NONE and begun in (*_BEGINS, *_WHOLE):
            head = index
            self._is_open[index] = begun in (Mark.BEGIN_OPEN, Mark.WHOLE_OPEN)
        self._after.append((depth, head if depth else _NONE))


def _mark(block: Block | None) -> Mark:
    return block.mark if isinstance(block, Prose) else Mark.NONE
