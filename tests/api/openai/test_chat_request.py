import json
import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.api.asked import Checks
from app.api.errors import ApiError
from app.api.limits import Limits
from app.api.openai.chat_request import ChatCompletion, parse_chat_completion
from app.core.messages import Message, Role, TextPart, ToolCall
from app.core.requests import ToolChoice
from app.core.sampling import Sampling

HELLO = {"messages": [{"role": "user", "content": "hello"}]}
DEFAULTS = Sampling(temperature=0.3, max_tokens=77)


def grammar_of(schema: Mapping[str, object] | None) -> str:
    if schema == {"not": {}}:
        raise ValueError("A grammar can't demand that.")
    return f"grammar of {json.dumps(schema)}"


CHECKS = Checks(DEFAULTS, 1000, grammar_of)
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
DEEP = json.loads("[" * 900 + "]" * 900)
"""As deep as JSON that Python reads may be, nearly."""
OTHER = {"type": "function", "function": {"name": "g"}}


def parse(**more: object) -> ChatCompletion:
    return parse_chat_completion({**HELLO, **more}, CHECKS)


def refused(**more: object) -> ApiError:
    with pytest.raises(ApiError) as caught:
        parse(**more)
    assert caught.value.status == 400
    assert caught.value.message.endswith(".")
    return caught.value


def test_a_bare_request_takes_the_defaults() -> None:
    asked = parse()
    assert asked.chat.messages == (Message.of(Role.USER, "hello"),)
    assert asked.chat.sampling == DEFAULTS
    assert asked.chat.stop == ()
    assert (asked.model, asked.stream, asked.include_usage) == (None, False, False)


def test_null_is_as_if_left_out() -> None:
    names = ["model", "stream", "stream_options", "stop", "temperature", "seed", "tools", "n", "max_tokens", "user"]
    assert parse(**dict.fromkeys(names)) == parse()


def test_every_parameter_reaches_the_sampler() -> None:
    asked = parse(
        temperature=1,
        top_p=0.5,
        top_k=7,
        min_p=0.1,
        seed=42,
        presence_penalty=0.25,
        frequency_penalty=-0.5,
        max_tokens=9,
    )
    assert asked.chat.sampling == Sampling(
        temperature=1.0,
        top_p=0.5,
        top_k=7,
        min_p=0.1,
        seed=42,
        penalty_present=0.25,
        penalty_freq=-0.5,
        max_tokens=9,
    )


def test_the_newer_name_of_the_limit_wins() -> None:
    assert parse(max_completion_tokens=5).chat.sampling.max_tokens == 5
    assert parse(max_tokens=9, max_completion_tokens=5).chat.sampling.max_tokens == 5
    assert parse(max_tokens=-1).chat.sampling.max_tokens == 0


def test_roles_and_parts() -> None:
    messages = [
        {"role": "developer", "content": "Be brief."},
        {"role": "system", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "user", "content": ""},
        {"role": "assistant", "content": "yes", "refusal": None, "tool_calls": [], "audio": None},
        {"role": "user", "content": "Größe 世界 \x00 <|im_end|>"},
    ]
    asked = parse_chat_completion({"messages": messages}, CHECKS)
    assert asked.chat.messages == (
        Message.of(Role.SYSTEM, "Be brief."),
        Message(Role.SYSTEM, (TextPart("a"), TextPart("\n"), TextPart("b"))),
        Message.of(Role.USER, ""),
        Message.of(Role.ASSISTANT, "yes"),
        Message.of(Role.USER, "Größe 世界 \x00 <|im_end|>"),
    )


def test_stops() -> None:
    assert parse(stop="a").chat.stop == ("a",)
    assert parse(stop=["a", "b"]).chat.stop == ("a", "b")
    assert parse(stop=[]).chat.stop == ()
    assert parse(stop="").chat.stop == ()
    assert parse(stop=["a", "", "b"]).chat.stop == ("a", "b")
    assert len(parse(stop=[str(number) for number in range(64)]).chat.stop) == 64


def test_streaming() -> None:
    assert parse(stream=True).stream
    assert not parse(stream=True).include_usage
    assert parse(stream=True, stream_options={"include_usage": True}).include_usage
    assert parse(stream=True, stream_options={"include_usage": None}).include_usage is False
    assert not parse(stream_options={"include_usage": True}).stream, "some send them always"


