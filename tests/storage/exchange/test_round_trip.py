"""Our own format brings back exactly what was written; whatever else comes leaves nothing behind."""

import json
import threading
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.errors import UserError
from app.core.messages import DocumentPart, ImagePart, Message, Role, TextPart
from app.core.preset import Preset
from app.core.preset import to_json as preset_to_json
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore, MessageState
from app.storage.database import Database
from app.storage.exchange.connections import reading, writing
from app.storage.exchange.export_json import write_json
from app.storage.exchange.outfile import Stopped
from app.storage.exchange.reader import conversation_ids, records
from app.storage.exchange.records import ConversationRecord, MessageRecord, digest, from_json, to_json
from app.storage.exchange.writer import write
from app.storage.options import OptionsStore, Scope
from tests.storage.exchange.conftest import Bring
from tests.storage.exchange.made import PNG, conversation_records, stored_records


@given(conversation_records())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_json_is_exact(record: ConversationRecord) -> None:
    again = from_json(json.loads(json.dumps(to_json(record))))
    assert again == record
    assert [each.message.generation for each in again.messages] == [each.message.generation for each in record.messages]
    assert digest(again) == digest(record)


@given(st.lists(conversation_records(), max_size=3, unique_by=lambda record: record.created_at))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=40, deadline=None
)
def test_the_database_is_exact(tmp_path: Path, made: list[ConversationRecord]) -> None:
    path = tmp_path / "round.sqlite3"
    path.unlink(missing_ok=True)
    with Database.open(path) as database:
        write(database, [(record, digest(record)) for record in made])
        found = stored_records(database)
        assert found == sorted(made, key=lambda record: record.created_at)
        generations = [[each.message.generation for each in record.messages] for record in found]
        wanted = sorted(made, key=lambda record: record.created_at)
        assert generations == [[each.message.generation for each in record.messages] for record in wanted]


def _export(database: Database, attachments: AttachmentStore) -> bytes:
    file = BytesIO()
    write_json(file, records(database, conversation_ids(database)), attachments)
    return file.getvalue()


@pytest.fixture
def talk(store: ConversationStore, attachments: AttachmentStore, database: Database) -> int:
    """A conversation with versions, pictures, a document and a deleted message; its id."""
    conversation = store.create("Cats")
    picture = ImagePart(attachments.put(PNG), "cat.png", 3, 2, "ab" * 32)
    document = DocumentPart(attachments.put(b"long text"), "cats.txt", "long text")
    first = store.append(conversation.id, None, Message(Role.USER, (picture, document, TextPart("What is it?"))))
    one = store.append(conversation.id, first.id, Message.of(Role.ASSISTANT, "A dog."))
    store.append(conversation.id, first.id, Message.of(Role.ASSISTANT, "A cat."))
    three = store.append(conversation.id, first.id, Message.of(Role.ASSISTANT, "Nothing."))
    store.save_answer(one.id, one.message, MessageState.CANCELLED, {"predicted_n": 3})
    follow = store.append(conversation.id, one.id, Message.of(Role.USER, "Sure?"))
    store.append(conversation.id, follow.id, replace(Message.of(Role.ASSISTANT, "No."), reasoning="Hm."))
    store.tree.delete(three.id)
    store.tree.show(one.id)
    OptionsStore(database).put(Scope.CONVERSATION, str(conversation.id), {"overflow": "drop-oldest"})
    return conversation.id


def test_a_file_makes_the_same_elsewhere(
    database: Database, attachments: AttachmentStore, talk: int, tmp_path: Path, bring: Bring
) -> None:
    path = tmp_path / "all.json"
    path.write_bytes(_export(database, attachments))
    (before,) = stored_records(database)
    assert len(before.messages) == 5
    assert [each.message.text for each in before.path] == ["What is it?", "A dog.", "Sure?", "No."]
    ConversationStore(database).delete(talk)
    assert stored_records(database) == []
    found = bring(path)
    assert (found.source, found.n_conversations, found.n_messages, found.n_known) == ("Hearth", 1, 5, 0)
    assert stored_records(database) == [before]
    picture = before.messages[0].message.pictures[0]
    assert attachments.get(picture.content_hash) == PNG


def test_attachments_come_with_the_file(
    database: Database, attachments: AttachmentStore, talk: int, tmp_path: Path
) -> None:
    told = json.loads(_export(database, attachments))
    assert told["format"] == "hearth-conversations" and told["version"] == 1
    assert len(told["attachments"]) == 2


