"""What stays in the system prompts of one program, and which lines come and go: dates, token counts, git's status."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

_MOST_LINES = 2048
"""Of a system prompt that is compared; the time that takes grows faster than they do."""
_LEAST_SHARE = 0.75
"""Of its lines that two prompts of one program share."""
_GAP = "\0"
"""Where lines come and go; no text of a request is this line."""


@dataclass(frozen=True, slots=True)
class StableLines:
    """Runs of lines that were in all of them, with gaps in between."""

    runs: tuple[tuple[str, ...], ...]

    @staticmethod
    def of(text: str) -> "StableLines":
        """Of one prompt, all of them."""
        return StableLines((tuple(text.split("\n")),))

    @property
    def text(self) -> str:
        return "\n".join(line for run in self.runs for line in run)

    def compared(self, text: str) -> "tuple[StableLines, tuple[str, ...]] | None":
        """What stays with one prompt more, and that one's other lines; None where it is another program's, or too long
        to be compared.
        """
        lines = text.split("\n")
        if len(lines) > _MOST_LINES or sum(map(len, self.runs)) > _MOST_LINES:
            return None
        runs = tuple(_shared([line for run in self.runs for line in (*run, _GAP)], lines))
        kept = [tuple(lines[start:stop]) for start, stop in runs]
        if sum(map(len, kept)) < _LEAST_SHARE * max(len(lines), sum(map(len, self.runs))):
            return None
        covered = {index for start, stop in runs for index in range(start, stop)}
        return StableLines(tuple(kept)), tuple(each for index, each in enumerate(lines) if index not in covered)


def _shared(before: list[str], lines: list[str]) -> Iterator[tuple[int, int]]:
    """Beginning and end of each run of `lines`. Blank lines alone are none: they are found anywhere."""
    for block in SequenceMatcher(None, before, lines).get_matching_blocks():
        stop = block.b + block.size
        if any(each.strip() for each in lines[block.b : stop]):
            yield block.b, stop
