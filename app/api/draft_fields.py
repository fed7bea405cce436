"""What a request says of speculative decoding, by llama-server's names."""

from typing import Any

from app.api.fields import Given, invalid, whole
from app.core.speculation import DraftLimits

N_MAX, N_MIN, P_MIN = "speculative.n_max", "speculative.n_min", "speculative.p_min"
KNOWN = frozenset({N_MAX, N_MIN, P_MIN})
_MOST = 1024
"""Tokens; a client may ask for longer drafts than the model was loaded for, and gets as long ones as it was."""

DESCRIBED: dict[str, Any] = {
    N_MAX: {
        "type": "integer",
        "minimum": 0,
        "maximum": _MOST,
        "description": "Most tokens per draft, up to what the model was loaded for. 0 drafts nothing.",
    },
    N_MIN: {
        "type": "integer",
        "minimum": 0,
        "maximum": _MOST,
        "description": "Shorter drafts of the model's own head or of a draft model are not checked.",
    },
    P_MIN: {
        "type": "number",
        "minimum": 0,
        "maximum": 1,
        "description": "A draft ends before a token that the drafter finds less likely than this.",
    },
}
"""Their schemas."""


def draft_limits_from(given: Given) -> DraftLimits:
    """Raises ApiError."""
    return DraftLimits(_tokens(given, N_MAX), _tokens(given, N_MIN), _share(given))


def _tokens(given: Given, name: str) -> int | None:
    return whole(given, name, 0, 0, _MOST) if name in given else None


def _share(given: Given) -> float | None:
    value = given.get(P_MIN)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise invalid(P_MIN, f"{P_MIN} must be a number from 0 to 1.")
    return float(value)
