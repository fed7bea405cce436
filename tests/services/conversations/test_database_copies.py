"""Copies of the database are made behind the window: when it is calm, and never of what was deleted for good."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.services.conversations.copies import DatabaseCopies
from app.storage.conversations import ConversationStore
from app.storage.copies import copies
from app.storage.database import Database
from tests.waits import WAIT


@pytest.fixture
def keeper(tmp_path: Path, store: ConversationStore, qtbot: QtBot) -> Iterator[DatabaseCopies]:
    made = DatabaseCopies(tmp_path / "hearth.sqlite3", calm_ms=1)
    yield made
    made.close()


def test_a_copy_is_made_after_the_start(keeper: DatabaseCopies, tmp_path: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(keeper.ended, timeout=WAIT) as ended:
        keeper.start()
    assert ended.args == [True]
    assert len(copies(tmp_path / "hearth.sqlite3")) == 1


def test_nothing_is_copied_while_an_answer_is_written(keeper: DatabaseCopies, tmp_path: Path, qtbot: QtBot) -> None:
    keeper.rest(True)
    with qtbot.assertNotEmitted(keeper.ended, wait=100):
        keeper.start()
    with qtbot.waitSignal(keeper.ended, timeout=WAIT):
        keeper.rest(False)
    assert len(copies(tmp_path / "hearth.sqlite3")) == 1


def test_what_was_deleted_for_good_is_in_no_copy(
    keeper: DatabaseCopies, store: ConversationStore, database: Database, tmp_path: Path, qtbot: QtBot
) -> None:
    conversation = store.create("A secret title")
    with qtbot.waitSignal(keeper.ended, timeout=WAIT):
        keeper.start()
    assert b"A secret title" in copies(tmp_path / "hearth.sqlite3")[0].read_bytes()
    store.delete(conversation.id)
    store.remove(conversation.id)
    with qtbot.waitSignal(keeper.ended, timeout=WAIT):
        keeper.renew()
    (copy,) = copies(tmp_path / "hearth.sqlite3")
    assert b"A secret title" not in copy.read_bytes()
