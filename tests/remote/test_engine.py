"""A model of a server, asked as a local one: the same events, whatever the server does."""

import threading
import time

import pytest

from app.core.errors import ContextFullError, UserError
from app.core.events import DeltaKind, Finished, FinishReason, PromptProgress, Retrying, TextDelta, ToolCallDelta
from app.core.messages import Message, Role, ToolCall
from app.core.overflow import Overflow
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.remote.exchange import Patience
from app.remote.server import ServerKind
from app.remote.stop_signal import StopSignal
from tests.remote.asking import QUESTION, all_of, answer_of, engine_of, stop_later
from tests.remote.scripted_server import (
    Caller,
    ScriptedServer,
    ends,
    event,
    events,
    head,
    says,
    sending,
    whole,
)

USAGE = {"prompt_tokens": 30, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 20}}


def test_an_answer_with_its_figures(server: ScriptedServer) -> None:
    progress = {"choices": [], "prompt_progress": {"total": 30, "cache": 20, "processed": 25, "time_ms": 500}}
    server.scripts.append(
        sending(events(progress, says("Hel"), says("lo"), ends(), {"choices": [], "usage": USAGE}, "[DONE]"))
    )
    told = all_of(engine_of(server))
    assert told[0] == PromptProgress(30, 20, 5, 0.5)
    assert [each.text for each in told if isinstance(each, TextDelta)] == ["Hel", "lo"]
    last = told[-1]
    assert isinstance(last, Finished)
    assert (last.reason, last.text, last.n_past, last.seed) == (FinishReason.STOP, "Hello", 34, None)
    assert (last.timings.cache_n, last.timings.prompt_n, last.timings.predicted_n) == (20, 10, 4)
    assert last.reuse == "The server reused 20 of 30 entries."


def test_what_is_not_told_is_none_and_never_0(server: ScriptedServer) -> None:
    server.scripts.append(sending(events(says("x"), ends(), "[DONE]")))
    last = answer_of(engine_of(server, ServerKind.LLAMA_CPP_PYTHON))
    timings = last.timings
    assert (timings.cache_n, timings.prompt_n, timings.predicted_n, timings.draft_n) == (None, None, None, None)
    assert (last.n_past, timings.predicted_per_second, timings.prompt_total) == (None, None, None)
    assert last.reuse == "The server does not tell what it reused."


def test_without_what_was_reused_the_whole_prompt_is_told(server: ScriptedServer) -> None:
    usage = {"prompt_tokens": 30, "completion_tokens": 4, "prompt_tokens_details": None}
    server.scripts.append(sending(events(says("x"), ends(usage=usage))))
    timings = answer_of(engine_of(server, ServerKind.VLLM)).timings
    assert (timings.cache_n, timings.prompt_n, timings.prompt_total) == (None, 30, 30)


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_reasoning_under_either_name(server: ScriptedServer, name: str) -> None:
    thought = {"choices": [{"index": 0, "delta": {name: "hm", "content": None}}]}
    server.scripts.append(sending(events(thought, says("yes"), ends(), "[DONE]")))
    told = all_of(engine_of(server))
    assert [(each.kind, each.text) for each in told if isinstance(each, TextDelta)] == [
        (DeltaKind.REASONING, "hm"),
        (DeltaKind.CONTENT, "yes"),
    ]
    last = told[-1]
    assert isinstance(last, Finished)
    assert (last.reasoning, last.text) == ("hm", "yes")


def call(index: int | None, **fields: object) -> dict[str, object]:
    one = {"index": index, **fields} if index is not None else fields
    return {"choices": [{"index": 0, "delta": {"tool_calls": [one]}}]}


