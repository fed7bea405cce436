"""What a generation_config.json beside a model advises."""

import json
from pathlib import Path

import pytest

from app.engine.loading.generation_config import NAME, advice_beside

FULL = {
    "bos_token_id": 151643,
    "do_sample": True,
    "temperature": 0.6,
    "top_k": 20,
    "top_p": 0.95,
    "repetition_penalty": 1.05,
    "transformers_version": "4.51.0",
}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "Qwen3-8B-Q4_K_M.gguf"
    path.touch()
    return path


def write(model: Path, told: object) -> None:
    (model.parent / NAME).write_text(json.dumps(told), "utf-8")


def test_it_is_told_by_our_names(model: Path) -> None:
    assert advice_beside(model) == {}
    write(model, FULL)
    assert advice_beside(model) == {"temperature": 0.6, "top_k": 20, "top_p": 0.95, "penalty_repeat": 1.05}


def test_a_model_that_is_not_to_be_sampled_takes_the_likeliest(model: Path) -> None:
    write(model, {"do_sample": False, "temperature": 0.6})
    assert advice_beside(model) == {"temperature": 0.0}


@pytest.mark.parametrize(
    "told",
    [[], "x", {}, {"temperature": "hot"}, {"top_p": 7}, {"top_k": None}, {"temperature": True}, {"min_p": 1e400}],
)
def test_what_is_wrong_is_left_out(model: Path, told: object) -> None:
    write(model, told)
    assert advice_beside(model) == {}


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe\x00", b"[" * 100_000, b" " * (2 << 20)])
def test_a_file_that_is_no_json_costs_nothing(model: Path, data: bytes) -> None:
    (model.parent / NAME).write_bytes(data)
    assert advice_beside(model) == {}


def test_other_quantisations_and_companions_share_it_other_families_do_not(model: Path) -> None:
    write(model, FULL)
    for name in ("Qwen3-8B-Q8_0.gguf", "mmproj-Gemma-F16.gguf", "Llama-lora.gguf", "README.md"):
        (model.parent / name).touch()
    assert advice_beside(model)
    (model.parent / "Gemma-3-4B-Q4_0.gguf").touch()
    assert advice_beside(model) == {}
