import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.api.errors import ApiError, error_from
from app.api.openai_types import ChatCompletion, Envelope, model_object, parse_chat_completion
from app.core.errors import ContextFullError, ModelError, UserError
from app.core.events import Finished, FinishReason, ModelInfo, Timings
from app.core.messages import Generation, Message, Role, TextPart
from app.core.sampling import Sampling

HELLO = {"messages": [{"role": "user", "content": "hello"}]}
DEFAULTS = Sampling(temperature=0.3, max_tokens=77)


def parse(**more: object) -> ChatCompletion:
    return parse_chat_completion({**HELLO, **more}, DEFAULTS)


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
    asked = parse_chat_completion({"messages": messages}, DEFAULTS)
    assert asked.chat.messages == (
        Message.of(Role.SYSTEM, "Be brief."),
        Message(Role.SYSTEM, (TextPart("a"), TextPart("b"))),
        Message.of(Role.USER, ""),
        Message.of(Role.ASSISTANT, "yes"),
        Message.of(Role.USER, "Größe 世界 \x00 <|im_end|>"),
    )


def test_stops() -> None:
    assert parse(stop="a").chat.stop == ("a",)
    assert parse(stop=["a", "b"]).chat.stop == ("a", "b")
    assert parse(stop=[]).chat.stop == ()


def test_streaming() -> None:
    assert parse(stream=True).stream
    assert not parse(stream=True).include_usage
    assert parse(stream=True, stream_options={"include_usage": True}).include_usage


def test_what_asks_for_nothing_is_taken() -> None:
    asked = parse(n=1, tools=[], response_format={"type": "text"}, logprobs=False, user="me", metadata={"a": "b"})
    assert asked == parse()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n", 2),
        ("tools", [{"type": "function"}]),
        ("tool_choice", "required"),
        ("functions", [{}]),
        ("response_format", {"type": "json_object"}),
        ("logprobs", True),
        ("top_logprobs", 3),
        ("logit_bias", {"50256": -100}),
        ("modalities", ["text", "audio"]),
        ("reasoning_effort", "high"),
        ("store", True),
        ("chat_template_kwargs", {"enable_thinking": False}),
    ],
)
def test_what_is_not_there_yet_is_refused_and_not_ignored(name: str, value: object) -> None:
    error = refused(**{name: value})
    assert error.message == f"Hearth does not support {name} yet. Leave it out."
    assert (error.param, error.code) == (name, "unsupported_parameter")


@pytest.mark.parametrize(
    ("values", "param", "told"),
    [
        ({"temperature": 9}, "temperature", "Temperature: 9.0 is above the largest value, 5."),
        ({"temperature": "warm"}, "temperature", "not of the right kind"),
        ({"temperature": float("nan")}, "temperature", "finite"),
        ({"temperature": 10**400}, "temperature", "finite"),
        ({"seed": 1.5}, "seed", "not of the right kind"),
        ({"seed": 2**32}, "seed", "above the largest value, 4294967294."),
        ({"top_k": True}, "top_k", "not of the right kind"),
        ({"max_tokens": 0}, "max_tokens", "at least 1"),
        ({"max_tokens": "many"}, "max_tokens", "not of the right kind"),
        ({"max_completion_tokens": -2}, "max_completion_tokens", "at least 1"),
        ({"stop": 3}, "stop", "a text, or a list of texts"),
        ({"stop": ["a", ""]}, "stop", "none of them empty"),
        ({"stop": ["a"] * 17}, "stop", "up to 16"),
        ({"stream": 1}, "stream", "true or false"),
        ({"model": 5}, "model", "a text"),
        ({"stream_options": {"include_usage": True}}, "stream_options", "for streams"),
        ({"stream": True, "stream_options": []}, "stream_options", "an object"),
        ({"stream": True, "stream_options": {"include_usage": 1}}, "stream_options.include_usage", "true or false"),
        ({"temprature": 1}, "temprature", "not a parameter that Hearth knows"),
    ],
)
def test_bad_values_are_refused_by_name(values: dict[str, object], param: str, told: str) -> None:
    error = refused(**values)
    assert error.param == param
    assert told in error.message


