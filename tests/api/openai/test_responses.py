"""OpenAI's Responses over answers that are given: what is asked of the engine, and what clients are told."""

import json
from dataclasses import replace
from typing import Any

import pytest

from app.api.errors import ApiError
from app.api.openai.stored_responses import Conversation, StoredResponses
from app.core.capabilities import Capabilities
from app.core.errors import ContextFullError, UserError
from app.core.events import DeltaKind, Finished, FinishReason, PromptProgress, ReplyEvent, TextDelta, ToolCallDelta
from app.core.messages import Generation, Message, Role, TextPart, ToolCall
from app.core.overflow import Overflow
from app.core.requests import ToolChoice
from tests.api.test_server import MODEL, Client, FakeReplies, answer, error, served, told

PATH = "/v1/responses"
TOOL = {"type": "function", "name": "look", "description": "Looks.", "parameters": {"type": "object"}}
CALL = ToolCall("abcdefghi", "look", '{"b":1, "a":"ü"}')
PICTURE = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5E"
    "rkJggg=="
)


def whole_answer(*, call: ToolCall = CALL) -> list[ReplyEvent]:
    """It thinks, speaks and calls."""
    *_, last = answer("Let me see.", reason=FinishReason.TOOL_CALLS)
    assert isinstance(last, Finished)
    finished = replace(last, generation=Generation("v", (5, 6)), reasoning="I must look.", tool_calls=(call,))
    return [
        PromptProgress(42, 30, 12, 0.1),
        TextDelta("I must ", kind=DeltaKind.REASONING),
        TextDelta("look.", kind=DeltaKind.REASONING),
        TextDelta("\n\n"),
        TextDelta("Let me see."),
        ToolCallDelta(0, call.id, call.name, call.arguments[:3]),
        ToolCallDelta(0, arguments=call.arguments[3:]),
        finished,
    ]


def named_events(text: str) -> list[Any]:
    found = []
    for block in text.split("\n\n"):
        if block:
            name, data = block.split("\n")
            found.append(json.loads(data.removeprefix("data: ")))
            assert name == f"event: {found[-1]['type']}"
    return found


async def streamed(client: Client, **asked: object) -> list[Any]:
    return named_events(await (await client.post(PATH, json={"input": "Well?", "stream": True, **asked})).text())


async def test_a_stream_has_its_events_in_order() -> None:
    async with served(FakeReplies(whole_answer())) as client:
        told = await streamed(client, tools=[TOOL], instructions="Be brief.")
        assert [each["sequence_number"] for each in told] == list(range(len(told)))
        assert [each["type"].removeprefix("response.") for each in told] == [
            "created",
            "in_progress",
            "output_item.added",
            "reasoning_summary_part.added",
            "reasoning_summary_text.delta",
            "reasoning_summary_text.delta",
            "reasoning_summary_text.done",
            "reasoning_summary_part.done",
            "output_item.done",
            "output_item.added",
            "content_part.added",
            "output_text.delta",
            "output_text.done",
            "content_part.done",
            "output_item.done",
            "output_item.added",
            "function_call_arguments.delta",
            "function_call_arguments.delta",
            "function_call_arguments.done",
            "output_item.done",
            "completed",
        ]
        created, last = told[0]["response"], told[-1]["response"]
        assert (created["status"], created["output"], created["usage"]) == ("in_progress", [], None)
        assert (created["instructions"], created["tools"]) == ("Be brief.", [TOOL])
        assert last["id"] == created["id"]
        assert last["output"] == [each["item"] for each in told if each["type"] == "response.output_item.done"]
        assert [each["type"] for each in last["output"]] == ["reasoning", "message", "function_call"]
        assert last["output"][2]["arguments"] == CALL.arguments
        for added, done in zip(
            [each for each in told if each["type"] == "response.output_item.added"], last["output"], strict=True
        ):
            assert (added["item"]["id"], added["item"]["status"]) == (done["id"], "in_progress")
        for each in told[3:8]:
            if "item_id" in each:
                assert (each["item_id"], each["output_index"], each["summary_index"]) == (
                    last["output"][0]["id"],
                    0,
                    0,
                )
        assert all(each["content_index"] == 0 for each in told[10:14])
        assert last["usage"] == {
            "input_tokens": 42,
            "input_tokens_details": {"cached_tokens": 30},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 43,
        }


