"""What is sent to each kind of server: what it understands, in an order that never changes, and nothing else."""

import json
from dataclasses import replace
from typing import Any

import pytest

from app.core.errors import UserError
from app.core.messages import AudioPart, DocumentPart, ImagePart, Message, Role, TextPart, ToolCall
from app.core.requests import ChatRequest, ToolChoice
from app.core.sampling import Sampling
from app.remote.server import YES, Abilities, ServerKind, no
from tests.picture_files import png
from tests.remote.asking import QUESTION, answer_of, engine_of
from tests.remote.scripted_server import ScriptedServer, ends, events, head, says, sending

SCHEMA = {"type": "object"}
TOOL = {"type": "function", "function": {"name": "look", "parameters": SCHEMA}}
OPENAI = {"model", "messages", "stream", "temperature", "top_p", "presence_penalty", "frequency_penalty", "max_tokens"}
FIELDS = {
    ServerKind.OTHER: OPENAI | {"stream_options"},
    ServerKind.TRANSFORMERS: OPENAI | {"seed"},
    ServerKind.LLAMA_CPP_PYTHON: OPENAI | {"seed", "top_k", "min_p", "repeat_penalty"},
    ServerKind.LM_STUDIO: OPENAI | {"seed", "top_k", "repeat_penalty", "stream_options"},
    ServerKind.VLLM: OPENAI | {"seed", "top_k", "min_p", "repetition_penalty", "stream_options", "cache_salt"},
    ServerKind.SGLANG: OPENAI | {"seed", "top_k", "min_p", "repetition_penalty", "stream_options"},
}
OLLAMA_END = head(200, "application/x-ndjson") + b'{"message":{"content":"x"},"done":true,"done_reason":"stop"}\n'


def sent(
    server: ScriptedServer, kind: ServerKind, request: ChatRequest, abilities: Abilities | None = None
) -> dict[str, Any]:
    server.scripts.clear()
    server.scripts.append(sending(OLLAMA_END if kind is ServerKind.OLLAMA else events(says("x"), ends())))
    answer_of(engine_of(server, kind, abilities=abilities, secret=b"s" * 32), request)
    body: dict[str, Any] = server.asked[-1].json
    return body


@pytest.mark.parametrize("kind", list(FIELDS))
def test_only_what_a_kind_understands_is_sent(server: ScriptedServer, kind: ServerKind) -> None:
    request = replace(QUESTION, sampling=Sampling(seed=7, max_tokens=9))
    assert set(sent(server, kind, request)) == FIELDS[kind]


@pytest.mark.parametrize("kind", list(ServerKind))
def test_what_nobody_set_is_left_to_the_server(server: ScriptedServer, kind: ServerKind) -> None:
    request = replace(QUESTION, sampling=Sampling(temperature=0.8, seed=7), sampling_set=frozenset({"temperature"}))
    body = sent(server, kind, request)
    told = body.get("options", body)
    assert told["temperature"] == 0.8, "also where that is the default of ours"
    assert not {"top_p", "top_k", "min_p", "seed"} & set(told)


@pytest.mark.parametrize("kind", list(ServerKind))
def test_a_longer_conversation_begins_with_the_very_bytes_of_the_shorter(
    server: ScriptedServer, kind: ServerKind
) -> None:
    call = ToolCall("c1", "look", '{"b": 1, "a": 2}')
    talk = (
        Message.of(Role.SYSTEM, "Be brief."),
        Message(Role.USER, (DocumentPart("", "a.txt", "Text."), TextPart("What?"))),
        Message(Role.ASSISTANT, (TextPart("I look."),), reasoning="hm", tool_calls=(call,)),
        Message(Role.TOOL, (TextPart("done"),), tool_call_id="c1", name="look"),
        Message.of(Role.ASSISTANT, "There."),
        Message.of(Role.USER, "And?"),
    )
    can = Abilities(tools=YES)
    bodies = []
    for n in (2, 6):
        sent(server, kind, ChatRequest(talk[:n], tools=(TOOL,)), can)
        bodies.append(server.asked[-1].body)
    begins = bodies[0][: bodies[0].index(b'"messages":')]
    assert bodies[1].startswith(begins)
    first, second = (json.loads(each)["messages"] for each in bodies)
    assert second[: len(first)] == first and len(second) == 6
    assert "File: a.txt" in first[1]["content"]


