"""The API's description in OpenAPI 3.1, kept by hand beside what reads the requests."""

from dataclasses import fields
from typing import Any

import app
from app.api import draft_fields
from app.api.ignored_names import IGNORED_HEADER
from app.api.loaded_model import MODEL_HEADER
from app.api.sampling_fields import SAMPLING_FIELDS
from app.core.sampling import Sampling
from app.core.setting import declaration, field_types

Described = dict[str, Any]
_TEXT: Described = {"type": "string"}
_FLAG: Described = {"type": "boolean"}
_OBJECT: Described = {"type": "object"}
_NONE: Described = {"type": "array", "maxItems": 0}
_EMPTY: Described = {"const": ""}
_WITHOUT_EFFECT: Described = {"description": "Taken, and without effect."}


def description() -> Described:
    """The whole document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Hearth",
            "version": app.__version__,
            "description": "The model that Hearth has loaded, for other programs on this computer. As OpenAI's API, "
            "with some of llama-server's parameters and paths.",
        },
        "paths": {
            "/health": {"get": _operation("health", "Whether a model is ready.", _STATUS)},
            "/openapi.json": {"get": _operation("openapi", "This document.", _OBJECT)},
            "/v1/models": {"get": _operation("models", "The model that is loaded.", _MODELS)},
            "/v1/models/{model}": {"get": _one_model()},
            "/v1/chat/completions": _post("chat_completions", "Answer a conversation.", _chat(), _OBJECT, stream=True),
            "/v1/completions": _post("completions", "Go on from a text.", _text(), _OBJECT, stream=True),
            "/tokenize": _post("tokenize", "The tokens of a text.", _TOKENIZE, _TOKENS),
            "/detokenize": _post("detokenize", "The text of tokens.", _DETOKENIZE, _CONTENT),
        },
        "components": {
            "schemas": {"Error": _ERROR},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"key": []}],
    }


def _operation(name: str, told: str, answer: Described) -> Described:
    return {
        "operationId": name,
        "summary": told,
        "responses": {
            "200": {
                "description": "Done.",
                "headers": {
                    IGNORED_HEADER: {"description": "What had no effect, by name.", "schema": _TEXT},
                    MODEL_HEADER: {"description": "The model that answers, whatever was asked for.", "schema": _TEXT},
                },
                "content": {"application/json": {"schema": answer}},
            },
            "4XX": _refused("The request can't be served."),
            "5XX": _refused("Nothing can be served now."),
        },
    }


def _refused(told: str) -> Described:
    return {
        "description": told,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }


def _one_model() -> Described:
    place = {"name": "model", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    return {**_operation("model", "The model that is loaded, by its name.", _MODEL), "parameters": [place]}


def _post(name: str, told: str, body: Described, answer: Described, *, stream: bool = False) -> Described:
    made = _operation(name, told, answer)
    if stream:
        made["responses"]["200"]["content"]["text/event-stream"] = {"schema": _TEXT}
    made["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return {"post": made}


def _body(required: list[str], properties: Described) -> Described:
    # What is not described is ignored, and named in a header.
    return {"type": "object", "required": required, "properties": properties}


def _nullable(schema: Described) -> Described:
    return {"anyOf": [schema, {"type": "null"}]}


def _whole(least: int, most: int) -> Described:
    return {"type": "integer", "minimum": least, "maximum": most}


def _sampling() -> Described:
    """Every parameter of the sampler, as it is declared."""
    declared = {each.name: each for each in fields(Sampling)}
    types = field_types(Sampling)
    made = {param: _parameter(declared[name], types[name]) for param, name in SAMPLING_FIELDS.items()}
    made["top_k"]["minimum"] = -1  # as 0: all tokens
    del made["seed"]["minimum"], made["seed"]["maximum"]  # any, of which 32 bits are used
    return made


def _parameter(declared: Any, kind: Any) -> Described:
    told = declaration(declared)
    if kind not in (int, float):
        return {"type": "array", "items": _TEXT, "description": told.help}
    made: Described = {"type": "integer" if kind is int else "number", "description": told.help}
    if told.minimum is not None:
        made["minimum"] = kind(told.minimum)
    if told.maximum is not None:
        made["maximum"] = kind(told.maximum)
    return made


def _limit(least: int) -> Described:
    """Of an answer's tokens."""
    return {"anyOf": [{"const": -1}, _whole(least, 10_000_000)]}


def _common(least: int) -> Described:
    """What both kinds of completion take; `least` tokens may be asked for."""
    return {
        "model": _nullable(_TEXT),
        "stream": _FLAG,
        "stream_options": {"type": "object", "properties": {"include_usage": _FLAG}},
        "stop": {
            "anyOf": [
                _TEXT,
                {"type": "array", "items": _TEXT, "maxItems": 64},
            ]
        },
        "ignore_eos": {"type": "boolean", "description": "The model can't end the answer."},
        "n": _whole(1, 16),
        "max_tokens": _limit(least),
        "n_predict": _limit(least),
        "max_completion_tokens": _limit(1),
        "logit_bias": {
            "type": "object",
            "additionalProperties": {"type": "number", "minimum": -100, "maximum": 100},
            "propertyNames": {"pattern": "^[0-9]{1,6}$"},
            "maxProperties": 1024,
        },
        "grammar": {"type": "string", "description": "GBNF that the answer keeps to."},
        "json_schema": {"anyOf": [_OBJECT, _EMPTY], "description": "A schema of the JSON that is answered."},
        "response_format": {"anyOf": [*_formats(), _EMPTY]},
        "n_probs": _whole(0, 20),
        "user": _WITHOUT_EFFECT,
        "metadata": _WITHOUT_EFFECT,
        **_sampling(),
        **draft_fields.DESCRIBED,
    }


