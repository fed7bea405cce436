"""What belongs to a model file."""

from pathlib import Path

import pytest

from app.engine.preflight.model_file import explain, parts


@pytest.mark.parametrize("name", ["model", "model [v2] (new)*"])
def test_all_parts_of_a_split_model_are_found(name: str, tmp_path: Path) -> None:
    wanted = [tmp_path / f"{name}-0000{number}-of-00003.gguf" for number in (1, 2, 3)]
    others = [tmp_path / f"{name}-00001-of-00002.gguf", tmp_path / "model v-00001-of-00003.gguf"]
    for path in [*wanted, *others]:
        path.touch()
    assert parts(wanted[0]) == wanted
    assert parts(others[0]) == others[:1]


def test_a_model_in_one_file_is_its_only_part(tmp_path: Path) -> None:
    assert parts(tmp_path / "model-of-mine.gguf") == [tmp_path / "model-of-mine.gguf"]


def test_a_header_without_an_architecture_is_called_damaged_and_none_of_another_version() -> None:
    told = "llama_model_load: error loading model: unknown model architecture: '{}'"
    assert "has the architecture “new”" in explain(Path("/m/a.gguf"), [told.format("new")]).sentence
    assert "may be damaged" in explain(Path("/m/a.gguf"), [told.format("")]).sentence
