"""What a memory can do is found out once for each file, build and kind of context."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.cancel import CancelFlag
from app.core.loading import FlashAttention
from app.engine.binding.context import Context
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import Model
from app.engine.memory.reuse import MemoryTraits
from app.engine.memory.traits import find_traits, known_traits
from app.engine.preflight.trials import Trials

PARAMS = ContextParams(256, 32, 32, 1, FlashAttention.OFF)


@pytest.fixture(params=["llama", "gemma3", "qwen35"])
def model(request: pytest.FixtureRequest, tiny_models: dict[str, Path]) -> Iterator[Model]:
    made = Model.load(tiny_models[request.param], gpu_layers=0, cancel=CancelFlag())
    yield made
    made.close()


def traits(model: Model, trials: Trials, params: ContextParams = PARAMS) -> MemoryTraits | None:
    context = Context(model, params, CancelFlag())
    try:
        return known_traits(context, params, model, gpu_layers=0, trials=trials)
    finally:
        context.close()


def test_what_was_found_is_read_the_next_time(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "memories.json"
    found = traits(model, Trials(path))
    assert found == traits(model, Trials(None))
    assert found == traits(model, Trials(path))
    [[key, told]] = json.loads(path.read_text()).items()
    path.write_text(json.dumps({key: {**told, "last_alone": True}}))
    assert found is not None
    assert traits(model, Trials(path)) == replace(found, last_alone=True), "it is not tried again"
    assert traits(model, Trials(path), replace(PARAMS, n_ctx=512)) == found, "another context may be otherwise"
    assert len(json.loads(path.read_text())) == 2


@pytest.mark.parametrize("text", ["{", "[]", "3", '{"KEY": 3}', '{"KEY": {"trims": 1}}', '{"KEY": {"n_swa": "x"}}'])
def test_a_damaged_record_costs_another_trial(model: Model, text: str, tmp_path: Path) -> None:
    path = tmp_path / "memories.json"
    found = traits(model, Trials(path))
    [key] = json.loads(path.read_text())
    path.write_text(text.replace("KEY", key))
    assert traits(model, Trials(path)) == found
    assert traits(model, Trials(path)) == found


def test_a_cancelled_trial_is_no_result(model: Model, tmp_path: Path) -> None:
    cancel = CancelFlag()
    context = Context(model, PARAMS, cancel)
    cancel.set()
    trials = Trials(tmp_path / "memories.json")
    assert known_traits(context, PARAMS, model, gpu_layers=0, trials=trials) is None
    cancel.clear()
    again = known_traits(context, PARAMS, model, gpu_layers=0, trials=trials)
    assert again == find_traits(context, model, swa_full=False)
    context.close()
