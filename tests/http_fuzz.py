"""Requests that nobody sane would send, and what every answer to them must be."""

import copy
import http.client
import json
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

LIMIT = 180.0
"""Seconds after which a server hangs, on however busy a machine."""
_PICTURE = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5E"
    "rkJggg=="
)
_NO_JSON = {"/": "text/plain", "/metrics": "text/plain", "/hearth/state": "application/octet-stream"}
"""What is answered otherwise."""
_TOOL = {
    "type": "function",
    "function": {
        "name": "f",
        "description": "Does it.",
        "parameters": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"enum": ["x"]}}},
    },
}
_CALL = {"id": "call00001", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
_CHAT: dict[str, Any] = {
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
        {"role": "assistant", "content": None, "tool_calls": [_CALL], "reasoning_content": "Hm."},
        {"role": "tool", "tool_call_id": "call00001", "content": "1"},
        {"role": "user", "content": "hello"},
    ],
    "stream": True,
    "stream_options": {"include_usage": True},
    "tools": [_TOOL],
    "tool_choice": "auto",
    "parallel_tool_calls": False,
    "response_format": {"type": "text"},
    "temperature": 0.7,
    "top_p": 0.9,
    "seed": 3,
    "n": 1,
    "stop": ["x"],
    "max_tokens": 3,
    "logprobs": True,
    "top_logprobs": 2,
    "logit_bias": {"3": 1.5},
    "repeat_penalty": 1.1,
    "mirostat": 0,
    "dry_sequence_breakers": ["\n"],
    "reasoning_effort": "low",
    "chat_template_kwargs": {"enable_thinking": False},
}
_SCHEMA: dict[str, Any] = {
    "messages": [{"role": "user", "content": "hello"}],
    "max_tokens": 8,
    "response_format": {
        "type": "json_schema",
        "json_schema": {
            "name": "s",
            "schema": {
                "type": "object",
                "properties": {
                    "a": {"type": "string", "maxLength": 3, "pattern": "^[a-z]+$"},
                    "b": {"type": "array", "items": {"$ref": "#/$defs/c"}, "minItems": 1, "maxItems": 2},
                    "d": {"anyOf": [{"type": "null"}, {"type": "number", "minimum": 0}]},
                },
                "required": ["a"],
                "$defs": {"c": {"type": "integer", "minimum": -3, "maximum": 7}},
            },
        },
    },
}
_REQUIRED: dict[str, Any] = {
    "messages": [{"role": "user", "content": "hello"}],
    "tools": [_TOOL],
    "tool_choice": {"type": "function", "function": {"name": "f"}},
    "max_tokens": 8,
}
_LOOKING: dict[str, Any] = {
    "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": _PICTURE}}]}],
}
_TEXT: dict[str, Any] = {
    "prompt": ["hello", [1, 2, 3]],
    "echo": True,
    "logprobs": 1,
    "max_tokens": 2,
    "n": 1,
    "grammar": 'root ::= "a" [b-c]* | "d"{1,3}',
    "stream": False,
}
_RESPONSE: dict[str, Any] = {
    "instructions": "Be brief.",
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "a"}]},
        {"type": "reasoning", "id": "rs_a_0", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"type": "function_call", "call_id": "call_a", "name": "f", "arguments": '{"a": 1}'},
        {"type": "function_call_output", "call_id": "call_a", "output": [{"type": "input_text", "text": "1"}]},
        {"type": "message", "role": "user", "content": "hello"},
    ],
    "tools": [{"type": "function", "name": "f", "parameters": {"type": "object"}}, {"type": "custom", "name": "g"}],
    "tool_choice": "auto",
    "stream": True,
    "reasoning": {"effort": "low"},
    "text": {"format": {"type": "text"}},
    "max_output_tokens": 3,
    "previous_response_id": None,
    "store": True,
}
_MESSAGES: dict[str, Any] = {
    "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "x"},
                {"type": "tool_use", "id": "toolu_a", "name": "f", "input": {"a": 1}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_a", "content": [{"type": "text", "text": "1"}]},
                {"type": "document", "title": "t", "source": {"type": "text", "media_type": "text/plain", "data": "x"}},
            ],
        },
    ],
    "tools": [{"name": "f", "description": "Does it.", "input_schema": {"type": "object"}}],
    "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
    "thinking": {"type": "enabled", "budget_tokens": 9},
    "output_config": {"effort": "low"},
    "stop_sequences": ["x"],
    "stream": True,
    "max_tokens": 3,
}
SEEDS: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/v1/chat/completions", _CHAT),
    ("POST", "/v1/chat/completions", {**_CHAT, "stream": False, "stream_options": None}),
    ("POST", "/v1/chat/completions", _SCHEMA),
    ("POST", "/v1/chat/completions", _REQUIRED),
    ("POST", "/v1/chat/completions", _LOOKING),
    ("POST", "/v1/responses", _RESPONSE),
    ("POST", "/v1/responses", {**_RESPONSE, "stream": False}),
    ("POST", "/v1/responses/input_tokens", _RESPONSE),
    ("POST", "/v1/messages", _MESSAGES),
    ("POST", "/v1/messages", {**_MESSAGES, "stream": False}),
    ("POST", "/v1/messages/count_tokens", _MESSAGES),
    ("POST", "/v1/completions", _TEXT),
    ("POST", "/v1/completions", {"prompt": "hello", "max_tokens": 0, "echo": True, "logprobs": 0}),
    ("POST", "/tokenize", {"content": "hello", "add_special": True, "with_pieces": True}),
    ("POST", "/detokenize", {"tokens": [1, 2, 3]}),
    ("POST", "/apply-template", _CHAT),
    ("GET", "/props", None),
    ("GET", "/slots", None),
    ("GET", "/v1/models/x", None),
    ("GET", "/v1/models", None),
    ("GET", "/openapi.json", None),
    ("GET", "/health", None),
)
_ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 17, 2**31, 2**63, 10**30, -(10**30), 0.5, -0.0, 1e308, math.inf, math.nan, "", "a",
    "\0", "\ud800", "<|im_end|>", "<think>", "{{ x }}", "é" * 300, "☃\u202e\U0001f600", "auto", "none", "required",
    "tool", "user", "data:image/png;base64,", "data:,x", _PICTURE[:60], [], {}, [[]], [{}], [None], ["a"] * 40,
    [0] * 40, {"a": {"b": {"c": []}}}, {"type": "function"}, {"type": "json_object"}, {"$ref": "#"},
    {"type": "text", "text": "x"}, "root ::= root", "((((", 'root ::= "a"', "root ::= [^]",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})


