import json
from typing import Any

import pytest

from app.api.errors import ApiError, Places, error_from
from app.api.openai.chat_answers import Envelope
from app.core.errors import ConstraintError, ContextFullError, ModelError, UserError
from app.core.events import (
    DeltaKind,
    Finished,
    FinishReason,
    LikelyToken,
    Looking,
    ReplyEvent,
    TextDelta,
    Timings,
    TokenLogprob,
    ToolCallDelta,
)
from app.core.messages import Generation, ToolCall


def finished(reason: FinishReason = FinishReason.STOP, **more: object) -> Finished:
    timings = Timings(cache_n=30, prompt_n=12, prompt_ms=3.5, predicted_n=4, predicted_ms=8.0)
    values: dict[str, Any] = {"text": "It rains.", **more}
    return Finished(reason, generation=Generation("v", (1,)), timings=timings, seed=7, n_past=46, **values)


ENVELOPE = Envelope("chatcmpl-1", 1_700_000_000, "tiny")


def closed(envelope: Envelope, *answers: Finished) -> list[Any]:
    last = len(answers) - 1
    return list(envelope.closing(answers, envelope.ending(answers[last], last)))


def test_a_plain_answer() -> None:
    told: Any = ENVELOPE.whole([finished()])
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
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
    assert told["timings"] == {
        "cache_n": 30,
        "prompt_n": 12,
        "prompt_ms": 3.5,
        "prompt_per_token_ms": 3.5 / 12,
        "prompt_per_second": 12 / 3.5 * 1000,
        "predicted_n": 4,
        "predicted_ms": 8.0,
        "predicted_per_token_ms": 8 / 3,  # the first one costs no step
        "predicted_per_second": 375.0,
        "draft_n": 0,
        "draft_n_accepted": 0,
    }


def test_a_stream_ends_with_the_figures() -> None:
    told: Any = closed(ENVELOPE, finished(FinishReason.CONTEXT_FULL))[0]
    assert told["choices"][0] == {"index": 0, "delta": {}, "logprobs": None, "finish_reason": "length"}
    assert told["timings"]["cache_n"] == 30
    assert "usage" not in told


def test_a_stream_that_tells_the_usage_does_so_in_a_chunk_of_its_own() -> None:
    envelope = Envelope("chatcmpl-1", 1_700_000_000, "tiny", include_usage=True)
    end, usage = closed(envelope, finished(FinishReason.LENGTH))
    assert end["usage"] is None
    assert envelope.opening()[0]["usage"] is None
    assert "timings" not in end
    told: Any = usage
    assert told["choices"] == []
    assert told["usage"]["prompt_tokens_details"] == {"cached_tokens": 30}
    assert told["timings"]["predicted_n"] == 4


@pytest.mark.parametrize(
    ("error", "status", "code", "param"),
    [
        (ContextFullError("Too long."), 400, "context_length_exceeded", "prompt"),
        (ModelError("The template refuses."), 400, None, "prompt"),
        (ConstraintError("The grammar can't be used."), 400, None, "tools"),
        (UserError("No model is loaded."), 503, None, None),
    ],
)
def test_what_the_engine_refuses_has_a_status_and_a_place(
    error: UserError, status: int, code: str | None, param: str | None
) -> None:
    told = error_from(error, Places("prompt", "tools"))
    assert (told.status, told.code, told.param) == (status, code, param)
    assert told.message.endswith(error.sentence)


def test_an_error_object_is_openais() -> None:
    assert ApiError(400, "No.", param="n", code="c").body() == {
        "error": {"message": "No.", "type": "invalid_request_error", "param": "n", "code": "c"}
    }
    assert ApiError(503, "No.").kind == "server_error"


CALL = ToolCall("c1", "f", '{"a": 1}')


def test_what_was_thought_and_called() -> None:
    thought = finished(FinishReason.TOOL_CALLS, text="", reasoning="Hm.", reasoning_n=3, tool_calls=(CALL,))
    told: Any = ENVELOPE.whole([thought])
    [choice] = told["choices"]
    assert choice["message"] == {
        "role": "assistant",
        "content": None,
        "refusal": None,
        "reasoning_content": "Hm.",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}],
    }
    assert choice["finish_reason"] == "tool_calls"
    assert told["usage"]["completion_tokens_details"] == {"reasoning_tokens": 3}


@pytest.mark.parametrize(
    ("event", "delta"),
    [
        (TextDelta("a"), {"content": "a"}),
        (TextDelta("a", kind=DeltaKind.REASONING), {"reasoning_content": "a"}),
        (
            ToolCallDelta(1, "c1", "f", "{"),
            {"tool_calls": [{"index": 1, "id": "c1", "type": "function", "function": {"name": "f", "arguments": "{"}}]},
        ),
        (ToolCallDelta(1, arguments="}"), {"tool_calls": [{"index": 1, "function": {"arguments": "}"}}]}),
    ],
)
def test_deltas(event: ReplyEvent, delta: object) -> None:
    [chunk] = ENVELOPE.chunks(event, 2)
    told: Any = chunk
    assert told["choices"] == [{"index": 2, "delta": delta, "logprobs": None, "finish_reason": None}]


def test_what_is_no_part_of_the_answer_is_not_told() -> None:
    assert ENVELOPE.chunks(Looking(1, 1)) == ENVELOPE.chunks(finished()) == []


def test_several_answers_share_one_prompt() -> None:
    told: Any = ENVELOPE.whole([finished(), finished(text="It snows.")])
    assert [(each["index"], each["message"]["content"]) for each in told["choices"]] == [
        (0, "It rains."),
        (1, "It snows."),
    ]
    assert (told["usage"]["prompt_tokens"], told["usage"]["completion_tokens"]) == (42, 8)
    assert told["timings"]["predicted_ms"] == 16.0


def likely(piece: bytes, logprob: float) -> LikelyToken:
    return LikelyToken(1, piece, logprob)


LOGPROBS = (
    TokenLogprob(likely(b"It", -0.5), (likely(b"It", -0.5), likely(b"\xe2\x82", float("-inf")))),
    TokenLogprob(likely(b" rains.", -0.25)),
)


def test_probabilities() -> None:
    envelope = Envelope("chatcmpl-1", 1_700_000_000, "tiny", logprobs=True)
    told: Any = envelope.whole([finished(logprobs=LOGPROBS)])
    json.dumps(told, allow_nan=False)
    first, second = told["choices"][0]["logprobs"]["content"]
    assert (first["token"], first["logprob"], first["bytes"]) == ("It", -0.5, [73, 116])
    assert first["top_logprobs"][1] == {"token": "\ufffd", "logprob": -9999.0, "bytes": [0xE2, 0x82]}
    assert second["top_logprobs"] == []
    delta: Any = envelope.chunks(TextDelta("It", logprobs=LOGPROBS[:1]))[0]
    assert delta["choices"][0]["logprobs"]["content"] == [first]
    rest: Any = envelope.ending(finished(logprobs=LOGPROBS), 0, told=1)[0]
    assert rest["choices"][0]["logprobs"]["content"] == [second]
    assert ENVELOPE.chunks(TextDelta("It", logprobs=LOGPROBS[:1]))[0] == ENVELOPE.chunks(TextDelta("It"))[0]