@pytest.mark.parametrize(
    "chunks",
    [
        [
            call(0, id="a", function={"name": "look", "arguments": ""}),
            call(0, function={"arguments": '{"x":'}),
            call(0, function={"arguments": "1}"}),
            call(1, id="b", function={"name": "go", "arguments": "{}"}),
        ],
        [
            call(0, id="a", function={"name": "look", "arguments": '{"x":1}'}),
            call(0, id="b", function={"name": "go", "arguments": "{}"}),
        ],
        [
            call(None, id="a", function={"name": "look", "arguments": '{"x":1}'}),
            call(None, id="b", function={"name": "go", "arguments": "{}"}),
        ],
    ],
    ids=["pieces", "all numbered 0", "not numbered"],
)
def test_tool_calls_however_they_are_numbered(server: ScriptedServer, chunks: list[dict[str, object]]) -> None:
    server.scripts.append(sending(events(*chunks, ends("tool_calls"), "[DONE]")))
    told = all_of(engine_of(server))
    last = told[-1]
    assert isinstance(last, Finished)
    assert last.tool_calls == (ToolCall("a", "look", '{"x":1}'), ToolCall("b", "go", "{}"))
    assert last.reason is FinishReason.TOOL_CALLS
    assert [each.index for each in told if isinstance(each, ToolCallDelta) and each.name] == [0, 1]


def test_an_answer_that_comes_whole(server: ScriptedServer) -> None:
    said = {"choices": [{"index": 0, "message": {"content": "Hi"}, "finish_reason": "stop"}], "usage": USAGE}
    server.scripts.append(sending(whole(said)))
    last = answer_of(engine_of(server))
    assert (last.text, last.reason, last.timings.predicted_n) == ("Hi", FinishReason.STOP, 4)


@pytest.mark.parametrize("kind", list(ServerKind))
def test_a_stream_that_ends_without_a_reason_is_broken_off_and_kept(server: ScriptedServer, kind: ServerKind) -> None:
    line = b'{"message":{"content":"Half of"},"done":false}\n'
    data = head(200, "application/x-ndjson") + line if kind is ServerKind.OLLAMA else events(says("Half of"))
    server.scripts.append(sending(data))
    last = answer_of(engine_of(server, kind))
    assert (last.reason, last.text) == (FinishReason.BROKEN_OFF, "Half of")
    assert len(last.notes) == 1 and "What came is kept" in last.notes[0]


@pytest.mark.parametrize("said", ["Here.", ""])
def test_a_server_that_keeps_the_connection_after_the_end_holds_nobody_up(server: ScriptedServer, said: str) -> None:
    def script(caller: Caller) -> None:
        caller.send(head(200, "text/event-stream") + event(says(said)) + event(ends()))
        caller.wait_for_hang_up()

    server.scripts.append(script)
    last = answer_of(engine_of(server, patience=Patience(first=20.0, between=600.0, after=0.2)))
    assert (last.reason, last.text, last.notes) == (FinishReason.STOP, said, ())
    assert len(server.asked) == 1


def test_done_without_a_reason_is_broken_off_too(server: ScriptedServer) -> None:
    server.scripts.append(sending(events(says("Half of"), "[DONE]")))
    assert answer_of(engine_of(server)).reason is FinishReason.BROKEN_OFF


def test_stop_is_at_once_and_the_server_hears_it(server: ScriptedServer) -> None:
    """While it writes, and the same while it reads: nothing has come by then."""
    came, stop = threading.Event(), StopSignal()

    def script(caller: Caller) -> None:
        caller.send(head(200, "text/event-stream") + event(says("One")))
        came.set()
        caller.wait_for_hang_up()

    server.scripts.append(script)
    stopper = stop_later(stop, came)
    last = answer_of(engine_of(server), stop=stop)
    stopper.join()
    assert last.reason is FinishReason.CANCELLED and last.text in ("", "One")
    assert server.callers[0].hung_up.wait(90)


def test_stop_while_nothing_has_come(server: ScriptedServer) -> None:
    asked, stop = threading.Event(), StopSignal()

    def script(caller: Caller) -> None:
        asked.set()
        caller.wait_for_hang_up()

    server.scripts.append(script)
    stopper = stop_later(stop, asked)
    last = answer_of(engine_of(server), stop=stop)
    stopper.join()
    assert (last.reason, last.text, last.notes) == (FinishReason.CANCELLED, "", ())
    assert server.callers[0].hung_up.wait(90)


