"""Servers that people added, over one on loopback that says what a test wants."""

import threading
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.model_ref import ModelRef
from app.core.program import own_command
from app.services.chat.chat_controller import ChatController
from app.services.engine.plans import PreflightPlan
from app.services.engine.service import EngineService
from app.services.remote.model_servers import ModelServers
from app.services.remote.states import ServerState
from app.services.runtime.settings_service import SettingsService
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore
from tests.library.test_hub import MemoryKeyring
from tests.remote.scripted_server import ScriptedServer, scripted_server, whole
from tests.services.chatting import Chat
from tests.services.conftest import Load
from tests.services.shutdown import shut_down
from tests.waits import WAIT

MODELS = whole({"data": [{"id": "Rain-8B", "owned_by": "vllm", "max_model_len": 4096}]})
VERSION = whole({"version": "0.33"})


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A vLLM with one model, as far as its lists go."""
    with scripted_server() as made:
        made.routes = {"/v1/models": MODELS, "/version": VERSION}
        yield made


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> MemoryKeyring:
    made = MemoryKeyring()
    monkeypatch.setattr(keyring.core, "_keyring_backend", made)
    return made


class SlowKeyring(MemoryKeyring):
    """Tells nothing before its password was entered, or a test has failed."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.password = threading.Event(), threading.Event()
        self.has_told = False

    def get_password(self, service: str, username: str) -> str | None:
        self.asked.set()
        self.password.wait(WAIT / 1000)
        self.has_told = True
        return super().get_password(service, username)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowKeyring]:
    made = SlowKeyring()
    monkeypatch.setattr(keyring.core, "_keyring_backend", made)
    yield made
    made.password.set()


@pytest.fixture
def servers(tmp_path: Path, kept: MemoryKeyring, qapp: QApplication) -> Iterator[ModelServers]:
    made = ModelServers(tmp_path / "servers.json", AttachmentStore(tmp_path / "kept"))
    yield made
    made.close()


@pytest.fixture
def engine(settings: SettingsService, tried: Path, servers: ModelServers, qtbot: QtBot) -> Iterator[EngineService]:
    made = EngineService(settings, PreflightPlan(tried, own_command()), elsewhere=servers)
    servers.changed.connect(made.look_elsewhere)
    yield made
    servers.close()
    shut_down(made, qtbot)


@pytest.fixture
def there(servers: ModelServers, server: ScriptedServer, qtbot: QtBot) -> ModelRef:
    """A model of the server, which is added."""
    server_id = servers.add("Attic", server.address, "", None)
    servers.refresh(server_id)
    qtbot.waitUntil(lambda: [each.state for each in servers.all] == [ServerState.THERE], timeout=WAIT)
    server.asked.clear()
    return ModelRef.of_server(server_id, "Rain-8B")


@pytest.fixture
def talk(
    controller: ChatController,
    engine: EngineService,
    store: ConversationStore,
    load: Load,
    there: ModelRef,
    qtbot: QtBot,
) -> Chat:
    engine.load(there)
    return Chat(controller, engine, store, load, qtbot)