@pytest.mark.parametrize("stream", [True, False])
async def test_answers_come_back_as_the_tokens_that_they_were(stream: bool) -> None:
    replies = FakeReplies(whole_answer(), *[answer("Here.")] * 6)
    first = {"input": "Well?", "tools": [TOOL]}
    async with served(replies) as client:
        if stream:
            response = (await streamed(client, **first))[-1]["response"]
        else:
            response = await told(await client.post(PATH, json=first))
        thought, said, call = response["output"]
        result = {"type": "function_call_output", "call_id": call["call_id"], "output": "On the shelf."}
        rewritten = {**call, "arguments": json.dumps(json.loads(call["arguments"]), sort_keys=True)}
        plain = {"role": "assistant", "content": "Let me see."}
        called = {"type": "function_call", "call_id": call["call_id"], "name": "look", "arguments": CALL.arguments}
        reference = {"type": "item_reference", "id": said["id"]}
        for output in (
            [thought, said, rewritten],
            [{"type": "reasoning", "summary": [], "encrypted_content": thought["encrypted_content"]}, said, call],
            [plain, called],
            [{"type": "item_reference", "id": thought["id"]}, reference, call],
        ):
            items = [{"role": "user", "content": "Well?"}, *output, result]
            await told(await client.post(PATH, json={**first, "input": items}))
        named = {**first, "input": [result], "previous_response_id": response["id"]}
        await told(await client.post(PATH, json=named))
        changed = [{"role": "user", "content": "Well?"}, thought, {**said, "content": "No."}, call, result]
        await told(await client.post(PATH, json={**first, "input": changed}))
    *same, edited = [each.messages for each in replies.asked[1:]]
    assert len(same) == 5
    for each in same:
        assert [message.role for message in each] == [Role.USER, Role.ASSISTANT, Role.TOOL]
        assert each[1].generation == Generation("v", (5, 6))
        assert each[1].tool_calls == (CALL,)
        assert each[1].reasoning == "I must look."
        assert each[2] == Message(Role.TOOL, (TextPart("On the shelf."),), tool_call_id=CALL.id, name="look")
    assert edited[1].generation is None


async def test_what_is_asked() -> None:
    seeing = replace(MODEL, capabilities=Capabilities(sees=True))
    replies = FakeReplies(answer("a"), answer("b"), answer("c"), model=seeing)
    asked = {
        "model": "gpt-5",
        "instructions": "Be brief.",
        "input": [
            {"role": "developer", "content": "Be kind."},
            {
                "role": "user",
                "content": [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": PICTURE}],
            },
            {"role": "assistant", "content": "b"},
            {"type": "message", "role": "user", "content": [{"type": "text", "text": "c"}], "status": None},
        ],
        "max_output_tokens": 7,
        "temperature": 0.5,
        "tools": [TOOL, {"type": "custom", "name": "note"}, {"type": "web_search"}, {"type": "namespace", "name": "x"}],
        "tool_choice": {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "look"}]},
        "parallel_tool_calls": False,
        "reasoning": {"effort": "minimal", "summary": "auto"},
        "text": {"format": {"type": "text"}, "verbosity": "low"},
        "truncation": "auto",
        "include": ["reasoning.encrypted_content"],
        "prompt_cache_key": "x",
        "metadata": {"a": "b"},
        "mood": "fair",
    }
    async with served(replies) as client:
        response = await client.post(PATH, json=asked)
        body = await told(response)
        assert response.headers["Hearth-Ignored"] == "mood, tools[].web_search, tools[].namespace"
        assert (body["metadata"], body["temperature"], body["max_output_tokens"]) == ({"a": "b"}, 0.5, 7)
        await told(await client.post(PATH, json={"input": ""}))
        await told(await client.post(PATH, json={"input": "x", "max_output_tokens": 0}))
    chat, empty, only_read = replies.asked
    assert [(each.role, each.text) for each in chat.messages] == [
        (Role.SYSTEM, "Be brief."),
        (Role.SYSTEM, "Be kind."),
        (Role.USER, "a"),
        (Role.ASSISTANT, "b"),
        (Role.USER, "c"),
    ]
    assert len(chat.messages[2].pictures) == 1
    assert (chat.sampling.max_tokens, chat.sampling.temperature, chat.overflow) == (7, 0.5, Overflow.DROP_MIDDLE)
    assert [each["function"] for each in chat.tools] == [
        {"name": "look", "description": "Looks.", "parameters": {"type": "object"}}
    ]
    assert (chat.tool_choice, chat.tool_name, chat.parallel_tool_calls) == (ToolChoice.REQUIRED, "", False)
    assert chat.template_args == {"reasoning_effort": "minimal", "enable_thinking": False}
    assert empty.messages == (Message.of(Role.USER, ""),), "some only look whether anybody is there"
    assert only_read.only_read


async def test_a_custom_tool_is_a_function_with_one_text() -> None:
    call = ToolCall("abcdefghi", "note", '{"input": "a\\nb"}')
    replies = FakeReplies(whole_answer(call=call), answer("Noted."))
    first = {"input": "Well?", "tools": [{"type": "custom", "name": "note"}]}
    async with served(replies) as client:
        told = await streamed(client, **first)
        item = told[-1]["response"]["output"][2]
        assert (item["type"], item["name"], item["input"]) == ("custom_tool_call", "note", "a\nb")
        names = [each["type"].removeprefix("response.") for each in told[-5:-1]]
        assert names == [
            "output_item.added",
            "custom_tool_call_input.delta",
            "custom_tool_call_input.done",
            "output_item.done",
        ]
        output = {"type": "custom_tool_call_output", "call_id": item["call_id"], "output": "done"}
        items = [{"role": "user", "content": "Well?"}, *told[-1]["response"]["output"], output]
        assert (await client.post(PATH, json={**first, "input": items})).status == 200
    assert replies.asked[1].messages[1].tool_calls == (call,)
    assert replies.asked[1].messages[1].generation == Generation("v", (5, 6))


