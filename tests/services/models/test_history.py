"""Which models were used, over restarts."""

import json
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtWidgets import QApplication

from app.core.errors import UserError
from app.core.model_ref import GUIDE_REF, ModelRef
from app.core.settings import Interface
from app.library.recent import RecentModels
from app.services.engine.service import EngineService
from app.services.engine.states import ModelFailed, ModelOnServer, ModelReady
from app.services.models.history import ModelHistory
from app.services.runtime.settings_service import SettingsService
from tests.ui.fakes import MODEL, THERE, FakeEngine, FakeSettings


@pytest.fixture
def history(tmp_path: Path, qapp: QApplication) -> tuple[ModelHistory, FakeEngine, FakeSettings]:
    engine, settings = FakeEngine(), FakeSettings()
    made = ModelHistory(
        RecentModels(tmp_path / "recent.json"), cast(EngineService, engine), cast(SettingsService, settings)
    )
    return made, engine, settings


History = tuple[ModelHistory, FakeEngine, FakeSettings]


def test_a_link_of_the_shared_cache_keeps_its_name(history: History, tmp_path: Path) -> None:
    """The file itself is named by its hash there, and nothing that belongs to it lies beside it."""
    made, engine, settings = history
    blob, link = tmp_path / "blobs" / ("a" * 64), tmp_path / "snapshots" / "Rain-Q4_0.gguf"
    for each in (blob, link):
        each.parent.mkdir()
    blob.write_bytes(b"GGUF")
    link.symlink_to(blob)
    engine.enter(ModelReady(replace(MODEL, ref=ModelRef.of_file(link))))
    assert settings.settings.interface.last_model == str(link)
    made.load_last()
    assert engine.calls == [("load", ModelRef.of_file(link))]
    assert made.recent() == (ModelRef.of_file(link),)


def test_a_servers_model_of_the_last_run_is_chosen_again(history: History) -> None:
    made, engine, settings = history
    engine.enter(ModelOnServer(THERE))
    assert settings.settings.interface.last_model == THERE.ref.stored
    assert made.recent() == (THERE.ref,)
    made.load_last()
    assert engine.calls == [("load", THERE.ref)]
    engine.calls.clear()
    engine.enter(ModelFailed(THERE.ref, UserError("gone")))
    made.load_last()
    assert engine.calls == [("load", THERE.ref), ("load", GUIDE_REF)], "its server was removed"


def test_what_versions_before_have_written_is_read(history: History, tmp_path: Path) -> None:
    """They knew files alone, and wrote their paths."""
    made, engine, settings = history
    first, last = (tmp_path / f"{name}.gguf" for name in ("first", "last"))
    for each in (first, last):
        each.touch()
    (tmp_path / "recent.json").write_text(json.dumps([str(last), str(first)]), encoding="utf-8")
    settings.update(Interface, last_model=str(last))
    made.load_last()
    assert engine.calls == [("load", ModelRef.of_file(last))]
    assert made.recent() == (ModelRef.of_file(last), ModelRef.of_file(first))
    engine.enter(ModelReady(replace(MODEL, ref=ModelRef.of_file(first))))
    assert json.loads((tmp_path / "recent.json").read_bytes()) == [str(first), str(last)], "and written so again"


def test_what_is_gone_or_nothing_is_the_guide(history: History, tmp_path: Path) -> None:
    made, engine, settings = history
    engine.enter(ModelReady(replace(MODEL, ref=ModelRef.of_file(tmp_path / "gone.gguf"))))
    made.load_last()
    engine.enter(ModelReady(replace(MODEL, ref=GUIDE_REF)))
    assert settings.settings.interface.last_model == ""
    made.load_last()
    assert engine.calls == [("load", GUIDE_REF), ("load", GUIDE_REF)]


def test_a_name_that_the_disk_refuses_is_the_guide(history: History, tmp_path: Path) -> None:
    """As is a folder that can't be read any more: the start goes on."""
    made, engine, settings = history
    settings.update(Interface, last_model=str(tmp_path / ("x" * 300)))
    made.load_last()
    assert engine.calls == [("load", GUIDE_REF)]
