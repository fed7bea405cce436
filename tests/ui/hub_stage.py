"""The pages of the hub over real services and a small hub on loopback."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import keyring
import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from app.core.fit import Free
from app.core.paths import Paths
from app.library.model_sources import HostFolders
from app.library.retry_policy import RetryPolicy
from app.services.engine.service import EngineService
from app.services.models.models import Models, library_of
from app.services.runtime.settings_service import SettingsService
from tests.library.hub_server import FakeHub
from tests.library.test_hub import MemoryKeyring
from tests.ui.fakes import FakeEngine

GB = 10**9


class SizedHub(FakeHub):
    """Tells of files that are larger than what it sends."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[tuple[str, str], int] = {}

    def _model(self, name: str, repo: object) -> dict[str, object]:
        told = super()._model(name, repo)  # type: ignore[arg-type]
        for each in told["siblings"]:
            if size := self.sizes.get((name, each["rfilename"])):
                each["size"] = size
        return told


@contextmanager
def models_over(home: Path, monkeypatch: pytest.MonkeyPatch, free: int = 16 * GB) -> Iterator[Models]:
    """Everything about models, with a home of its own; the hub is the one that HF_ENDPOINT names."""
    monkeypatch.setattr(keyring.core, "_keyring_backend", MemoryKeyring())
    monkeypatch.setattr("app.services.models.downloads.RetryPolicy", lambda: RetryPolicy(0.001, 3, 0.0, 5.0, 0))
    home.mkdir(parents=True, exist_ok=True)
    paths = Paths(home, home, home / "logs")
    engine, settings, machine = FakeEngine(), SettingsService(paths.settings), HostFolders("linux", home, {})
    library = library_of(paths, settings.settings, machine)
    models = Models(paths, settings, cast(EngineService, engine), library, lambda: Free(free), machine)
    try:
        yield models
    finally:
        models.close()
        # Here and now: what the collector of garbage would find late, it might find in another thread.
        models.deleteLater()
        QCoreApplication.sendPostedEvents(models, QEvent.Type.DeferredDelete.value)
