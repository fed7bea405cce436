"""One home for all children of a module, so that each model is tried only once."""

from pathlib import Path

import pytest

from tests.endless_model import make_endless
from tests.hearth_process import HearthProcess


@pytest.fixture(scope="module")
def hearth(tmp_path_factory: pytest.TempPathFactory) -> HearthProcess:
    """The program, with Qt not importable."""
    return HearthProcess(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose answers only end when the context is full."""
    return make_endless(tmp_path_factory.mktemp("endless") / "endless.gguf")
