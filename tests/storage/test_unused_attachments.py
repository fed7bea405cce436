import os
from pathlib import Path

import pytest

from app.core.messages import DocumentPart, ImagePart, Message, Role
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.drafts import Draft, DraftStore
from app.storage.unused_attachments import remove_unused

NOW = 1_000_000.0
OLD = NOW - 90_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "attachments"


@pytest.fixture
def files(folder: Path) -> AttachmentStore:
    return AttachmentStore(folder)


def put(files: AttachmentStore, folder: Path, data: bytes, when: float = OLD) -> str:
    content_hash = files.put(data)
    os.utime(folder / content_hash[:2] / content_hash[2:4] / content_hash, (when, when))
    return content_hash


def sweep(folder: Path, path: Path) -> int:
    return remove_unused(folder, path, clock=lambda: NOW)


def test_what_nothing_refers_to_goes(files: AttachmentStore, folder: Path, path: Path, database: Database) -> None:
    lonely = put(files, folder, b"lonely")
    fresh = put(files, folder, b"fresh", NOW - 100)
    (folder / "aa").mkdir(exist_ok=True)
    other = folder / "aa" / "notes.txt"
    other.write_text("no attachment")
    assert sweep(folder, path) == 1
    assert not files.has(lonely)
    assert files.has(fresh), "it may be waiting to be sent"
    assert other.exists()


def test_whatever_refers_to_a_file_keeps_it(
    files: AttachmentStore, folder: Path, path: Path, database: Database, store: ConversationStore
) -> None:
    names = ("shown", "deleted", "trashed", "draft", "queue", "option")
    hashes = {name: put(files, folder, name.encode()) for name in names}
    chat, trashed = store.create("a").id, store.create("b").id
    store.append(chat, None, Message(Role.USER, (ImagePart(hashes["shown"]),)))
    gone = store.append(chat, 1, Message(Role.USER, (DocumentPart(hashes["deleted"], "x.txt", "text"),)))
    store.tree.delete(gone.id)
    store.append(trashed, None, Message(Role.USER, (ImagePart(hashes["trashed"]),)))
    store.delete(trashed)
    queue = (Message(Role.USER, (ImagePart(hashes["queue"]),)),)
    DraftStore(database).put(chat, Draft("", (ImagePart(hashes["draft"]),), queue))
    database.execute("INSERT INTO options VALUES ('later', 'x', ?)", (f'{{"picture":"{hashes["option"]}"}}',))
    assert sweep(folder, path) == 0
    store.remove(trashed)
    assert sweep(folder, path) == 1
    assert not files.has(hashes["trashed"])
    store.tree.purge(-1e12)
    assert sweep(folder, path) == 1
    assert not files.has(hashes["deleted"])
    assert all(files.has(hashes[name]) for name in ("shown", "draft", "queue", "option"))


def test_a_file_that_is_attached_again_counts_as_new(
    files: AttachmentStore, folder: Path, path: Path, database: Database
) -> None:
    content_hash = put(files, folder, b"again", 1.0)
    files.put(b"again")
    assert remove_unused(folder, path) == 0
    assert files.has(content_hash)


def test_without_a_folder_there_is_nothing_to_do(folder: Path, path: Path, database: Database) -> None:
    assert sweep(folder, path) == 0
