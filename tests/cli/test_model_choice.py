"""Which model a command uses, and what the command line asks for beyond what it can have."""

import argparse
import os
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.arguments import parse
from app.cli.model_choice import beyond_training, choose_model
from app.core.events import ModelInfo
from app.core.model_ref import GUIDE_REF, ModelRef
from app.core.settings import Settings
from tests.hearth_process import HearthProcess
from tests.serve_process import serving
from tests.tiny_models import CONTEXT


def used_last(file: Path) -> Settings:
    settings = Settings()
    return replace(settings, interface=replace(settings.interface, last_model=str(file)))


def test_the_model_that_the_window_used_last_answers(tmp_path: Path) -> None:
    model = tmp_path / "m.gguf"
    model.touch()
    assert choose_model(None, used_last(model)).file == model
    assert choose_model(Path("other.gguf"), used_last(model)) == ModelRef.of_file(Path("other.gguf"))


def test_a_model_that_is_gone_gives_way_to_the_guide_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert choose_model(None, used_last(tmp_path / "gone.gguf")) == GUIDE_REF
    assert "gone.gguf is gone" in capsys.readouterr().err


MODEL = ModelInfo(
    ModelRef.of_file(Path("/models/tiny.gguf")), "tiny", "llama", 10, 20, 1024, 8192, "v", has_template=True
)
TOLD = f"was trained with {CONTEXT:,} tokens of context, so it gets {CONTEXT:,} and not 99,999.\n"


def asked(*more: str) -> argparse.Namespace:
    return parse(["ask", "x", *more])


@pytest.mark.parametrize("size", ["0", "8192", "64"])
def test_what_the_model_can_do_is_no_news(size: str) -> None:
    assert beyond_training(asked("-c", size), MODEL) == ()


def test_what_is_only_in_the_settings_is_no_news() -> None:
    assert beyond_training(asked(), MODEL) == ()


def test_nobody_knows_what_some_models_were_trained_with() -> None:
    assert beyond_training(asked("-c", "99999"), replace(MODEL, n_ctx_train=0)) == ()


def test_ask_says_that_the_context_is_smaller(hearth: HearthProcess, tiny_models: dict[str, Path]) -> None:
    model = tiny_models["llama"]
    done = hearth.run("ask", "-m", model, "-t", "1", "-n", "1", "-c", "99999", "x")
    assert (done.returncode, done.stderr.decode()) == (0, f"hearth: {model.stem} {TOLD}")


def test_so_does_the_server(tmp_path: Path, tiny_models: dict[str, Path]) -> None:
    model = tiny_models["llama"]
    with serving(HearthProcess(tmp_path, qt=True), "-m", model, "-t", "1", "-c", "99999") as server:
        assert server.stop() == (0, f"hearth: {model.stem} {TOLD}".encode())


def test_more_threads_than_the_machine_has_are_told() -> None:
    most = os.cpu_count() or 0
    assert beyond_training(asked("-t", str(most)), MODEL) == ()
    (told,) = beyond_training(asked("-t", "512"), MODEL)
    assert told == f"This computer runs {most} threads at once, so the model gets {most} and not 512."
