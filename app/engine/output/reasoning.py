"""Markers around what a model thinks before it speaks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reasoning:
    starts: tuple[str, ...] = ("<think>",)
    """Any of them opens it."""
    ends: tuple[str, ...] = ("</think>",)
    anywhere: bool = False
    """It may begin in the midst of an answer, not at its beginning alone: the markers are control tokens."""

    def open_in(self, prompt_tail: str) -> bool:
        """The prompt ends with an opening, so that the answer goes on inside."""
        return prompt_tail.rstrip().endswith(tuple(start.rstrip() for start in self.starts))
