"""What is free on each graphics card, as the fit is reckoned with."""

import sys

import pytest

from app.core.fit import Gpu
from app.engine.binding import library
from app.engine.loading import devices


def show(monkeypatch: pytest.MonkeyPatch, rooms: list[tuple[str, int]], *, started: bool = True) -> None:
    monkeypatch.setattr(library, "has_started", lambda: started)
    monkeypatch.setattr(library, "device_rooms", lambda: rooms)


def test_each_card_is_told_with_what_is_free_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from app.services.engine.free_memory import free_now

    show(monkeypatch, [("NVIDIA A", 5 << 30), ("NVIDIA B", 1 << 30), ("NVIDIA B", 2 << 30), ("", 7)])
    assert devices.graphics_cards() == (
        Gpu("NVIDIA A", 5 << 30), Gpu("NVIDIA B (1)", 1 << 30), Gpu("NVIDIA B (2)", 2 << 30), Gpu("GPU", 7),
    )  # fmt: skip
    assert free_now().gpus == devices.graphics_cards()
    assert free_now().ram > 0


def test_drivers_are_not_asked_before_a_model_was_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    from app.services.engine.free_memory import free_now

    show(monkeypatch, [("NVIDIA A", 5 << 30)], started=False)
    assert devices.graphics_cards() == ()
    show(monkeypatch, [("NVIDIA A", 5 << 30)])
    monkeypatch.delitem(sys.modules, "llama_cpp")
    assert free_now().gpus == (), "and llama.cpp is not imported for it"


def test_this_machine_answers() -> None:
    library.start()
    assert library.has_started()
    assert library.device_memory() == sum(card.free for card in devices.graphics_cards())
