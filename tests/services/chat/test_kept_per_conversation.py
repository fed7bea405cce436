"""Keeping what the model has read on disk, switched off for one conversation."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.program import own_command
from app.core.snapshot_settings import SnapshotSettings
from app.services.chat.chat_controller import ChatController
from app.services.chat.conversation_options import ConversationOptions
from app.services.chat.notices import ChatNotices
from app.services.chat.reply_controller import RequestBuilder
from app.services.engine.plans import PreflightPlan
from app.services.engine.service import EngineService
from app.services.engine.states import Idle
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.options import OptionsStore
from tests.services.conftest import Load
from tests.services.shutdown import shut_down
from tests.ui.fakes import MODEL
from tests.waits import WAIT

LONG = "the rain in the mountains is heard on another hill and in the valley too. " * 6


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "snapshots"


@pytest.fixture
def engine(settings: SettingsService, tried: Path, folder: Path, qtbot: QtBot) -> Iterator[EngineService]:
    """One that keeps conversations on disk."""
    settings.update(SnapshotSettings, idle=1)
    service = EngineService(settings, PreflightPlan(tried, own_command()), snapshots=folder)
    yield service
    if service.is_running:
        shut_down(service, qtbot)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*") if path.is_file()]


def test_a_request_asks_for_it_only_where_all_agree(settings: SettingsService, database: Database) -> None:
    options = ConversationOptions(OptionsStore(database), ChatNotices())
    requests = RequestBuilder(settings, options)
    assert requests.build([], 1, MODEL).keep_on_disk
    options.set_keeps_on_disk(1, False)
    assert not requests.build([], 1, MODEL).keep_on_disk
    assert requests.build([], 2, MODEL).keep_on_disk
    options.set_keeps_on_disk(1, True)
    assert requests.build([], 1, MODEL).keep_on_disk
    settings.update(SnapshotSettings, on_disk=False)
    assert not requests.build([], 1, MODEL).keep_on_disk


def test_where_nothing_is_kept_no_conversation_says_so(controller: ChatController, settings: SettingsService) -> None:
    controller.set_keeps_on_disk(1, False)
    assert (controller.keeps_on_disk(1), controller.keeps_on_disk(2)) == (False, True)
    settings.update(SnapshotSettings, on_disk=False)
    assert controller.keeps_on_disk(1) is controller.keeps_on_disk(2) is None


def test_switching_it_off_removes_what_is_there_and_nothing_comes_after(
    controller: ChatController, store: ConversationStore, engine: EngineService, folder: Path, load: Load, qtbot: QtBot
) -> None:
    load("llama")
    assert controller.send(LONG)
    qtbot.waitUntil(lambda: engine.snapshot_status().disk_bytes > 0, timeout=WAIT)
    assert files(folder)
    controller.set_keeps_on_disk(1, False)
    qtbot.waitUntil(lambda: engine.snapshot_status().disk_bytes == 0, timeout=WAIT)
    assert files(folder) == []
    assert not controller.keeps_on_disk(1)
    assert controller.send("And then?")
    qtbot.waitUntil(lambda: isinstance(controller.replies.activity, Idle), timeout=WAIT)
    shut_down(engine, qtbot)
    assert files(folder) == []
