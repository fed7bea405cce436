"""What the program knows of models as files, put together: names, companions, memory, settings."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.checkpointing import Checkpointing
from app.core.errors import UserError
from app.core.events import LoadStage, SlotStatus
from app.core.fit import Free, Gpu
from app.core.library_settings import LibrarySettings
from app.core.loading import Loading, LoadMode
from app.core.model_options import ModelOptions, key_of, options_to
from app.core.model_ref import GUIDE_REF, ModelRef
from app.core.resources import GUIDE_NAME
from app.core.speculation import DrafterKind, DraftingInfo, Speculation
from app.services.engine.states import EngineState, ModelFailed, ModelLoading, ModelReady, ModelResting, NoModel
from app.services.models.options import KnownModels
from app.storage.database import Database
from app.storage.options import OptionsStore, Scope
from tests.library import homes
from tests.ui.fakes import MODEL
from tests.ui.model_home import GIB, ModelHome, model_home
from tests.waits import WAIT

RAIN, SNOW, SEER = "Rain 8B (Q4_0)", "snow:3b", "Seer 4B (F16)"


@pytest.fixture
def home(tmp_path: Path, tiny_models: dict[str, Path], qtbot: QtBot, qapp: object) -> Iterator[ModelHome]:
    with model_home(tmp_path, tiny_models, qtbot) as made:
        yield made


def test_a_model_has_the_name_that_lists_show(home: ModelHome) -> None:
    models = home.models
    assert models.name_of(home.find(SNOW).ref) == SNOW
    assert models.name_of(home.find(RAIN).ref) == RAIN
    assert models.name_of(GUIDE_REF) == GUIDE_NAME
    assert models.name_of(ModelRef.of_file(Path("/gone/Away-Q8_0.gguf"))) == "Away (Q8_0)", "and before the first scan"


def test_only_what_can_be_used_is_offered(home: ModelHome) -> None:
    models = home.models
    names = {models.name_of(each) for each in models.usable()}
    assert names == {RAIN, SEER, "Fog 2B (F32)", SNOW}


def test_the_engine_is_told_names_and_projectors(home: ModelHome, database: Database) -> None:
    known = KnownModels(home.models.library, OptionsStore(database))
    seer, snow = home.find(SEER).ref, home.find(SNOW).ref
    assert known.projector_of(seer) == home.own / "eyes" / "mmproj-Seer-4B-F16.gguf"
    assert known.projector_of(snow) is None
    assert (known.called(snow), known.called(seer)) == (SNOW, SEER)
    OptionsStore(database).put(Scope.MODEL, key_of(seer), options_to(ModelOptions(notes="mine")))
    assert known.options_of(seer).notes == "mine"


def test_a_projector_and_checkpoints_are_reckoned_with(home: ModelHome) -> None:
    seer, free = home.find(SEER), Free(8 * GIB)
    found = home.models.fit.of(seer, free)
    assert found
    assert found.rooms[0].needs.projector == seer.projectors[0].stat().st_size
    assert found.rooms[0].needs.checkpoints > 0
    home.settings.update(Checkpointing, ctx_checkpoints=0)
    again = home.models.fit.of(seer, free)
    assert again
    assert again.rooms[0].needs.checkpoints == 0


def test_nothing_is_known_of_what_is_damaged_or_without_free_memory(home: ModelHome) -> None:
    fit = home.models.fit
    torn = home.find("Torn 7B (Q8_0)")
    assert fit.of(torn, Free(GIB)) is None
    assert fit.verdict(torn, Free(GIB)) is None
    assert fit.ways(torn, Free(GIB)) == ()
    assert fit.of(home.find(RAIN), Free(0)) is None
    assert fit.verdict(home.find(RAIN), Free(0)) is None


def test_what_the_loaded_model_holds_comes_back(home: ModelHome) -> None:
    assert home.models.fit.free() == Free(8 * GIB)
    rain = home.find(RAIN)
    loading = home.settings.settings.loading
    home.engine.enter(ModelReady(replace(MODEL, ref=rain.ref, loading=loading)))
    free = home.models.fit.free()
    wanted = home.models.fit.of(rain, Free(8 * GIB))
    assert wanted
    needs = wanted.rooms[0].needs
    assert needs.kv + needs.compute <= free.ram - 8 * GIB <= needs.total
    home.gpus = (Gpu("card", GIB),)
    free = home.models.fit.free()
    assert free.gpus[0].free > GIB + needs.kv
    home.engine.enter(NoModel())
    assert home.models.fit.free() == Free(8 * GIB, home.gpus)


@pytest.mark.parametrize("mode", LoadMode)
def test_weights_in_memory_without_a_context_come_back(home: ModelHome, mode: LoadMode) -> None:
    """Unless they are free already, as pages of a mapped file are on Linux."""
    rain = home.find(RAIN)
    loading = replace(home.settings.settings.loading, gpu_layers=-1, load_mode=mode)
    home.gpus = (Gpu("card", GIB),)
    here = ModelResting(replace(MODEL, ref=rain.ref, loading=loading), in_memory=True)
    home.engine.enter(here)
    free = home.models.fit.free()
    wanted = home.models.fit.of(rain, Free(8 * GIB))
    assert wanted
    mapped = sys.platform == "linux" and mode in (LoadMode.AUTO, LoadMode.MMAP)
    assert free.ram - 8 * GIB == (0 if mapped else wanted.rooms[0].needs.weights)
    assert free.gpus == home.gpus
    home.engine.enter(replace(here, in_memory=False))
    assert home.models.fit.free().ram == 8 * GIB


def test_each_card_gets_its_share_back(home: ModelHome) -> None:
    rain, loading = home.find(RAIN), home.settings.settings.loading
    home.gpus = (Gpu("first", GIB), Gpu("second", GIB))
    home.engine.enter(ModelReady(replace(MODEL, ref=rain.ref, loading=replace(loading, gpu_layers=-1))))
    every, nothing = home.models.fit.free(), Free(8 * GIB, home.gpus)
    assert all(after.free > before.free for after, before in zip(every.gpus, nothing.gpus, strict=True))
    home.engine.enter(ModelReady(replace(MODEL, ref=rain.ref, loading=replace(loading, gpu_layers=0))))
    none = home.models.fit.free()
    assert none.gpus == nothing.gpus
    assert none.ram > every.ram


def test_a_draft_beside_the_model_comes_back_where_it_lies(home: ModelHome) -> None:
    rain, snow = home.find(RAIN), home.find(SNOW)
    home.gpus = (Gpu("card", GIB),)
    asked = Speculation(draft_model=str(snow.path))
    info = replace(MODEL, ref=rain.ref, loading=replace(home.settings.settings.loading, gpu_layers=-1))
    home.engine.enter(ModelReady(replace(info, drafting=DraftingInfo(asked, (DrafterKind.DRAFT_MODEL,)))))
    beside = home.models.fit.free()
    home.engine.enter(ModelReady(replace(info, drafting=DraftingInfo(asked, ()))))
    alone = home.models.fit.free()
    assert beside.gpus[0].free - alone.gpus[0].free > snow.path.stat().st_size
    assert beside.ram == alone.ram
    home.gpus = ()
    in_memory = home.models.fit.free().ram
    home.engine.enter(ModelReady(replace(info, drafting=DraftingInfo(asked, (DrafterKind.DRAFT_MODEL,)))))
    assert (home.models.fit.free().ram == in_memory) is (sys.platform == "linux"), "its weights are a mapped file too"


@pytest.mark.parametrize("gpu_layers", [0, -1, 2, 99])
def test_without_a_header_a_rule_stands_in(home: ModelHome, gpu_layers: int) -> None:
    loading = replace(home.settings.settings.loading, gpu_layers=gpu_layers)
    info = replace(MODEL, ref=ModelRef.of_file(Path("/never/seen.gguf")), loading=loading, n_layer=4, size=4 << 20)
    home.gpus = (Gpu("large", 3 * GIB), Gpu("small", GIB))
    home.engine.enter(ModelReady(info))
    free = home.models.fit.free()
    back = [after.free - before.free for after, before in zip(free.gpus, home.gpus, strict=True)]
    assert (sum(back) > 0) is (gpu_layers != 0)
    assert sum(back[1:]) <= back[0], "layers are shared by what each has free"
    assert free.ram > 8 * GIB


def test_checkpoints_that_are_held_come_back(home: ModelHome) -> None:
    home.engine.enter(ModelReady(MODEL))
    before = home.models.fit.free().ram
    home.engine.slot = SlotStatus(100, 8192, (50,), GIB)
    assert home.models.fit.free().ram - before == GIB


def test_the_projector_that_it_was_loaded_with_counts(home: ModelHome, tmp_path: Path) -> None:
    rain, chosen = home.find(RAIN), tmp_path / "chosen.gguf"
    chosen.write_bytes(b"x" * 1000)
    home.engine.enter(ModelReady(replace(MODEL, ref=rain.ref, mmproj=chosen)))
    found = home.models.fit.of(rain, Free(8 * GIB))
    assert found and found.rooms[0].needs.projector == 1000


def test_a_model_of_no_library_is_read(home: ModelHome, tiny_models: dict[str, Path]) -> None:
    info = replace(MODEL, ref=ModelRef.of_file(tiny_models["llama"]))
    found = home.models.fit_with(info, home.settings.settings)
    assert found and found[0].exact
    home.ram = 0
    assert home.models.fit_with(info, home.settings.settings) is None


def test_settings_of_one_model_are_reckoned_with(home: ModelHome) -> None:
    rain, changed = home.find(RAIN), []
    home.models.changed.connect(lambda: changed.append(True))
    before = home.models.fit.of(rain, Free(8 * GIB))
    home.engine.own_options = ModelOptions({Loading: {"ctx_size": 512}})
    home.settings.update(Loading, threads=1)
    after = home.models.fit.of(rain, Free(8 * GIB))
    assert before and after
    assert (before.n_ctx, after.n_ctx) == (min(8192, rain.facts.n_ctx_train), 512)  # type: ignore[union-attr]
    assert changed


def test_the_loaded_model_is_known_while_it_loads(home: ModelHome) -> None:
    changed: list[bool] = []
    home.models.changed.connect(lambda: changed.append(True))
    rain = home.find(RAIN)
    for fraction in (0.1, 0.5, 0.9):
        home.engine.enter(ModelLoading(rain.ref, LoadStage.LOADING, fraction))
    assert home.models.loads(rain)
    assert not home.models.loads(home.find(SNOW))
    assert len(changed) == 1, "progress alone changes nothing here"


def test_a_name_that_says_nothing_is_waited_for(home: ModelHome, qtbot: QtBot) -> None:
    asked: list[str] = []
    nameless, named = Path("/x/blobs") / ("sha256-" + "0" * 64), Path("/x/Rain.gguf")
    home.models.when_named(ModelRef.of_file(nameless), lambda: asked.append("nobody looks"))
    assert asked == ["nobody looks"]
    with qtbot.waitSignal(home.models.library.scanning, timeout=WAIT, check_params_cb=lambda busy: not busy):
        home.models.library.scan()
        home.models.when_named(ModelRef.of_file(nameless), lambda: asked.append("found out"))
        home.models.when_named(home.find(SNOW).ref, lambda: asked.append("known"))
        home.models.when_named(ModelRef.of_file(named), lambda: asked.append("named"))
        home.models.when_named(None, lambda: asked.append("none"))
        assert asked[1:] == ["known", "named", "none"]
    assert asked[-1] == "found out"
    home.scan(qtbot)
    assert asked.count("found out") == 1


def test_a_download_folder_is_looked_into(home: ModelHome, tmp_path: Path, qtbot: QtBot) -> None:
    homes.put(tmp_path / "new" / "New.gguf", (home.own / "Rain-8B-Q4_0.gguf").read_bytes() + b"\0")
    with qtbot.waitSignal(home.models.library.changed, timeout=WAIT):
        home.settings.update(LibrarySettings, download_folder=str(tmp_path / "new"))
    assert home.find("New").path == tmp_path / "new" / "New.gguf"
    assert home.models.folders == ()


def test_a_folder_is_added_once(home: ModelHome, tmp_path: Path) -> None:
    home.models.add_folder(tmp_path / "mine")
    home.models.add_folder(tmp_path / "mine")
    assert list(home.models.folders) == [tmp_path / "mine"]
    home.models.remove_folder(tmp_path / "mine")
    assert not home.models.folders


@pytest.mark.parametrize(
    "later", [NoModel(), ModelFailed(ModelRef.of_file(Path("b.gguf")), UserError("x")), ModelReady(MODEL)]
)
def test_a_loaded_model_that_is_removed_goes_as_soon_as_it_is_out_of_memory(
    home: ModelHome, later: EngineState, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever comes after it: hours later nobody would expect it."""
    gone: list[str] = []
    monkeypatch.setattr("send2trash.send2trash", gone.append)
    rain = home.find(RAIN)
    home.engine.enter(ModelReady(replace(MODEL, ref=rain.ref)))
    home.models.remove(rain)
    home.engine.enter(ModelLoading(MODEL.ref, LoadStage.LOADING, 0.5))
    assert gone == []
    with qtbot.waitSignal(home.models.library.removed, timeout=WAIT):
        home.engine.enter(later)
    assert gone == [str(rain.path)]


def test_a_model_that_is_removed_and_loaded_again_stays(
    home: ModelHome, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone: list[str] = []
    monkeypatch.setattr("send2trash.send2trash", gone.append)
    rain = home.find(RAIN)
    loaded = ModelReady(replace(MODEL, ref=rain.ref))
    home.engine.enter(loaded)
    home.models.remove(rain)
    home.engine.enter(loaded)
    home.engine.enter(NoModel())
    home.scan(qtbot)
    assert gone == []
