"""Conversations of every kind, and the way of a file into the database."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.messages import ImagePart
from app.storage.attachments import AttachmentStore
from app.storage.database import Database
from app.storage.exchange.importing import Known, commit, read_files
from app.storage.exchange.stage import Found, Stage


def look_at(data: bytes, name: str) -> ImagePart | None:
    """Stands in for the decoder."""
    return ImagePart("", name, 3, 2, "ab" * 32) if data.startswith(b"\x89PNG") else None


Bring = Callable[..., Found]


@pytest.fixture
def attachments(tmp_path: Path) -> AttachmentStore:
    return AttachmentStore(tmp_path / "kept")


@pytest.fixture
def bring(database: Database, attachments: AttachmentStore, tmp_path: Path) -> Bring:
    """Imports files; `with_known` as `commit` has it."""
    numbers = itertools.count()

    def bring(*paths: Path, with_known: bool = False) -> Found:
        folder = tmp_path / f"stage{next(numbers)}"
        folder.mkdir()
        stage = Stage(folder, Known(database).has, look_at)
        found = read_files(paths, stage)
        commit(stage, database, attachments, lambda: None, with_known=with_known)
        return found

    return bring
