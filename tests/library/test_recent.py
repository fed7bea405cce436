import json
import logging
from pathlib import Path

import pytest

from app.core.model_ref import ModelRef
from app.library.recent import RecentModels


@pytest.fixture
def models(tmp_path: Path) -> list[ModelRef]:
    paths = [tmp_path / f"model {number}.gguf" for number in range(12)]
    for path in paths:
        path.touch()
    return [ModelRef.of_file(path) for path in paths]


@pytest.fixture
def recent(tmp_path: Path) -> RecentModels:
    return RecentModels(tmp_path / "state" / "recent.json")


def test_the_newest_comes_first_and_each_only_once(
    recent: RecentModels, models: list[ModelRef], tmp_path: Path
) -> None:
    assert recent.all() == ()
    for model in (models[0], models[1], models[0]):
        recent.add(model)
    assert recent.all() == (models[0], models[1])
    assert RecentModels(tmp_path / "state" / "recent.json").all() == recent.all()


def test_at_most_ten_are_kept(recent: RecentModels, models: list[ModelRef]) -> None:
    for model in models:
        recent.add(model)
    assert recent.all() == tuple(reversed(models[2:]))


def test_relative_paths_are_kept_whole(
    recent: RecentModels, models: list[ModelRef], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(models[0].file.parent)
    recent.add(ModelRef.of_file(Path(models[0].name)))
    assert recent.all() == (models[0],)


def test_a_file_that_is_gone_is_left_out_until_it_is_back(recent: RecentModels, models: list[ModelRef]) -> None:
    recent.add(models[0])
    recent.add(models[1])
    models[0].file.unlink()
    assert recent.all() == (models[1],)
    models[0].file.touch()
    assert recent.all() == (models[1], models[0])


@pytest.mark.parametrize(
    "content", [b"", b"[", b"\xff\xfe", b"{}", b'"text"', b"[" * 100_000, b'[1, null, "a\\u0000b", ["x"]]']
)
def test_a_damaged_list_is_empty_and_can_be_written_again(
    tmp_path: Path, models: list[ModelRef], content: bytes
) -> None:
    file = tmp_path / "recent.json"
    file.write_bytes(content)
    recent = RecentModels(file)
    assert recent.all() == ()
    recent.add(models[0])
    assert recent.all() == (models[0],)


def test_what_is_good_in_a_damaged_list_is_kept(tmp_path: Path, models: list[ModelRef]) -> None:
    file = tmp_path / "recent.json"
    file.write_text(json.dumps([3, str(models[0].file), None]), encoding="utf-8")
    assert RecentModels(file).all() == (models[0],)


def test_a_list_that_cannot_be_written_is_logged(
    tmp_path: Path, models: list[ModelRef], caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    recent = RecentModels(tmp_path / "file" / "recent.json")
    with caplog.at_level(logging.WARNING):
        recent.add(models[0])
    assert "recent models" in caplog.text
    assert recent.all() == ()
