"""OpenAI's own Python client, its Responses, against a real `hearth serve` with the built-in guide."""

import json
from typing import Any, Literal

import openai
import pytest
from openai import OpenAI
from openai.types.responses import Response, ResponseUsage
from pydantic import BaseModel

from app.core.resources import GUIDE_NAME as GUIDE
from tests.e2e.conftest import openai_client

QUESTION = "How do I attach a picture?"
WEATHER: list[Any] = [{"role": "user", "content": "What is the weather in Paris?"}]
TOOLS: list[Any] = [
    {
        "type": "function",
        "name": "get_weather",
        "description": "Tells the weather in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "strict": False,
    }
]


def ask(client: OpenAI, told: Any = QUESTION, **more: Any) -> Response:
    made = client.responses.create(model="gpt-any", input=told, **more)
    assert isinstance(made, Response)
    return made


def usage_of(answer: Response) -> ResponseUsage:
    assert answer.usage is not None
    return answer.usage


def kept_all_before(answer: Response, before: Response) -> bool:
    """Whether only what is new since `before` was read; its end token never was."""
    return usage_of(answer).input_tokens_details.cached_tokens == usage_of(before).total_tokens - 1


def answered(conversation: list[Any], answer: Response, *asked: str) -> list[Any]:
    """As an agent goes on: with the client's own objects, and what its tools say."""
    calls = [each.call_id for each in answer.output if each.type == "function_call"]
    results = [{"type": "function_call_output", "call_id": each, "output": '{"t": 21}'} for each in calls]
    return [*conversation, *answer.output, *results, *({"role": "user", "content": each} for each in asked)]


def test_a_stream_is_the_plain_answer(client: OpenAI) -> None:
    plain = ask(client)
    assert "picture" in plain.output_text
    assert (plain.model, plain.status, plain.error, plain.incomplete_details) == (GUIDE, "completed", None, None)
    seen = []
    with client.responses.stream(model="x", input=QUESTION) as stream:
        for event in stream:
            seen.append(event)
        final = stream.get_final_response()
    pieces = [each.delta for each in seen if each.type == "response.output_text.delta"]
    assert "".join(pieces) == final.output_text == plain.output_text
    assert len(pieces) > 1
    assert [each.sequence_number for each in seen] == list(range(len(seen)))
    assert usage_of(final).output_tokens == usage_of(plain).output_tokens
    assert usage_of(final).input_tokens_details.cached_tokens == usage_of(plain).input_tokens - 1


def test_each_turn_with_a_tool_reads_only_what_is_new(client: OpenAI) -> None:
    asked = ask(client, WEATHER, tools=TOOLS)
    [call] = asked.output
    assert call.type == "function_call"
    assert (call.name, json.loads(call.arguments)) == ("get_weather", {"city": "Paris"})
    second = ask(client, conversation := answered(WEATHER, asked), tools=TOOLS)
    assert "21" in second.output_text
    assert kept_all_before(second, asked)
    third = ask(client, answered(conversation, second, "And in Rome?"), tools=TOOLS)
    assert kept_all_before(third, second)


def test_a_conversation_may_be_named_by_its_last_response(client: OpenAI) -> None:
    asked = ask(client, WEATHER, tools=TOOLS)
    output = answered([], asked)[1:]
    second = ask(client, output, tools=TOOLS, previous_response_id=asked.id)
    assert second.previous_response_id == asked.id
    assert "21" in second.output_text
    assert kept_all_before(second, asked)
    third = ask(client, "And in Rome?", tools=TOOLS, previous_response_id=second.id)
    assert kept_all_before(third, second)
    reference: Any = [*WEATHER, {"type": "item_reference", "id": asked.output[0].id}, *output]
    again = ask(client, reference, tools=TOOLS)
    assert again.output_text == second.output_text
    with pytest.raises(openai.BadRequestError) as unknown:
        ask(client, previous_response_id="resp_other")
    assert (unknown.value.code, unknown.value.param) == ("previous_response_not_found", "previous_response_id")
    assert client.responses.retrieve(second.id).output_text == second.output_text
    client.responses.delete(second.id)
    with pytest.raises(openai.NotFoundError, match="is not known here any more"):
        client.responses.retrieve(second.id)
    unstored = ask(client, store=False)
    with pytest.raises(openai.BadRequestError, match=r"not known here"):
        ask(client, previous_response_id=unstored.id)


