from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.models import choose_model
from app.core.model_ref import GUIDE_REF, ModelRef
from app.core.settings import Settings


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
