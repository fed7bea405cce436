"""OpenAI's own Python client against a real `hearth serve` with the built-in guide."""

import asyncio
import base64
import json
import math
from typing import Any, Literal

import openai
import pytest
from openai import OpenAI
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionMessageFunctionToolCall, ChatCompletionMessageParam
from pydantic import BaseModel, Field

from app.core.resources import GUIDE_NAME as GUIDE
from tests.e2e.conftest import KEY, LIMIT, drawn, openai_client

QUESTION: list[ChatCompletionMessageParam] = [{"role": "user", "content": "How do I attach a picture?"}]
WEATHER: list[ChatCompletionMessageParam] = [{"role": "user", "content": "What is the weather in Paris?"}]
TOOLS: list[Any] = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Tells the weather in a city.",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
]
TIMER: list[Any] = [
    {
        "type": "function",
        "function": {
            "name": "set_timer",
            "parameters": {
                "type": "object",
                "properties": {
                    "minutes": {"type": "integer", "minimum": 1, "maximum": 90},
                    "sound": {"enum": ["bell", "horn"]},
                },
                "required": ["minutes", "sound"],
                "additionalProperties": False,
            },
        },
    }
]
NEVER_ENDING = {"2": -100}
"""The guide's end token, forbidden."""


def ask(client: OpenAI, messages: list[ChatCompletionMessageParam] = QUESTION, **more: Any) -> ChatCompletion:
    made = client.chat.completions.create(model=GUIDE, messages=messages, **more)
    assert isinstance(made, ChatCompletion)
    return made


def usage_of(answer: ChatCompletion) -> CompletionUsage:
    assert answer.usage is not None
    return answer.usage


def cached(usage: CompletionUsage) -> int:
    assert usage.prompt_tokens_details is not None
    return usage.prompt_tokens_details.cached_tokens or 0


def call_of(answer: ChatCompletion) -> ChatCompletionMessageFunctionToolCall:
    """The one tool that it calls."""
    [call] = answer.choices[0].message.tool_calls or []
    assert call.type == "function"
    return call


def text_of(answer: ChatCompletion) -> str:
    text = answer.choices[0].message.content
    assert text is not None
    return text


def test_a_plain_answer(client: OpenAI) -> None:
    [model] = client.models.list()
    assert client.models.retrieve(model.id).id == model.id == GUIDE
    answer = ask(client)
    assert "picture" in text_of(answer)
    assert answer.choices[0].finish_reason == "stop"
    usage = usage_of(answer)
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


def test_a_stream_is_the_plain_answer(client: OpenAI) -> None:
    plain = ask(client)
    stream = client.chat.completions.create(
        model=GUIDE, messages=QUESTION, stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    texts = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(texts) == text_of(plain)
    # Several pieces; how many depends on how fast the machine is.
    assert len([each for each in texts if each]) > 1
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == usage_of(plain).completion_tokens


def test_a_stream_that_is_broken_off_midway_frees_the_model(client: OpenAI) -> None:
    for _ in range(3):
        with client.chat.completions.create(
            model=GUIDE, messages=QUESTION, stream=True, logit_bias=NEVER_ENDING, max_tokens=3000
        ) as stream:
            for chunk in stream:
                if chunk.choices[0].delta.content:
                    break
    assert text_of(ask(client))


def test_a_follow_up_reads_only_what_is_new(client: OpenAI) -> None:
    first = ask(client)
    messages: list[ChatCompletionMessageParam] = [
        *QUESTION,
        {"role": "assistant", "content": text_of(first)},
        {"role": "user", "content": "And then?"},
    ]
    # All but the end token of the answer, which was never read.
    assert cached(usage_of(ask(client, messages))) == usage_of(first).total_tokens - 1


def test_reasoning_is_told_apart(client: OpenAI) -> None:
    answer = ask(client, reasoning_effort="low")
    thought = getattr(answer.choices[0].message, "reasoning_content", None)
    assert thought
    assert "think>" not in text_of(answer) + thought
    usage = usage_of(answer)
    assert usage.completion_tokens_details is not None
    assert 0 < (usage.completion_tokens_details.reasoning_tokens or 0) < usage.completion_tokens
    again = ask(client, extra_body={"chat_template_kwargs": {"enable_thinking": True}})
    assert again.choices[0].message == answer.choices[0].message


def test_several_answers(client: OpenAI) -> None:
    answers = ask(client, n=3, temperature=2.0, seed=3, max_tokens=12).choices
    assert [each.index for each in answers] == [0, 1, 2]
    assert len({each.message.content for each in answers}) > 1


def test_a_picture_is_seen(client: OpenAI) -> None:
    url = f"data:image/png;base64,{base64.b64encode(drawn('circle', 'red')).decode()}"
    asked = {"type": "text", "text": "What colour is the shape?"}
    messages: list[Any] = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}, asked]}]
    assert "red" in text_of(ask(client, messages)).lower()
    again = usage_of(ask(client, messages))
    assert again.prompt_tokens > 64
    assert cached(again) == again.prompt_tokens - 1


