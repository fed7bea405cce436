"""Keeping what the model has read on disk, switched off for one conversation."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.program import own_command
from app.core.snapshot_settings import SnapshotSettings
from app.services.chat.conversation_options import ConversationOptions
from app.services.chat.notices import ChatNotices
from app.services.chat.request_builder import RequestBuilder
from app.services.engine.plans import PreflightPlan
from app.services.engine.service import EngineService
from app.services.runtime.settings_service import SettingsService
from app.storage.database import Database
from app.storage.options import OptionsStore
from tests.services.chatting import Chat
from tests.services.shutdown import shut_down
from tests.ui.fakes import MODEL

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
    request = requests.build([], 1, MODEL)
    assert (request.conversation, request.keep_on_disk) == ("1", True)
    assert requests.build([], None, MODEL).conversation == ""
    options.set_keeps_on_disk(1, False)
    assert not requests.build([], 1, MODEL).keep_on_disk
    assert requests.build([], 2, MODEL).keep_on_disk
    options.set_keeps_on_disk(1, True)
    assert requests.build([], 1, MODEL).keep_on_disk
    settings.update(SnapshotSettings, on_disk=False)
    assert not requests.build([], 1, MODEL).keep_on_disk


def test_where_nothing_is_kept_no_conversation_says_so(chat: Chat, settings: SettingsService) -> None:
    chat.controller.set_keeps_on_disk(1, False)
    assert (chat.controller.keeps_on_disk(1), chat.controller.keeps_on_disk(2)) == (False, True)
    settings.update(SnapshotSettings, on_disk=False)
    assert chat.controller.keeps_on_disk(1) is chat.controller.keeps_on_disk(2) is None


def test_switching_it_off_removes_what_is_there_and_nothing_comes_after(chat: Chat, folder: Path, qtbot: QtBot) -> None:
    chat.load("llama")
    assert chat.controller.send(LONG)
    chat.until(lambda: chat.engine.snapshots.status.disk_bytes > 0)
    assert files(folder)
    chat.controller.set_keeps_on_disk(1, False)
    chat.until(lambda: chat.engine.snapshots.status.disk_bytes == 0)
    assert files(folder) == []
    assert not chat.controller.keeps_on_disk(1)
    chat.say("And then?")
    shut_down(chat.engine, qtbot)
    assert files(folder) == []
