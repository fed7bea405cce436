"""What was learned of drafts with a model on this machine, kept for the next start."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.core.speculation import DrafterKind
from app.engine.drafting.record import Record


@dataclass(frozen=True, slots=True)
class DrafterStats:
    """Of one drafter. Costs are in single tokens of the model that is drafted for, so a slower day changes little."""

    off_run: tuple[float, float, float, float]
    on_run: tuple[float, float, float, float]
    """`Acceptance.state` where its last guess was wrong, and where it was right."""
    first_token: float
    later_token: float
    """What the first token of a draft costs, and each further one; 0 where none was measured."""
    per_entry: float = 0.0
    """What an entry costs that it has to read first; 0 where it never had to."""


@dataclass(frozen=True, slots=True)
class Experience:
    stats: Mapping[DrafterKind, DrafterStats] = field(default_factory=dict)
    batches: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    """See `Costs.state`."""


class ExperienceRecord:
    """By model, drafters and context."""

    def __init__(self, path: Path) -> None:
        self._record = Record(path)

    def find(self, key: str) -> Experience:
        """Empty where nothing is known."""
        found = self._record.find(key)
        try:
            stats = {DrafterKind(kind): _stats(each) for kind, each in found["habits"].items()}
            batches = {int(size): _batch(each) for size, each in found["batches"].items()}
        except (TypeError, KeyError, ValueError, AttributeError):
            return Experience()
        return Experience(stats, {size: each for size, each in batches.items() if size > 1})

    def remember(self, key: str, made: Experience) -> None:
        stats = {
            kind.value: [*each.off_run, *each.on_run, each.first_token, each.later_token, each.per_entry]
            for kind, each in made.stats.items()
        }
        self._record.keep(key, {"habits": stats, "batches": dict(made.batches)})


def _stats(given: Any) -> DrafterStats:
    a, n_a, b, n_b, c, n_c, d, n_d, first, later, per_entry = map(float, given)
    # Written so that what is no number is refused too.
    shares, amounts = (a, b, c, d), (n_a, n_b, n_c, n_d, first, later, per_entry)
    if not (all(0 <= each <= 1 for each in shares) and all(0 <= each < 1e6 for each in amounts)):
        raise ValueError(given)
    return DrafterStats((a, n_a, b, n_b), (c, n_c, d, n_d), first, later, per_entry)


def _batch(given: Any) -> tuple[float, float]:
    times, weight = map(float, given)
    if not (1 <= times < 1e6 and 0 < weight < 1e6):
        raise ValueError(given)
    return times, weight
