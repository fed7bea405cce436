"""The services of models, over the hub of each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.services.models.models import Models
from tests.library.hub_server import FakeHub
from tests.ui.hub_stage import models_over


@pytest.fixture
def models(hub: FakeHub, tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[Models]:
    with models_over(tmp_path / "hearth", monkeypatch) as made:
        yield made