def _chat() -> Described:
    return _body(
        ["messages"],
        {
            "messages": {"type": "array", "minItems": 1, "items": {"anyOf": _messages()}},
            "tools": {"type": "array", "items": _TOOL, "maxItems": 128},
            "tool_choice": {
                "anyOf": [
                    {"enum": ["auto", "none", "required"]},
                    {
                        "type": "object",
                        "required": ["type", "function"],
                        "properties": {
                            "type": {"const": "function"},
                            "function": {"type": "object", "required": ["name"], "properties": {"name": _TEXT}},
                        },
                    },
                ]
            },
            "parallel_tool_calls": _FLAG,
            "logprobs": _FLAG,
            "top_logprobs": _whole(0, 20),
            "reasoning_effort": {"enum": ["none", "minimal", "low", "medium", "high", "xhigh"]},
            "enable_thinking": _FLAG,
            "chat_template_kwargs": _OBJECT,
            "continue_final_message": {
                "type": "boolean",
                "description": "The last message, the assistant's, is the beginning of the answer.",
            },
            "add_generation_prompt": {"type": "boolean", "description": "The opposite of continue_final_message."},
            **_common(1),
        },
    )


def _messages() -> list[Described]:
    parts = {"type": "array", "minItems": 1, "items": {"anyOf": [_TEXT_PART, _PICTURE_PART]}}
    content = {"anyOf": [_TEXT, parts]}
    silence = {"anyOf": [*content["anyOf"], _NONE, {"type": "null"}]}
    return [
        _message(["system", "developer", "user"], ["role", "content"], {"content": content, "tool_calls": _NONE}),
        _message(
            ["assistant"],
            ["role"],
            {
                "content": silence,
                "reasoning_content": _nullable(_TEXT),
                "tool_calls": {"type": "array", "items": _CALL},
            },
        ),
        _message(["tool", "function"], ["role"], {"content": silence, "tool_call_id": _TEXT, "tool_calls": _NONE}),
    ]


def _message(roles: list[str], required: list[str], properties: Described) -> Described:
    return _body(required, {"role": {"enum": roles}, "name": _TEXT, **properties})


def _formats() -> list[Described]:
    schema = {"type": "object", "required": ["schema"], "properties": {"schema": _OBJECT}}
    return [
        {"type": "object", "required": ["type"], "properties": {"type": {"enum": ["text", "json_object"]}}},
        {
            "type": "object",
            "required": ["type", "json_schema"],
            "properties": {"type": {"const": "json_schema"}, "json_schema": schema},
        },
    ]


def _text() -> Described:
    tokens = {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 0}}
    prompts = {"type": "array", "minItems": 1, "maxItems": 64, "items": {"anyOf": [_TEXT, tokens]}}
    return _body(
        ["prompt"],
        {"prompt": {"anyOf": [_TEXT, tokens, prompts]}, "echo": _FLAG, "logprobs": _whole(0, 20), **_common(0)},
    )


_TEXT_PART = _body(["type", "text"], {"type": {"const": "text"}, "text": _TEXT})
_URL = {"type": "string", "pattern": "^data:([^,]*);base64,[A-Za-z0-9+/]*={0,2}$"}
_PICTURE_PART = _body(
    ["type", "image_url"],
    {
        "type": {"const": "image_url"},
        "image_url": {"anyOf": [_URL, {"type": "object", "required": ["url"], "properties": {"url": _URL}}]},
    },
)
_FUNCTION_CALL = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string", "minLength": 1}, "arguments": {"anyOf": [_TEXT, _OBJECT]}},
}
_CALL = _body(["function"], {"id": _TEXT, "type": {"const": "function"}, "function": _FUNCTION_CALL})
_TOOL: Described = {
    "type": "object",
    "required": ["type", "function"],
    "properties": {
        "type": {"const": "function"},
        "function": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": {"type": "string", "pattern": "^[a-zA-Z0-9_.-]{1,64}$"},
                "description": _TEXT,
                "parameters": _OBJECT,
            },
        },
    },
}
_TOKENIZE = _body(
    ["content"],
    {"content": _TEXT, "add_special": _FLAG, "parse_special": _FLAG, "with_pieces": _FLAG, "model": _WITHOUT_EFFECT},
)
_DETOKENIZE = _body(
    ["tokens"],
    {"tokens": {"type": "array", "items": {"type": "integer", "minimum": 0}}, "model": _WITHOUT_EFFECT},
)
_TOKENS = {"type": "object", "required": ["tokens"], "properties": {"tokens": {"type": "array"}}}
_CONTENT = {"type": "object", "required": ["content"], "properties": {"content": _TEXT}}
_STATUS = {"type": "object", "required": ["status"], "properties": {"status": {"const": "ok"}}}
_MODEL = {
    "type": "object",
    "required": ["id", "object", "created", "owned_by"],
    "properties": {"id": _TEXT, "object": {"const": "model"}, "created": {"type": "integer"}, "owned_by": _TEXT},
}
_MODELS = {
    "type": "object",
    "required": ["object", "data"],
    "properties": {"object": {"const": "list"}, "data": {"type": "array", "items": _MODEL}},
}
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": _TEXT,
                "type": _TEXT,
                "param": {"type": ["string", "null"]},
                "code": {"type": ["string", "null"]},
            },
        }
    },
}
