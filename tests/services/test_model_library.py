"""The list of models while the program runs: real folders, real watching, a real thread."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.library.catalogue import LibraryModel
from app.library.places import Source
from app.library.removal import Removal, plan_removal, remove
from app.services.model_library import ModelLibrary
from tests.library import homes

WAIT = 30_000


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    return folder


@pytest.fixture
def library(tmp_path: Path, own: Path, qapp: object) -> Iterator[ModelLibrary]:
    (tmp_path / "nobody").mkdir()
    service = ModelLibrary(tmp_path / "cache.json", own, machine=homes.machine(tmp_path / "nobody"))
    yield service
    service.close()


def here(library: ModelLibrary, own: Path) -> list[str]:
    """Names in our folder; this machine may have models of its own."""
    return [model.path.name for model in library.models if model.path.is_relative_to(own.parent)]


def scanned(library: ModelLibrary, qtbot: QtBot) -> None:
    with qtbot.waitSignal(library.scanning, timeout=WAIT, check_params_cb=lambda busy: not busy):
        library.scan()


def test_models_are_listed_and_found_again(
    library: ModelLibrary, own: Path, tiny_models: dict[str, Path], qtbot: QtBot
) -> None:
    shutil.copy(tiny_models["llama"], own / "a.gguf")
    with qtbot.waitSignal(library.changed, timeout=WAIT):
        library.start()
    model = library.find(own / "a.gguf")
    assert model
    assert model in library.usable()
    assert model.source is Source.HEARTH
    assert library.find(own / "b.gguf") is None


def test_a_file_that_comes_later_is_seen(
    library: ModelLibrary, own: Path, tiny_models: dict[str, Path], qtbot: QtBot
) -> None:
    (own / "deep").mkdir()
    scanned(library, qtbot)
    assert here(library, own) == []
    with qtbot.waitSignal(library.changed, timeout=WAIT):
        shutil.copy(tiny_models["llama"], own / "deep" / "late.gguf")
    assert here(library, own) == ["late.gguf"]
    with qtbot.waitSignal(library.changed, timeout=WAIT):
        (own / "deep" / "late.gguf").unlink()
    assert here(library, own) == []


def test_a_folder_of_the_users_is_added(
    library: ModelLibrary, own: Path, tmp_path: Path, tiny_models: dict[str, Path], qtbot: QtBot
) -> None:
    (tmp_path / "mine").mkdir()
    shutil.copy(tiny_models["moe"], tmp_path / "mine" / "m.gguf")
    with qtbot.waitSignal(library.changed, timeout=WAIT):
        library.set_folders([tmp_path / "mine"])
    assert here(library, own) == ["m.gguf"]


def test_nothing_new_is_no_change(library: ModelLibrary, own: Path, tiny_models: dict[str, Path], qtbot: QtBot) -> None:
    shutil.copy(tiny_models["llama"], own / "a.gguf")
    scanned(library, qtbot)
    with qtbot.assertNotEmitted(library.changed):
        scanned(library, qtbot)


def test_a_wish_during_a_scan_is_heard_afterwards(library: ModelLibrary, qtbot: QtBot) -> None:
    said: list[bool] = []
    library.scanning.connect(said.append)
    library.scan()
    library.scan()
    library.scan()
    qtbot.waitUntil(lambda: said == [True, False, True, False], timeout=WAIT)


def test_closing_during_a_scan_ends_it(library: ModelLibrary, qtbot: QtBot) -> None:
    library.scan()
    library.close()
    library.scan()
    assert not library.is_scanning


def model_of(path: Path, source: Source = Source.HEARTH, **more: object) -> LibraryModel:
    return LibraryModel(path, path.stem, source, 1, (path,), 0, None, **more)  # type: ignore[arg-type]


def test_what_else_uses_a_file_is_said(tmp_path: Path) -> None:
    shared = model_of(homes.put(tmp_path / "mmproj.gguf", b"x"), Source.LM_STUDIO)
    other = model_of(tmp_path / "Seer.gguf", projectors=(shared.path,))
    plan = plan_removal(shared, [shared, other])
    assert plan.paths == (shared.path,)
    assert plan.freed == 1
    assert any("LM Studio uses this file" in each for each in plan.users)
    assert any("Seer is used together with it" in each for each in plan.users)
    assert plan_removal(model_of(tmp_path / "mmproj.gguf"), []).users == ()


def test_of_the_hubs_cache_the_blob_goes_too(tmp_path: Path) -> None:
    link = homes.hub(tmp_path, "org/repo", "a.gguf", b"data")
    plan = plan_removal(model_of(link, Source.HUGGING_FACE), [])
    assert plan.paths == (link, link.resolve())
    assert plan.freed == 4
    gone: list[str] = []
    remove(plan, gone.append)
    assert gone == [str(path) for path in plan.paths]


@pytest.mark.parametrize(
    ("error", "sentence"), [(PermissionError(), "not allowed"), (OSError(5, "no trash here"), "trash can't take it")]
)
def test_a_trash_that_refuses_is_told(tmp_path: Path, error: OSError, sentence: str) -> None:
    def refuse(_path: str) -> None:
        raise error

    with pytest.raises(UserError, match=sentence):
        remove(Removal((tmp_path / "a.gguf",), 0, ()), refuse)


def test_a_file_goes_to_the_trash(
    library: ModelLibrary, own: Path, tiny_models: dict[str, Path], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone: list[str] = []

    def trash(path: str) -> None:
        gone.append(path)
        Path(path).unlink()

    monkeypatch.setattr("send2trash.send2trash", trash)
    shutil.copy(tiny_models["llama"], own / "a.gguf")
    scanned(library, qtbot)
    model = library.find(own / "a.gguf")
    assert model
    with qtbot.waitSignals([library.removed, library.changed], timeout=WAIT):
        library.remove(model)
    assert gone == [str(own / "a.gguf")]
    assert here(library, own) == []
