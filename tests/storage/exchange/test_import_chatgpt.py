"""What ChatGPT exports becomes conversations with versions, pictures and reasoning."""

import copy
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.errors import UserError
from app.core.messages import DocumentPart, ImagePart, Role, TextPart
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from tests.storage.exchange.conftest import Bring
from tests.storage.exchange.made import PNG, stored_records

Node = dict[str, Any]


def node(key: str, parent: str | None, role: str = "", content: object = None, **more: Any) -> tuple[str, Node]:
    """One of a mapping; a plain string is a text."""
    if isinstance(content, str):
        content = {"content_type": "text", "parts": [content]}
    message = {"id": key, "author": {"role": role, "name": more.pop("name", None), "metadata": {}}, "content": content}
    message |= {"create_time": 1_700_000_100.5, "status": "finished_successfully", "recipient": "all", "metadata": {}}
    return key, {"id": key, "parent": parent, "children": [], "message": message | more if role else None}


def talk(*nodes: tuple[str, Node], current: str = "", **more: object) -> Node:
    mapping = copy.deepcopy(dict(nodes))
    for key, each in mapping.items():
        if each["parent"] in mapping:
            mapping[each["parent"]]["children"].append(key)
    told = {"title": "Talk", "create_time": 1_700_000_000.25, "update_time": 1_700_000_900.5, "mapping": mapping}
    return {**told, "current_node": current or nodes[-1][0], "conversation_id": "c-1", **more}


SIMPLE = (
    node("root", None),
    node("sys", "root", "system", "", metadata={"is_visually_hidden_from_conversation": True}),
    node("me", "sys", "user", {"content_type": "user_editable_context", "user_profile": "x", "user_instructions": "y"}),
    node("q1", "me", "user", "Hello?"),
    node("a1", "q1", "assistant", "Hi.", metadata={"model_slug": "gpt-4o"}),
    node("q2", "a1", "user", "More"),
    node("a2", "q2", "assistant", "No more."),
)


@pytest.fixture
def read(tmp_path: Path, bring: Bring, database: Database) -> Any:
    def read(*talks: object) -> Any:
        path = tmp_path / "conversations.json"
        path.write_text(json.dumps(talks), encoding="utf-8")
        found = bring(path)
        return found, stored_records(database)

    return read


def said(record: Any) -> list[tuple[str, str]]:
    return [(each.message.role.value, each.message.text) for each in record.path]


def test_a_simple_conversation(read: Any) -> None:
    found, (record,) = read(talk(*SIMPLE))
    assert (found.source, found.n_conversations, found.skipped) == ("ChatGPT", 1, ())
    assert said(record) == [("user", "Hello?"), ("assistant", "Hi."), ("user", "More"), ("assistant", "No more.")]
    assert (record.title, record.created_at, record.updated_at) == ("Talk", 1_700_000_000.25, 1_700_000_900.5)
    assert record.messages[0].created_at == 1_700_000_100.5
    assert record.messages[1].figures == {"model": "gpt-4o"}


def test_versions_hang_beside_each_other_and_the_current_one_is_shown(read: Any, database: Database) -> None:
    _, (record,) = read(
        talk(
            *SIMPLE[:4],
            node("a1", "q1", "assistant", "First."),
            node("a1b", "q1", "assistant", "Second."),
            node("q2", "a1", "user", "On the first"),
            node("q2b", "a1", "user", "On the first, otherwise"),
            node("a2", "q2", "assistant", "Yes."),
            current="a2",
        )
    )
    assert said(record) == [
        ("user", "Hello?"),
        ("assistant", "First."),
        ("user", "On the first"),
        ("assistant", "Yes."),
    ]
    store = ConversationStore(database)
    path = store.path(store.all()[0].id)
    assert [(each.version, each.n_versions) for each in path] == [(1, 1), (1, 2), (1, 2), (1, 1)]
    # An answer with two follow-ups is one message.
    assert len(record.messages) == 6
    store.tree.show(store.tree.versions(path[1].id)[1])
    store.tree.show(path[1].id)
    assert [each.message.text for each in store.path(path[0].conversation_id)][-1] == "Yes."


def test_an_answer_of_many_nodes_is_one_message(read: Any) -> None:
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Think", "content": "It is 4."}]}
    code = {"content_type": "code", "language": "unknown", "text": "print(2 + 2)"}
    _, (record,) = read(
        talk(
            *SIMPLE[:4],
            node("t", "q1", "assistant", thoughts),
            node("r", "t", "assistant", {"content_type": "reasoning_recap", "content": "Thought for 3 s"}),
            node("c", "r", "assistant", code, recipient="python"),
            node("o", "c", "tool", {"content_type": "execution_output", "text": "4"}, name="python"),
            node("b", "o", "tool", "hidden words for the model", name="browser"),
            node("a", "b", "assistant", "Four\ue200cite\ue202turn0\ue201."),
            node("n", "a", "assistant", "remember this", recipient="bio"),
        )
    )
    question, answer = record.path
    assert answer.message.role is Role.ASSISTANT
    assert answer.message.text == "```python\nprint(2 + 2)\n```\n\n```\n4\n```\n\nFour."
    assert answer.message.reasoning == "**Think**\n\nIt is 4."
    assert len(record.messages) == 2
    assert question.message.text == "Hello?"