def test_no_limit_is_said_as_each_kind_says_it(server: ScriptedServer) -> None:
    request = replace(QUESTION, sampling=Sampling(top_k=0))
    told = {kind: sent(server, kind, request)["top_k"] for kind in (ServerKind.VLLM, ServerKind.SGLANG)}
    assert told == {ServerKind.VLLM: 0, ServerKind.SGLANG: -1}


def test_reasoning_goes_back_under_its_own_name_or_never(server: ScriptedServer) -> None:
    thought = Message(Role.ASSISTANT, (TextPart("So."),), reasoning="hm")
    request = ChatRequest((*QUESTION.messages, thought, *QUESTION.messages))
    names = {kind: set(sent(server, kind, request)["messages"][1]) - {"role", "content"} for kind in ServerKind}
    assert names[ServerKind.LLAMA_SERVER] == names[ServerKind.SGLANG] == {"reasoning_content"}
    assert (names[ServerKind.VLLM], names[ServerKind.OLLAMA]) == ({"reasoning"}, {"thinking"})
    assert names[ServerKind.OTHER] == names[ServerKind.TRANSFORMERS] == set()


@pytest.mark.parametrize("cut", ["", '{"city": "Pa', "[1]", "3"])
def test_a_call_that_was_cut_off_does_not_spoil_the_conversation(server: ScriptedServer, cut: str) -> None:
    whole = ToolCall("c1", "look", '{"b": 1,  "a": 2}')
    asked = Message(Role.ASSISTANT, (), tool_calls=(whole, ToolCall("c2", "look", cut)))
    request = ChatRequest((*QUESTION.messages, asked, Message.of(Role.USER, "Go on.")))
    told = [sent(server, kind, request)["messages"][1]["tool_calls"] for kind in (ServerKind.VLLM, ServerKind.OLLAMA)]
    arguments = [[each["function"]["arguments"] for each in calls] for calls in told]
    assert arguments == [['{"b": 1,  "a": 2}', "{}"], [{"a": 2, "b": 1}, {}]]


