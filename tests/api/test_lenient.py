"""What clients send carelessly, and mean plainly."""

import asyncio
import base64
import json
import math
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from app.api.lenient_paths import lenient_path
from app.core.events import Finished, FinishReason, ReplyEvent, ToolCallDelta
from app.core.messages import DocumentPart, Generation, ImagePart, Role, TextPart, ToolCall
from app.core.requests import ToolChoice
from app.engine.documents import document_process
from tests.api.openai.test_chat_request import OTHER, TOOL, parse, refused
from tests.api.test_server import CHAT, QUESTION, TEXT, FakeReplies, answer, error, events, served, told
from tests.document_files import pdf
from tests.office_files import docx, paragraph

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
NOTES = base64.b64encode("Größe: 5".encode()).decode()


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ({"type": "input_text", "text": "a"}, TextPart),
        ({"type": "output_text", "text": "a"}, TextPart),
        ({"type": "refusal", "refusal": "No."}, TextPart),
        ({"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}"}, ImagePart),
        ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}, ImagePart),
        ({"type": "file", "file": {"filename": "n.txt", "file_data": f"data:text/plain;base64,{NOTES}"}}, DocumentPart),
        ({"type": "input_file", "filename": "n.txt", "file_data": NOTES}, DocumentPart),
        ({"type": "document", "source": {"type": "text", "data": "Größe: 5"}}, DocumentPart),
        ({"type": "document", "source": {"type": "base64", "data": NOTES}}, DocumentPart),
        (
            {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "Größe: 5"}]}},
            DocumentPart,
        ),
    ],
)
def test_parts_in_the_words_of_other_dialects(part: dict[str, object], kind: type) -> None:
    [made] = parse(messages=[{"role": "user", "content": [part]}]).chat.messages[0].parts
    assert isinstance(made, kind)
    if isinstance(made, DocumentPart):
        assert made.text == "Größe: 5"
    if isinstance(made, ImagePart):
        assert made.data == base64.b64decode(PICTURE)


@pytest.mark.parametrize("data", ["%", base64.b64encode(b"%PDF-1.7").decode(), base64.b64encode(b"\0\1\2").decode()])
def test_a_file_that_is_no_text_is_refused_by_its_place(data: str) -> None:
    part = {"type": "file", "file": {"file_data": data}}
    assert refused(messages=[{"role": "user", "content": [part]}]).param == "messages[0].content[0].file.file_data"


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [("a.pdf", pdf("One"), "[Page 1]\nOne\n"), ("a.docx", docx(paragraph("One")), "One\n")],
)
def test_a_document_that_comes_with_every_turn_is_read_once(name: str, data: bytes, text: str) -> None:
    part = {"type": "input_file", "filename": name, "file_data": base64.b64encode(data).decode()}
    messages = [{"role": "user", "content": [part]}]
    with patch.object(document_process, "document_text", wraps=document_process.document_text) as read:
        parts = [parse(messages=messages).chat.messages[0].parts[0] for _ in range(3)]
    assert all(isinstance(each, DocumentPart) and (each.name, each.text) == (name, text) for each in parts)
    assert read.call_count == 1


def test_a_file_is_read_as_its_name_says_and_not_as_another_with_the_same_bytes() -> None:
    mail = base64.b64encode(b"Subject: One\n\nHello").decode()
    parts = [{"type": "input_file", "filename": name, "file_data": mail} for name in ("a.txt", "a.eml")]
    plain, read = parse(messages=[{"role": "user", "content": parts}]).chat.messages[0].parts
    assert isinstance(plain, DocumentPart)
    assert isinstance(read, DocumentPart)
    assert plain.text == "Subject: One\n\nHello"
    assert read.text != plain.text


def test_a_message_without_content() -> None:
    for message in ({"role": "user", "content": None}, {"role": "user"}, {"role": "system", "content": None}):
        assert parse(messages=[message]).chat.messages[0].text == ""


@pytest.mark.parametrize("name", ["max_tokens", "n_predict", "max_completion_tokens"])
def test_nothing_has_to_be_written(name: str) -> None:
    assert parse(**{name: 0}).chat.only_read
    assert not parse(**{name: 20.0}).chat.only_read
    assert parse(**{name: 20.0}).chat.sampling.max_tokens == 20
    assert not parse(max_tokens=0, max_completion_tokens=5).chat.only_read, "the newer name holds"