def test_the_same_is_recognised(
    database: Database, attachments: AttachmentStore, talk: int, tmp_path: Path, bring: Bring
) -> None:
    path = tmp_path / "all.json"
    path.write_bytes(_export(database, attachments))
    assert bring(path).n_known == 1
    assert len(stored_records(database)) == 1
    bring(path, with_known=True)
    assert len(stored_records(database)) == 2
    # A conversation that came from the file and went on is still known.
    copy = ConversationStore(database).all()[0]
    ConversationStore(database).rename(copy.id, "Other")
    ConversationStore(database).delete(talk)
    found = bring(path)
    assert found.n_known == 1
    assert len(stored_records(database)) == 1


def test_what_was_deleted_may_come_again(
    database: Database, attachments: AttachmentStore, talk: int, tmp_path: Path, bring: Bring
) -> None:
    path = tmp_path / "all.json"
    path.write_bytes(_export(database, attachments))
    ConversationStore(database).delete(talk)
    assert bring(path).n_known == 0
    assert len(stored_records(database)) == 1


def test_what_is_being_written_is_cut_off_in_the_file(store: ConversationStore, database: Database) -> None:
    made = store.create("Now")
    store.append(made.id, None, Message.of(Role.ASSISTANT, "Once upon"), MessageState.WRITING)
    assert stored_records(database)[0].messages[0].state is MessageState.INTERRUPTED


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"role":"user"', '"role":"king"'),
        lambda text: text.replace('"parent":0', '"parent":77'),
        lambda text: text.replace('"version":1', '"version":2'),
        lambda text: text.replace("hearth-conversations", "other"),
        lambda text: text.replace('"created_at":', '"created_at":NaN,"x":'),
        lambda text: text.replace('"parts":[', '"parts":[7,'),
        lambda text: text.replace('"attachments":{\n"', '"attachments":{\n"00'),
        lambda text: text + "x",
        lambda text: "",
        lambda text: "{}",
        lambda text: "[1, 2]",
        lambda text: '{"messages": []}x',
    ],
)
def test_damaged_files_bring_nothing(
    database: Database,
    attachments: AttachmentStore,
    talk: int,
    tmp_path: Path,
    bring: Bring,
    damage: "object",
) -> None:
    text = _export(database, attachments).decode()
    assert callable(damage)
    path = tmp_path / "bad.json"
    path.write_text(damage(text), encoding="utf-8")
    ConversationStore(database).delete(talk)
    with pytest.raises(UserError) as told:
        bring(path)
    assert told.value.sentence.count(".") <= 3
    assert stored_records(database) == []
    assert database.query("SELECT count(*) FROM conversation") == [(1,)]


def test_any_bytes_are_refused_in_a_sentence(tmp_path: Path, bring: Bring) -> None:
    for number, data in enumerate(
        [b"", b"\xff\xfe\x00", b"PK\x03\x04rest", b"\0" * 5000, b"[" * 100_000, b'{"a": "\xff"}']
    ):
        path = tmp_path / f"{number}.json"
        path.write_bytes(data)
        with pytest.raises(UserError, match="damaged, or no export"):
            bring(path)
    with pytest.raises(UserError, match="cannot use"):
        bring(tmp_path / "none.json")


def _long(n_messages: int) -> ConversationRecord:
    said = tuple(
        MessageRecord(place - 1 if place else None, Message.of(Role.USER, f"{place}"), MessageState.COMPLETE, 1.0)
        for place in range(n_messages)
    )
    return ConversationRecord("Long", 1.0, 2.0, said, n_messages - 1)


def test_stopping_leaves_nothing(database: Database, path: Path) -> None:
    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise Stopped

    with writing(path) as other, pytest.raises(Stopped):
        write(other, [(_long(2000), "a")], check)
    assert database.query("SELECT (SELECT count(*) FROM message), (SELECT count(*) FROM conversation)") == [(0, 0)]


def test_nobody_sees_the_first_before_the_last(database: Database, path: Path) -> None:
    seen: list[int] = []
    with writing(path) as other:
        write(other, [(_long(900), "a"), (_long(10), "b")], lambda: seen.append(len(ConversationStore(database).all())))
    assert set(seen) == {0}
    assert len(ConversationStore(database).all()) == 2