def test_stop_before_it_is_asked_asks_nothing(server: ScriptedServer) -> None:
    stop = StopSignal()
    stop.set()
    assert answer_of(engine_of(server), stop=stop).reason is FinishReason.CANCELLED
    assert server.asked == []


@pytest.mark.parametrize(("kind", "at_once"), [(ServerKind.LLAMA_CPP_PYTHON, False), (ServerKind.LLAMA_SERVER, True)])
def test_a_server_whose_answers_end_each_other_is_asked_one_thing_at_a_time(
    server: ScriptedServer, kind: ServerKind, at_once: bool
) -> None:
    """Whichever engine asks."""

    def script(caller: Caller) -> None:
        caller.send(head(200, "text/event-stream") + event(says("One")))
        caller.wait_for_hang_up()

    server.scripts.extend([script, sending(events(says("Two"), ends()))])
    first = engine_of(server, kind).reply(QUESTION, StopSignal())
    assert isinstance(next(first), TextDelta)
    stop = StopSignal()
    second = engine_of(server, kind).reply(QUESTION, stop)
    if not at_once:
        stop.set()
    *_, last = second
    assert isinstance(last, Finished)
    assert (last.text, len(server.asked)) == (("Two", 2) if at_once else ("", 1))
    first.close()
    if not at_once:
        assert answer_of(engine_of(server, kind)).text == "Two"


def test_a_reader_that_goes_closes_the_connection(server: ScriptedServer) -> None:
    def script(caller: Caller) -> None:
        caller.send(head(200, "text/event-stream") + event(says("One")))
        caller.wait_for_hang_up()

    server.scripts.append(script)
    reply = engine_of(server).reply(QUESTION, StopSignal())
    assert isinstance(next(reply), TextDelta)
    reply.close()
    assert server.callers[0].hung_up.wait(90)


def test_a_server_that_falls_silent_is_left_with_what_came(server: ScriptedServer) -> None:
    def script(caller: Caller) -> None:
        caller.send(head(200, "text/event-stream") + event(says("One")))
        caller.wait_for_hang_up()

    server.scripts.append(script)
    last = answer_of(engine_of(server, patience=Patience(between=0.2)))
    assert (last.reason, last.text) == (FinishReason.BROKEN_OFF, "One")
    assert "said nothing" in last.notes[0]


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_asked_again_when_it_wants(server: ScriptedServer, status: int) -> None:
    busy = whole({"error": {"message": "slow down", "type": "rate_limit"}}, status, Retry_After="0")
    server.scripts.extend([sending(busy), sending(busy), sending(events(says("At last"), ends()))])
    told = all_of(engine_of(server))
    waits = [each for each in told if isinstance(each, Retrying)]
    assert len(waits) == 2 and all("too much to do" in each.why for each in waits)
    assert isinstance(last := told[-1], Finished) and last.text == "At last"


def test_who_wants_too_long_a_rest_is_told_to_people(server: ScriptedServer) -> None:
    server.scripts.append(sending(whole({"detail": "later"}, 429, Retry_After="3600")))
    with pytest.raises(UserError, match="in 60 minutes"):
        all_of(engine_of(server))
    assert len(server.asked) == 1


def test_stop_ends_a_rest(server: ScriptedServer) -> None:
    server.scripts.append(sending(whole({"detail": "later"}, 429, Retry_After="60")))
    stop = StopSignal()
    reply = engine_of(server).reply(QUESTION, stop)
    assert isinstance(next(reply), Retrying)
    stop.set()
    began = time.monotonic()
    assert isinstance(last := next(reply), Finished) and last.reason is FinishReason.CANCELLED
    assert time.monotonic() - began < 30


