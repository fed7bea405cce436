"""Headers of models on the hub, read ahead of any download."""

from pathlib import Path

import pytest

from app.core.errors import UserError
from app.core.fit import Free, fit
from app.core.loading import Loading
from app.library.fit_unseen import rough_shape, scaled
from app.library.hub_errors import GatedError, OfflineError
from app.library.hub_header import StoppedError, read_shape
from app.library.hub_layout import HubFile
from app.library.model_facts import read_facts
from tests.library.hub_server import FakeHub, Fault

FREE = Free(64 << 30)


def remote(hub: FakeHub, data: bytes, size: int = 0) -> HubFile:
    hub.add("org/M", "M-Q4_0.gguf", data)
    return HubFile("org/M", "c" * 40, "M-Q4_0.gguf", size or len(data))


@pytest.mark.parametrize("family", ["llama", "gemma3", "qwen35", "deepseek2", "mamba"])
def test_it_is_the_shape_that_the_file_has(hub: FakeHub, tiny_models: dict[str, Path], family: str) -> None:
    path = tiny_models[family]
    assert read_shape(remote(hub, path.read_bytes())) == read_facts([path]).shape


def test_only_the_header_is_fetched(hub: FakeHub, tiny_models: dict[str, Path]) -> None:
    data = tiny_models["llama"].read_bytes()
    read_shape(remote(hub, data + bytes(40 << 20), len(data) + (40 << 20)))
    assert hub.sent < len(data) + (8 << 20)


def test_it_stops_when_nobody_wants_it(hub: FakeHub, tiny_models: dict[str, Path]) -> None:
    with pytest.raises(StoppedError):
        read_shape(remote(hub, tiny_models["llama"].read_bytes()), stop=lambda: True)


@pytest.mark.parametrize("data", [b"", b"GGUF", b"<html>" * 100, b"GGUF" + bytes(range(256)) * 9])
def test_what_is_no_header_is_told(hub: FakeHub, data: bytes) -> None:
    with pytest.raises(UserError, match="header that Hearth can't read"):
        read_shape(remote(hub, data, 1 << 20))


def test_troubles_are_told(hub: FakeHub, tiny_models: dict[str, Path]) -> None:
    file = remote(hub, tiny_models["llama"].read_bytes())
    hub.faults.append(Fault(break_after=100))
    with pytest.raises(OfflineError):
        read_shape(file)
    hub.repos["org/M"].gated = True
    with pytest.raises(GatedError):
        read_shape(file)
    assert read_shape(file, "hf_right").n_layer > 0


def test_one_header_speaks_for_all_quantisations(tiny_models: dict[str, Path]) -> None:
    shape = read_facts([tiny_models["llama"]]).shape
    assert shape is not None
    other = scaled(shape, 3 * shape.weights)
    assert abs(other.weights - 3 * shape.weights) < 100
    before, after = (fit(each, Loading(), FREE).rooms[0].needs for each in (shape, other))
    assert (before.kv, before.compute) == (after.kv, after.compute)


@pytest.mark.parametrize(
    ("n_params", "kib"),
    [(0.6e9, 112), (3.2e9, 112), (4.0e9, 144), (8.2e9, 144), (8.0e9, 128), (14.8e9, 160), (32.8e9, 256), (70.6e9, 320)],
)
def test_the_rule_is_near_models_that_people_run(n_params: float, kib: int) -> None:
    """Qwen3 0.6B, Llama 3.2 3B, Qwen3 4B and 8B, Llama 3.1 8B, Qwen3 14B and 32B, Llama 3.3 70B: layers, heads and
    their sizes as their files say them."""
    found = fit(rough_shape(round(n_params * 0.6), round(n_params)), Loading(ctx_size=8192), FREE)
    assert found.rooms[0].needs.kv / 8192 / 1024 == pytest.approx(kib, rel=1 / 3)
    assert not found.exact
