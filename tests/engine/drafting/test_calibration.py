"""What batches cost and whether they are exact, and that measuring leaves no trace."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.core.loading import CacheType, FlashAttention
from app.core.speculation import DraftingInfo, Speculation
from app.engine.binding.context import DecodeOutcome
from app.engine.binding.context_params import ContextParams
from app.engine.drafting.calibration import Calibration, calibrate, recorded
from app.engine.drafting.drafting import exact_deep
from app.engine.drafting.opening import DraftPlan
from tests.engine.conftest import EXACT, OpenPath

TIMES = {1: 0.00125, 2: 0.0015, 3: 0.00175, 5: 0.00225, 8: 0.003, 17: 0.00525}
PARAMS = ContextParams(n_ctx=4096, n_batch=512, n_ubatch=512, n_threads=2)


class FakeContext:
    """Batches from `wrong_from` tokens on give other logits; the clock goes on as `costs` say."""

    n_vocab = 1000

    def __init__(self, wrong_from: int = 99, n_rows: int = 17, aborts_at: int = 99) -> None:
        self.n_rows = n_rows
        self.now = 0.0
        self.sizes: list[int] = []
        self.cleared = False
        self._wrong_from = wrong_from
        self._aborts_at = aborts_at
        self._tokens: list[int] = []

    def clock(self) -> float:
        return self.now

    def clear(self) -> None:
        self.cleared = True
        self._tokens = []

    def synchronize(self) -> None:
        pass

    def decode_one(self, token: int, position: int) -> DecodeOutcome:
        return self._decode([token])

    def decode_rows(self, tokens: list[int], position: int) -> DecodeOutcome:
        return self._decode(tokens)

    def _decode(self, tokens: list[int]) -> DecodeOutcome:
        self.cleared = False
        self._tokens += tokens
        self.sizes.append(len(tokens))
        self.now += 0.001 * (1 + len(tokens) / 4)
        return DecodeOutcome.ABORTED if len(self.sizes) == self._aborts_at else DecodeOutcome.DONE

    def logits(self) -> NDArray[np.float64]:
        return np.array(self.rows(len(self._tokens))[-1])

    def rows(self, count: int) -> NDArray[np.float64]:
        off = 1e-6 if self.sizes[-1] >= self._wrong_from else 0.0
        return np.array([[sum(self._tokens[: n + 1]) + off] for n in range(count)], np.float64)


class BusyContext(FakeContext):
    """From some moment on everything takes three times as long."""

    def _decode(self, tokens: list[int]) -> DecodeOutcome:
        before = self.now
        outcome = super()._decode(tokens)
        if len(self.sizes) > 5:
            self.now = before + 3 * (self.now - before)
        return outcome


def measured(context: FakeContext, **more: float) -> Calibration:
    return calibrate(context, context.clock, **more)  # type: ignore[arg-type]  # it stands in for one


@pytest.mark.parametrize(("wrong_from", "exact"), [(99, 17), (17, 8), (8, 5), (6, 5), (5, 3), (4, 3), (3, 2), (2, 1)])
def test_the_largest_exact_batch_is_found(wrong_from: int, exact: int) -> None:
    context = FakeContext(wrong_from)
    assert measured(context).exact == exact
    assert context.cleared


@pytest.mark.parametrize("kind", [FakeContext, BusyContext])
def test_batches_are_timed_and_a_machine_that_becomes_busy_changes_no_proportion(kind: type[FakeContext]) -> None:
    assert measured(kind()).seconds == pytest.approx(TIMES)


@pytest.mark.parametrize(
    ("n_rows", "budget", "sizes", "exact"),
    [
        (4, 1.0, {1, 2, 3}, 3),
        (17, 0.0135, {1, 5}, 1),  # the most telling one; of 2 nothing is known
        (17, 0.0, {1}, 1),
    ],
)
def test_what_there_is_no_room_or_time_for_is_left_out(n_rows: int, budget: float, sizes: set[int], exact: int) -> None:
    context = FakeContext(n_rows=n_rows)
    found = measured(context, budget=budget)
    assert (set(found.seconds), found.exact) == (sizes, exact)
    assert budget or len(context.sizes) <= 2


@pytest.mark.parametrize("decode", [1, 3, 6, 9])
def test_a_cancel_ends_it(decode: int) -> None:
    context = FakeContext(aborts_at=decode)
    measured(context)
    assert len(context.sizes) == decode
    assert context.cleared


def test_long_conversations_are_exact_only_where_the_code_is_the_same() -> None:
    assert exact_deep(17, PARAMS, on_device=False) == 1
    assert exact_deep(17, replace(PARAMS, n_threads=1), on_device=False) == 17
    assert exact_deep(17, replace(PARAMS, flash_attn=FlashAttention.OFF), on_device=False) == 17
    assert exact_deep(5, replace(PARAMS, type_k=CacheType.Q8_0, type_v=CacheType.Q8_0), on_device=False) == 5
    assert exact_deep(17, replace(PARAMS, n_threads=1), on_device=True) == 1


def test_identical_says_what_both_allow() -> None:
    info = DraftingInfo(exact_batch=17, exact_deep=5)
    assert info.identical(5)
    assert not info.identical(6)


def test_what_was_measured_is_not_measured_again(
    open_path: OpenPath, tiny_models: dict[str, Path], tmp_path: Path
) -> None:
    runs = []

    def counted(*arguments: object) -> Calibration:
        runs.append(arguments)
        return Calibration({1: 0.2, 2: 0.4}, 2)

    record = tmp_path / "batches.json"

    def opened(threads: int = 1) -> int:
        plan = DraftPlan(Speculation(), record=record, measure=counted)
        return open_path(tiny_models["llama"], replace(EXACT, threads=threads), drafts=plan).info.drafting.exact_batch

    assert [opened(), opened()] == [2, 2]
    assert len(runs) == 1
    opened(threads=2)
    assert len(runs) == 2, "other threads, other costs"
    record.write_text("{")
    opened()
    assert len(runs) == 3


@pytest.mark.parametrize(
    "text", ["", "[]", '{"a": 3}', '{"a": {"seconds": [], "exact": 1}}', '{"a": {"seconds": {"x": 1}, "exact": 1}}']
)
def test_a_record_that_is_none_is_no_record(text: str, tmp_path: Path) -> None:
    path = tmp_path / "batches.json"
    path.write_text(text)
    made = Calibration({1: 0.5}, 3)
    assert recorded(path, "a", lambda: made) == made
    assert recorded(path, "a", Calibration) == made, "what was measured is kept"


def test_a_record_does_not_grow_without_end(tmp_path: Path) -> None:
    path = tmp_path / "batches.json"
    for number in range(210):
        recorded(path, str(number), lambda: Calibration({1: 0.5}, 3))
    kept = json.loads(path.read_text("utf-8"))
    assert len(kept) == 200
    assert "209" in kept
    assert "3" not in kept


@pytest.mark.parametrize("family", ["llama", "gemma3", "qwen35", "mamba"])
def test_a_loaded_model_is_measured_and_its_memory_is_empty(
    family: str, open_path: OpenPath, tiny_models: dict[str, Path]
) -> None:
    session = open_path(tiny_models[family], drafts=DraftPlan(Speculation()))
    assert session.slot.context.pos_max == -1
    assert session.drafting is not None
    assert session.drafting.policy.plain_seconds(1) > 0
