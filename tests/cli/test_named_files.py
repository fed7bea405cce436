from pathlib import Path

import pytest

from app.cli.named_files import NamedFiles, named_files


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "line", ["", "-v", "--help", "ask hello", "-v ask hello", "serve", "selftest", "aks", "--wrong"]
)
def test_a_command_is_none(line: str) -> None:
    assert named_files(line.split()) is None


def test_files_are_known_by_their_look(here: Path) -> None:
    assert named_files(["a.gguf", "b"]) == NamedFiles((here / "a.gguf", here / "b"))
    assert named_files(["-v", "/m/a"]) == NamedFiles((Path("/m/a"),), verbose=True)


def test_a_file_that_is_there_is_one(here: Path) -> None:
    (here / "notes").touch()
    assert named_files(["notes"]) == NamedFiles((here / "notes",))


def test_a_command_wins_over_a_file_of_its_name(here: Path) -> None:
    (here / "ask").touch()
    assert named_files(["ask", "hello"]) is None
    assert named_files(["--", "ask"]) == NamedFiles((here / "ask",))
