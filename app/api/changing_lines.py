"""What stays in the system prompts of one program, and which lines come and go: dates, token counts, git's status."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_MOST_LINES = 2048
"""Of a system prompt that is compared; the time that takes grows faster than they do."""
_LEAST_SHARE = 0.75
"""Of their lines that two prompts of one program share."""


@dataclass(frozen=True, slots=True)
class StableLines:
    """Those that were in all of them, in their order."""

    lines: tuple[str, ...]

    @staticmethod
    def of(text: str) -> "StableLines":
        """Of one prompt, all of them."""
        return StableLines(tuple(text.split("\n")))

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def compared(self, text: str) -> "tuple[StableLines, tuple[str, ...]] | None":
        """What stays with one prompt more, and that one's other lines; None where it is another program's, or too long
        to be compared.
        """
        lines = text.split("\n")
        most = max(len(lines), len(self.lines))
        shared = set(_shared(self.lines, lines)) if most <= _MOST_LINES else set()
        if len(shared) < _LEAST_SHARE * most:
            return None
        kept = tuple(each for index, each in enumerate(lines) if index in shared)
        return StableLines(kept), tuple(each for index, each in enumerate(lines) if index not in shared)


def _shared(before: Sequence[str], lines: Sequence[str]) -> Iterator[int]:
    """Places in `lines` of those that both have. Blank ones by themselves are none: they are found anywhere."""
    for block in SequenceMatcher(None, before, lines).get_matching_blocks():
        places = range(block.b, block.b + block.size)
        if any(lines[each].strip() for each in places):
            yield from places
