"""Whether a message that is being written fits into what is left of the context."""

from dataclasses import dataclass
from enum import Enum, auto

from app.core.overflow import Overflow
from app.services.engine.token_counts import TokenCount

_NEAR = 0.8
"""Of what is left, above which little room stays for the answer."""


class Fit(Enum):
    FITS = auto()
    NEAR = auto()
    """It fits, and little room stays for the answer."""
    REFUSED = auto()
    """It does not fit, and nothing may be left out for it."""
    DROPS_OLDEST = auto()
    DROPS_MIDDLE = auto()
    TOO_LONG = auto()
    """It does not fit into an empty context either."""
    TOO_MUCH = auto()
    """The model could make nothing of it; see `ModelInfo.longest_message`."""


@dataclass(frozen=True, slots=True)
class DraftSize:
    count: TokenCount
    left: int
    """Entries of the context that nothing takes yet."""
    n_ctx: int
    fit: Fit
    most: int = 0
    """Entries for which the model was trained; 0 where nobody knows."""


def weigh(count: TokenCount, used: int, n_ctx: int, policy: Overflow, most: int = 0) -> DraftSize:
    """`used` entries are taken by the conversation so far."""
    left = max(0, n_ctx - used)
    return DraftSize(count, left, n_ctx, _fit(count.n, left, n_ctx, policy), most)


def _fit(n: int, left: int, n_ctx: int, policy: Overflow) -> Fit:
    if n >= n_ctx:
        return Fit.TOO_LONG
    if n < left:
        return Fit.NEAR if n > _NEAR * left else Fit.FITS
    match policy:
        case Overflow.STOP:
            return Fit.REFUSED
        case Overflow.DROP_OLDEST:
            return Fit.DROPS_OLDEST
        case Overflow.DROP_MIDDLE:
            return Fit.DROPS_MIDDLE
