"""Folders, pins, archive and trash: what is kept, what is told, and what goes for good."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.messages import DocumentPart, ImagePart, Message, Role
from app.services.chat.chat_controller import ChatController
from app.services.conversations.chat_library import ChatLibrary
from app.services.conversations.states import Library
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady
from app.storage.attachments import AttachmentStore
from app.storage.chat_folders import ChatFolders
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.passages.passage import Document
from app.storage.passages.passage_store import PassageStore
from tests.services.conftest import Load
from tests.waits import WAIT

DAY = 86_400


@pytest.fixture
def library(
    tmp_path: Path, database: Database, store: ConversationStore, controller: ChatController, engine: EngineService
) -> Iterator[ChatLibrary]:
    made = ChatLibrary(
        store,
        ChatFolders(database),
        controller,
        engine,
        attachments=tmp_path / "attachments",
        database=tmp_path / "hearth.sqlite3",
        documents=tmp_path / "documents.sqlite3",
    )
    yield made
    made.close()


@pytest.fixture
def told(library: ChatLibrary, store: ConversationStore) -> list[Library]:
    """What was told, newest last; three conversations are there."""
    heard: list[Library] = []
    library.changed.connect(heard.append)
    for title in ("A", "B", "C"):
        store.create(title)
    return heard


def inside(library: Library, folder_id: int | None) -> list[str]:
    return sorted(each.title for each in library.conversations if each.folder_id == folder_id)


def test_a_folder_from_its_name_to_its_end(library: ChatLibrary, told: list[Library]) -> None:
    folder = library.create_folder("Work", 1)
    assert folder is not None
    library.move(2, folder)
    library.rename_folder(folder, "Jobs")
    library.collapse(folder, True)
    assert [(each.name, each.collapsed) for each in told[-1].folders] == [("Jobs", True)]
    assert inside(told[-1], folder) == ["A", "B"]
    deleted = library.delete_folder(folder)
    assert deleted is not None
    assert not told[-1].folders
    assert inside(told[-1], None) == ["A", "B", "C"]
    library.undo_delete_folder(deleted)
    assert inside(told[-1], folder) == ["A", "B"]
    assert told[-1].folders[0].collapsed


def test_places_pins_and_the_archive_are_told(library: ChatLibrary, told: list[Library]) -> None:
    library.put(3, None, (3,))
    library.put(1, None, (1, 3))
    pinned = {each.title: each.place for each in told[-1].conversations if each.pinned_at is not None}
    assert pinned == {"A": 1.0, "C": 2.0}
    library.sort_by_time((1, 3))
    library.archive(3, True)
    assert [each.title for each in told[-1].conversations if each.archived_at is not None] == ["C"]
    first, second = library.create_folder("1"), library.create_folder("2")
    assert first is not None
    assert second is not None
    library.order_folders((second, first))
    assert [each.name for each in told[-1].folders] == ["2", "1"]


def test_what_is_gone_meanwhile_costs_nothing(library: ChatLibrary, told: list[Library]) -> None:
    library.pin(99, True)
    library.move(1, 99)
    assert library.delete_folder(99) is None
    assert inside(told[-1], None) == ["A", "B", "C"]


def test_the_trash(library: ChatLibrary, controller: ChatController, told: list[Library]) -> None:
    controller.delete(1)
    controller.delete(2)
    assert [each.title for each in told[-1].trash] == ["B", "A"]
    library.restore(1)
    assert [each.title for each in told[-1].trash] == ["B"]
    library.delete_for_good([2])
    assert told[-1].trash == ()
    assert sorted(each.title for each in told[-1].conversations) == ["A", "C"]


def test_only_what_has_been_in_the_trash_for_thirty_days_is_purged(
    library: ChatLibrary, controller: ChatController, store: ConversationStore, database: Database, told: list[Library]
) -> None:
    controller.delete(1)
    controller.delete(2)
    database.execute("UPDATE conversation SET deleted_at = deleted_at - ? WHERE id = 1", (30 * DAY + 60,))
    database.execute("UPDATE conversation SET deleted_at = deleted_at - ? WHERE id = 2", (30 * DAY - 60,))
    library.start()
    assert [each.id for each in store.deleted()] == [2]
    assert [each.id for each in told[-1].trash] == [2]
    assert [each.id for each in store.all()] == [3]


def test_what_the_disk_refused_to_remove_is_not_gone(
    library: ChatLibrary, store: ConversationStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids, remove = [store.create(title).id for title in "abc"], store.remove
    for each in ids[1:]:
        store.delete(each)

    def refusing(number: int) -> None:
        if number == ids[2]:
            raise UserError("The disk is full.")
        remove(number)

    gone, failed = list[object](), list[object]()
    library.gone.connect(gone.append)
    library.failed.connect(failed.append)
    monkeypatch.setattr(store, "remove", refusing)
    library.delete_for_good(ids)  # the first of which somebody took out of the trash
    library.delete_for_good(ids[2:])
    assert gone == [frozenset(ids[1:2])] and len(failed) == 2
    assert [each.id for each in store.all()] == ids[:1]


def test_attachments_of_what_is_purged_go_too(
    library: ChatLibrary, controller: ChatController, store: ConversationStore, tmp_path: Path, qtbot: QtBot
) -> None:
    files = AttachmentStore(tmp_path / "attachments")
    shared, lonely = files.put(b"shared"), files.put(b"lonely")
    for path in (tmp_path / "attachments").glob("??/??/*"):
        os.utime(path, (1.0, 1.0))
    kept, gone = store.create("kept").id, store.create("gone").id
    store.append(kept, None, Message(Role.USER, (ImagePart(shared),)))
    store.append(gone, None, Message(Role.USER, (ImagePart(shared), ImagePart(lonely))))
    controller.delete(gone)
    assert files.has(lonely), "it may come back"
    library.delete_for_good([gone])
    qtbot.waitUntil(lambda: not files.has(lonely), timeout=WAIT)
    assert files.has(shared)


def test_what_was_read_of_documents_goes_too(
    library: ChatLibrary, controller: ChatController, store: ConversationStore, tmp_path: Path, qtbot: QtBot
) -> None:
    with closing(PassageStore.open(tmp_path / "documents.sqlite3")) as passages:
        passages.put(Document("ab" * 32, "a.txt", ("rain",), has_pages=False), attached=True)
        gone = store.create("gone").id
        store.append(gone, None, Message(Role.USER, (DocumentPart("ab" * 32, "a.txt", "rain", by_passages=True),)))
        controller.delete(gone)
        library.delete_for_good([gone])
        qtbot.waitUntil(lambda: not passages.has("ab" * 32), timeout=WAIT)


def test_a_conversation_that_goes_for_good_is_forgotten_by_the_engine(
    library: ChatLibrary, controller: ChatController, engine: EngineService, load: Load, qtbot: QtBot
) -> None:
    state = load("llama")
    assert isinstance(state, ModelReady)
    assert controller.send("Why is the sky blue?")
    qtbot.waitUntil(lambda: "1" in engine.snapshots.status.conversations, timeout=WAIT)
    library._store.delete(1)
    gone = list[object]()
    library.gone.connect(gone.append)
    library.delete_for_good([1])
    assert gone == [frozenset((1,))]
    qtbot.waitUntil(lambda: not engine.snapshots.status.conversations, timeout=WAIT)
