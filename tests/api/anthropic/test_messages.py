"""Anthropic's Messages over answers that are given: what is asked of the engine, and what clients are told."""

import json
from dataclasses import replace
from typing import Any

import pytest

from app.core.capabilities import Capabilities
from app.core.errors import ContextFullError, UserError
from app.core.events import (
    DeltaKind,
    Finished,
    FinishReason,
    Looking,
    PromptProgress,
    ReplyEvent,
    TextDelta,
    Timings,
    ToolCallDelta,
)
from app.core.messages import DocumentPart, Generation, Message, Role, TextPart, ToolCall
from app.core.requests import ToolChoice
from tests.api.test_server import MODEL, Client, FakeReplies, answer, served, told

PATH = "/v1/messages"
HELLO: dict[str, Any] = {"max_tokens": 9, "messages": [{"role": "user", "content": "Where is the marmalade?"}]}
TOOL = {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}
CALL = ToolCall("abcdefghi", "look", '{"b":1, "a":"ü"}')


def thinking_answer() -> list[ReplyEvent]:
    timings = Timings(cache_n=30, prompt_n=12, predicted_n=7)
    finished = Finished(
        FinishReason.TOOL_CALLS,
        "\n\n",
        Generation("v", (5, 6, 7)),
        timings,
        seed=7,
        n_past=46,
        reasoning="I must look.",
        tool_calls=(CALL,),
    )
    return [
        Looking(1, 1),
        PromptProgress(42, 30, 0, 0.0),
        PromptProgress(42, 30, 12, 0.1),
        TextDelta("I must ", kind=DeltaKind.REASONING),
        TextDelta("look.", kind=DeltaKind.REASONING),
        TextDelta("\n\n"),
        ToolCallDelta(0, CALL.id, CALL.name),
        ToolCallDelta(0, arguments=CALL.arguments[:4]),
        ToolCallDelta(0, arguments=CALL.arguments[4:]),
        finished,
    ]


def named_events(text: str) -> list[Any]:
    found = []
    for block in text.split("\n\n"):
        if block:
            name, data = block.split("\n")
            payload = json.loads(data.removeprefix("data: "))
            assert name == f"event: {payload['type']}"
            found.append(payload)
    return found


async def refused(client: Client, status: int, **more: object) -> Any:
    response = await client.post(PATH, json={**HELLO, **more})
    body = await told(response, status)
    assert set(body) == {"type", "error", "request_id"}
    assert body["type"] == "error"
    assert body["request_id"] == response.headers["request-id"]
    return body["error"]


async def test_a_stream_has_its_events_in_order() -> None:
    async with served(FakeReplies(thinking_answer())) as client:
        response = await client.post(PATH, json={**HELLO, "stream": True, "tools": [TOOL]})
        told = named_events(await response.text())
        start, ping, *blocks, delta, stop = told
        assert [each["type"] for each in (start, ping, delta, stop)] == [
            "message_start",
            "ping",
            "message_delta",
            "message_stop",
        ]
        assert start["message"]["content"] == []
        assert start["message"]["usage"] == {
            "input_tokens": 12,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 30,
            "output_tokens": 0,
        }
        kinds = [(each["type"].removeprefix("content_block_"), each["index"]) for each in blocks]
        thought = [("start", 0), ("delta", 0), ("delta", 0), ("delta", 0), ("stop", 0)]
        assert kinds == [*thought, ("start", 1), ("delta", 1), ("delta", 1), ("stop", 1)]
        assert blocks[0]["content_block"] == {"type": "thinking", "thinking": "", "signature": ""}
        assert blocks[3]["delta"]["type"] == "signature_delta"
        assert blocks[3]["delta"]["signature"]
        assert blocks[5]["content_block"] == {"type": "tool_use", "id": "toolu_abcdefghi", "name": "look", "input": {}}
        assert "".join(each["delta"]["partial_json"] for each in blocks[6:8]) == CALL.arguments
        assert delta["delta"] == {"stop_reason": "tool_use", "stop_sequence": None}
        assert delta["usage"]["output_tokens"] == 7


