"""What batches cost on this machine with this model, and which of them give the bits of single tokens."""

import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.core.files import write_atomic
from app.core.loading import CacheType, FlashAttention
from app.engine.binding.context import Context, ContextParams, DecodeFailedError, DecodeOutcome
from app.engine.drafting.costs import Clock

_log = logging.getLogger(__name__)

_SINGLES = 5
_TRIES = 3
"""Of each batch, as far as there is time. The quickest counts, and single tokens have four: with fewer tries than those
batches would seem dearer than they are on a machine with other work."""
_SIZES = (2, 5, 17)
"""Batches that are measured. From 5 tokens on, and again from 8 on, quantised matrices are computed by other code."""
MEASURED = max(_SIZES)
"""Rows of logits that measuring needs."""
_BETWEEN = {5: 3, 17: 8}
"""What is tried where a batch of the first size gives other bits."""
_BUDGET = 0.8
"""Seconds. What there is no time for is learned while answers are written."""
_UNNOTICED = 0.1
"""Seconds."""
_MANY = 200
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
    """Try it on the empty `context`, which is left empty. Takes about `budget` seconds at the most."""
    began = time.perf_counter()
    tokens = [token % context.n_vocab for token in range(11, 11 + 37 * max(_SIZES), 37)]
    try:
        singles = _singles(context, tokens, clock, began + budget / 2)
        if singles is None:
            return Calibration()
        rows, one = singles
        seconds, exact = {1: one}, 1
        for size in _SIZES:
            if size > context.n_rows or time.perf_counter() - began + 2 * one * size > budget:
                break
            tried = _batch(context, tokens[:size], rows, clock, began + budget)
            if tried is None:
                break
            seconds[size], equal = tried
            if equal and exact == max((each for each in seconds if each < size), default=1):
                exact = size
            elif size in _BETWEEN and exact == max(each for each in seconds if each < size):
                between = _batch(context, tokens[: _BETWEEN[size]], rows, clock, 0.0)
                exact = _BETWEEN[size] if between is not None and between[1] else exact
        return Calibration(seconds, exact)
    except DecodeFailedError as error:
        _log.warning("Batches could not be measured: %s", error)
        return Calibration()
    finally:
        context.clear()


def _singles(
    context: Context, tokens: Sequence[int], clock: Clock, until: float
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
        if len(rows) > 1 and time.perf_counter() > until:
            break
    # The first one also pays for a new graph.
    return rows, min(times[1:], default=times[0])


def _batch(
    context: Context, tokens: Sequence[int], singles: Sequence[NDArray[np.float32]], clock: Clock, until: float
) -> tuple[float, bool] | None:
    """The seconds that a batch takes, and whether its bits are those of `singles`; None when cancelled."""
    best = 0.0
    for _ in range(_TRIES):
        context.clear()
        began = clock()
        if context.decode_rows(tokens, 0) is not DecodeOutcome.DONE:
            return None
        context.synchronize()
        took = clock() - began
        best = min(best or took, took)
        if time.perf_counter() + took > until:
            break
    count = min(len(tokens), len(singles))
    rows = context.rows(count)
    return best, all(np.array_equal(rows[index], singles[index]) for index in range(count))


def exact_deep(exact_batch: int, params: ContextParams, *, on_device: bool) -> int:
    """The largest exact batch where the context holds more than 256 entries, of which nothing was tried."""
    if on_device:
        return 1
    flash = params.flash_attn is not FlashAttention.OFF and params.n_threads > 1
    return 1 if flash and params.type_k == params.type_v and params.type_k in _SPLIT else exact_batch


class CalibrationRecord:
    """A JSON file of what was measured, by model and context."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def find(self, key: str) -> Calibration | None:
        found = self._all().get(key)
        try:
            seconds = {int(size): float(each) for size, each in found["seconds"].items()}  # type: ignore[index]
            exact = int(found["exact"])  # type: ignore[index]
        except (TypeError, KeyError, ValueError, AttributeError):
            return None
        return Calibration(seconds, exact)

    def remember(self, key: str, made: Calibration) -> None:
        kept = {**self._all(), key: {"seconds": made.seconds, "exact": made.exact_batch}}
        for oldest in list(kept)[:-_MANY]:
            del kept[oldest]
        try:
            write_atomic(self._path, json.dumps(kept).encode())
        except OSError as error:
            _log.warning("%s can't be written, so batches will be measured again: %s", self._path, error)

    def _all(self) -> dict[str, Any]:
        try:
            found = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}
