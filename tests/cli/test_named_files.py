from pathlib import Path

import pytest

from app.cli.arguments import build_parser
from app.cli.named_files import COMMANDS, NamedFiles, named_files


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


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_wins_over_a_file_of_its_name(command: str, here: Path) -> None:
    (here / command).touch()
    assert named_files([command]) is None
    assert named_files(["--", command]) == NamedFiles((here / command,))


def test_the_commands_are_the_parsers() -> None:
    described = build_parser().format_help()
    assert [line.split()[0] for line in described.partition("commands:")[2].splitlines() if line.strip()] == [*COMMANDS]