def test_the_form_of_an_answer_in_vllms_words() -> None:
    schema = {"type": "object"}
    wanted = parse(json_schema=schema).chat.grammar
    assert parse(guided_json=schema).chat.grammar == wanted
    assert parse(structured_outputs={"json": schema}).chat.grammar == wanted
    assert parse(structured_outputs={"json_object": True}).chat.grammar == "grammar of null"
    one_of = 'root ::= "a \\"b\\"" | "c"'
    assert parse(guided_choice=['a "b"', "c"]).chat.grammar == one_of
    assert parse(structured_outputs={"choice": ['a "b"', "c"]}).chat.grammar == one_of
    assert parse(structured_outputs={}, guided_choice=[]).chat.grammar == ""
    for bad in ({"guided_json": "x"}, {"structured_outputs": {"regex": "a"}}, {"guided_regex": "a"}):
        assert refused(**bad).param == next(iter(bad))
    assert refused(guided_json=schema, grammar="x").param == "guided_json"


def test_tokens_that_end_an_answer_and_biases_of_texts() -> None:
    asked = parse(stop_token_ids=[7, 8.0], logit_bias=[[3, 1], ["no", False], ["12", -100]]).chat
    assert asked.stop_tokens == (7, 8)
    assert asked.logit_bias == ((3, 1.0), ("no", -math.inf), (12, -math.inf))
    assert parse(logit_bias={"no": 2, "7": 1}).chat.logit_bias == (("no", 2.0), (7, 1.0))
    assert refused(stop_token_ids=[1000]).param == "stop_token_ids"


def test_tools_of_mcp_and_many_of_them() -> None:
    name = "files/" + "read a file: " * 8
    assert len(name) > 100
    many = [{"type": "function", "function": {"name": f"{name}{number}"}} for number in range(200)]
    assert len(parse(tools=many).chat.tools) == 200


def test_tools_that_are_allowed() -> None:
    allowed = {"mode": "required", "tools": [{"type": "function", "function": {"name": "g"}}]}
    asked = parse(tools=[TOOL, OTHER], tool_choice={"type": "allowed_tools", "allowed_tools": allowed}).chat
    functions: list[Any] = [each["function"] for each in asked.tools]
    assert [each["name"] for each in functions] == ["g"]
    assert (asked.tool_choice, asked.tool_name) == (ToolChoice.REQUIRED, "")


CUSTOM = {"type": "custom", "custom": {"name": "note", "description": "Notes.", "format": {"type": "text"}}}


def called(call: ToolCall) -> list[ReplyEvent]:
    *_, last = answer(reason=FinishReason.TOOL_CALLS)
    assert isinstance(last, Finished)
    pieces = (ToolCallDelta(0, call.id, call.name, call.arguments[:4]), ToolCallDelta(0, arguments=call.arguments[4:]))
    return [*pieces, replace(last, tool_calls=(call,), generation=Generation("v", (1, 2)), reasoning="Hm.")]


@pytest.mark.parametrize("stream", [True, False])
async def test_a_custom_tool_is_a_function_with_one_text(stream: bool) -> None:
    call = ToolCall("abcdefghi", "note", '{"input": "a\\nb"}')
    replies = FakeReplies(called(call), answer("Noted."))
    async with served(replies) as client:
        response = await client.post(CHAT, json={**QUESTION, "tools": [CUSTOM], "stream": stream})
        if stream:
            *chunks, _ = events(await response.text())
            [calls] = [found for each in chunks if (found := each["choices"][0]["delta"].get("tool_calls"))]
            assert calls[0].pop("index") == 0
        else:
            calls = (await told(response))["choices"][0]["message"]["tool_calls"]
        assert calls == [{"id": "abcdefghi", "type": "custom", "custom": {"name": "note", "input": "a\nb"}}]
        messages = [*QUESTION["messages"], {"role": "assistant", "tool_calls": calls}]
        messages.append({"role": "tool", "tool_call_id": "abcdefghi", "content": "done"})
        await told(await client.post(CHAT, json={"messages": messages, "tools": [CUSTOM]}))
    assert replies.asked[0].tools == parse(tools=[CUSTOM]).chat.tools
    assert replies.asked[1].messages[1].tool_calls == (call,)
    assert replies.asked[1].messages[1].generation == Generation("v", (1, 2))


