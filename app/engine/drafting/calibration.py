"""What batches cost on this machine with this model, as measured when it is loaded."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import takewhile
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.engine.binding.context import Context, DecodeFailedError, DecodeOutcome
from app.engine.drafting.costs import Clock
from app.engine.preflight.trials import Trials

_log = logging.getLogger(__name__)

_SIZES = (5, 17, 2, 8, 3)
"""Batches that are measured, most telling first. From 4 or 5 tokens on, and again from 8 or 9 on, quantised matrices
are computed by other code."""
MEASURED = max(_SIZES)
"""Rows of logits that measuring needs."""
_BUDGET = 0.8
"""Seconds. What there is no time for is learned while answers are written."""


@dataclass(frozen=True, slots=True)
class Calibration:
    seconds: dict[int, float] = field(default_factory=dict)
    """Of batches, by their number of tokens; empty where nothing was measured."""
    exact: int = 1
    """The largest that was found to give the bits of single tokens; 1 where none does."""


Measure = Callable[[Context, Clock], Calibration]
"""Tries what batches cost on an empty context, which is left empty."""


class _CancelledError(Exception):
    pass


def calibrate(context: Context, clock: Clock, budget: float = _BUDGET) -> Calibration:
    """Try it on the empty `context`, which is left empty. Takes about `budget` seconds at the most, by `clock`."""
    until, equal = clock() + budget, dict.fromkeys(_SIZES, False)
    tokens = [token % context.n_vocab for token in range(11, 11 + 37 * MEASURED, 37)]
    rows, singles = list[NDArray[np.float32]](), list[float]()
    try:
        for position, token in enumerate(tokens[: _SIZES[0]]):
            singles.append(_timed(context, clock, partial(context.decode_one, token, position)))
            rows.append(context.logits())
            if len(rows) > 1 and clock() > until - budget / 2:
                break
        # The first one also pays for a new graph.
        one = min(singles[1:], default=singles[0])
        seconds = {1: one}
        for size in _SIZES:
            # At the worst a batch takes as long as its tokens one by one.
            if size <= context.n_rows and clock() + size * one < until:
                times, equal[size] = _batch(context, tokens[:size], rows, clock, until)
                seconds[size] = one * times
        return Calibration(dict(sorted(seconds.items())), max(takewhile(equal.get, sorted(_SIZES)), default=1))
    except _CancelledError:
        return Calibration()
    except DecodeFailedError as error:
        _log.warning("Batches could not be measured: %s", error)
        return Calibration()
    finally:
        context.clear()


def _batch(
    context: Context, tokens: Sequence[int], singles: Sequence[NDArray[np.float32]], clock: Clock, until: float
) -> tuple[float, bool]:
    """How many times as long as a single token a batch takes, and whether its bits are those of `singles`."""
    times, count, equal = list[float](), min(len(tokens), len(singles)), True
    for _ in range(3):
        context.clear()
        took = _timed(context, clock, partial(context.decode_rows, tokens, 0))
        equal &= all(map(np.array_equal, context.rows(count), singles[:count]))
        # Right after it, so that a machine with other work slows both, and the proportion is true.
        single = _timed(context, clock, partial(context.decode_one, tokens[0], len(tokens)))
        times.append(took / single if single > 0 else 1.0)
        if clock() + took + single > until:
            break
    return median(times), equal


def _timed(context: Context, clock: Clock, decode: Callable[[], DecodeOutcome]) -> float:
    began = clock()
    if decode() is not DecodeOutcome.DONE:
        raise _CancelledError
    context.synchronize()
    return clock() - began


def recorded(path: Path, key: str, measure: Callable[[], Calibration]) -> Calibration:
    """What was measured before, as the file of trials at `path` tells by `key`, or what is measured now."""
    trials = Trials(path)
    if (known := trials.found(key, _calibration_from)) is not None:
        return known
    made = measure()
    if made.seconds:
        trials.keep(key, asdict(made), "What batches cost")
    return made


def _calibration_from(told: Any) -> Calibration:
    return Calibration({int(size): float(each) for size, each in told["seconds"].items()}, int(told["exact"]))
