"""The list of models while the program runs: real folders, real watching, a real thread."""

import itertools
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.model_ref import ModelRef
from app.library.catalogue import LibraryModel
from app.library.model_sources import Source
from app.library.removal import Removal, plan_removal, remove
from app.services.models.library import ModelLibrary
from tests.library import homes
from tests.waits import WAIT


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
    model = library.find(ModelRef.of_file(own / "a.gguf"))
    assert model
    assert model in library.usable()
    assert model.source is Source.HEARTH
    assert library.find(ModelRef.of_file(own / "b.gguf")) is None


def test_any_file_of_a_model_leads_to_it(
    library: ModelLibrary, own: Path, tiny_models: dict[str, Path], qtbot: QtBot
) -> None:
    shutil.copy(tiny_models["llama"], own / "a.gguf")
    (own / "again.gguf").symlink_to(own / "a.gguf")
    for number in (1, 2):
        shutil.copy(tiny_models["qwen35"], own / f"big-0000{number}-of-00002.gguf")
    scanned(library, qtbot)
    for one, other in (("a.gguf", "again.gguf"), ("big-00001-of-00002.gguf", "big-00002-of-00002.gguf")):
        found = library.find(ModelRef.of_file(own / one))
        assert found is not None and found is library.find(ModelRef.of_file(own / other))


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
    qtbot.waitUntil(lambda: said == [True, True, False], timeout=WAIT)


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
    model = library.find(ModelRef.of_file(own / "a.gguf"))
    assert model
    with qtbot.waitSignals([library.removed, library.changed], timeout=WAIT):
        library.remove(model)
    assert gone == [str(own / "a.gguf")]
    assert here(library, own) == []


def test_a_link_goes_without_what_it_leads_to(tmp_path: Path) -> None:
    """Another program's file is not ours because somebody made a link to it in our folder."""
    theirs = homes.put(tmp_path / "lm" / "a.gguf", b"data")
    link = tmp_path / "own" / "a.gguf"
    link.parent.mkdir()
    link.symlink_to(theirs)
    model = model_of(link, also=(theirs,))
    plan = plan_removal(model, [model])
    assert plan.paths == (link,)
    assert plan.freed == 0
    assert plan.users == (f"It is a link: the file itself stays in {theirs.parent}.",)


def test_a_link_elsewhere_that_leads_to_what_goes_is_said(tmp_path: Path) -> None:
    path, link = homes.put(tmp_path / "a.gguf", b"data"), tmp_path / "lm" / "a.gguf"
    link.parent.mkdir()
    link.symlink_to(path)
    model = model_of(path, also=(link,))
    plan = plan_removal(model, [model])
    assert plan.paths == (path,)
    assert plan.users == (f"A link in {link.parent} leads to it, and then to nothing.",)


def test_of_the_hubs_cache_all_links_to_the_blob_go(tmp_path: Path) -> None:
    first = homes.hub(tmp_path, "org/repo", "a.gguf", b"data", "one")
    second = homes.hub(tmp_path, "org/repo", "a.gguf", b"data", "two")
    model = model_of(first, Source.HUGGING_FACE, also=(second,))
    plan = plan_removal(model, [model])
    assert plan.paths == (first, second, first.resolve())
    assert plan.freed == 4


def test_a_blob_that_another_entry_needs_stays(tmp_path: Path) -> None:
    first = homes.hub(tmp_path, "org/repo", "a.gguf", b"data", "one")
    second = homes.hub(tmp_path, "org/repo", "b.gguf", b"data", "one")
    models = [model_of(first, Source.HUGGING_FACE), model_of(second, Source.HUGGING_FACE)]
    plan = plan_removal(models[0], models)
    assert plan.paths == (first,)
    assert any("its room is not freed" in each for each in plan.users)


def test_links_that_lead_nowhere_go_too(tmp_path: Path) -> None:
    """The system's trash says of them that they are not there."""
    dead, circle = tmp_path / "a.gguf", tmp_path / "b.gguf"
    dead.symlink_to(tmp_path / "gone.gguf")
    circle.symlink_to(circle)

    def trash(path: str) -> None:
        if not Path(path).exists():
            raise FileNotFoundError(path)

    for link in (dead, circle):
        remove(plan_removal(model_of(link), []), trash)
        assert not link.is_symlink()


def test_a_file_that_grows_is_looked_at_again(
    library: ModelLibrary, own: Path, tiny_models: dict[str, Path], qtbot: QtBot
) -> None:
    """Its folder says nothing any more once the file is there."""
    data = tiny_models["llama"].read_bytes()
    with (own / "a.gguf").open("wb") as file:
        file.write(data[:5000])
        file.flush()
        scanned(library, qtbot)
        assert library.usable() == ()
        with qtbot.waitSignal(library.changed, timeout=WAIT, check_params_cb=lambda models: models[0].is_usable):
            file.write(data[5000:])
            file.flush()


def test_what_was_damaged_long_ago_is_not_looked_at_again(library: ModelLibrary, own: Path, qtbot: QtBot) -> None:
    homes.put(own / "a.gguf", b"GGUF")
    os.utime(own / "a.gguf", (10**9, 10**9))
    scanned(library, qtbot)
    assert library.models[0].problem
    assert not library._calm.isActive()


def test_a_folder_that_changes_all_the_time_is_looked_at_all_the_same(
    library: ModelLibrary, own: Path, qtbot: QtBot
) -> None:
    scanned(library, qtbot)
    ticks = QTimer()
    ticks.timeout.connect(lambda: library._watcher.directoryChanged.emit(str(own)))
    with qtbot.waitSignal(library.scanning, timeout=WAIT):
        ticks.start(50)
    ticks.stop()


def test_folders_that_take_long_are_looked_at_less_often(
    library: ModelLibrary, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count(0, 0.5)
    monkeypatch.setattr("app.services.models.library.monotonic", lambda: next(clock))
    scanned(library, qtbot)
    assert library._calm.interval() == 20 * 500