def test_a_connection_that_drops_before_anything_came_is_made_once_more(server: ScriptedServer) -> None:
    server.scripts.extend([sending(b""), sending(events(says("Here"), ends()))])
    assert answer_of(engine_of(server)).text == "Here"
    assert len(server.asked) == 2


def test_a_question_is_never_asked_again_after_a_byte_of_the_answer(server: ScriptedServer) -> None:
    server.scripts.append(sending(events(says("x"))))
    answer_of(engine_of(server))
    assert len(server.asked) == 1


REFUSALS = [
    (whole({"error": {"message": "no key", "type": "auth"}}, 401), "wants a key"),
    (whole({"detail": "Not Found"}, 404), "Not Found"),
    (whole({"detail": [{"loc": ["body", "top_k"], "msg": "Extra inputs"}]}, 422), "top_k: Extra inputs"),
    (head(500, "text/plain") + b"Internal Server Error", "Internal Server Error"),
    (head(500, "text/plain"), "does not say why (500)"),
    (head(502, "text/html") + b"<html>Bad gateway", "web page"),
    (head(200, "text/html") + b"<!doctype html>Log in", "web page"),
    (head(504, "application/json") + b"{}", "What stands before"),
    (head(302, "text/html", Location="http://elsewhere.example/v1"), "leads on to http://elsewhere.example/v1"),
    (head(200, "image/png") + b"\x89PNG", "no answer"),
    (head(200, "text/event-stream"), "ended the connection without"),
    (events("rubbish"), "no answer"),
    (events({"error": {"message": "out of memory", "type": "server_error"}}), "failed by itself: out of memory"),
    (events('{"error": "it said "no" to me"}'), 'it said "no" to me'),
    (whole({"error": "model not found"}), "model not found"),
    (whole({"error": {"message": "image input is not supported - hint: mmproj"}}, 500), "can't see pictures"),
]


@pytest.mark.parametrize(("answer", "sentence"), REFUSALS)
def test_whatever_is_no_answer_is_told_in_a_sentence(server: ScriptedServer, answer: bytes, sentence: str) -> None:
    server.scripts.append(sending(answer))
    with pytest.raises(UserError) as caught:
        all_of(engine_of(server))
    assert sentence in caught.value.sentence
    assert caught.value.sentence.endswith(".")


def test_an_error_in_the_middle_keeps_what_came(server: ScriptedServer) -> None:
    server.scripts.append(sending(events(says("One"), {"error": {"message": "out of memory"}}, "[DONE]")))
    last = answer_of(engine_of(server))
    assert (last.reason, last.text) == (FinishReason.BROKEN_OFF, "One")
    assert "out of memory" in last.notes[0]


def test_a_server_that_is_not_there(server: ScriptedServer) -> None:
    engine = engine_of(server)
    port, server.port = server.port, 1
    gone = engine_of(server)
    server.port = port
    with pytest.raises(UserError, match="can't be reached"):
        all_of(gone)
    assert engine.server.address != gone.server.address


TOO_LONG = [
    {"error": {"code": 400, "type": "exceed_context_size_error", "message": "x", "n_prompt_tokens": 900, "n_ctx": 512}},
    {"error": {"message": "This model's maximum context length is 512 tokens. However, you requested 900 tokens"}},
]


@pytest.mark.parametrize("said", TOO_LONG)
def test_a_conversation_that_is_too_long_is_told_with_its_size(server: ScriptedServer, said: object) -> None:
    server.scripts.append(sending(whole(said, 400)))
    with pytest.raises(ContextFullError) as caught:
        all_of(engine_of(server))
    assert (caught.value.n_tokens, caught.value.n_ctx) == (900, 512)


