"""What is being written reaches the disk by itself; and what was sent before is walked through."""

import gc
from collections.abc import Iterator
from typing import cast

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.messages import DocumentPart, Message, Role
from app.services.drafts.composing import SentHistory
from app.services.drafts.drafts import Drafts
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.drafts import Draft, DraftStore
from app.storage.questions import SentQuestions

FILE = DocumentPart("ef" * 32, "a.txt", "its text")


@pytest.fixture
def disk(database: Database) -> DraftStore:
    return DraftStore(database)


@pytest.fixture
def drafts(qapp: object, disk: DraftStore) -> Iterator[Drafts]:
    made = Drafts(disk)
    yield made
    made.flush()


def test_who_types_on_and_on_is_saved_all_the_same(qtbot: QtBot, drafts: Drafts, disk: DraftStore) -> None:
    typed = ""

    def saved() -> bool:
        nonlocal typed
        typed += "x"
        drafts.set_text(None, typed)
        return bool(disk.get(None).text)

    # A timer that began anew with each letter would never fire.
    qtbot.waitUntil(saved)
    assert drafts.get(None).text == typed


def test_drafts_of_chats_left_long_ago_are_on_disk_alone(drafts: Drafts, database: Database) -> None:
    conversations = ConversationStore(database, clock=lambda: 0.0)
    ids = [conversations.create().id for _ in range(50)]
    for each in ids:
        drafts.set_text(each, f"for {each}")
        drafts.flush()
    assert sum(isinstance(each, Draft) for each in gc.get_objects()) < 20
    assert [drafts.get(each).text for each in ids] == [f"for {each}" for each in ids]


def test_everything_is_kept_and_what_is_empty_goes(drafts: Drafts, disk: DraftStore) -> None:
    drafts.set_text(None, "a")
    drafts.set_attachments(None, (FILE,))
    drafts.flush()
    assert disk.get(None) == Draft("a", (FILE,))
    drafts.set_text(None, "")
    drafts.set_attachments(None, ())
    drafts.flush()
    assert disk.get(None) == Draft()
    drafts.set_text(None, "b")
    drafts.set_text(None, "")
    drafts.flush()
    assert disk.get(None) == Draft()


def test_a_queue_is_kept_at_once(drafts: Drafts, disk: DraftStore) -> None:
    drafts.set_queue(None, (Message.of(Role.USER, "later"),))
    assert len(disk.get(None).queue) == 1


class FullDisk(DraftStore):
    full = True

    def put_text(self, conversation_id: int | None, text: str) -> None:
        if self.full:
            raise UserError("The disk is full.")
        super().put_text(conversation_id, text)


def test_a_disk_that_refuses_is_told_once_and_tried_again(qapp: object, database: Database, disk: DraftStore) -> None:
    told: list[UserError] = []
    store = FullDisk(database)
    drafts = Drafts(store)
    drafts.failed.connect(told.append)
    for text in ("a", "ab"):
        drafts.set_text(None, text)
        drafts.flush()
    assert [each.sentence for each in told] == ["The disk is full."]
    store.full = False
    drafts.flush()
    assert disk.get(None).text == "ab"


class Questions:
    def __init__(self, *texts: str) -> None:
        self.told = texts

    def texts(self, conversation_id: int | None) -> Iterator[str]:
        yield from self.told


def test_history_goes_back_and_forth_and_gives_the_draft_back() -> None:
    history = SentHistory(cast(SentQuestions, Questions("three", "two", "one")))
    assert history.newer() is None
    assert history.older(1, "draft") == "three"
    assert history.older(1, "three") == "two"
    assert history.older(1, "two") == "one"
    assert history.older(1, "one") is None
    assert history.newer() == "two"
    assert history.older(1, "two") == "one"
    assert [history.newer() for _ in range(4)] == ["two", "three", "draft", None]
    assert not history.is_walking


def test_a_text_that_was_changed_is_a_draft_of_its_own() -> None:
    history = SentHistory(cast(SentQuestions, Questions("two", "one")))
    assert history.older(1, "") == "two"
    history.reset()
    assert history.older(1, "two, changed") == "two"
    assert history.newer() == "two, changed"


def test_what_stands_there_already_is_passed_over() -> None:
    history = SentHistory(cast(SentQuestions, Questions("two", "one")))
    assert history.older(1, "two") == "one"
