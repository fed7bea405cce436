"""What belongs to a model file."""

from pathlib import Path

import pytest

from app.engine.preflight.model_file import parts


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