def test_where_turns_may_go_it_is_cut_and_asked_once_more(server: ScriptedServer) -> None:
    server.scripts.extend([sending(whole(TOO_LONG[0], 400)), sending(events(says("Yes"), ends()))])
    talk = [Message.of(Role.SYSTEM, "Be brief.")]
    for number in range(8):
        talk += [Message.of(Role.USER, f"{number} " + "word " * 30), Message.of(Role.ASSISTANT, "word " * 30)]
    request = ChatRequest((*talk, Message.of(Role.USER, "Last?")), overflow=Overflow.DROP_OLDEST)
    last = answer_of(engine_of(server), request)
    first, second = (each.json["messages"] for each in server.asked)
    assert (second[0], second[-1]) == (first[0], first[-1]) and len(second) < len(first)
    assert last.notes == (f"{len(first) - len(second)} earlier messages were left out, because the context is full.",)


def test_an_answer_that_filled_the_context_says_so(server: ScriptedServer) -> None:
    usage = {"prompt_tokens": 60, "completion_tokens": 4}
    server.scripts.append(sending(events(says("x"), ends("length", usage=usage))))
    assert answer_of(engine_of(server, context=64)).reason is FinishReason.CONTEXT_FULL
    assert answer_of(engine_of(server, context=640)).reason is FinishReason.LENGTH


def test_a_key_is_sent_and_stands_nowhere_else(server: ScriptedServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    server.scripts.append(sending(whole({"error": {"message": "bad key"}}, 401)))
    engine = engine_of(server, key="geheim-123")
    with pytest.raises(UserError, match="refuses the key") as caught:
        all_of(engine)
    assert server.asked[0].headers["authorization"] == "Bearer geheim-123"
    assert "geheim" not in caplog.text + repr(engine.server) + repr(caught.value) + caught.value.detail


@pytest.mark.parametrize(
    "answer",
    [
        whole({"error": {"message": "Invalid token. Received: geheim-123"}}, 401),
        whole({"error": {"message": "No geheim-123 here"}}, 400),
        events({"error": {"message": "geheim-123 has used up its money"}}),
    ],
)
def test_a_key_that_the_server_repeats_is_told_to_nobody(server: ScriptedServer, answer: bytes) -> None:
    server.scripts.append(sending(answer))
    with pytest.raises(UserError) as caught:
        all_of(engine_of(server, key="geheim-123"))
    assert "geheim" not in caught.value.logged


def test_a_seed_is_told_where_it_was_used(server: ScriptedServer) -> None:
    server.scripts.append(sending(events(says("x"), ends())))
    request = ChatRequest(QUESTION.messages, sampling=Sampling(seed=7))
    assert answer_of(engine_of(server), request).seed == 7
    assert answer_of(engine_of(server, ServerKind.OTHER), request).seed is None


def test_ollamas_lines(server: ScriptedServer) -> None:
    tool = {"function": {"name": "look", "arguments": {"x": 1}}}
    lines = [
        {"message": {"role": "assistant", "content": "", "thinking": "hm"}, "done": False},
        {"message": {"role": "assistant", "content": "Hi"}, "done": False},
        {"message": {"role": "assistant", "content": "", "tool_calls": [tool]}, "done": False},
        {
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": 9,
            "eval_count": 3,
            "prompt_eval_duration": 2_000_000,
            "eval_duration": 5_000_000,
        },
    ]
    import json

    data = b"".join(json.dumps(each).encode() + b"\n" for each in lines)
    server.scripts.append(sending(head(200, "application/x-ndjson") + data))
    last = answer_of(engine_of(server, ServerKind.OLLAMA, n_ctx=4096))
    assert (last.text, last.reasoning, last.reason) == ("Hi", "hm", FinishReason.TOOL_CALLS)
    assert (last.tool_calls[0].name, last.tool_calls[0].arguments) == ("look", '{"x": 1}')
    timings = last.timings
    assert (timings.cache_n, timings.prompt_n, timings.predicted_n) == (None, 9, 3)
    assert (timings.prompt_ms, timings.predicted_ms) == (2.0, 5.0)
    assert (server.asked[0].path, server.asked[0].json["options"]["num_ctx"]) == ("/api/chat", 4096)