def test_an_answer_that_branches_in_the_middle_has_two_versions(read: Any) -> None:
    _, (record,) = read(
        talk(
            *SIMPLE[:4],
            node("a", "q1", "assistant", "Beginning."),
            node("b", "a", "assistant", "One end."),
            node("c", "a", "assistant", "Other end."),
        )
    )
    assert [each.message.text for each in record.messages] == [
        "Hello?",
        "Beginning.\n\nOne end.",
        "Beginning.\n\nOther end.",
    ]
    assert said(record)[-1][1].endswith("Other end.")


def test_code_with_fences_stays_inside(read: Any) -> None:
    code = {"content_type": "code", "language": "json", "text": "a\n```\nb"}
    _, (record,) = read(talk(*SIMPLE[:4], node("c", "q1", "assistant", code)))
    assert record.path[-1].message.text == "````json\na\n```\nb\n````"


def test_pictures_and_files_from_the_zip(
    tmp_path: Path, bring: Bring, database: Database, attachments: AttachmentStore
) -> None:
    shown = [
        {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-AbC1", "width": 3, "height": 2},
        {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_00gone"},
        "What is this?",
    ]
    files = [{"id": "file-AbC1", "name": "cat.png"}, {"id": "file-Doc2", "name": "notes.txt"}]
    drawn = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_0000drawn"}
    one = talk(
        *SIMPLE[:3],
        node("q", "me", "user", {"content_type": "multimodal_text", "parts": shown}, metadata={"attachments": files}),
        node("d", "q", "tool", {"content_type": "multimodal_text", "parts": [drawn, "say nothing"]}, name="dalle"),
    )
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations-000.json", json.dumps([one]))
        archive.writestr("conversations-001.json", json.dumps([talk(*SIMPLE, title="Second", create_time=5e8)]))
        archive.writestr("file-AbC1-cat.png", PNG)
        archive.writestr("file-Doc2-notes.txt", "Notes ä")
        archive.writestr("user-x/file_0000drawn-abc.png", PNG + b"2")
        archive.writestr("chat.html", "<html>")
    assert bring(path).n_conversations == 2
    second, record = stored_records(database)
    assert second.title == "Second"
    document, picture, gone = record.messages[0].message.parts
    assert isinstance(document, DocumentPart) and document.text == "Notes ä" and document.name == "notes.txt"
    assert isinstance(picture, ImagePart) and (picture.width, picture.height) == (3, 2)
    assert attachments.get(picture.content_hash) == PNG
    assert gone == TextPart("[file]\n\nWhat is this?")
    (drawing,) = record.messages[1].message.parts
    assert isinstance(drawing, ImagePart) and attachments.get(drawing.content_hash) == PNG + b"2"


def test_empty_and_damaged_conversations_are_counted(read: Any) -> None:
    found, made = read(talk(*SIMPLE), talk(*SIMPLE[:3], title="Empty"), {"title": "none"}, 7)
    assert found.n_conversations == 1 and found.n_skipped == 3
    assert dict(found.skipped) == {"it has no messages": 1, "it is damaged": 2}
    assert len(made) == 1


def test_what_times_and_titles_lack_is_made_up(read: Any) -> None:
    _, (record,) = read(
        talk(
            *SIMPLE[:3], node("q", "me", "user", "Hi", create_time=None), title=None, create_time=None, update_time="x"
        )
    )
    assert record.title == ""
    assert record.created_at > 1e9 and record.messages[0].created_at == record.created_at == record.updated_at


def test_a_circle_ends(read: Any) -> None:
    told = talk(*SIMPLE)
    told["mapping"]["q1"]["parent"] = "a2"
    _, made = read(told, talk(*SIMPLE, title="Good"))
    assert "Good" in [record.title for record in made]


def test_the_same_export_is_known_and_a_longer_one_is_not(read: Any) -> None:
    read(talk(*SIMPLE))
    found, made = read(talk(*SIMPLE))
    assert found.n_known == 1 and len(made) == 1
    found, made = read(talk(*SIMPLE, node("q3", "a2", "user", "Later")))
    assert found.n_known == 0 and len(made) == 2


_junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


def _places(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, each in inner for found in _places(each, (*path, key)))]


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
def test_whatever_stands_there_is_read_or_refused(tmp_path: Path, bring: Bring, data: st.DataObject) -> None:
    """One value anywhere in an export is replaced by another."""
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Think", "content": "It is 4."}]}
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-AbC1"}
    shown = {"content_type": "multimodal_text", "parts": ["text", picture]}
    files = {"attachments": [{"id": "file-1", "name": "a"}]}
    told = talk(
        *SIMPLE,
        node("t", "a2", "assistant", thoughts),
        node("c", "t", "assistant", {"content_type": "code", "language": "python", "text": "1"}),
        node("o", "c", "tool", {"content_type": "execution_output", "text": "4"}),
        node("p", "o", "user", shown, metadata=files),
    )
    whole = [json.loads(json.dumps(told))]
    *way, last = data.draw(st.sampled_from(_places(whole)[1:]))
    place: Any = whole
    for key in way:
        place = place[key]
    place[last] = data.draw(_junk)
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    try:
        bring(path)
    except UserError as error:
        assert "nothing was imported" in error.sentence