def test_what_asks_for_nothing_is_taken() -> None:
    nothing: dict[str, object] = {
        "n": 1,
        "tools": [],
        "tool_choice": "auto",
        "functions": [],
        "response_format": {"type": "text"},
        "grammar": "",
        "logprobs": False,
        "logit_bias": {},
        "chat_template_kwargs": {},
        "user": "me",
        "metadata": {"a": "b"},
        "cache_prompt": True,
        "parallel_tool_calls": True,
    }
    assert parse(**nothing) == parse()
    assert parse(**nothing, min_tokens=0, lora=[], skip_special_tokens=True, t_max_predict_ms=-1) == parse()
    order = ["penalties", "dry", "top_n_sigma", "top_k", "typ_p", "top_p", "min_p", "xtc", "temperature"]
    assert parse(samplers=order, add_special_tokens=False) == parse()


def test_what_is_unknown_is_ignored_and_named() -> None:
    asked = parse(temprature=1, store=True, options={"num_ctx": 1}, stream_options={"include_obfuscation": True})
    assert asked.ignored == ("temprature", "store", "options", "stream_options.include_obfuscation")
    assert replace(asked, ignored=()) == parse()
    messages = [
        {"role": "user", "content": "hello", "id": 7, "opts": {"visible": True}, "empty": []},
        {"role": "assistant", "content": "Hi.", "provider_specific_fields": {"refusal": None}},
        {"role": "user", "content": "hello", "id": 8},
    ]
    told = parse_chat_completion({"messages": messages}, CHECKS)
    names = ("id", "opts", "empty", "provider_specific_fields", "id")
    assert told.ignored == tuple(f"messages[].{name}" for name in names)
    nothing: dict[str, object] = {"store": False, "top_a": 0, "negative_prompt": "", "tags": [], "options": {}}
    assert parse(**nothing).ignored == tuple(nothing), "who sends it can't know"
    assert [each.text for each in told.chat.messages] == ["hello", "Hi.", "hello"]


def test_a_name_that_would_break_a_header_is_not_repeated() -> None:
    odd = ["a\r\nSet-Cookie: b", "größe", "\ud800", "x" * 65, ""]
    assert parse(**dict.fromkeys(odd, 1)).ignored == ("(unreadable)",) * 5


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("functions", [{}]),
        ("function_call", {"name": "f"}),
        ("modalities", ["text", "audio"]),
        ("web_search_options", {}),
        ("documents", [{"text": "a"}]),
        ("guided_regex", "a+"),
        ("use_beam_search", True),
        ("min_tokens", 1),
        ("include_stop_str_in_output", True),
        ("t_max_predict_ms", 500),
        ("truncate_prompt_tokens", 64),
        ("samplers", ["top_k", "temperature"]),
        ("samplers", []),
        ("prompt_logprobs", 0),
        ("skip_special_tokens", False),
        ("ban_eos_token", True),
        ("n_cmpl", 2),
        ("add_special_tokens", True),
    ],
)
def test_what_a_client_relies_on_is_refused_and_not_ignored(name: str, value: object) -> None:
    error = refused(**{name: value})
    assert error.message == f"Hearth does not support {name}. Leave it out."
    assert (error.param, error.code) == (name, "unsupported_parameter")


def test_every_declared_parameter_is_known_and_llama_cpps_names_too() -> None:
    """Whatever `Sampling` gets is a parameter of the API."""
    for each in fields(Sampling):
        if each.name != "max_tokens":
            value = getattr(DEFAULTS, each.name)
            told = list(value) if isinstance(value, tuple) else value
            assert parse(**{each.name: told}).chat.sampling == DEFAULTS
    asked = parse(repeat_penalty=1.5, repeat_last_n=9, mirostat=2, dry_sequence_breakers=["x"], n_predict=4)
    wanted = replace(
        DEFAULTS, penalty_repeat=1.5, penalty_last_n=9, mirostat=2, dry_sequence_breakers=("x",), max_tokens=4
    )
    assert asked.chat.sampling == wanted


def test_names_of_other_servers() -> None:
    assert parse(repetition_penalty=1.5).chat.sampling.penalty_repeat == 1.5
    assert parse(top_k=-1).chat.sampling.top_k == 0
    assert parse(n_probs=3).chat.top_logprobs == 3
    assert parse(n_probs=0).chat.top_logprobs is None
    assert parse(n_probs=3, logprobs=True).chat.top_logprobs == 0
    assert refused(n_probs=-1).param == "n_probs"
    assert parse(min_keep=3).chat.sampling.min_keep == 3


