"""What the library knows of a model reaches the engine: the projector that lies elsewhere, and the name."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.model_ref import ModelRef
from app.core.program import own_command
from app.services.engine.plans import MediaPlan, PreflightPlan
from app.services.engine.service import EngineService
from app.services.engine.states import ModelFailed, ModelReady
from app.services.runtime.settings_service import SettingsService
from tests.services.asking import becomes
from tests.services.conftest import Catalog
from tests.services.shutdown import shut_down
from tests.tiny_vision import VISION_MAKERS


@pytest.fixture
def apart(tmp_path: Path) -> tuple[Path, Path]:
    """A model and its projector as Ollama keeps them: in one folder, under names that say nothing."""
    model, projector = VISION_MAKERS["gemma3"](tmp_path / "made")
    blobs = tmp_path / "blobs"
    blobs.mkdir()
    return Path(shutil.move(model, blobs / "sha256-1")), Path(shutil.move(projector, blobs / "sha256-2"))


@pytest.fixture
def engine(
    settings: SettingsService, tried: Path, catalog: Catalog, tmp_path: Path, qtbot: QtBot
) -> Iterator[EngineService]:
    plan = MediaPlan(tmp_path / "attachments", tmp_path / "embeddings", tmp_path / "pairs.json", tmp_path / "models")
    service = EngineService(settings, PreflightPlan(tried, own_command()), plan, catalog=catalog)
    yield service
    shut_down(service, qtbot)


def load(engine: EngineService, qtbot: QtBot, model: Path) -> ModelReady:
    with becomes(engine, qtbot, ModelReady, ModelFailed):
        engine.load(ModelRef.of_file(model))
    assert isinstance(engine.state, ModelReady)
    return engine.state


def test_projector_and_name_come_from_the_library_and_the_projector_is_remembered(
    engine: EngineService, catalog: Catalog, apart: tuple[Path, Path], qtbot: QtBot
) -> None:
    model, projector = apart
    assert not load(engine, qtbot, model).info.sees
    catalog.projectors, catalog.names = {ModelRef.of_file(model): projector}, {ModelRef.of_file(model): "snow:3b"}
    seeing = load(engine, qtbot, model).info
    assert seeing.sees
    assert (seeing.mmproj, seeing.name) == (projector, "snow:3b")
    # As at the next start, when the library has not looked yet.
    catalog.projectors, catalog.names = {}, {}
    again = load(engine, qtbot, model).info
    assert again.mmproj == projector
    assert again.name == model.stem
