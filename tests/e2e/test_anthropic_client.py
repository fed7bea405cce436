"""Anthropic's own Python client against a real `hearth serve` with the built-in guide."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import anthropic
import pytest
from anthropic import Anthropic
from anthropic.types import Message

from app.core.resources import GUIDE_NAME as GUIDE
from tests.e2e.conftest import KEY, LIMIT, drawn

QUESTION: list[Any] = [{"role": "user", "content": "How do I attach a picture?"}]
WEATHER: list[Any] = [{"role": "user", "content": "What is the weather in Paris?"}]
TOOLS: list[Any] = [
    {
        "name": "get_weather",
        "description": "Tells the weather in a city.",
        "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    }
]


def connected(address: str, **key: str) -> Anthropic:
    return Anthropic(base_url=address.removesuffix("/v1"), timeout=LIMIT, max_retries=0, **(key or {"api_key": KEY}))  # type: ignore[arg-type]  # keys alone


@pytest.fixture
def client(address: str) -> Iterator[Anthropic]:
    with connected(address) as made:
        yield made


def ask(client: Anthropic, messages: list[Any] = QUESTION, **more: Any) -> Message:
    made = client.messages.create(model="claude-any", max_tokens=200, messages=messages, **more)
    assert isinstance(made, Message)
    return made


def text_of(answer: Message) -> str:
    return "".join(each.text for each in answer.content if each.type == "text")


def entries(answer: Message) -> int:
    """Of the prompt."""
    usage = answer.usage
    return usage.input_tokens + (usage.cache_creation_input_tokens or 0) + (usage.cache_read_input_tokens or 0)


def kept_all_before(answer: Message, before: Message) -> bool:
    """Whether only what is new since `before` was read; its end token never was."""
    return answer.usage.cache_read_input_tokens == entries(before) + before.usage.output_tokens - 1


def test_a_stream_is_the_plain_answer(client: Anthropic) -> None:
    plain = ask(client)
    assert "picture" in text_of(plain)
    assert (plain.model, plain.role, plain.stop_reason, plain.stop_sequence) == (GUIDE, "assistant", "end_turn", None)
    with client.messages.stream(model="claude-any", max_tokens=200, messages=QUESTION) as stream:
        pieces = list(stream.text_stream)
        final = stream.get_final_message()
    assert "".join(pieces) == text_of(final) == text_of(plain)
    assert len(pieces) > 1
    assert final.usage.cache_read_input_tokens == entries(plain) - 1
    assert entries(final) == entries(plain)
    assert final.usage.output_tokens == plain.usage.output_tokens


def test_the_tokens_of_a_conversation_are_counted_and_not_read(client: Anthropic) -> None:
    system: Any = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    counted = client.messages.count_tokens(model="x", messages=WEATHER, tools=TOOLS, system=system).input_tokens
    assert counted == entries(ask(client, WEATHER, tools=TOOLS, system=system))
    assert counted > client.messages.count_tokens(model="x", messages=WEATHER).input_tokens


def test_each_turn_with_a_tool_reads_only_what_is_new(client: Anthropic) -> None:
    asked = ask(client, WEATHER, tools=TOOLS)
    assert asked.stop_reason == "tool_use"
    [call] = asked.content
    assert call.type == "tool_use"
    assert (call.name, call.input) == ("get_weather", {"city": "Paris"})
    second = ask(client, messages := answered(WEATHER, asked), tools=TOOLS)
    assert "21" in text_of(second)
    assert kept_all_before(second, asked)
    third = ask(client, answered(messages, second, "And in Rome?"), tools=TOOLS)
    assert kept_all_before(third, second)


def test_what_was_thought_comes_back_too(thinking: str) -> None:
    more: Any = {"tools": TOOLS, "thinking": {"type": "enabled", "budget_tokens": 1024}}
    with connected(thinking) as client:
        asked = ask(client, WEATHER, **more)
        assert [each.type for each in asked.content] == ["thinking", "tool_use"]
        second = ask(client, messages := answered(WEATHER, asked), **more)
        assert kept_all_before(second, asked)
        third = ask(client, answered(messages, second, "And in Rome?"), **more)
        assert kept_all_before(third, second)


def answered(messages: list[Any], answer: Message, *asked: str) -> list[Any]:
    """As an agent goes on: with the client's own objects, which are written as JSON anew, and what its tools say."""
    calls = [each.id for each in answer.content if each.type == "tool_use"]
    told = [{"type": "text", "text": '{"t": 21}'}]
    results: list[Any] = [{"type": "tool_result", "tool_use_id": each, "content": told} for each in calls]
    content = [*results, *({"type": "text", "text": each} for each in asked)]
    goes_on = [{"role": "user", "content": content}] if content else []
    return [*messages, {"role": "assistant", "content": answer.content}, *goes_on]


