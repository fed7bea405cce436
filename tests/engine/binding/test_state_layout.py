"""States of every kind of memory, with V by cells and transposed."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.core.loading import CacheType, FlashAttention
from app.engine.binding.context import Context
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import Model
from app.engine.binding.state_layout import turned
from tests import tiny_models as models
from tests import tiny_vision

FAMILIES = ("llama", "moe", "deepseek2", "gemma3", "qwen35", "lfm2", "mamba", "qwen2vl")
N = 150
"""Entries: more than the window of the tiny models has."""
TOKENS = [5 + (7 * each) % 200 for each in range(N)]


class Both:
    """A context by cells and one with V transposed, which have read the same."""

    def __init__(
        self, stack: ExitStack, path: Path, kind: CacheType = CacheType.F32, *, swa_full: bool = False
    ) -> None:
        model = stack.enter_context(closing(Model.load(path, gpu_layers=0, cancel=CancelFlag())))
        flashes = FlashAttention.ON, FlashAttention.OFF
        params = [ContextParams(512, 128, 64, 1, flash, kind, kind, swa_full) for flash in flashes]
        self.contexts = [stack.enter_context(closing(Context(model, each, CancelFlag()))) for each in params]
        self.by_cells, self.transposed = self.contexts
        for context in self.contexts:
            for at in range(0, N, 64):
                context.decode(TOKENS[at : at + 64], at)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as made:
        yield made


def goes_on(context: Context) -> NDArray[np.float32]:
    """Logits after each of some tokens more."""
    logits = []
    for each in range(12):
        context.decode_one(9 + 3 * each, N + each)
        logits.append(context.logits())
    return np.stack(logits)


def apart(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    return float(np.abs(one - other).max())


@pytest.fixture(scope="module")
def families(tiny_models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """With one whose cells have a place in a picture."""
    return {**tiny_models, "qwen2vl": tiny_vision.qwen2vl(tmp_path_factory.mktemp("seen") / "qwen2vl.gguf")}


@pytest.mark.parametrize("family", FAMILIES)
def test_it_is_the_same_there_and_back(family: str, families: dict[str, Path], stack: ExitStack) -> None:
    for kind in (CacheType.F32, CacheType.F16, CacheType.BF16):
        both = Both(stack, families[family], kind)
        for context, lies in ((both.by_cells, False), (both.transposed, True)):
            for data in (context.save(), context.save_partial()):
                assert turned(data, transposed=lies) is data, "it lies so"
                other = turned(data, transposed=not lies)
                assert other is not None
                assert turned(other, transposed=lies) == data


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("flash", [True, False])
def test_the_other_context_goes_on_as_if_it_had_read_it(
    family: str, flash: bool, families: dict[str, Path], stack: ExitStack
) -> None:
    both = Both(stack, families[family])
    ours, others = both.contexts if flash else reversed(both.contexts)
    whole, partial = others.save(), others.save_partial()
    wanted = goes_on(ours)
    # Flash attention rounds to 16 bits.
    noise = apart(goes_on(others), wanted) + 1e-5
    assert noise < 0.1, "others differ by more"
    ours.clear()
    assert ours.restore(whole, range(N - 1, N))
    assert turned(ours.save(), transposed=flash) == whole, "to the bit"
    assert apart(goes_on(ours), wanted) < 3 * noise
    assert ours.restore_partial(partial, range(N - 1, N))
    assert apart(goes_on(ours), wanted) < 3 * noise


def test_a_window_whose_cells_are_all_kept(tiny_models: dict[str, Path], stack: ExitStack) -> None:
    both = Both(stack, tiny_models["gemma3"], swa_full=True)
    whole, wanted = both.by_cells.save(), goes_on(both.transposed)
    noise = apart(goes_on(both.by_cells), wanted)
    both.transposed.clear()
    assert both.transposed.restore(whole, range(N - 1, N))
    assert apart(goes_on(both.transposed), wanted) < 3 * noise


def test_an_end_alone(tiny_models: dict[str, Path], stack: ExitStack) -> None:
    both = Both(stack, tiny_models["llama"])
    tail, wanted = both.by_cells.save_from(70), goes_on(both.transposed)
    noise = apart(goes_on(both.by_cells), wanted)
    assert both.transposed.remove_from(70)
    assert both.transposed.restore_from(70, tail, range(N - 1, N))
    assert apart(goes_on(both.transposed), wanted) < 3 * noise


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_damaged_is_not_guessed_at(family: str, families: dict[str, Path], stack: ExitStack) -> None:
    data = bytes(Both(stack, families[family]).by_cells.save())
    for wrong in (data[:-1], data[:-4], data[: len(data) // 2], data + bytes(4), data[:7], b""):
        assert turned(wrong, transposed=True) is None
    rng = np.random.default_rng(1)
    for _ in range(200):
        broken = bytearray(data)
        broken[int(rng.integers(8, min(len(data), 8 + 12 * N + 64)))] ^= int(rng.integers(1, 256))
        found = turned(bytes(broken), transposed=True)
        assert found is None or len(found) == len(data), "a number that says nothing of how things lie"


def test_quantised_values_never_lie_transposed(
    tmp_path: Path, stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "HEAD", 32)
    path = models.llama(tmp_path / "wide.gguf")
    model = stack.enter_context(closing(Model.load(path, gpu_layers=0, cancel=CancelFlag())))
    params = ContextParams(256, 64, 64, 1, FlashAttention.ON, CacheType.Q8_0, CacheType.Q8_0)
    context = stack.enter_context(closing(Context(model, params, CancelFlag())))
    context.decode([5, 6, 7], 0)
    data = context.save()
    assert turned(data, transposed=False) is data
    assert turned(data, transposed=True) is None
