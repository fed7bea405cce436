import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from app.cli.arguments import parse
from app.cli.model_list import run
from app.core.library_settings import LibrarySettings
from app.core.paths import Paths
from app.core.settings import Settings
from tests.hearth_process import HearthProcess
from tests.library import homes
from tests.tiny_models import llama


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    made = Paths(tmp_path, tmp_path, tmp_path / "logs")
    made.models.mkdir(parents=True, exist_ok=True)
    return made


def listed(paths: Paths, capsys: pytest.CaptureFixture[str], *arguments: str, folder: str = "") -> tuple[str, str]:
    settings = Settings(library=LibrarySettings(folders=(folder,) if folder else ()))
    assert run(parse(["models", *arguments]), settings, paths, homes.machine(paths.data / "anna")) == 0
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_models_come_with_what_goes_with_them(
    paths: Paths,
    tiny_models: dict[str, Path],
    seeing_models: dict[str, tuple[Path, Path]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    model, projector = seeing_models["llava"]
    shutil.copy(model, paths.models / "Seer.gguf")
    shutil.copy(projector, paths.models / "mmproj-Seer.gguf")
    elsewhere = paths.data / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(tiny_models["llama"], elsewhere / "Big.gguf")
    told: list[dict[str, Any]] = json.loads(listed(paths, capsys, "--json", folder=str(elsewhere))[0])
    found = {each["name"]: each for each in told}
    assert set(found) == {"Seer", "Big"}
    assert found["Seer"]["projectors"] == [str(paths.models / "mmproj-Seer.gguf")]
    assert found["Big"]["path"] == str(elsewhere / "Big.gguf")
    assert (found["Big"]["projectors"], found["Big"]["mtp"], found["Big"]["drafts"]) == ([], False, [])
    lines = listed(paths, capsys, folder=str(elsewhere))[0].splitlines()
    assert lines == [
        f"Big  0.0 GiB  {elsewhere / 'Big.gguf'}",
        f"Seer  0.0 GiB  {paths.models / 'Seer.gguf'}",
        f"    sees or hears with {paths.models / 'mmproj-Seer.gguf'}",
    ]


def test_models_that_could_draft_are_named(
    paths: Paths, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    small = llama(paths.models / "Small.gguf")
    # Tiny models are all of one size.
    monkeypatch.setattr("app.library.draft_choice._MUCH_SMALLER", 1)
    shutil.copy(small, paths.models / "Big.gguf")
    with (paths.models / "Big.gguf").open("ab") as file:
        file.write(b"\0" * 64)
    lines = listed(paths, capsys)[0].splitlines()
    assert f"    drafts: -md {small}" in lines


def test_without_any_it_says_so(paths: Paths, capsys: pytest.CaptureFixture[str]) -> None:
    assert listed(paths, capsys) == (
        "",
        "hearth: No models were found on this computer. The window's Models page fetches some.\n",
    )
    assert listed(paths, capsys, "--json")[0] == "[]\n"


def test_it_needs_no_qt(hearth: HearthProcess) -> None:
    done = hearth.run("models", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) is not None
