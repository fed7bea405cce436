"""Everything that a message holds lies in its row and comes back."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.messages import AudioPart, DocumentPart, ImagePart, Message, Part, PassagePart, Role, TextPart, ToolCall
from app.storage.conversations import ConversationStore
from app.storage.message_rows import dump_message, load_message

parts: st.SearchStrategy[Part] = st.one_of(
    st.builds(TextPart, st.text(max_size=9)),
    st.builds(ImagePart, st.text("0123456789abcdef", min_size=64, max_size=64), st.text(max_size=5)),
    st.builds(AudioPart, st.text(max_size=9), st.text(max_size=5)),
    st.builds(
        AudioPart, st.text(max_size=9), st.text(max_size=5), st.integers(1, 9), st.integers(1, 9), st.just("ab" * 32)
    ),
    st.builds(DocumentPart, st.text(max_size=5), st.text(max_size=5), st.text(max_size=5), by_passages=st.booleans()),
    st.builds(
        PassagePart,
        *(st.integers(1, 9), st.text(max_size=5), st.text(max_size=5), st.text(max_size=5)),
        *(st.none() | st.integers(1, 9), st.integers(0, 9), st.integers(0, 9), st.text(max_size=5)),
    ),
)
calls = st.builds(ToolCall, st.text(max_size=5), st.text(max_size=5), st.text(max_size=9))
messages = st.builds(
    Message,
    st.sampled_from(Role),
    st.lists(parts, max_size=3).map(tuple),
    reasoning=st.text(max_size=9),
    tool_calls=st.lists(calls, max_size=3).map(tuple),
    tool_call_id=st.text(max_size=5),
    name=st.text(max_size=5),
)


@given(messages)
def test_any_message_comes_back(message: Message) -> None:
    assert load_message(message.role.value, dump_message(message), None, None) == message


def test_an_answer_with_a_call_and_what_the_tool_said(store: ConversationStore) -> None:
    call = ToolCall("c1", "get_weather", '{"city":"Paris"}')
    answer = Message(Role.ASSISTANT, (), reasoning="Better ask.", tool_calls=(call,))
    told = Message(Role.TOOL, (TextPart("21"),), tool_call_id="c1", name="get_weather")
    conversation = store.create()
    first = store.append(conversation.id, None, answer)
    store.append(conversation.id, first.id, told)
    assert [each.message for each in store.path(conversation.id)] == [answer, told]


def test_rows_of_earlier_versions_are_as_they_were() -> None:
    old = '[{"type":"text","text":"hello"},{"type":"image","content_hash":"ab","name":"a.png"}]'
    assert load_message("user", old, None, None) == Message(Role.USER, (TextPart("hello"), ImagePart("ab", "a.png")))
    assert json.loads(dump_message(Message.of(Role.USER, "hello"))) == [{"type": "text", "text": "hello"}]


@pytest.mark.parametrize(
    "entry", [{"type": "reasoning"}, {"type": "tool_call", "id": 3}, {"type": "tool_result", "name": None}]
)
def test_a_damaged_entry_is_shown_by_its_kind(entry: dict[str, object]) -> None:
    loaded = load_message("assistant", json.dumps([entry, {"type": "text", "text": "x"}]), None, None)
    assert loaded.parts == (TextPart(f"[{entry['type']}]"), TextPart("x"))
    assert (loaded.reasoning, loaded.tool_calls, loaded.tool_call_id) == ("", (), "")


def test_what_answers_cite_of_a_document_is_kept() -> None:
    part = DocumentPart("ab" * 32, "a.pdf", "[Page 1]\nx\n", starts=(0,), number=4)
    message = Message(Role.USER, (part,))
    parts = dump_message(message)
    assert load_message("user", parts, None, None) == message
    bare = Message(Role.USER, (replace(part, starts=(), number=0),))
    for starts, number in (("[99]", "4"), ("[0, 0]", "4"), ('["x"]', "4"), ("[0]", "0"), ("[true]", "4")):
        told = parts.replace('"starts":[0],"number":4', f'"starts":{starts},"number":{number}')
        assert told != parts and load_message("user", told, None, None) == bare