def requests(seed: int, count: int) -> Iterator[Request]:
    """Sane requests with a few things in them replaced, removed, doubled or broken; the same for the same seed."""
    chance = random.Random(seed)
    for _ in range(count):
        method, path, body = chance.choice(SEEDS)
        yield _made(chance, method, path, body)


def _made(chance: random.Random, method: str, path: str, body: Any) -> Request:
    if chance.random() < 0.04:
        method = chance.choice(["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"])
    if chance.random() < 0.03:
        path = chance.choice(["/", "/v1", "/v1/embeddings", "/v1/models/%00%ff", "/../x", "/v1/completions/", "//"])
    headers = {"Content-Type": "application/json"}
    if chance.random() < 0.05:
        types = ("", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=x")
        headers = {"Content-Type": kind} if (kind := chance.choice(types)) else {}
    if body is None:
        return Request(method, path, None, headers)
    changed = copy.deepcopy(body)
    for _ in range(chance.choice([0, 1, 1, 1, 2, 2, 3, 5])):
        changed = _changed(chance, changed)
    raw = json.dumps(changed).encode()
    if chance.random() < 0.05:
        raw = _broken(chance, raw)
    return Request(method, path, raw, headers)


def _changed(chance: random.Random, value: Any) -> Any:
    """`value` with one thing in it changed, at any depth."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice(list(value))
        match chance.random():
            case kind if kind < 0.12:
                return {name: each for name, each in value.items() if name != key}
            case kind if kind < 0.2:
                return {**value, chance.choice(["", "x", "type", "content", "schema", "$ref", "enum"]): _odd(chance)}
            case _:
                return {**value, key: _changed(chance, value[key])}
    if isinstance(value, list) and value and chance.random() < 0.85:
        at = chance.randrange(len(value))
        match chance.random():
            case kind if kind < 0.1:
                return [*value[:at], *value[at + 1 :]]
            case kind if kind < 0.2:
                return [*value, *value]
            case _:
                return [*value[:at], _changed(chance, value[at]), *value[at + 1 :]]
    return _odd(chance)


def _odd(chance: random.Random) -> Any:
    return copy.deepcopy(chance.choice(_ODD))


def _broken(chance: random.Random, raw: bytes) -> bytes:
    at = chance.randrange(len(raw) + 1)
    return chance.choice([raw[:at], raw[:at] + b"\xff" + raw[at:], b"[" * 5000 + raw, raw + raw, b""])


def judge(request: Request, connection: http.client.HTTPConnection) -> int:
    """Send it; the status of its answer. AssertionError where that is not as it should be."""
    connection.request(request.method, request.path, request.body, request.headers)
    response = connection.getresponse()
    told = response.read()
    where = (request.method, request.path, request.body, response.status, told[-500:])
    assert response.status < 500, where
    if request.method == "HEAD" or response.status == 204:
        return response.status
    kind = response.headers.get_content_type()
    if kind == "text/event-stream":
        _judge_stream(request.path, told.decode(), where)
        return response.status
    if kind == "application/x-ndjson":
        ending = [json.loads(line) for line in told.splitlines()][-1]
        assert ending.get("done") or isinstance(ending["error"], str), where
        return response.status
    if response.status == 200 and kind == _NO_JSON.get(request.path):
        return response.status
    assert kind == "application/json", where
    body = json.loads(told)
    if response.status >= 400 and request.path.startswith("/api/"):
        assert isinstance(body["error"], str), where
    elif response.status >= 400:
        anthropics = request.path.startswith("/v1/messages")
        wanted = {"message", "type"} if anthropics else {"message", "type", "param", "code"}
        assert set(body["error"]) - {"n_prompt_tokens", "n_ctx"} == wanted, where
    return response.status


def _judge_stream(path: str, told: str, where: object) -> None:
    lines = [line for block in told.split("\n\n") for line in block.split("\n")]
    *payloads, last = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    for payload in payloads:
        json.loads(payload)
    if last == "[DONE]":
        return
    ending = json.loads(last)
    if path.startswith(("/v1/responses", "/v1/messages")):
        good = ("message_stop", "response.completed", "response.incomplete", "response.failed", "error")
        assert ending["type"] in good, where
    elif not ending.get("stop"):  # llama-server's own end so
        assert ending["error"]["type"] == "invalid_request_error", where