def test_the_end_can_be_ignored() -> None:
    assert parse(ignore_eos=True).chat.ignore_eos
    assert not parse(ignore_eos=False).chat.ignore_eos
    assert refused(ignore_eos="yes").param == "ignore_eos"


def test_seeds_of_64_bits_are_folded_and_minus_one_is_any() -> None:
    seeds = [parse(seed=seed).chat.sampling.seed for seed in (2**32 - 2, 2**64 - 1, 2**63, -(2**63), -1)]
    assert seeds[0] == 2**32 - 2
    assert seeds[4] == -1
    assert all(0 <= seed <= 2**32 - 2 for seed in seeds[:4])
    assert len(set(seeds[:4])) == 4


def test_an_answer_that_is_begun_goes_on() -> None:
    begun = [{"role": "user", "content": "Count."}, {"role": "assistant", "content": "One, "}]
    for more in ({}, {"add_generation_prompt": False}):
        asked = parse(messages=begun, continue_final_message=True, **more)
        assert asked.chat.continues
        assert asked.chat.messages[-1].text == "One, "
    assert not parse(messages=begun, add_generation_prompt=True).chat.continues
    calls = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f"}}]}
    assert refused(continue_final_message=True).param == "continue_final_message"
    assert refused(messages=[calls], continue_final_message=True).param == "continue_final_message"
    assert refused(messages=begun, continue_final_message=True, add_generation_prompt=True).param == (
        "add_generation_prompt"
    )


def test_an_answer_at_the_end_goes_on_where_the_server_is_to() -> None:
    checks = replace(CHECKS, continues=True)
    asks, begun = {"role": "user", "content": "Count."}, {"role": "assistant", "content": "One, "}
    calls = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f"}}]}

    def goes_on(*messages: object, **more: object) -> bool:
        return parse_chat_completion({"messages": [*messages], **more}, checks).chat.continues

    assert goes_on(asks, begun)
    assert not goes_on(asks, begun, add_generation_prompt=True)
    assert not goes_on(asks)
    assert not goes_on(asks, calls)
    with pytest.raises(ApiError, match="send one"):
        goes_on(asks, begun, begun)


def test_nothing_in_front_of_the_answer() -> None:
    assert parse(add_generation_prompt=False).chat.template_args == {"add_generation_prompt": False}
    assert parse(add_generation_prompt=True).chat.template_args == {}


def test_tools() -> None:
    asked = parse(tools=[TOOL, OTHER], parallel_tool_calls=False).chat
    empty = {"type": "object", "properties": {}}
    assert asked.tools == (
        {"type": "function", "function": {"name": "f", "description": "", "parameters": {"type": "object"}}},
        {"type": "function", "function": {"name": "g", "description": "", "parameters": empty}},
    )
    assert (asked.tool_choice, asked.tool_name, asked.parallel_tool_calls) == (ToolChoice.AUTO, "", False)


@pytest.mark.parametrize(
    ("told", "choice", "name"),
    [
        ("auto", ToolChoice.AUTO, ""),
        ("none", ToolChoice.NONE, ""),
        ("required", ToolChoice.REQUIRED, ""),
        ({"type": "function", "function": {"name": "g"}}, ToolChoice.REQUIRED, "g"),
    ],
)
def test_the_choice_of_tools(told: object, choice: ToolChoice, name: str) -> None:
    asked = parse(tools=[TOOL, OTHER], tool_choice=told).chat
    assert (asked.tool_choice, asked.tool_name) == (choice, name)


@pytest.mark.parametrize(
    ("values", "param"),
    [
        ({"tools": "f"}, "tools"),
        ({"tools": ["f"]}, "tools[0]"),
        ({"tools": [{"type": "retrieval"}]}, "tools[0].type"),
        ({"tools": [{"type": "function", "function": {}}]}, "tools[0].function.name"),
        ({"tools": [{"type": "function", "function": {"name": 'a"b'}}]}, "tools[0].function.name"),
        ({"tools": [{"type": "function", "function": {"name": "a" * 257}}]}, "tools[0].function.name"),
        ({"tools": [TOOL, TOOL]}, "tools"),
        ({"tools": [{"type": "function", "function": {"name": "f", "parameters": 3}}]}, "tools[0].function.parameters"),
        (
            {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"a": DEEP}}}]},
            "tools[0].function.parameters",
        ),
        ({"tools": [TOOL] * 513}, "tools"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"tools": [TOOL], "tool_choice": "any"}, "tool_choice"),
        ({"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "h"}}}, "tool_choice"),
        ({"tools": [TOOL], "parallel_tool_calls": 1}, "parallel_tool_calls"),
    ],
)
def test_bad_tools_are_refused(values: dict[str, object], param: str) -> None:
    assert refused(**values).param == param