@pytest.mark.parametrize(
    ("messages", "param"),
    [
        (None, "messages"),
        ([], "messages"),
        ("hi", "messages"),
        (["hi"], "messages[0]"),
        ([{"content": "hi"}], "messages[0].role"),
        ([{"role": "tool", "content": "hi"}], "messages[0].role"),
        ([{"role": ["user"], "content": "hi"}], "messages[0].role"),
        ([{"role": "user"}], "messages[0].content"),
        ([{"role": "user", "content": None}], "messages[0].content"),
        ([{"role": "user", "content": []}], "messages[0].content"),
        ([{"role": "user", "content": ["hi"]}], "messages[0].content[0]"),
        ([{"role": "user", "content": [{"type": "text"}]}], "messages[0].content[0]"),
        (
            [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}],
            "messages[0].content[0].image_url.url",
        ),
        ([{"role": "user", "content": [{"type": "input_audio"}]}], "messages[0].content[0]"),
        ([{"role": "user", "content": "a \ud800 b"}], "messages[0].content"),
        ([HELLO["messages"][0], {"role": "assistant", "content": "", "tool_calls": [{}]}], "messages[1].tool_calls"),
        ([{"role": "user", "content": "hi", "name": "Ada"}], "messages[0].name"),
    ],
)
def test_bad_messages_are_refused_by_place(messages: object, param: str) -> None:
    assert refused(messages=messages).param == param


def test_a_body_that_is_no_object_is_refused() -> None:
    bodies: list[object] = [[], "hi", None, 3]
    for body in bodies:
        with pytest.raises(ApiError):
            parse_chat_completion(body, DEFAULTS)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["role", "type"]), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=80)
@given(st.dictionaries(st.sampled_from(["messages", "stop", "seed", "n", "stream", "tools", "max_tokens"]), _JSON))
def test_whatever_is_sent_is_taken_or_refused(body: dict[str, Any]) -> None:
    try:
        parse_chat_completion({**HELLO, **body}, DEFAULTS)
    except ApiError as error:
        json.dumps(error.body())


def finished(reason: FinishReason = FinishReason.STOP) -> Finished:
    timings = Timings(cache_n=30, prompt_n=12, prompt_ms=3.5, predicted_n=4, predicted_ms=8.0)
    return Finished(reason, "It rains.", Generation("v", (1,)), timings, seed=7, n_past=46)


ENVELOPE = Envelope("chatcmpl-1", 1_700_000_000, "tiny")


def test_a_plain_answer() -> None:
    told: Any = ENVELOPE.whole(finished())
    assert {name: told[name] for name in ("id", "object", "created", "model")} == {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "tiny",
    }
    [choice] = told["choices"]
    assert choice["message"]["role"] == "assistant"
    assert choice["message"]["content"] == "It rains."
    assert choice["finish_reason"] == "stop"
    assert told["usage"] == {
        "prompt_tokens": 42,
        "completion_tokens": 4,
        "total_tokens": 46,
        "prompt_tokens_details": {"cached_tokens": 30},
    }
    assert told["timings"] == {
        "cache_n": 30,
        "prompt_n": 12,
        "prompt_ms": 3.5,
        "predicted_n": 4,
        "predicted_ms": 8.0,
        "draft_n": 0,
        "draft_n_accepted": 0,
    }


def test_a_stream_ends_with_the_figures() -> None:
    [end] = ENVELOPE.closing(finished(FinishReason.CONTEXT_FULL))
    told: Any = end
    assert told["choices"][0] == {"index": 0, "delta": {}, "logprobs": None, "finish_reason": "length"}
    assert told["timings"]["cache_n"] == 30
    assert "usage" not in told


def test_a_stream_that_tells_the_usage_does_so_in_a_chunk_of_its_own() -> None:
    envelope = Envelope("chatcmpl-1", 1_700_000_000, "tiny", include_usage=True)
    end, usage = envelope.closing(finished(FinishReason.LENGTH))
    assert end["usage"] is None
    assert envelope.opening()["usage"] is None
    assert "timings" not in end
    told: Any = usage
    assert told["choices"] == []
    assert told["usage"]["prompt_tokens_details"] == {"cached_tokens": 30}
    assert told["timings"]["predicted_n"] == 4


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (ContextFullError("Too long."), 400, "context_length_exceeded"),
        (ModelError("The template refuses."), 400, None),
        (UserError("No model is loaded."), 503, None),
    ],
)
def test_what_the_engine_refuses_has_a_status(error: UserError, status: int, code: str | None) -> None:
    told = error_from(error)
    assert (told.status, told.code, told.message) == (status, code, error.sentence)


def test_an_error_object_is_openais() -> None:
    assert ApiError(400, "No.", param="n", code="c").body() == {
        "error": {"message": "No.", "type": "invalid_request_error", "param": "n", "code": "c"}
    }
    assert ApiError(503, "No.").kind == "server_error"


def test_a_model_is_told_by_its_name() -> None:
    info = ModelInfo(Path("/m/tiny.gguf"), "tiny", "llama", 10, 20, 1024, 8192, "v", has_template=True)
    told: Any = model_object(info, 5)
    assert (told["id"], told["object"], told["created"], told["owned_by"]) == ("tiny", "model", 5, "hearth")
    assert told["meta"] == {"n_ctx": 1024, "n_ctx_train": 8192, "n_params": 20, "size": 10}