async def test_a_call_whose_json_was_written_anew_is_known_by_its_id() -> None:
    call = ToolCall("abcdefghi", "f", '{"b":1, "a":"ü"}')
    replies = FakeReplies(called(call), answer("Yes."), answer("No."))
    async with served(replies) as client:
        await told(await client.post(CHAT, json={**QUESTION, "tools": [TOOL]}))
        for city in ("ü", "o"):
            function = {"name": "f", "arguments": json.dumps({"a": city, "b": 1})}
            assistant = {"role": "assistant", "content": None, "tool_calls": [{"id": call.id, "function": function}]}
            messages = [*QUESTION["messages"], assistant, {"role": "tool", "tool_call_id": call.id, "content": "x"}]
            await told(await client.post(CHAT, json={"messages": messages, "tools": [TOOL]}))
    same, changed = (each.messages[1] for each in replies.asked[1:])
    assert (same.generation, same.tool_calls, same.reasoning) == (Generation("v", (1, 2)), (call,), "Hm.")
    assert (changed.generation, changed.reasoning) == (None, "")


async def test_an_empty_prompt_and_nothing_to_write() -> None:
    replies = FakeReplies(answer("a"), answer("b"), answer(""), answer("c"))
    async with served(replies) as client:
        await told(await client.post(TEXT, json={"prompt": ""}))
        await told(await client.post(TEXT, json={"prompt": []}))
        await told(await client.post(TEXT, json={"prompt": "a", "max_tokens": 0}))
        await told(await client.post(TEXT, json={"prompt": "a", "suffix": "c"}))
    assert [each.prompt for each in replies.asked] == ["", "", "a", "a"]
    assert [each.only_read for each in replies.asked] == [False, False, True, False]
    assert [each.suffix for each in replies.asked] == ["", "", "", "c"]


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/v1/chat/completions/", "/v1/chat/completions"),
        ("//v1//chat/completions", "/v1/chat/completions"),
        ("/chat/completions", "/v1/chat/completions"),
        ("/v1/v1/chat/completions", "/v1/chat/completions"),
        ("/v1/v1/v1/models", "/v1/models"),
        ("/models/", "/v1/models"),
        ("/messages/count_tokens", "/v1/messages/count_tokens"),
        ("/v1/health", "/health"),
        ("/v1/tokenize/", "/tokenize"),
        ("/", "/"),
        ("/v1", "/v1"),
        ("/nothing//here", "/nothing/here"),
    ],
)
def test_paths(path: str, meant: str) -> None:
    assert lenient_path(path) == meant


async def test_paths_that_are_nearly_right_are_served() -> None:
    async with served(FakeReplies(*[answer("a")] * 3)) as client:
        for path in ("/chat/completions", "/v1/v1/chat/completions/", "/v1//chat/completions"):
            assert (await told(await client.post(path, json=QUESTION)))["object"] == "chat.completion"
        assert (await told(await client.get("/models/tiny?x=1")))["id"] == "tiny"
        assert (await told(await client.get("/v1/health/"))) == {"status": "ok"}
        assert (await error(await client.get("/v1/nothing/"), 404))["code"] == "unknown_url"
        assert (await error(await client.get("/chat/completions/"), 405))["code"] == "method_not_allowed"


async def test_odd_paths_are_not_found() -> None:
    async with served(FakeReplies()) as client:
        for path in (
            "//evil.example/x/",
            "/%3Fx//",
            "/%23//",
            "/%ED%A0%80//",
            "/v1/%00%FF//",
            "/:80//",
            "/@//",
            "/%2F%2F",
        ):
            reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
            writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            assert (await reader.readline()).split()[1] == b"404", path
            writer.close()


async def test_a_path_that_is_nearly_right_needs_the_key_too() -> None:
    async with served(FakeReplies(), api_key="key") as client:
        await error(await client.post("/chat/completions", json=QUESTION), 401)
        assert (await client.get("/v1/health")).status == 200


async def test_a_body_without_a_type_is_json_unless_a_page_sends_it() -> None:
    replies = FakeReplies(answer("a"), answer("b"))
    async with served(replies) as client:
        body = json.dumps(QUESTION).encode()
        await told(await client.post(CHAT, data=body, skip_auto_headers=("Content-Type",)))
        await told(await client.post(CHAT, data=body, headers={"Content-Type": "application/octet-stream"}))
        for origin in ("https://evil.example", "null"):
            page = await client.post(CHAT, data=body, skip_auto_headers=("Content-Type",), headers={"Origin": origin})
            assert (await error(page, 403))["code"] == "origin_not_allowed"
    assert len(replies.asked) == 2
    assert replies.asked[0].messages[0].role is Role.USER