def test_a_conversation_with_calls() -> None:
    messages = [
        {"role": "user", "content": "Weather?"},
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "Better ask.",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
                {"id": "c2", "type": "function", "function": {"name": "g", "arguments": {"b": 2}}},
            ],
        },
        {"role": "tool", "tool_call_id": "c2", "content": "21"},
        {"role": "assistant", "content": "Hm.", "function_call": {"name": "h", "arguments": ""}},
        {"role": "function", "name": "h", "content": "22"},
    ]
    asked = parse_chat_completion({"messages": messages}, CHECKS)
    calls = (ToolCall("c1", "f", '{"a": 1}'), ToolCall("c2", "g", '{"b": 2}'))
    assert asked.chat.messages[1:] == (
        Message(Role.ASSISTANT, reasoning="Better ask.", tool_calls=calls),
        Message(Role.TOOL, (TextPart("21"),), tool_call_id="c2", name="g"),
        Message(Role.ASSISTANT, (TextPart("Hm."),), tool_calls=(ToolCall("", "h", ""),)),
        Message(Role.TOOL, (TextPart("22"),), name="h"),
    )


def test_an_answer_to_a_call_is_of_the_last_one_with_its_number() -> None:
    """Clients that count from 0 in each turn."""

    def call(name: str) -> dict[str, object]:
        return {"role": "assistant", "tool_calls": [{"id": "0", "function": {"name": name}}]}

    told = {"role": "tool", "tool_call_id": "0", "content": "x"}
    asked = parse(messages=[told, call("f"), told, call("g"), told])
    assert [each.name for each in asked.chat.messages if each.role is Role.TOOL] == ["", "f", "g"]


@pytest.mark.parametrize("content", [None, []])
def test_an_answer_may_be_without_a_word_and_so_may_a_tool(content: object) -> None:
    messages = [
        {"role": "assistant", "content": content, "reasoning_content": "Hm."},
        {"role": "tool", "content": content},
    ]
    assert [each.parts for each in parse(messages=messages).chat.messages] == [(TextPart(""),)] * 2


@pytest.mark.parametrize(
    ("values", "grammar"),
    [
        ({"response_format": {"type": "json_object", "schema": None}}, "grammar of null"),
        ({"response_format": {"type": "json_object"}}, "grammar of null"),
        ({"response_format": {"type": "json_object", "schema": {"a": 1}}}, 'grammar of {"a": 1}'),
        ({"response_format": {"type": "json_schema", "json_schema": {"schema": {"a": 1}}}}, 'grammar of {"a": 1}'),
        ({"json_schema": {"a": 1}}, 'grammar of {"a": 1}'),
        ({"grammar": 'root ::= "a"'}, 'root ::= "a"'),
    ],
)
def test_the_form_of_an_answer_is_a_grammar(values: dict[str, object], grammar: str) -> None:
    assert parse(**values).chat.grammar == grammar


@pytest.mark.parametrize(
    ("values", "param"),
    [
        ({"response_format": {"type": "xml"}}, "response_format.type"),
        ({"response_format": {"type": "json_object", "schema": 123}}, "response_format.schema"),
        ({"response_format": {"type": "json_schema"}}, "response_format.json_schema"),
        ({"response_format": "json"}, "response_format"),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"schema": {"not": {}}}}},
            "response_format.json_schema.schema",
        ),
        ({"json_schema": 5}, "json_schema"),
        ({"json_schema": {"a": DEEP}}, "json_schema"),
        ({"grammar": 5}, "grammar"),
        ({"grammar": "a", "json_schema": {}}, "grammar"),
    ],
)
def test_forms_that_can_not_be_are_refused(values: dict[str, object], param: str) -> None:
    assert refused(**values).param == param


def test_reasoning_and_variables_of_the_template() -> None:
    assert parse(reasoning_effort="high").chat.template_args == {"reasoning_effort": "high", "enable_thinking": True}
    assert parse(reasoning_effort="none").chat.template_args["enable_thinking"] is False
    asked = parse(reasoning_effort="low", chat_template_kwargs={"enable_thinking": False, "mood": "fair"})
    assert asked.chat.template_args == {"reasoning_effort": "low", "enable_thinking": False, "mood": "fair"}
    assert refused(reasoning_effort="great").param == "reasoning_effort"
    assert parse(enable_thinking=False).chat.template_args == {"enable_thinking": False}
    assert parse(reasoning_effort="high", enable_thinking=False).chat.template_args["enable_thinking"] is False
    for name in ("messages", "tools", "add_generation_prompt", "self"):
        assert refused(chat_template_kwargs={name: []}).param == "chat_template_kwargs"


