"""Weights in memory without a context: taken for the next one, read again where they must be, never left behind."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copyfile

import pytest

from app.core.cancel import CancelFlag
from app.core.loading import LoadMode
from app.engine.binding.model import Model, ReadWith
from app.engine.loading.loader import open_session
from app.engine.loading.weights import Weights, deactivate
from app.engine.reply.session import Session
from tests.engine.conftest import EXACT
from tests.engine.replies import finish


@pytest.fixture
def path(tiny_models: dict[str, Path], tmp_path: Path) -> Path:
    return Path(copyfile(tiny_models["llama"], tmp_path / "model.gguf"))


def opened(path: Path, weights: Weights | None = None) -> Session:
    made = open_session(path, EXACT, cancel=CancelFlag(), weights=weights)
    assert made is not None
    return made[0]


def in_memory(session: Session) -> Weights:
    weights = deactivate(session, CancelFlag())
    assert weights is not None
    return weights


def as_wanted(path: Path) -> ReadWith:
    return ReadWith.now(path, 0, LoadMode.AUTO, False)
