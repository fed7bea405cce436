"""What LM Studio keeps becomes conversations with versions, reasoning and files."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import UserError
from app.core.messages import ImagePart, Role, TextPart
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from tests.storage.exchange.conftest import Bring
from tests.storage.exchange.made import PNG, stored_records


def user(*texts: str, selected: int = 0, files: tuple[str, ...] = ()) -> dict[str, Any]:
    attached = [{"type": "file", "fileIdentifier": name, "fileType": "image", "sizeBytes": 9} for name in files]
    versions = [
        {"type": "singleStep", "role": "user", "content": [*attached, {"type": "text", "text": text}]} for text in texts
    ]
    return {"versions": versions, "currentlySelected": selected}


def block(text: str, **more: object) -> dict[str, Any]:
    return {"type": "contentBlock", "stepIdentifier": "1", "content": [{"type": "text", "text": text}], **more}


def answer(*answers: list[dict[str, Any]], selected: int = 0) -> dict[str, Any]:
    versions = [
        {"type": "multiStep", "role": "assistant", "senderInfo": {"senderName": "qwen3-8b"}, "steps": steps}
        for steps in answers
    ]
    return {"versions": versions, "currentlySelected": selected}


TALK: dict[str, Any] = {
    "name": "Sums",
    "pinned": False,
    "createdAt": 1_700_000_000_250,
    "assistantLastMessagedAt": 1_700_000_900_500,
    "tokenCount": 12,
    "systemPrompt": "",
    "messages": [
        user("2+2?", "2 + 2 = ?", selected=1),
        answer(
            [block("Four")],
            [
                block("Add them.", style={"type": "thinking", "ended": True, "title": "Thought for 1 s"}),
                {"type": "debugInfoBlock", "debugInfo": "x"},
                block("4"),
            ],
            selected=1,
        ),
        user("Sure?"),
    ],
    "clientInput": "",
}


@pytest.fixture
def read(tmp_path: Path, bring: Bring, database: Database) -> Any:
    def read(told: object, name: str = "1700.conversation.json") -> Any:
        path = tmp_path / name
        path.write_text(json.dumps(told), encoding="utf-8")
        return bring(path), stored_records(database)

    return read


def test_versions_reasoning_and_times(read: Any, database: Database) -> None:
    found, (record,) = read(TALK)
    assert (found.source, found.n_conversations, found.n_messages) == ("LM Studio", 1, 5)
    assert (record.title, record.created_at, record.updated_at) == ("Sums", 1_700_000_000.25, 1_700_000_900.5)
    assert [each.message.text for each in record.path] == ["2 + 2 = ?", "4", "Sure?"]
    assert record.path[1].message.reasoning == "Add them."
    assert record.path[1].figures == {"model": "qwen3-8b"}
    store = ConversationStore(database)
    path = store.path(store.all()[0].id)
    assert [(each.version, each.n_versions) for each in path] == [(2, 2), (2, 2), (1, 1)]
    # Going to another version and back leads to where one was.
    store.tree.show(store.tree.versions(path[1].id)[0])
    store.tree.show(path[1].id)
    assert store.path(path[0].conversation_id) == path


def test_the_system_prompt_comes_first(read: Any) -> None:
    config = {"fields": [{"key": "llm.prediction.systemPrompt", "value": "Be brief."}]}
    _, (record,) = read({**TALK, "perChatPredictionConfig": config})
    assert record.path[0].message.role is Role.SYSTEM and record.path[0].message.text == "Be brief."
    assert len(record.path) == 4


def test_tools_are_told_in_the_text(read: Any) -> None:
    steps = [
        {"type": "contentBlock", "content": [{"type": "toolCallRequest", "name": "add", "parameters": {"a": 2}}]},
        {"type": "contentBlock", "content": [{"type": "toolCallResult", "content": '[{"type": "text"}]'}]},
        block("Four"),
    ]
    _, (record,) = read({**TALK, "messages": [user("Add"), answer(steps)]})
    text = record.path[1].message.text
    assert text.startswith('add:\n\n```json\n{\n  "a": 2\n}\n```') and text.endswith("Four")


def test_files_from_the_folder_beside(
    tmp_path: Path, bring: Bring, database: Database, attachments: AttachmentStore
) -> None:
    inner = tmp_path / "conversations" / "Work"
    inner.mkdir(parents=True)
    (tmp_path / "user-files").mkdir()
    (tmp_path / "user-files" / "1 - 2.png").write_bytes(PNG)
    (tmp_path / "secret").write_bytes(b"secret")
    path = inner / "5.conversation.json"
    path.write_text(json.dumps({**TALK, "messages": [user("See", files=("1 - 2.png", "../secret", "gone.png"))]}))
    bring(path)
    (record,) = stored_records(database)
    picture, text = record.messages[0].message.parts
    assert isinstance(picture, ImagePart) and attachments.get(picture.content_hash) == PNG
    assert text == TextPart("[../secret]\n\n[gone.png]\n\nSee")


def test_many_in_a_zip(tmp_path: Path, bring: Bring, database: Database) -> None:
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(3):
            told = {**TALK, "createdAt": 1000 * (number + 1)}
            archive.writestr(f"conversations/{number}.conversation.json", json.dumps(told))
        archive.writestr("conversations/other.txt", "x")
    assert bring(path).n_conversations == 3
    assert [record.created_at for record in stored_records(database)] == [1.0, 2.0, 3.0]


def test_one_bad_file_among_many_brings_nothing(tmp_path: Path, bring: Bring, database: Database) -> None:
    good, bad = tmp_path / "good.conversation.json", tmp_path / "bad.conversation.json"
    good.write_text(json.dumps(TALK))
    bad.write_text(json.dumps(TALK)[:-20])
    with pytest.raises(UserError, match=r"bad\.conversation\.json is damaged"):
        bring(good, bad)
    assert stored_records(database) == []


def test_an_empty_one_is_skipped(read: Any) -> None:
    found, made = read({**TALK, "messages": []})
    assert made == [] and found.skipped == (("it has no messages", 1),)


@pytest.mark.parametrize(
    "messages",
    [
        [{"versions": None}],
        [{"versions": [{"role": "user", "content": None}, 7]}],
        [{"versions": [{"type": "multiStep", "role": "assistant", "steps": [{"type": "contentBlock", "style": 3}]}]}],
        [{"versions": [{"role": "user", "content": [{"type": "file", "fileIdentifier": 7}, {"type": 3}]}]}],
        [{"versions": [{"role": ["user"], "content": []}]}],
    ],
)
def test_strange_messages_are_left_out(read: Any, messages: object) -> None:
    found, made = read({**TALK, "messages": messages, "createdAt": "x", "perChatPredictionConfig": {"fields": 3}})
    assert made == [] and found.n_skipped == 1