def test_probabilities_and_biases() -> None:
    assert parse(logprobs=True).chat.top_logprobs == 0
    assert parse(logprobs=True, top_logprobs=5).chat.top_logprobs == 5
    assert refused(top_logprobs=5).param == "top_logprobs"
    assert refused(logprobs=True, top_logprobs=-1).param == "top_logprobs"


def test_as_many_likely_tokens_as_there_are_where_that_is_no_flood() -> None:
    assert parse(n_probs=5000, max_tokens=1).chat.top_logprobs == 5000
    assert parse(logprobs=True, top_logprobs=21, max_tokens=8).chat.top_logprobs == 21
    for more in ({"max_tokens": -1}, {"max_tokens": 1 << 20}, {"max_tokens": 40_000, "n": 2}):
        assert refused(n_probs=21, **more).param == "max_tokens"
    assert parse(n_probs=20).chat.top_logprobs == 20
    assert parse(logit_bias={"7": 1, "999": -100}).chat.logit_bias == ((7, 1.0), (999, -math.inf))
    biases: list[object] = [
        {"1000": 1},
        {"": 1},
        {"7": 101},
        {"7": True},
        {"7": "1"},
        [1],
        [[1000, 1]],
        [[7]],
        [[-1, 1]],
    ]
    for bias in biases:
        assert str(refused(logit_bias=bias).param).startswith("logit_bias")


def test_several_answers() -> None:
    assert parse(n=16).n == 16
    for n in (0, 17, 1.5, True, "2"):
        assert refused(n=n).param == "n"


def test_what_would_fit_no_context_is_refused_at_the_door() -> None:
    small = replace(CHECKS, limits=Limits(prompt=10, media=0))
    with pytest.raises(ApiError) as caught:
        parse_chat_completion({"messages": [{"role": "user", "content": "x" * 11}]}, small)
    assert caught.value.code == "context_length_exceeded"
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    with pytest.raises(ApiError, match="up to 0 pictures"):
        parse_chat_completion({"messages": [{"role": "user", "content": [picture]}]}, small)


@pytest.mark.parametrize(
    ("values", "param", "told"),
    [
        ({"temperature": 9}, "temperature", "temperature must be a number from 0 to 5."),
        ({"temperature": "warm"}, "temperature", "a number from 0 to 5"),
        ({"temperature": float("nan")}, "temperature", "a number from 0 to 5"),
        ({"temperature": 10**400}, "temperature", "a number from 0 to 5"),
        ({"seed": 1.5}, "seed", "a whole number"),
        ({"top_k": True}, "top_k", "a whole number from -1 to 1,000,000"),
        ({"max_tokens": 1.5}, "max_tokens", "a whole number up to 10,000,000, or -1 for no limit"),
        ({"max_tokens": "many"}, "max_tokens", "a whole number up to 10,000,000"),
        ({"max_completion_tokens": -2}, "max_completion_tokens", "a whole number up to"),
        ({"stop": 3}, "stop", "a text, or a list of texts"),
        ({"stop": ["a", None]}, "stop[1]", "a text"),
        ({"stop": ["a"] * 65}, "stop", "up to 64"),
        ({"stream": 1}, "stream", "true or false"),
        ({"model": 5}, "model", "a text"),
        ({"stream": True, "stream_options": []}, "stream_options", "an object"),
        ({"stream": True, "stream_options": {"include_usage": 1}}, "stream_options.include_usage", "true or false"),
        ({"temperature": "x" * 9999}, "temperature", "temperature must be a number from 0 to 5."),
        ({"temperature": DEEP}, "temperature", "a number from 0 to 5"),
        ({"chat_template_kwargs": {"a": DEEP}}, "chat_template_kwargs", "nested too deeply"),
        ({"chat_template_kwargs": {"a": "\ud800"}}, "chat_template_kwargs", "half a character"),
        ({"chat_template_kwargs": {"\ud800": 1}}, "chat_template_kwargs", "half a character"),
    ],
)
def test_bad_values_are_refused_by_name(values: dict[str, object], param: str, told: str) -> None:
    error = refused(**values)
    assert error.param == param
    assert told in error.message


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"n": 17}, "n must be a whole number from 1 to 16."),
        ({"speculative.p_min": 2}, "speculative.p_min must be a number from 0 to 1."),
        ({"json_schema": 5}, "json_schema must be an object."),
        ({"tool_choice": {"type": "function"}}, "tool_choice.function must be an object."),
        ({"response_format": {"type": "xml"}}, "response_format.type must be one of text, json_object, json_schema."),
        (
            {"messages": [{"role": "user", "content": [{"type": "audio"}]}]},
            "messages[0].content[0].type must be one of text, input_text, output_text, refusal, image_url, "
            "input_image, image, input_audio, document, file, input_file.",
        ),
        (
            {"messages": [{"role": "user", "content": "a", "tool_calls": [{}]}]},
            "messages[0].tool_calls must be left out where the role is not assistant, or a list.",
        ),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content must be a text, or a list of parts."),
        ({"stream_options": {"\ud800": 1}}, "A name in the body holds half a character (a lone UTF-16 surrogate)."),
    ],
)
def test_a_refusal_says_what_may_stand_there(values: dict[str, object], told: str) -> None:
    assert refused(**values).message == told


