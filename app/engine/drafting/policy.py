"""What decides on drafts, and what it is told."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app.core.speculation import DrafterKind

OFF_RUN, ON_RUN = 1, 2
"""Prospects of a drafting model: right guesses come in runs, so what its last one was tells most of the next."""


@dataclass(frozen=True, slots=True)
class Option:
    """A draft that could be made."""

    kind: DrafterKind
    prospect: int
    """A class of drafts with an acceptance of its own: of n-grams see `Drafter.prospect`, of others `OFF_RUN`."""
    most: int
    """Tokens."""
    replays: bool = False
    """What was right of a draft that was not right throughout is evaluated again."""
    behind: int = 0
    """Entries of the history that have to be read first; see `Drafter.prepare`."""
    reveals: int = 0
    """Tokens of which making the draft would tell whether they would have been guessed; see `Drafter.reveals`."""
    looks_back: bool = False
    """It will reveal more tokens, the later it is made, each for much less than a guess costs."""


@dataclass(frozen=True, slots=True)
class Round:
    """A batch that was decoded, with a draft or without."""

    option: Option | None
    drafted: int
    accepted: int
    size: int
    """Tokens of the batch."""
    draft_seconds: float
    """Also of a draft that came to nothing."""
    seconds: float
    """Of all of it, with the drafting."""
    reading: float = 0.0
    """Seconds, not among the others, in which the drafter read what it lacked of the history."""
    watched: Option | None = None
    """Without a draft to check: of what the `draft_seconds` made one that is only watched."""
    times: int = 1
    """So many such batches, of single tokens, were decoded one after the other: `seconds` is of all of them."""


class Policy(Protocol):
    """Decides on drafts, and learns from what came of them."""

    def choose(self, options: Sequence[Option], pending: int, since: int = 1) -> tuple[Option, int] | None:
        """Which draft to make and how many tokens of it, at least 1; None decodes plainly.

        `since`: tokens for which drafting models could have been asked, since they last were.
        `pending` tokens come before the draft and the token that was drawn last, in the same batch.
        """

    def watches(self, options: Sequence[Option]) -> Sequence[tuple[Option, int]]:
        """Where no draft is checked: those to be made all the same, and compared with what is written without them."""

    def rests(self, options: Sequence[Option]) -> int:
        """Where nothing is checked or watched: for how many tokens drafting models need not be asked about again."""

    def saw(self, done: Round) -> None: ...

    def learned(self, option: Option, n_accepted: int, n_drafted: int, *, goes_on: bool = False) -> None:
        """A draft that was not checked would have been right so far. `goes_on`: it began where one ended that was."""

    def plain_seconds(self, tokens: int) -> float:
        """What as many single tokens would have taken; 0 where that is not known."""

    def may_pay(self, option: Option) -> bool:
        """Whether such drafts could pay, for all that is known. Where not, nothing has to be read for them."""

    def pays(self, option: Option) -> bool:
        """Whether such drafts are known to pay."""

    def never_pays(self, most: int) -> bool:
        """Whether not even perfect drafts of up to `most` tokens would make anything faster."""
