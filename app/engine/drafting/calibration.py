"""What batches cost on this machine with this model, and which of them give the bits of single tokens."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from app.core.loading import CacheType, FlashAttention
from app.engine.binding.context import Context, ContextParams, DecodeFailedError, DecodeOutcome
from app.engine.drafting.costs import Clock
from app.engine.drafting.record import Record

_log = logging.getLogger(__name__)

_SINGLES = 5
_TRIES = 3
"""Of each batch, as far as there is time, each with a single token after it. The middle one of the proportions counts:
so a machine with other work, which slows down both, tells the truth."""
_SIZES = (5, 17, 2)
"""Batches that are measured, most telling first. From 5 tokens on, and again from 8 on, quantised matrices are computed
by other code."""
MEASURED = max(_SIZES)
"""Rows of logits that measuring needs."""
_BETWEEN = {5: 3, 17: 8}
"""What is tried where a batch of the first size gives other bits."""
_BUDGET = 0.8
"""Seconds by which batches are timed. What there is no time for is learned while answers are written."""
_PATIENCE = 2.0
"""How many times as long it may take by the clock on the wall."""
_UNNOTICED = 0.1
"""Seconds."""
_SPLIT = frozenset((CacheType.F32, CacheType.F16))
"""KV types for which flash attention shares out a single token's cells among threads, from 512 on, empty ones included
(ggml-cpu/ops.cpp). Measured with two threads: logits differ by 0.2 from there on, and by nothing before."""


@dataclass(frozen=True, slots=True)
class Calibration:
    seconds: dict[int, float] = field(default_factory=dict)
    """Of batches, by their number of tokens; empty where nothing was measured."""
    exact_batch: int = 1
    """The largest that was found to give the bits of single tokens; 1 where none does."""

    @property
    def quick(self) -> bool:
        """Measuring again takes no time that anybody notices, and the machine may have been busy."""
        return 3 * sum(self.seconds.values()) < _UNNOTICED


Measure = Callable[[Context, Clock], Calibration]
"""Tries what batches cost on an empty context, which is left empty."""


def calibrate(context: Context, clock: Clock, budget: float = _BUDGET) -> Calibration:
    """Try it on the empty `context`, which is left empty. Takes about `budget` seconds at the most, by `clock`."""
    spent = _Stopwatch(clock)
    tokens = [token % context.n_vocab for token in range(11, 11 + 37 * max(_SIZES), 37)]
    try:
        singles = _singles(context, tokens, clock, spent, budget / 2)
        if singles is None:
            return Calibration()
        rows, one = singles
        times, equal = {1: 1.0}, {1: True}
        for size in _SIZES:
            largest = max(times)
            if size > context.n_rows or spent() + one * times[largest] * max(1.0, size / largest) > budget:
                continue
            tried = _batch(context, tokens[:size], rows, clock, spent, budget)
            if tried is None:
                break
            times[size], equal[size] = tried
        else:
            wrong = min((size for size, same in equal.items() if not same), default=0)
            if wrong in _BETWEEN:
                tried = _batch(context, tokens[: _BETWEEN[wrong]], rows, clock, spent, 0.0)
                equal[_BETWEEN[wrong]] = tried is not None and tried[1]
        return Calibration({size: one * times[size] for size in sorted(times)}, _exact(equal))
    except DecodeFailedError as error:
        _log.warning("Batches could not be measured: %s", error)
        return Calibration()
    finally:
        context.clear()


class _Stopwatch:
    """What was spent, of a budget that is for one of two clocks."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began, self._wall = clock(), time.perf_counter()

    def __call__(self) -> float:
        return max(self._clock() - self._began, (time.perf_counter() - self._wall) / _PATIENCE)


def _exact(equal: Mapping[int, bool]) -> int:
    """The largest size that was the same, as all smaller ones were that are to be tried."""
    exact = 1
    for size in sorted({*_SIZES, *equal} - {1}):
        if not equal.get(size, False):
            break
        exact = size
    return exact


def _singles(
    context: Context, tokens: Sequence[int], clock: Clock, spent: Callable[[], float], most: float
) -> tuple[list[NDArray[np.float32]], float] | None:
    """The logits after each of the first few tokens, one by one, and the seconds that one took; None when cancelled."""
    context.clear()
    rows, times = [], []
    for position, token in enumerate(tokens[:_SINGLES]):
        began = clock()
        if context.decode_one(token, position) is not DecodeOutcome.DONE:
            return None
        context.synchronize()
        times.append(clock() - began)
        rows.append(context.logits())
        if len(rows) > 1 and spent() > most:
            break
    # The first one also pays for a new graph.
    return rows, min(times[1:], default=times[0])


def _batch(
    context: Context,
    tokens: Sequence[int],
    singles: Sequence[NDArray[np.float32]],
    clock: Clock,
    spent: Callable[[], float],
    budget: float,
) -> tuple[float, bool] | None:
    """How many times as long as a single token a batch takes, and whether its bits are those of `singles`.

    None when cancelled.
    """
    times, equal = list[float](), False
    for _ in range(_TRIES):
        context.clear()
        began = clock()
        if context.decode_rows(tokens, 0) is not DecodeOutcome.DONE:
            return None
        context.synchronize()
        took = clock() - began
        if not times:
            count = min(len(tokens), len(singles))
            equal = all(map(np.array_equal, context.rows(count), singles[:count]))
        began = clock()
        if context.decode_one(tokens[0], len(tokens)) is not DecodeOutcome.DONE:
            return None
        context.synchronize()
        single = clock() - began
        times.append(took / single if single > 0 else 1.0)
        if spent() + took + single > budget:
            break
    return median(times), equal


def exact_deep(exact_batch: int, params: ContextParams, *, on_device: bool) -> int:
    """The largest exact batch where the context holds more than 256 entries, of which nothing was tried."""
    if on_device:
        return 1
    flash = params.flash_attn is not FlashAttention.OFF and params.n_threads > 1
    return 1 if flash and params.type_k == params.type_v and params.type_k in _SPLIT else exact_batch


class CalibrationRecord:
    """By model and context."""

    def __init__(self, path: Path) -> None:
        self._record = Record(path)

    def find(self, key: str) -> Calibration | None:
        found = self._record.find(key)
        try:
            seconds = {int(size): float(each) for size, each in found["seconds"].items()}
            exact = int(found["exact"])
        except (TypeError, KeyError, ValueError, AttributeError):
            return None
        return Calibration(seconds, exact)

    def remember(self, key: str, made: Calibration) -> None:
        self._record.keep(key, {"seconds": made.seconds, "exact": made.exact_batch})