def test_an_empty_object_may_be_written_as_an_empty_list() -> None:
    call = {"role": "assistant", "tool_calls": [{"id": None, "function": {"name": "f", "arguments": []}}]}
    assert parse(messages=[call]).chat.messages[0].tool_calls == (ToolCall("", "f", ""),)


@pytest.mark.parametrize(
    ("messages", "param"),
    [
        (None, "messages"),
        ([], "messages"),
        ("hi", "messages"),
        (["hi"], "messages[0]"),
        ([{"content": "hi"}], "messages[0].role"),
        ([{"role": "critic", "content": "hi"}], "messages[0].role"),
        ([{"role": "user", "content": "hi", "tool_calls": [{}]}], "messages[0].tool_calls"),
        ([{"role": "assistant", "content": "hi", "tool_calls": [{}]}], "messages[0].tool_calls[0].function"),
        (
            [{"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": ""}}]}],
            "messages[0].tool_calls[0].function.name",
        ),
        (
            [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"a": DEEP}}}]}],
            "messages[0].tool_calls[0].function.arguments",
        ),
        ([{"role": "assistant", "content": "hi", "reasoning": 4}], "messages[0].reasoning"),
        ([{"role": "tool", "content": "hi", "tool_call_id": 4}], "messages[0].tool_call_id"),
        ([{"role": ["user"], "content": "hi"}], "messages[0].role"),
        ([{"role": "user", "content": []}], "messages[0].content"),
        ([{"role": "user", "content": ["hi"]}], "messages[0].content[0]"),
        ([{"role": "user", "content": [{"type": "text"}]}], "messages[0].content[0].text"),
        (
            [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}],
            "messages[0].content[0].image_url.url",
        ),
        ([{"role": "user", "content": [{"type": "input_audio"}]}], "messages[0].content[0].input_audio"),
        ([{"role": "user", "content": [{"type": "audio"}]}], "messages[0].content[0].type"),
        ([{"role": "user", "content": "a \ud800 b"}], "messages[0].content"),
        ([{"role": "user", "content": "hi", "images": ["AAAA"]}], "messages[0].images"),
        ([{"role": "user", "content": "hi", "name": 4}], "messages[0].name"),
    ],
)
def test_bad_messages_are_refused_by_place(messages: object, param: str) -> None:
    assert refused(messages=messages).param == param


def test_a_body_that_is_no_object_is_refused() -> None:
    bodies: list[object] = [[], "hi", None, 3]
    for body in bodies:
        with pytest.raises(ApiError):
            parse_chat_completion(body, CHECKS)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["role", "type"]), inner, max_size=2),
    max_leaves=4,
)


_NAMES = [
    "messages",
    "stop",
    "seed",
    "n",
    "stream",
    "tools",
    "tool_choice",
    "max_tokens",
    "response_format",
    "json_schema",
    "logit_bias",
    "chat_template_kwargs",
]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(_NAMES), _JSON))
def test_whatever_is_sent_is_taken_or_refused(body: dict[str, Any]) -> None:
    try:
        parse_chat_completion({**HELLO, **body}, CHECKS)
    except ApiError as error:
        json.dumps(error.body())


def test_half_a_character_is_refused_among_the_samplers_texts_too() -> None:
    with pytest.raises(ApiError) as caught:
        parse(dry_sequence_breakers=["x", "\ud800"])
    assert (caught.value.status, caught.value.param) == (400, "dry_sequence_breakers[1]")
