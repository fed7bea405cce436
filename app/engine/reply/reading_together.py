"""Which of several prompts are read in one batch: short ones, of which none has much in common with another."""

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from app.engine.memory.slot import Slot
from app.engine.memory.turns import TextTurn, Turn
from app.engine.prompt.prompt_tokens import PromptTokens

SECONDS = 1.0
"""That one batch of several prompts may take: it is not stopped for a cancel, and whoever writes waits for it."""
_SHARED = 32
"""Entries that another slot holds and both begin with are worth having from there; see `Slot.part_for`."""


class Reads(Protocol):
    @property
    def slot(self) -> Slot: ...
    @property
    def turn(self) -> Turn | None: ...
    @property
    def prompt(self) -> PromptTokens | None:
        """None before it asked to begin."""

    @property
    def has_begun(self) -> bool:
        """Its slot holds the beginning of its prompt."""


ReadsT = TypeVar("ReadsT", bound=Reads)


def left_of(reader: Reads) -> int:
    """Entries of its prompt that are still to be read, as far as is known."""
    held = len(reader.slot) if reader.has_begun else 0
    return len(reader.prompt) - held if reader.prompt is not None else 0


def may_begin(reader: Reads, others: Iterable[Reads], most: int) -> bool:
    """Whether it is short enough to be read with `others` in a batch of `most`, and would not wait for one of them to
    have read what both begin with, which it need not read then.
    """
    prompt = reader.prompt
    if prompt is None or reader.has_begun:
        return False
    begun = [each for each in others if each.has_begun and isinstance(each.turn, TextTurn)]
    if len(prompt) + sum(map(left_of, begun)) > most:
        return False
    shared = ((prompt.common_prefix(each.prompt), len(each.slot)) for each in begun if each.prompt is not None)
    return all(n - held < _SHARED for n, held in shared)


def together(readers: Sequence[ReadsT], most: int) -> list[ReadsT]:
    """Of those that read, the first and others, as long as what is left of them fits a batch of `most`."""
    chosen: list[ReadsT] = []
    for each in readers:
        if isinstance(each.turn, TextTurn):
            most -= left_of(each)
            if most < 0:
                break
            chosen.append(each)
        elif not chosen:
            break
    return chosen


def pieces(readers: Sequence[Reads]) -> list[list[int]]:
    """What is read of each in one batch: of recurrent memories the same number of tokens, or llama.cpp would make a
    micro-batch of each length, and with a sliding window be wrong.
    """
    texts = [each.turn.tokens for each in readers if isinstance(each.turn, TextTurn)]
    same = min(map(len, texts)) if any(not each.slot.traits.trims for each in readers) else None
    return [text[:same] for text in texts]