@pytest.mark.parametrize("encrypted", [True, False])
def test_what_was_thought_comes_back_too(thinking: str, encrypted: bool) -> None:
    more: Any = {"tools": TOOLS, "reasoning": {"effort": "low"}}
    with openai_client(thinking) as client:
        asked = ask(client, WEATHER, **more)
        assert [each.type for each in asked.output] == ["reasoning", "function_call"]
        assert usage_of(asked).output_tokens_details.reasoning_tokens > 0
        conversation = answered(WEATHER, asked)
        if encrypted:
            thought: Any = asked.output[0]
            # As Codex sends it: what was thought by its key alone.
            conversation[1] = {"type": "reasoning", "summary": [], "encrypted_content": thought.encrypted_content}
        second = ask(client, conversation, **more)
        assert kept_all_before(second, asked)
        third = ask(client, answered(conversation, second, "And in Rome?"), **more)
        assert kept_all_before(third, second)


def test_a_tool_call_and_what_is_thought_stream(client: OpenAI) -> None:
    seen = []
    with client.responses.stream(model="x", input=WEATHER, tools=TOOLS, reasoning={"effort": "low"}) as stream:
        for event in stream:
            seen.append(event.type)
        final = stream.get_final_response()
    thought, call = final.output
    assert thought.type == "reasoning"
    assert thought.summary[0].text
    assert call.type == "function_call"
    assert json.loads(call.arguments) == {"city": "Paris"}
    assert {"response.reasoning_summary_text.delta", "response.function_call_arguments.delta"} <= set(seen)
    assert seen[:2] == ["response.created", "response.in_progress"]
    assert seen[-1] == "response.completed"


@pytest.mark.parametrize("choice", ["required", {"type": "function", "name": "get_weather"}])
def test_a_tool_that_is_required_is_called(client: OpenAI, choice: Any) -> None:
    answer = ask(client, "Hello!", tools=TOOLS, tool_choice=choice)
    assert [each.type for each in answer.output] == ["function_call"]
    assert [each.type for each in ask(client, WEATHER, tools=TOOLS, tool_choice="none").output] == ["message"]


def test_a_custom_tool_takes_a_plain_text(client: OpenAI) -> None:
    tools: Any = [{"type": "custom", "name": "note", "description": "Notes."}, {"type": "web_search"}]
    raw = client.responses.with_raw_response.create(model="x", input="Hello!", tools=tools, tool_choice="required")
    assert raw.headers["Hearth-Ignored"] == "tools[].web_search"
    [call] = raw.parse().output
    assert call.type == "custom_tool_call"
    assert call.name == "note"
    assert isinstance(call.input, str)


class Shape(BaseModel):
    name: Literal["circle", "square"]
    sides: int


def test_an_answer_keeps_to_a_schema(client: OpenAI) -> None:
    parsed = client.responses.parse(model="x", input=QUESTION, text_format=Shape)
    assert isinstance(parsed.output_parsed, Shape)


def test_an_answer_that_was_cut_says_so(client: OpenAI) -> None:
    answer = ask(client, max_output_tokens=3)
    assert answer.status == "incomplete"
    assert answer.incomplete_details is not None
    assert answer.incomplete_details.reason == "max_output_tokens"
    events = list(client.responses.create(model="x", input=QUESTION, max_output_tokens=3, stream=True))
    assert events[-1].type == "response.incomplete"


def test_instructions_come_first_and_are_counted(client: OpenAI) -> None:
    long, short = usage_of(ask(client, instructions="Be brief. " * 20)), usage_of(ask(client))
    assert long.input_tokens > short.input_tokens + 20
    counted = client.responses.input_tokens.count(model="x", input=QUESTION)
    assert counted.input_tokens == short.input_tokens


def test_errors_are_the_clients_own(client: OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="temperature must be"):
        ask(client, temperature=9)
    with pytest.raises(openai.BadRequestError) as long:
        ask(client, "word " * 9000)
    assert long.value.code == "context_length_exceeded"
    # As an event clients know that they have to make it shorter.
    *_, last = client.responses.create(model="x", input="word " * 9000, stream=True)
    assert last.type == "response.failed"
    assert last.response.error is not None
    assert str(last.response.error.code) == "context_length_exceeded"
    with pytest.raises(openai.BadRequestError, match=r"input\[0\]\.type must be one of"):
        ask(client, [{"type": "computer_call", "id": "x"}])
