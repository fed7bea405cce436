"""What was read of documents goes with the last conversation that holds them, out of every byte of the store."""

import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from app.core.messages import DocumentPart, Message, Role
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.drafts import Draft, DraftStore
from app.storage.passages.chunks import chunks
from app.storage.passages.collection_rows import FoundFile
from app.storage.passages.passage import Document
from app.storage.passages.passage_store import Embedder, PassageStore
from app.storage.passages.unused_documents import remove_unused_documents

Make = Callable[..., Document]


def asked_about(document: Document) -> Message:
    part = DocumentPart(document.content_hash, document.name, "\n".join(document.pages), by_passages=True)
    return Message(Role.USER, (part,))


def all_bytes(path: Path) -> bytes:
    """Of the store, its log too."""
    return b"".join(each.read_bytes() for each in path.parent.glob(path.name + "*"))


def in_a_collection(passages: PassageStore, document: Document) -> None:
    passages.collections.add_source(passages.collections.add("Pumps"), "/a", is_folder=False)
    (source,) = passages.collections.sources()
    passages.collections.take(source.id, [FoundFile("/a", 1, 2, 3)])
    waiting = passages.collections.waiting()
    assert waiting is not None
    passages.put(document, file=waiting[0])
    assert passages.attach(document.content_hash)


def test_no_byte_of_it_is_left(
    passages: PassageStore, passages_path: Path, path: Path, database: Database, store: ConversationStore, made: Make
) -> None:
    text = "Zqxwvkjy was told to nobody. " + " ".join(f"plain{n}" for n in range(3000))
    secret, other = made(text, name="Geheimnis.txt"), made("Something else.")
    passages.put(other, attached=True)
    passages.put(secret, attached=True)
    embedder = passages.embedder(Embedder("model", "mean", ""))
    text_hash = chunks(secret)[0].text_hash
    vector = np.linspace(-1, 1, 64, dtype=np.float32)
    passages.add_vectors(embedder, [(text_hash, vector)])
    blob = (vector / np.linalg.norm(vector)).astype("<f2").tobytes()
    # The index keeps stems, of which each begins where it differs from the one before.
    traces = (b"Zqxwvkjy", b"qxwvkj", b"Geheimnis", zlib.compress(text.encode(), 1)[100:200], blob, text_hash)
    chat, kept = store.create("a").id, store.create("b").id
    store.append(chat, None, asked_about(secret))
    store.append(kept, None, asked_about(other))
    store.delete(chat)
    assert remove_unused_documents(passages_path, path) == 0, "it may come back"
    found = all_bytes(passages_path)
    assert [each for each in traces if each not in found] == []
    store.remove(chat)
    assert remove_unused_documents(passages_path, path) == 1
    left = all_bytes(passages_path)
    assert [each for each in traces if each in left] == []
    assert (passages.has(secret.content_hash), passages.has(other.content_hash)) == (False, True)


def test_whatever_names_it_keeps_it(
    passages: PassageStore, passages_path: Path, path: Path, database: Database, store: ConversationStore, made: Make
) -> None:
    shown, edited, draft, indexed, gone = (made(each) for each in ("shown", "edited", "draft", "indexed", "gone"))
    for each in (shown, edited, draft, gone):
        passages.put(each, attached=True)
    in_a_collection(passages, indexed)
    chat = store.create("a").id
    first = store.append(chat, None, asked_about(shown))
    hidden = store.append(chat, first.id, asked_about(edited))
    store.tree.delete(hidden.id)
    DraftStore(database).put(chat, Draft("", asked_about(draft).documents))
    assert remove_unused_documents(passages_path, path) == 1
    assert not passages.has(gone.content_hash)
    assert all(passages.has(each.content_hash) for each in (shown, edited, draft, indexed))
    store.tree.purge(-1e12)
    assert remove_unused_documents(passages_path, path) == 1
    assert not passages.has(edited.content_hash)


def test_without_a_store_there_is_nothing_to_do(tmp_path: Path, path: Path) -> None:
    assert remove_unused_documents(tmp_path / "documents.sqlite3", path) == 0
    assert not (tmp_path / "documents.sqlite3").exists()