def test_a_crash_in_the_middle_shows_nothing_and_is_cleared(database: Database, path: Path) -> None:
    with writing(path) as other:
        number = other.execute(
            "INSERT INTO conversation (title, created_at, updated_at, deleted_at) VALUES ('half', 1, 1, 0.0)"
        ).lastrowid
        assert ConversationStore(database).all() == ()
        write(other, [(_long(3), "a")])
    assert [each.title for each in ConversationStore(database).all()] == ["Long"]
    assert database.query("SELECT count(*) FROM conversation WHERE id = ?", (number,)) == [(0,)]


def test_the_window_may_write_meanwhile(database: Database, store: ConversationStore, path: Path) -> None:
    """Two writers, each with short transactions: none is refused."""
    mine = store.create("Mine")
    head: int | None = None
    with writing(path) as other:

        def check() -> None:
            nonlocal head
            head = store.append(mine.id, head, Message.of(Role.USER, "and on")).id

        write(other, [(_long(2000), "a")], check)
    assert len(store.path(mine.id)) > 4
    imported = next(each for each in store.all() if each.title == "Long")
    assert [each.message.text for each in store.path(imported.id)] == [str(place) for place in range(2000)]


def test_a_reader_sees_one_state(database: Database, store: ConversationStore, path: Path) -> None:
    store.create("First")
    with reading(path) as other:
        store.create("Second")
        assert len(conversation_ids(other)) == 1
    with reading(path) as other:
        assert len(conversation_ids(other)) == 2


def test_reading_works_in_a_thread(database: Database, store: ConversationStore, path: Path) -> None:
    store.create("First")
    found: list[int] = []

    def read() -> None:
        with reading(path) as other:
            found.append(len(conversation_ids(other)))

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    assert found == [1]


def test_folders_of_one_name_are_one(database: Database) -> None:
    one, two = replace(_long(1), folder="Work", created_at=1.0), replace(_long(1), folder="Work", created_at=2.0)
    write(database, [(one, "a"), (two, "b"), (replace(_long(1), created_at=3.0), "c")])
    write(database, [(replace(_long(2), folder="Work", created_at=4.0), "d")])
    assert database.query("SELECT name FROM folder") == [("Work",)]
    assert [record.folder for record in stored_records(database)] == ["Work", "Work", "", "Work"]


def test_writers_take_turns(database: Database, path: Path) -> None:
    """After each transaction there is time for others."""
    pauses: list[float] = []
    with pytest.MonkeyPatch.context() as patch, writing(path) as other:
        patch.setattr("app.storage.exchange.writer.time.sleep", pauses.append)
        write(other, [(_long(50), str(number)) for number in range(40)])
    assert len(pauses) == 2000 // 100 and all(pause >= 0 for pause in pauses)


def test_a_preset_comes_along_and_one_that_is_here_stays(
    talk: int, database: Database, attachments: AttachmentStore, tmp_path: Path
) -> None:
    number = "0123456789abcdef" * 2
    options = OptionsStore(database)
    options.put(Scope.PRESET, number, preset_to_json(Preset("Poet", "Rhyme.", {"temperature": 1.2})))
    options.put(Scope.CONVERSATION, str(talk), {"preset": number})
    exported = from_json(json.loads(_export(database, attachments))["conversations"][0])
    with Database.open(tmp_path / "other.sqlite3") as other:
        there = OptionsStore(other)
        there.put(Scope.PRESET, "f" * 32, preset_to_json(Preset("Poet", "Another.")))
        write(other, [(exported, digest(exported))])
        assert there.get(Scope.PRESET, number)["name"] == "Poet 2"
        assert there.get(Scope.PRESET, number)["system_prompt"] == "Rhyme."
        there.put(Scope.PRESET, number, preset_to_json(Preset("Poet 2", "Changed.")))
        write(other, [(exported, digest(exported))])
        assert there.get(Scope.PRESET, number)["system_prompt"] == "Changed."


def test_a_preset_under_a_name_of_ours_is_not_taken(database: Database) -> None:
    """`default` says which preset new conversations begin with."""
    record = ConversationRecord("A", 1.0, 1.0, options={"preset": "default"}, preset={"id": "x", "name": "Bad"})
    write(database, [(record, digest(record))])
    assert OptionsStore(database).get(Scope.PRESET, "default") == {}
