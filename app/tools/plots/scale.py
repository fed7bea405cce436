"""Where numbers stand along an axis of a plot, and which of them are written there."""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

_EPOCH = datetime(1970, 1, 1)
_AIR = 0.05
"""Of the range, on both sides of what is drawn."""
_DAYS = (1 / 24, 1 / 8, 1 / 4, 1 / 2, 1, 2, 7, 14, 31, 61, 92, 183, 366, 731, 1827, 3653)


@dataclass(frozen=True, slots=True)
class Scale:
    low: float
    high: float
    is_log: bool = False
    is_inverted: bool = False

    def at(self, value: float) -> float:
        """From 0 at the low end to 1 at the high one; beyond it for what lies outside."""
        low, high = self.low, self.high
        if self.is_log:
            value, low, high = (math.log10(max(each, 1e-300)) for each in (value, low, high))
        place = (value - low) / (high - low)
        return 1 - place if self.is_inverted else place


def scale_of(told: dict[str, Any], values: Iterable[float], *, from_zero: bool) -> Scale:
    """For an axis as `pyplot.py` tells it. `from_zero`: it begins or ends there where all is on one side of it."""
    is_log = told["scale"] == "log"
    found = [each for each in values if not is_log or each > 0] or [1.0 if is_log else 0.0, 10.0 if is_log else 1.0]
    low, high = min(found), max(found)
    if is_log:
        low, high = low / 1.3, high * 1.3
    elif not from_zero or low < 0 < high:
        air = (high - low or abs(high) or 1) * _AIR
        low, high = low - air, high + air
    else:
        low, high = (0.0, high * (1 + _AIR)) if low >= 0 else (low * (1 + _AIR), 0.0)
    wanted = told["limits"]
    low, high = (own if given is None else float(given) for own, given in zip((low, high), wanted, strict=True))
    low = max(low, high / 1e6) if is_log and low <= 0 else low
    if low == high:
        low, high = low - 1, high + 1
    return Scale(min(low, high), max(low, high), is_log, bool(told["inverted"]) is not (low > high))


def ticks_of(told: dict[str, Any], scale: Scale, most: int) -> list[tuple[float, str]]:
    """Where something is written along an axis, and what: about `most`, unless the code says it."""
    places, labels = told["ticks"], told["labels"]
    if places is None:
        places = list(_dates(scale, most) if told["dates"] else _powers(scale) if scale.is_log else _round(scale, most))
    if labels is None:
        labels = [_date(each, scale) for each in places] if told["dates"] else _written(places, scale)
    inside = ((float(at), label) for at, label in zip(places, labels, strict=False))
    air = (scale.high - scale.low) * 1e-6
    return [(at, label) for at, label in inside if scale.low - air <= at <= scale.high + air]


def _round(scale: Scale, most: int) -> Iterator[float]:
    span = (scale.high - scale.low) / max(1, most)
    power = 10.0 ** math.floor(math.log10(span))
    step = next(each * power for each in (1, 2, 2.5, 5, 10) if each * power >= span * 0.999)
    for number in range(math.ceil(scale.low / step - 1e-9), math.floor(scale.high / step + 1e-9) + 1):
        yield number * step


def _powers(scale: Scale) -> list[float]:
    low, high = math.ceil(math.log10(scale.low) - 1e-9), math.floor(math.log10(scale.high) + 1e-9)
    if high - low < 1:
        return list(_round(scale, 5))
    return [10.0**power for power in range(low, high + 1, max(1, (high - low) // 8))]


def _dates(scale: Scale, most: int) -> Iterator[float]:
    span = scale.high - scale.low
    step = next((each for each in _DAYS if span / each <= most), span / max(1, most))
    for number in range(math.ceil(scale.low / step), math.floor(scale.high / step) + 1):
        yield number * step


def _date(at: float, scale: Scale) -> str:
    span = scale.high - scale.low
    how = "%H:%M" if span < 2 else "%Y-%m-%d" if span < 700 else "%Y-%m"
    return (_EPOCH + timedelta(days=at)).strftime(how)


def _written(places: Sequence[float], scale: Scale) -> list[str]:
    if scale.is_log:
        return [f"{each:g}" for each in places]
    largest = max((abs(each) for each in places), default=0)
    steps = [abs(b - a) for a, b in itertools.pairwise(places) if b != a]
    step = min(steps, default=largest or 1)
    if largest >= 1e7 or step < 1e-4:
        return [f"{each:.4g}" for each in places]
    digits = next((digit for digit in range(6) if math.isclose(round(step, digit), step)), 6)
    return [f"{each if abs(each) > step * 1e-6 else 0:.{digits}f}" for each in places]
