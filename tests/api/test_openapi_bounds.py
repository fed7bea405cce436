"""What `/openapi.json` says of a request's fields is what is accepted, at and beside every bound."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jsonschema_rs
import pytest

from app.api.anthropic.messages_request import parse_messages
from app.api.asked import Checks
from app.api.errors import ApiError
from app.api.llama_server.tokens import parse_detokenize, parse_tokenize
from app.api.openai.chat_request import parse_chat_completion
from app.api.openai.responses_request import parse_response
from app.api.openai.stored_responses import StoredResponses
from app.api.openai.text_request import parse_text_completion
from app.api.openapi import description
from app.core.sampling import Sampling

CHECKS = Checks(Sampling(), 1 << 20, lambda _: "")
SAID = {"role": "user", "content": "a"}
BEGUN = {"role": "assistant", "content": "b"}
PICTURE = "data:image/jpeg;base64,aaaa"


def tools(*names: str) -> list[dict[str, Any]]:
    return [{"type": "function", "function": {"name": name}} for name in names]


ROUTES: dict[str, tuple[Callable[..., object], dict[str, Any]]] = {
    "/v1/chat/completions": (parse_chat_completion, {"messages": [SAID]}),
    "/v1/completions": (parse_text_completion, {"prompt": "a", "echo": True}),
    "/v1/responses": (partial(parse_response, stored=StoredResponses()), {"input": "a"}),
    "/v1/messages": (parse_messages, {"messages": [SAID]}),
    "/tokenize": (parse_tokenize, {"content": "a"}),
    "/detokenize": (parse_detokenize, {"tokens": [1]}),
}
NEEDED: dict[str, dict[str, Any]] = {
    "top_logprobs": {"logprobs": True, "max_tokens": 1},
    "n_probs": {"max_tokens": 1, "echo": False},
    "tool_choice": {"tools": [{**tools("f")[0], "name": "f"}]},
}
"""What must be given with a field."""
POOL: tuple[Any, ...] = (
    True, False, 0, 1, -1, 2, -2, 1.0, 0.5, -0.5, 2**32, 2**64, -(2**64), 1e30, "", "a", "auto", "none", "required",
    "low", [], {}, ["a"], [""], [1], ["a", 1], ["a", [1]], [[1]], [[]], [-1], [0.5], [1.0], [True], [None], ["a"] * 64,
    ["a"] * 65, {"a": 1}, {"1": 1}, {"1": -100}, {"1": 100}, {"1": 100.5}, {"1": "a"}, {"1": True}, {"-1": 1},
    {"a": {}},
    {"include_usage": True}, {"include_usage": 1}, {"type": "text"}, {"type": "json_object"}, {"type": "x"},
    {"type": "json_schema"}, {"type": "json_schema", "json_schema": {}},
    {"type": "json_schema", "json_schema": {"schema": {}}}, {"type": "json_schema", "json_schema": {"schema": 1}},
    {"type": "function", "function": {"name": "f"}}, {"type": "function", "function": {}}, {"type": "function"},
    tools("f"), tools("f f"), tools(""), tools("a" * 64), tools("a" * 65), [{"type": "function"}],
    [{"type": "function", "function": {"name": "f", "description": 1}}],
    [{"type": "function", "function": {"name": "f", "parameters": []}}],
    [{"type": "function", "function": {"name": "f", "parameters": {}, "strict": True}}],
    tools(*(f"f{each}" for each in range(128))), tools(*(f"f{each}" for each in range(129))),
)  # fmt: skip
CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
MESSAGES: tuple[Any, ...] = (
    {}, "a", SAID, {"role": "user"}, {"role": "user", "content": None}, {"role": "user", "content": ""},
    {"role": "user", "content": []}, {"role": "user", "content": 1}, {"role": "cook", "content": "a"},
    {"role": "system", "content": "a"}, {"role": "developer", "content": "a"},
    {"role": "user", "content": "a", "name": 1},
    {"role": "user", "content": "a", "name": "b"}, {"role": "user", "content": [{"type": "text", "text": "a"}]},
    {"role": "user", "content": [{"type": "text"}]}, {"role": "user", "content": [{"type": "audio", "audio": "a"}]},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": PICTURE}}]},
    {"role": "user", "content": [{"type": "image_url", "image_url": PICTURE}]},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a.example/a.png"}}]},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png,a"}}]},
    {"role": "user", "content": "a", "tool_calls": [CALL]}, {"role": "user", "content": "a", "tool_calls": []},
    BEGUN, {"role": "assistant"}, {"role": "assistant", "content": None}, {"role": "assistant", "content": []},
    {"role": "assistant", "content": "", "reasoning_content": "a"}, {"role": "assistant", "reasoning_content": 1},
    {"role": "assistant", "tool_calls": [CALL]}, {"role": "assistant", "tool_calls": []},
    {"role": "assistant", "tool_calls": [{"type": "function"}]}, {"role": "assistant", "tool_calls": "a"},
    {"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]},
    {"role": "assistant", "tool_calls": [{"function": {"name": ""}}]},
    {"role": "assistant", "tool_calls": [{"id": 1, "function": {"name": "f"}}]},
    {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {}}}]},
    {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": 1}}]},
    {"role": "tool", "content": "a", "tool_call_id": "a"}, {"role": "tool", "content": "a"}, {"role": "tool"},
    {"role": "tool", "content": None}, {"role": "tool", "content": "a", "tool_call_id": 1},
    {"role": "function", "content": "a", "name": "f"},
)  # fmt: skip


def properties(path: str) -> dict[str, Any]:
    told = description()["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]
    assert isinstance(told, dict)
    return told


def bounds(schema: Any) -> Iterator[Any]:
    """Values at the bounds that a schema names anywhere, and just outside of them."""
    if isinstance(schema, dict):
        for name in ("minimum", "maximum"):
            if (bound := schema.get(name)) is not None:
                step = 1 if schema["type"] == "integer" else 0.01
                yield from (bound, bound - step, bound + step)
        yield from schema.get("enum", ())
        for each in schema.values():
            yield from bounds(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from bounds(each)


def accepted(path: str, field: str, value: Any) -> bool:
    parse, base = ROUTES[path]
    body = {**base, **NEEDED.get(field, {}), field: value}
    if (value is True and field == "continue_final_message") or (value is False and field == "add_generation_prompt"):
        body |= {"messages": [SAID, BEGUN], "continue_final_message": True, "add_generation_prompt": False}
    try:
        parse(body, CHECKS)
    except ApiError:
        return False
    return True


_OTHERS = ("messages", "input", "previous_response_id")
"""Messages have a test of their own; a response has to be known, too."""
FIELDS = [(path, field) for path in ROUTES for field in properties(path) if field not in _OTHERS]


@pytest.mark.parametrize(("path", "field"), FIELDS)
def test_what_is_described_is_what_is_accepted(path: str, field: str) -> None:
    schema = properties(path)[field]
    for value in (*POOL, *bounds(schema)):
        assert accepted(path, field, value) is jsonschema_rs.is_valid(schema, value), value


@pytest.mark.parametrize("message", MESSAGES)
def test_messages_too(message: Any) -> None:
    schema = properties("/v1/chat/completions")["messages"]
    assert accepted("/v1/chat/completions", "messages", [message]) is jsonschema_rs.is_valid(schema, [message])