def test_a_tool_call_streams(client: Anthropic) -> None:
    more: Any = {"tools": TOOLS, "thinking": {"type": "adaptive"}}
    seen = []
    with client.messages.stream(model="x", max_tokens=200, messages=WEATHER, **more) as stream:
        for event in stream:
            seen.append(event.type)
        final = stream.get_final_message()
    thought, call = final.content
    assert thought.type == "thinking"
    assert thought.thinking
    assert thought.signature
    assert call.type == "tool_use"
    assert call.input == {"city": "Paris"}
    assert final.stop_reason == "tool_use"
    assert {"thinking", "signature", "input_json"} <= set(seen)


@pytest.mark.parametrize("choice", [{"type": "any"}, {"type": "tool", "name": "get_weather"}])
def test_a_tool_that_is_required_is_called(client: Anthropic, choice: Any) -> None:
    answer = ask(client, [{"role": "user", "content": "I live in Oslo."}], tools=TOOLS, tool_choice=choice)
    call = answer.content[-1]
    assert call.type == "tool_use"
    assert isinstance(call.input, dict)
    assert call.input == {"city": "Oslo"}
    none = ask(client, WEATHER, tools=TOOLS, tool_choice={"type": "none"})
    assert none.stop_reason == "end_turn"


def test_a_stop_text_is_told(client: Anthropic) -> None:
    plain = text_of(ask(client))
    stop = plain.split()[3]
    answer = ask(client, stop_sequences=["never said", stop])
    assert (answer.stop_reason, answer.stop_sequence) == ("stop_sequence", stop)
    assert text_of(answer) == plain[: plain.index(stop)]
    assert client.messages.create(model="x", max_tokens=2, messages=QUESTION).stop_reason == "max_tokens"


def test_an_answer_that_was_begun_goes_on(client: Anthropic) -> None:
    plain = text_of(ask(client))
    begun = plain[: plain.index(" ")]
    answer = ask(client, [*QUESTION, {"role": "assistant", "content": begun}])
    assert begun + text_of(answer) == plain


def test_an_answer_keeps_to_a_schema(client: Anthropic) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    answer = ask(client, extra_body={"output_config": {"format": {"type": "json_schema", "schema": schema}}})
    assert isinstance(json.loads(text_of(answer))["n"], int)


def test_a_picture_is_seen(client: Anthropic) -> None:
    data = base64.b64encode(drawn("circle", "red")).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    content = [{"type": "image", "source": source}, {"type": "text", "text": "What colour is the shape?"}]
    answer = ask(client, [{"role": "user", "content": content}])
    assert "red" in text_of(answer).lower()


def test_errors_are_the_clients_own(client: Anthropic, address: str) -> None:
    with pytest.raises(anthropic.BadRequestError, match="temperature must be") as bad:
        ask(client, extra_body={"temperature": 9.0})
    assert bad.value.type == "invalid_request_error"
    assert bad.value.request_id
    with pytest.raises(anthropic.BadRequestError, match="too much for the guide"):
        ask(client, [{"role": "user", "content": "word " * 9000}])
    with pytest.raises(anthropic.BadRequestError, match=r"messages\[0\]\.content\[0\]\.source\.data"):
        broken = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "%"}}
        ask(client, [{"role": "user", "content": [broken]}])
    with pytest.raises(anthropic.AuthenticationError):
        ask(client.with_options(api_key="another"))
    assert client.models.list().data[0].id == GUIDE
    with pytest.raises(anthropic.NotFoundError):
        client.models.retrieve("claude-any")
    with connected(address, auth_token=KEY) as bearer:
        assert text_of(ask(bearer))
