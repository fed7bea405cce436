"""How many layers lie on graphics cards."""

from pathlib import Path

import pytest

from app.core.cancel import CancelFlag
from app.engine.binding import library
from app.engine.binding.model import Model


@pytest.mark.parametrize(
    ("cards", "gpu_layers", "told"),
    [([], -1, (0, 0)), ([1], -1, (3, 3)), ([1], 99, (3, 3)), ([1, 2], 2, (2, 3)), ([1], 0, (0, 3))],
)
def test_it_counts_as_llama_cpp_does(
    tiny_models: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    cards: list[int],
    gpu_layers: int,
    told: tuple[int, int],
) -> None:
    model = Model.load(tiny_models["llama"], gpu_layers=0, cancel=CancelFlag())
    monkeypatch.setattr(library, "graphics_devices", lambda: cards)
    try:
        assert model.offloaded(gpu_layers) == told
    finally:
        model.close()