@pytest.mark.parametrize("stream", [True, False])
async def test_answers_come_back_as_the_tokens_that_they_were(stream: bool) -> None:
    replies = FakeReplies(thinking_answer(), answer("Here."), answer("Yes."), answer("No."))
    async with served(replies) as client:
        first = {**HELLO, "tools": [TOOL]}
        if stream:
            events = named_events(await (await client.post(PATH, json={**first, "stream": True})).text())
            signature = next(each["delta"]["signature"] for each in events if "signature" in each.get("delta", {}))
        else:
            signature = (await told(await client.post(PATH, json=first)))["content"][0]["signature"]
        thought = {"type": "thinking", "thinking": "I must look.", "signature": signature}
        use = {"type": "tool_use", "id": f"toolu_{CALL.id}", "name": "look", "input": {"a": "ü", "b": 1}}
        result = {"type": "tool_result", "tool_use_id": use["id"], "content": "On the shelf."}
        for content in ([thought, use], [use], [{**thought, "thinking": "I need not."}, use]):
            messages = [*HELLO["messages"], {"role": "assistant", "content": content}]
            messages.append({"role": "user", "content": [result]})
            await told(await client.post(PATH, json={**first, "messages": messages}))
    whole, by_call, changed = (each.messages[1] for each in replies.asked[1:])
    for each in (whole, by_call):
        assert each.generation == Generation("v", (5, 6, 7))
        assert each.tool_calls == (CALL,), "as the model wrote them"
        assert each.reasoning == "I must look."
    assert changed.generation is None, "this is not what it thought"
    assert replies.asked[1].messages[2] == Message(
        Role.TOOL, (TextPart("On the shelf."),), tool_call_id=CALL.id, name="look"
    )


async def test_nobody_else_gets_an_answers_tokens() -> None:
    """Neither by its words nor by its ids, where anything before it is otherwise."""
    replies = FakeReplies(thinking_answer(), answer("Here."))
    async with served(replies) as client:
        first = {**HELLO, "tools": [TOOL]}
        content = (await told(await client.post(PATH, json=first)))["content"]
        other = [{"role": "user", "content": "Where is the jam?"}, {"role": "assistant", "content": content}]
        await told(await client.post(PATH, json={**first, "messages": [*other, {"role": "user", "content": "Well?"}]}))
    assert replies.asked[1].messages[1].generation is None
    assert replies.asked[1].messages[1].reasoning == "I must look.", "as it was told"