def test_a_tool_is_called_answers_and_is_spoken_of(client: OpenAI) -> None:
    asked = ask(client, WEATHER, tools=TOOLS)
    assert asked.choices[0].finish_reason == "tool_calls"
    call = call_of(asked)
    assert (call.function.name, json.loads(call.function.arguments)) == ("get_weather", {"city": "Paris"})
    messages: list[Any] = [
        *WEATHER,
        asked.choices[0].message,
        {"role": "tool", "tool_call_id": call.id, "content": '{"temperature": 21}'},
    ]
    answer = ask(client, messages, tools=TOOLS)
    assert "21" in text_of(answer)
    assert cached(usage_of(answer)) == usage_of(asked).total_tokens - 1


def test_each_turn_with_a_tool_reads_only_what_is_new(thinking: str) -> None:
    """Also where the client leaves out what was thought, and writes the call's JSON anew: as most of them do."""
    messages: list[Any] = list(WEATHER)
    before = 0
    with openai_client(thinking) as client:
        for turn in range(3):
            answer = ask(client, messages, tools=TOOLS, reasoning_effort="low", tool_choice="required", max_tokens=200)
            if turn:
                assert cached(usage_of(answer)) == before - 1
            before, call = usage_of(answer).total_tokens, call_of(answer)
            arguments = json.dumps(json.loads(call.function.arguments), separators=(",", ":"))
            function = {"name": call.function.name, "arguments": arguments}
            messages.append(
                {"role": "assistant", "tool_calls": [{"id": call.id, "type": "function", "function": function}]}
            )
            messages.append({"role": "tool", "tool_call_id": call.id, "content": "21"})


def test_a_tool_call_streams(client: OpenAI) -> None:
    pieces = []
    with client.chat.completions.stream(model=GUIDE, messages=WEATHER, tools=TOOLS) as stream:
        for event in stream:
            if event.type == "tool_calls.function.arguments.delta":
                pieces.append(event.arguments_delta)
        final = stream.get_final_completion()
    assert "".join(pieces) == '{"city": "Paris"}'
    assert len(pieces) > 1
    assert final.choices[0].finish_reason == "tool_calls"


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "set_timer"}}])
@pytest.mark.parametrize("question", ["Hello!", "What is a token?"])
def test_a_tool_that_is_required_is_called_with_arguments_that_fit(client: OpenAI, question: str, choice: Any) -> None:
    answer = ask(
        client,
        [{"role": "user", "content": question}],
        tools=TIMER,
        tool_choice=choice,
        parallel_tool_calls=False,
        temperature=1.0,
        seed=7,
    )
    arguments = json.loads(call_of(answer).function.arguments)
    assert set(arguments) == {"minutes", "sound"}
    assert arguments["minutes"] in range(1, 91)
    assert arguments["sound"] in ("bell", "horn")


class Shape(BaseModel):
    name: Literal["circle", "square"]
    sides: int
    colours: list[Literal["red", "blue"]] = Field(max_length=2)


def test_an_answer_keeps_to_a_schema(client: OpenAI) -> None:
    parsed = client.chat.completions.parse(
        model=GUIDE, messages=QUESTION, response_format=Shape, temperature=1.0, seed=4
    )
    assert isinstance(parsed.choices[0].message.parsed, Shape)


def test_an_answer_is_a_json_object(client: OpenAI) -> None:
    answer = ask(client, response_format={"type": "json_object"}, max_tokens=150, temperature=0.3, seed=2)
    if answer.choices[0].finish_reason == "stop":
        assert isinstance(json.loads(text_of(answer)), dict)
    else:
        assert text_of(answer).startswith("{")