def test_a_picture_is_sent_where_it_is_seen(server: ScriptedServer) -> None:
    picture = Message(Role.USER, (ImagePart("", "a.png", data=png()), TextPart("What is it?")))
    can = Abilities(pictures=YES)
    body = sent(server, ServerKind.LLAMA_SERVER, ChatRequest((picture,)), can)
    first, second = body["messages"][0]["content"]
    assert first["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    assert second == {"type": "text", "text": "What is it?"}
    told = sent(server, ServerKind.OLLAMA, ChatRequest((picture,)), can)
    assert told["messages"][0]["images"][0].startswith("iVBOR")


def test_an_earlier_picture_is_told_by_its_name_to_a_model_that_does_not_see(server: ScriptedServer) -> None:
    picture = Message(Role.USER, (ImagePart("", "a.png", data=png()), TextPart("What is it?")))
    request = ChatRequest((picture, Message.of(Role.ASSISTANT, "A wall."), *QUESTION.messages))
    body = sent(server, ServerKind.LLAMA_CPP_PYTHON, request)
    assert body["messages"][0]["content"] == "[a.png]\nWhat is it?"


@pytest.mark.parametrize(("data", "sentence"), [(b"", "is gone"), (b"ftypheic", "in a form that servers don't know")])
def test_a_picture_that_can_not_be_sent(server: ScriptedServer, data: bytes, sentence: str) -> None:
    picture = Message(Role.USER, (ImagePart("", "a.heic", data=data), TextPart("What is it?")))
    with pytest.raises(UserError, match=sentence):
        sent(server, ServerKind.OTHER, ChatRequest((picture,)))


BLIND = Abilities(pictures=no("This model can't see pictures."))
PICTURE = Message(Role.USER, (ImagePart("", "a.png", data=png()),))
SOUND = Message(Role.USER, (AudioPart("", "a.wav", data=b"RIFF0000WAVE"),))
REFUSED = [
    (ServerKind.LLAMA_SERVER, BLIND, ChatRequest((PICTURE,)), "can't see pictures"),
    (ServerKind.TRANSFORMERS, None, ChatRequest((PICTURE,)), "leaves pictures out without a word"),
    (ServerKind.LLAMA_CPP_PYTHON, None, ChatRequest((PICTURE,)), "leaves pictures out without a word"),
    (ServerKind.OLLAMA, None, ChatRequest((SOUND,)), "takes no recordings"),
    (ServerKind.TRANSFORMERS, None, replace(QUESTION, schema=SCHEMA), "can't hold answers to a schema"),
    (ServerKind.OLLAMA, None, replace(QUESTION, grammar="root ::= x"), "can't hold answers to a grammar"),
    (ServerKind.OTHER, None, replace(QUESTION, grammar="root ::= x"), "can't hold answers to a grammar"),
    (ServerKind.LM_STUDIO, None, replace(QUESTION, continues=True), "can't go on from the middle"),
    (
        ServerKind.OLLAMA,
        None,
        replace(QUESTION, tools=(TOOL,), tool_choice=ToolChoice.REQUIRED),
        "can't make a model call a tool",
    ),
    (ServerKind.VLLM, None, replace(QUESTION, top_logprobs=3), "Tokens and their probabilities"),
    (ServerKind.VLLM, None, ChatRequest((), prompt="Once"), "in conversations only"),
    (ServerKind.OTHER, None, replace(QUESTION, ignore_eos=True), "can't be kept from ending"),
]


@pytest.mark.parametrize(("kind", "can", "request_", "sentence"), REFUSED)
def test_what_would_be_dropped_in_silence_is_refused_before_anything_is_sent(
    server: ScriptedServer, kind: ServerKind, can: Abilities | None, request_: ChatRequest, sentence: str
) -> None:
    with pytest.raises(UserError, match=sentence):
        sent(server, kind, request_, can)
    assert server.asked == []


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        (ServerKind.LLAMA_SERVER, "grammar", "root ::= x"),
        (ServerKind.LLAMA_CPP_PYTHON, "grammar", "root ::= x"),
        (ServerKind.VLLM, "structured_outputs", {"grammar": "root ::= x"}),
        (ServerKind.SGLANG, "ebnf", "root ::= x"),
    ],
)
def test_a_grammar_under_each_ones_name(server: ScriptedServer, kind: ServerKind, field: str, value: object) -> None:
    assert sent(server, kind, replace(QUESTION, grammar="root ::= x"))[field] == value


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        (
            ServerKind.VLLM,
            "response_format",
            {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}},
        ),
        (ServerKind.LLAMA_CPP_PYTHON, "response_format", {"type": "json_object", "schema": SCHEMA}),
        (ServerKind.OLLAMA, "format", SCHEMA),
    ],
)
def test_a_schema_in_each_ones_form(server: ScriptedServer, kind: ServerKind, field: str, value: object) -> None:
    assert sent(server, kind, replace(QUESTION, schema=SCHEMA))[field] == value


def test_names_for_caches_are_stable_and_tell_nothing(server: ScriptedServer) -> None:
    """One salt for a person and a server, one session for a conversation, and nobody can tell which."""
    first, second = (replace(QUESTION, conversation=name) for name in ("My secret plan", "Another"))
    salts = [sent(server, ServerKind.VLLM, each)["cache_salt"] for each in (first, second, first)]
    sessions = [each.headers["x-session-id"] for each in server.asked]
    assert len(set(salts)) == 1
    assert sessions[0] == sessions[2] != sessions[1]
    assert not set("@/\\\0=+") & set(str(salts[0]) + sessions[0]) and len(str(salts[0])) <= 128
    assert "secret" not in repr(server.asked)
    sent(server, ServerKind.VLLM, QUESTION)
    assert "x-session-id" not in server.asked[-1].headers


def test_without_a_secret_no_salt_is_made_up(server: ScriptedServer) -> None:
    server.scripts.append(sending(events(says("x"), ends())))
    answer_of(engine_of(server, ServerKind.VLLM), replace(QUESTION, conversation="7"))
    assert "cache_salt" not in server.asked[0].json
