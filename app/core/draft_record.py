"""The figures of drafting as they are kept with a message, in JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from itertools import zip_longest
from typing import Any

from app.core.speculation import DrafterKind, DrafterStats, DraftFigures

_MOST = 1 << 53
_COUNTS = ("begin_n", "draft_n", "accept_n")
_TIMES = ("begin_ms", "draft_ms", "accept_ms")


def drafts_to(figures: DraftFigures) -> dict[str, object]:
    """As it comes back from a file, too."""
    stats = [
        {**asdict(each), "kind": each.kind.value, "places": [list(pair) for pair in each.places]}
        for each in figures.stats
    ]
    return {**asdict(figures), "kinds": [kind.value for kind in figures.kinds], "stats": stats}


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
        tuple(_stats(told.get("stats"))),
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
        stats=_stats_together(first.stats, then.stats),
    )


def _stats_together(first: tuple[DrafterStats, ...], then: tuple[DrafterStats, ...]) -> tuple[DrafterStats, ...]:
    made = {each.kind: each for each in first}
    for more in then:
        before = made.get(more.kind, DrafterStats(more.kind))
        sums = {name: getattr(before, name) + getattr(more, name) for name in (*_COUNTS, *_TIMES)}
        pairs = zip_longest(before.places, more.places, fillvalue=(0, 0))
        made[more.kind] = replace(before, **sums, places=tuple((a + c, b + d) for (a, b), (c, d) in pairs))
    return tuple(made.values())


def _stats(told: object) -> Iterator[DrafterStats]:
    known = [each.value for each in DrafterKind]
    for each in told if isinstance(told, list | tuple) else ():
        if isinstance(each, Mapping) and each.get("kind") in known:
            values: dict[str, Any] = {name: _count(each.get(name)) for name in _COUNTS}
            values |= {name: _time(each.get(name)) for name in _TIMES}
            yield DrafterStats(DrafterKind(each["kind"]), **values, places=tuple(_places(each.get("places"))))


def _places(told: object) -> Iterator[tuple[int, int]]:
    for pair in told if isinstance(told, list | tuple) else ():
        guessed, right = map(_count, pair) if isinstance(pair, list | tuple) and len(pair) == 2 else (0, 0)
        yield guessed, min(guessed, right)


def _count(told: object) -> int:
    return told if isinstance(told, int) and not isinstance(told, bool) and 0 <= told < _MOST else 0


def _time(told: object) -> float:
    # A NaN is in no interval.
    if isinstance(told, int | float) and not isinstance(told, bool) and 0 <= told < _MOST:
        return float(told)
    return 0.0


def _gain(told: object) -> float:
    return _time(told) or 1.0