async def test_what_an_answer_costs_is_told_as_llama_server_tells_it() -> None:
    async with served(FakeReplies(whole_answer(), whole_answer())) as client:
        pieces = [await streamed(client, **more) for more in ({"timings_per_token": True}, {})]
    for *_, last in pieces:
        assert (last["timings"]["prompt_n"], last["timings"]["cache_n"]) == (12, 30)
    each, plain = ([one for one in some if one["type"].endswith(".delta")] for some in pieces)
    assert each
    assert all(one["timings"]["prompt_n"] == 12 and "predicted_per_second" in one["timings"] for one in each)
    assert not any("timings" in one for one in plain)


async def test_an_answer_that_breaks_off_has_failed() -> None:
    broken = [*answer("It ")[:-1], UserError("The model was taken away.")]
    async with served(FakeReplies(broken, [ContextFullError("Too long.")], [ContextFullError("Too long.")])) as client:
        told = await streamed(client)
        assert told[-1]["type"] == "response.failed"
        assert told[-1]["response"]["status"] == "failed"
        assert told[-1]["response"]["error"]["message"] == "The model was taken away."
        full = await streamed(client)
        assert [each["type"] for each in full] == ["response.created", "response.in_progress", "response.failed"]
        assert full[-1]["response"]["error"]["code"] == "context_length_exceeded"
        assert full[-1]["response"]["error"]["message"] == "The input is too large to process. Too long."
        whole = await error(await client.post(PATH, json={"input": "Well?"}), 400)
        assert (whole["code"], whole["param"]) == ("context_length_exceeded", "input")


@pytest.mark.parametrize(
    ("values", "param"),
    [
        ({"input": 5}, "input"),
        ({"input": ["a"]}, "input[0]"),
        ({"input": [{"role": "cook", "content": "a"}]}, "input[0].role"),
        ({"input": [{"role": "user", "content": [{"type": "audio"}]}]}, "input[0].content[0].type"),
        ({"input": [{"type": "item_reference", "id": "msg_x"}]}, "input[0]"),
        ({"input": "a", "previous_response_id": "resp_x"}, "previous_response_id"),
        ({"input": "a", "previous_response_id": 5}, "previous_response_id"),
        ({"input": "a", "background": True}, "background"),
        ({"input": "a", "conversation": "conv_x"}, "conversation"),
        ({"input": "a", "text": {"format": {"type": "json_schema", "schema": {"not": {}}}}}, "text.format.schema"),
        ({"input": "a", "text": {"format": {"type": "xml"}}}, "text.format.type"),
        ({"input": "a", "tool_choice": "required"}, "tool_choice"),
        ({"input": "a", "max_output_tokens": 1.5}, "max_output_tokens"),
        ({"input": "a", "reasoning": {"effort": "great"}}, "reasoning.effort"),
    ],
)
async def test_bad_requests_are_refused_by_place(values: dict[str, object], param: str) -> None:
    async with served(FakeReplies()) as client:
        assert (await error(await client.post(PATH, json=values), 400))["param"] == param


async def test_a_picture_that_is_none_is_told_by_a_place_of_the_clients() -> None:
    """Ours has one message more."""
    content = [{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]
    asked = {"instructions": "Be brief.", "input": [{"role": "user", "content": content}]}
    replies = FakeReplies(model=replace(MODEL, capabilities=Capabilities(sees=True)))
    async with served(replies) as client:
        refused = await error(await client.post(PATH, json=asked), 400)
        assert (refused["param"], refused["code"]) == ("input", "invalid_image")


def test_what_is_kept_is_bounded() -> None:
    stored = StoredResponses()
    whole = Conversation()
    for number in range(300):
        item = {"type": "message", "id": f"msg_{number}"}
        stored.keep(f"resp_{number}", whole, {"output": [item]})
        whole = whole.with_more([item])
    assert stored.conversation("resp_299").items == whole.items
    assert stored.item("input[0]", "msg_0") == {"type": "message", "id": "msg_0"}, "the last one needs it still"
    with pytest.raises(ApiError):
        stored.conversation("resp_43")
    stored.keep("resp_large", Conversation().with_more([{"type": "message", "text": "x" * (64 << 20)}]), {"output": []})
    with pytest.raises(ApiError):
        stored.conversation("resp_large")
    large = Conversation().with_more([{"text": "x" * (40 << 20)}])
    stored.keep("resp_one", large, {"output": [{"id": "msg_one"}]})
    stored.keep("resp_two", large, {"output": [{"id": "msg_two"}]})
    stored.conversation("resp_two")
    for gone in ("resp_one", "resp_299"):
        with pytest.raises(ApiError):
            stored.conversation(gone)
    with pytest.raises(ApiError):
        stored.item("input[0]", "msg_one")
