"""A conversation as Markdown."""

from app.core.messages import Message, Role, TextPart, ToolCall
from app.storage.conversations import MessageState
from app.storage.exchange.export_markdown import markdown
from app.storage.exchange.records import ConversationRecord, MessageRecord


def test_what_tools_were_asked_and_gave_is_there() -> None:
    call = ToolCall("c1", "read_file", '{"path": "a.txt"}')
    said = (
        Message.of(Role.USER, "What is in it?"),
        Message(Role.ASSISTANT, tool_calls=(call,)),
        Message(Role.TOOL, (TextPart("```\nBuy apples"),), tool_call_id="c1", name="read_file"),
        Message.of(Role.ASSISTANT, "Apples."),
    )
    records = tuple(
        MessageRecord(place - 1 if place else None, each, MessageState.COMPLETE, 0.0) for place, each in enumerate(said)
    )
    written = markdown(ConversationRecord("Files", 0.0, 0.0, records, head=3), lambda _: "")
    assert '**Calls read\\_file**\n\n```json\n{"path": "a.txt"}\n```' in written
    assert "## Tool read_file\n\n````\n```\nBuy apples\n````" in written, "what it gave ends no block"
