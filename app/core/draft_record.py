"""The figures of drafting as they are kept with a message, in JSON."""

from collections.abc import Mapping
from dataclasses import asdict, replace

from app.core.speculation import DrafterKind, DraftFigures

_MOST = 1 << 53


def drafts_to(figures: DraftFigures) -> dict[str, object]:
    return {**asdict(figures), "kinds": [kind.value for kind in figures.kinds]}


def drafts_from(told: object) -> DraftFigures | None:
    """None where nothing is known. What is wrong counts as not told; nothing is raised."""
    if not isinstance(told, Mapping):
        return None
    kinds = told.get("kinds")
    known = [each.value for each in DrafterKind]
    off = told.get("off")
    drafted = _count(told.get("drafted"))
    return DraftFigures(
        tuple(DrafterKind(each) for each in kinds if each in known) if isinstance(kinds, list | tuple) else (),
        _count(told.get("rounds")),
        drafted,
        min(drafted, _count(told.get("accepted"))),
        _gain(told.get("gain")),
        off if isinstance(off, str) else "",
        told.get("identical") is True,
    )


def drafts_together(first: DraftFigures, time: float, then: DraftFigures, more: float) -> DraftFigures:
    """Of an answer that was written in two parts, the first in `time` and the second in `more` of one unit."""
    gain = (time * first.gain + more * then.gain) / (time + more) if time + more > 0 else then.gain
    if not first.drafted or not then.drafted:
        told = first if first.drafted else then
        return replace(told, gain=gain) if told.drafted else told
    return DraftFigures(
        tuple(dict.fromkeys((*first.kinds, *then.kinds))),
        first.rounds + then.rounds,
        first.drafted + then.drafted,
        first.accepted + then.accepted,
        gain,
        identical=first.identical and then.identical,
    )


def _count(told: object) -> int:
    return told if isinstance(told, int) and not isinstance(told, bool) and 0 <= told < _MOST else 0


def _gain(told: object) -> float:
    # A NaN is in no interval.
    is_gain = isinstance(told, int | float) and not isinstance(told, bool) and 0 < told < _MOST
    return float(told) if is_gain else 1.0  # type: ignore[arg-type]  # a number