def test_the_probabilities_of_an_answer(client: OpenAI) -> None:
    answer = ask(client, logprobs=True, top_logprobs=3)
    told = answer.choices[0].logprobs
    assert told is not None
    assert told.content is not None
    assert "".join(each.token for each in told.content) == text_of(answer)
    for each in told.content:
        assert each.logprob == max(top.logprob for top in each.top_logprobs), "it takes the likeliest"
        assert len(each.top_logprobs) == 3
        assert sum(math.exp(top.logprob) for top in each.top_logprobs) <= 1.0001
        assert bytes(each.bytes or []).decode() == each.token


def perplexity(client: OpenAI, text: str) -> float:
    answer = client.completions.create(model=GUIDE, prompt=text, echo=True, logprobs=0, max_tokens=0)
    told = answer.choices[0].logprobs
    assert told is not None
    assert told.token_logprobs is not None
    assert told.tokens is not None
    assert "".join(told.tokens) == text == answer.choices[0].text
    likelihoods: list[Any] = told.token_logprobs
    first, *rest = likelihoods
    assert first is None
    return math.exp(-sum(rest) / len(rest))


def test_a_texts_perplexity(client: OpenAI) -> None:
    known = "Drop a picture on the window, paste it, or use the picture button in the message box."
    assert perplexity(client, known) < perplexity(client, "box message the in button picture the use or, it paste, a")


def test_a_text_goes_on_and_streams(client: OpenAI) -> None:
    prompt = "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n"
    plain = client.completions.create(model=GUIDE, prompt=prompt).choices[0].text
    assert plain == text_of(ask(client, [{"role": "user", "content": "Hello!"}]))
    chunks = client.completions.create(model=GUIDE, prompt=prompt, stream=True)
    assert "".join(chunk.choices[0].text for chunk in chunks) == plain
    tokens: Any = client.post("/../tokenize", body={"content": prompt}, cast_to=object)
    same = client.completions.create(model=GUIDE, prompt=tokens["tokens"])
    assert same.choices[0].text == plain
    text = client.post("/../detokenize", body=tokens, cast_to=object)
    assert text == {"content": prompt}


def test_the_template_is_shown_and_applied(client: OpenAI) -> None:
    props: Any = client.get("/../props", cast_to=object)
    assert "<|im_start|>" in props["chat_template"]
    assert props["chat_template_caps"]["supports_tool_calls"] is True
    applied: Any = client.post("/../apply-template", body={"messages": QUESTION}, cast_to=object)
    prompt = applied["prompt"]
    assert prompt.endswith("<|im_start|>assistant\n")
    assert client.completions.create(model=GUIDE, prompt=prompt).choices[0].text == text_of(ask(client))


def test_errors_are_the_clients_own(client: OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as unknown:
        client.models.retrieve("gpt-9")
    assert (unknown.value.code, unknown.value.param) == ("model_not_found", "model")
    with pytest.raises(openai.BadRequestError) as long:
        ask(client, [{"role": "user", "content": "word " * 9000}])
    assert long.value.code == "context_length_exceeded"
    picture: Any = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    with pytest.raises(openai.BadRequestError) as bad:
        ask(client, [{"role": "user", "content": [picture]}])
    assert bad.value.code == "invalid_image"
    with pytest.raises(openai.BadRequestError, match="not valid JSON"):
        client.post("/chat/completions", content=b'{"messages":', cast_to=object)
    with pytest.raises(openai.BadRequestError, match="temperature must be"):
        ask(client, temperature=9)
    with pytest.raises(openai.BadRequestError, match="grammar"):
        ask(client, extra_body={"grammar": "root ::= ("})
    with pytest.raises(openai.BadRequestError, match="schema"):
        ask(client, response_format={"type": "json_schema", "json_schema": {"name": "a", "schema": {"not": {}}}})
    assert text_of(ask(client)), "and it lives on"


def test_twenty_at_a_time_and_none_is_lost(address: str) -> None:
    async def one(client: openai.AsyncOpenAI, number: int) -> str | None:
        question: list[ChatCompletionMessageParam] = [{"role": "user", "content": f"Hello, number {number}!"}]
        if number % 2:
            made = await client.chat.completions.create(model=GUIDE, messages=question, max_tokens=8)
            return made.choices[0].message.content
        stream = await client.chat.completions.create(model=GUIDE, messages=question, max_tokens=8, stream=True)
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    async def all_of_them() -> list[str | None]:
        async with openai.AsyncOpenAI(base_url=address, api_key=KEY, timeout=LIMIT, max_retries=0) as client:
            return await asyncio.gather(*(one(client, number) for number in range(20)))

    assert all(asyncio.run(all_of_them()))