async def test_what_is_asked() -> None:
    seeing = replace(MODEL, capabilities=Capabilities(sees=True))
    replies = FakeReplies(answer("a"), answer("b"), answer("c"), model=seeing)
    picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
    content = [
        {"type": "text", "text": "<reminder>", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "Well?"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": picture}},
        {"type": "document", "title": "notes", "source": {"type": "text", "media_type": "text/plain", "data": "Jam."}},
        {
            "type": "tool_result",
            "tool_use_id": "toolu_x",
            "is_error": True,
            "content": [{"type": "text", "text": "no"}],
        },
    ]
    asked = {
        "system": [
            {"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1; cch=12ab;"},
            {"type": "text", "text": "Be brief."},
            {"type": "text", "text": "Be kind."},
        ],
        "messages": [{"role": "user", "content": content}],
        "max_tokens": 20.0,
        "temperature": 0.5,
        "stop_sequences": ["\n", ""],
        "tools": [TOOL, {"type": "web_search_20250305", "name": "web_search"}],
        "tool_choice": {"type": "tool", "name": "look", "disable_parallel_tool_use": True},
        "thinking": {"type": "enabled", "budget_tokens": 2000},
        "output_config": {"effort": "max"},
        "metadata": {"user_id": "me"},
        "anthropic_beta": ["x"],
    }
    async with served(replies) as client:
        response = await client.post(f"{PATH}?beta=true", json=asked)
        assert response.headers["Hearth-Ignored"] == (
            "anthropic_beta, system.x-anthropic-billing-header, tools[].web_search, thinking.budget_tokens"
        )
        await told(response)
        await told(await client.post(PATH, json={**HELLO, "thinking": {"type": "disabled"}, "system": "x"}))
        await told(await client.post(PATH, json={**HELLO, "tools": [TOOL], "tool_choice": {"type": "any"}}))

    chat = replies.asked[0]
    tool, user = chat.messages[1:]
    assert chat.messages[0] == Message.of(Role.SYSTEM, "Be brief.\n\nBe kind.")
    assert (tool.role, tool.text, tool.tool_call_id) == (Role.TOOL, "Error: no", "x")
    assert user.text == "<reminder>\nWell?"
    assert len(user.pictures) == 1
    assert [(each.name, each.text) for each in user.documents] == [("notes", "Jam.")]
    assert (chat.sampling.max_tokens, chat.sampling.temperature, chat.stop) == (20, 0.5, ("\n",))
    assert (chat.tool_choice, chat.tool_name, chat.parallel_tool_calls) == (ToolChoice.REQUIRED, "look", False)
    assert [each["function"] for each in chat.tools] == [
        {"name": "look", "description": "Looks.", "parameters": {"type": "object"}}
    ]
    assert chat.template_args == {"enable_thinking": True, "reasoning_effort": "high"}
    assert replies.asked[1].template_args == {"enable_thinking": False}
    assert (replies.asked[2].tool_choice, replies.asked[2].tool_name) == (ToolChoice.REQUIRED, "")


@pytest.mark.parametrize(
    ("reason", "stop", "told_reason", "told_stop"),
    [
        (FinishReason.STOP, "", "end_turn", None),
        (FinishReason.STOP, "END", "stop_sequence", "END"),
        (FinishReason.STOP, "<|im_end|>", "end_turn", None),
        (FinishReason.LENGTH, "", "max_tokens", None),
        (FinishReason.CONTEXT_FULL, "", "model_context_window_exceeded", None),
    ],
)
async def test_why_it_ended(reason: FinishReason, stop: str, told_reason: str, told_stop: str | None) -> None:
    *_, last = answer("It rains.", reason=reason)
    assert isinstance(last, Finished)
    async with served(FakeReplies([replace(last, stop=stop)])) as client:
        body = await told(await client.post(PATH, json={**HELLO, "stop_sequences": ["END"]}))
        assert body["content"] == [{"type": "text", "text": "It rains."}]
        assert (body["stop_reason"], body["stop_sequence"]) == (told_reason, told_stop)


async def test_an_answer_without_a_word_is_an_empty_text() -> None:
    async with served(FakeReplies(answer(), answer())) as client:
        body = await told(await client.post(PATH, json=HELLO))
        assert body["content"] == [{"type": "text", "text": ""}]
        streamed = named_events(await (await client.post(PATH, json={**HELLO, "stream": True})).text())
        assert [each["type"] for each in streamed][2:4] == ["content_block_start", "content_block_stop"]


async def test_errors_are_anthropics() -> None:
    broken = [*answer("It ")[:-1], UserError("The model was taken away.")]
    async with served(FakeReplies([ContextFullError("Too long.")], broken, broken)) as client:
        assert (await refused(client, 400))["type"] == "invalid_request_error"
        assert (await refused(client, 503))["type"] == "overloaded_error"
        streamed = named_events(await (await client.post(PATH, json={**HELLO, "stream": True})).text())
        assert streamed[-1] == {
            "type": "error",
            "error": {"type": "overloaded_error", "message": "The model was taken away."},
        }
        assert (
            "messages[0].content[0].type"
            in (await refused(client, 400, messages=[{"role": "user", "content": [{"type": "audio"}]}]))["message"]
        )
        bodies: tuple[dict[str, Any], ...] = (
            {"messages": []},
            {"stop_sequences": ["a"] * 65},
            {"tools": [TOOL, TOOL]},
            {"mcp_servers": [{}]},
            {"tool_choice": {"type": "any"}},
            {"thinking": {"type": "deep"}},
            {"messages": None},
        )
        for bad in bodies:
            assert (await refused(client, 400, **bad))["message"].endswith(".")
        wrong = await told(await client.get(f"{PATH}/count_tokens"), 405)
        assert wrong["error"]["type"] == "invalid_request_error"
        unknown = await told(await client.get("/v1/nothing", headers={"anthropic-version": "2023-06-01"}), 404)
        assert unknown["error"]["type"] == "not_found_error"


async def test_the_key_may_come_in_anthropics_header() -> None:
    async with served(FakeReplies(answer("a")), api_key="key") as client:
        assert (await refused(client, 401))["type"] == "authentication_error"
        wrong = await client.post(PATH, json=HELLO, headers={"x-api-key": "another"})
        assert wrong.status == 401
        await told(await client.post(PATH, json=HELLO, headers={"x-api-key": "key"}))


async def test_tokens_are_counted_without_a_turn() -> None:
    replies = FakeReplies()
    async with served(replies) as client:
        counted = await told(await client.post(f"{PATH}/count_tokens", json={"messages": HELLO["messages"]}))
        assert counted == {"input_tokens": 5}
    assert replies.asked == []


async def test_questions_in_a_row_are_one() -> None:
    replies = FakeReplies(answer("a"))
    async with served(replies) as client:
        more = [{"role": "user", "content": [{"type": "text", "text": "Well?"}]}]
        await told(await client.post(PATH, json={"messages": [*HELLO["messages"], *more]}))
    [message] = replies.asked[0].messages
    assert message.text == "Where is the marmalade?\nWell?"


async def test_documents_are_told_apart() -> None:
    """By what they say: an answer belongs to all that was said before it."""
    replies = FakeReplies([replace_generation(answer("It rains.")[-1])], answer("a"), answer("b"))

    def document(text: str) -> dict[str, Any]:
        source = {"type": "text", "media_type": "text/plain", "data": text}
        return {"role": "user", "content": [{"type": "document", "source": source}]}

    async with served(replies) as client:
        await told(await client.post(PATH, json={"messages": [document("one")]}))
        for text in ("one", "two"):
            messages = [document(text), {"role": "assistant", "content": "It rains."}, *HELLO["messages"]]
            await told(await client.post(PATH, json={"messages": messages}))
    same, other = replies.asked[1:]
    assert isinstance(same.messages[0].parts[0], DocumentPart)
    assert same.messages[1].generation is not None
    assert other.messages[1].generation is None


def replace_generation(event: ReplyEvent) -> ReplyEvent:
    assert isinstance(event, Finished)
    return replace(event, generation=Generation("v", (1, 2)))
