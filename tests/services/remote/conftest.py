"""Servers that people added, over one on loopback that says what a test wants."""

from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from PySide6.QtWidgets import QApplication

from app.services.remote.model_servers import ModelServers
from app.storage.attachments import AttachmentStore
from tests.library.test_hub import MemoryKeyring
from tests.remote.scripted_server import ScriptedServer, scripted_server, whole

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


@pytest.fixture
def servers(tmp_path: Path, kept: MemoryKeyring, qapp: QApplication) -> Iterator[ModelServers]:
    made = ModelServers(tmp_path / "servers.json", AttachmentStore(tmp_path / "kept"))
    yield made
    made.close()
