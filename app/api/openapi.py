"""The API's description in OpenAPI 3.1: requests as they are declared, and the answers."""

from typing import Any, get_args

from msgspec import Struct

import app
from app.api.agent_sessions import REREAD_HEADER
from app.api.anthropic.messages_request import MessagesFields
from app.api.ignored_names import IGNORED_HEADER
from app.api.llama_server.completion import CompletionFields as LlamaFields
from app.api.llama_server.infill import InfillFields
from app.api.llama_server.model_places import LoadFields, UnloadFields
from app.api.llama_server.perplexity import PerplexityFields
from app.api.llama_server.rerank import RerankFields
from app.api.llama_server.slot_states import Action, SlotFields
from app.api.llama_server.tokens import DetokenizeFields, TokenizeFields
from app.api.loaded_model import MODEL_HEADER
from app.api.ollama.requests import GenerateFields, OllamaChatFields
from app.api.ollama.routes import EmbedFields, OldEmbedFields, ShowFields
from app.api.openai.chat_request import ChatFields
from app.api.openai.embeddings import EmbeddingFields
from app.api.openai.responses_request import ResponsesFields
from app.api.openai.text_request import TextFields
from app.api.unknown_fields import WITHOUT_EFFECT
from app.api.validation import schema_of
from app.core.requests import SESSION

Described = dict[str, Any]
_TEXT: Described = {"type": "string"}
_OBJECT: Described = {"type": "object"}


def description(*, paired: bool = False) -> Described:
    """The whole document; `paired` is of where paired computers are served, with what they alone may ask."""
    made = _description()
    if paired:
        made["paths"] |= _states()
        made["components"]["securitySchemes"] = {"certificate": {"type": "mutualTLS"}}
        made["security"] = [{"certificate": []}]
    return made


def _description() -> Described:
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Hearth",
            "version": app.__version__,
            "description": "The models that Hearth has, for other programs on this computer. As OpenAI's, Anthropic's "
            "and Ollama's APIs, with llama-server's parameters and paths.",
        },
        "paths": {
            "/health": {"get": _operation("health", "Whether a model is ready.", _STATUS)},
            "/openapi.json": {"get": _operation("openapi", "This document.", _OBJECT)},
            "/v1/models": {"get": _operation("models", "The model that is loaded.", _MODELS)},
            "/v1/models/{model}": {"get": _one_model()},
            "/v1/chat/completions": _post(
                "chat_completions", "Answer a conversation.", ChatFields, _OBJECT, stream=True
            ),
            "/v1/chat/completions/input_tokens": _post(
                "chat_input_tokens", "How many tokens a conversation takes.", ChatFields, _COUNT
            ),
            "/completion": _post("completion", "As llama-server's own.", LlamaFields, _OBJECT, stream=True),
            "/completions": _post("own_completions", "As llama-server's own.", LlamaFields, _OBJECT, stream=True),
            "/v1/completions": _post("completions", "Go on from a text.", TextFields, _OBJECT, stream=True),
            "/perplexity": _post("perplexity", "How likely a text or an answer is.", PerplexityFields, _PERPLEXITY),
            "/slots/{slot}": _slots(),
            "/models/load": _post("load_model", "Activate the model, or load it into memory.", LoadFields, _OBJECT),
            "/models/unload": _post("unload_model", "Free its context, or all of its memory.", UnloadFields, _OBJECT),
            "/v1/responses": _post("responses", "Answer a conversation.", ResponsesFields, _OBJECT, stream=True),
            "/v1/responses/{response_id}": _stored_response(),
            "/v1/responses/input_tokens": _post(
                "input_tokens", "How many tokens a conversation takes.", ResponsesFields, _COUNT
            ),
            "/v1/messages": _post(
                "messages", "Answer a conversation, as Anthropic.", MessagesFields, _OBJECT, stream=True
            ),
            "/v1/messages/count_tokens": _post(
                "count_tokens", "How many tokens a conversation takes.", MessagesFields, _COUNT
            ),
            **{path: _post(path[1:].replace("/", "_"), *_EMBEDDING) for path in ("/embedding", "/embeddings")},
            "/v1/embeddings": _post("v1_embeddings", "Vectors of texts.", EmbeddingFields, _OBJECT),
            **{path: _post(path[1:].replace("/", "_"), *_RERANKING) for path in _RERANKS},
            "/infill": _post("infill", "Fill a gap in a text.", InfillFields, _OBJECT, stream=True),
            **_ollama(),
            "/tokenize": _post("tokenize", "The tokens of a text.", TokenizeFields, _TOKENS),
            "/apply-template": _post("apply_template", "The prompt of a conversation.", ChatFields, _PROMPT),
            "/props": {"get": _operation("props", "The model, its template, and what requests leave out.", _OBJECT)},
            "/slots": {"get": _operation("slots", "What is being answered, in figures.", {"type": "array"})},
            "/metrics": {"get": _plain("metrics", "What the answers cost so far, for Prometheus.")},
            "/detokenize": _post("detokenize", "The text of tokens.", DetokenizeFields, _CONTENT),
        },
        "components": {
            "schemas": {"Error": _ERROR, "AnthropicError": _ANTHROPIC_ERROR, "OllamaError": _OLLAMA_ERROR},
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer"},
                "anthropic": {"type": "apiKey", "in": "header", "name": "x-api-key"},
            },
        },
        "security": [{}, {"key": []}, {"anthropic": []}],
    }


def _states() -> Described:
    """What the model holds of a paired computer's conversation, which it names in a header."""
    # Imported where it is wanted, as in `make_application`.
    from app.remote.moving import HELD, STATE

    session = {"name": SESSION, "in": "header", "required": True, "schema": {"type": "string", "minLength": 1}}
    file = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    held = _operation("held_state", "What is held of your conversation.", _OBJECT)
    fetched = _operation("fetch_state", "What is held of it, as a file.", _OBJECT)
    taken = _operation("take_state", "Hold this of it.", _OBJECT)
    fetched["responses"]["200"]["content"] = file
    taken["requestBody"] = {"required": True, "content": file}
    for each in (held, fetched, taken):
        each["parameters"] = [session]
    return {HELD: {"get": held}, STATE: {"get": fetched, "put": taken}}


def _ollama() -> Described:
    """Its streams are lines of JSON."""
    chat = _post("ollama_chat", "Answer a conversation, as Ollama.", OllamaChatFields, _OBJECT)
    generate = _post("ollama_generate", "Go on from a text, as Ollama.", GenerateFields, _OBJECT)
    for each in (chat, generate):
        each["post"]["responses"]["200"]["content"]["application/x-ndjson"] = {"schema": _OBJECT}
    told = {
        "/": {"get": _plain("greeting", "That somebody is here.")},
        "/api/version": {"get": _operation("ollama_version", "Ollama's version that is spoken.", _OBJECT)},
        "/api/tags": {"get": _operation("ollama_tags", "The models that there are.", _OBJECT)},
        "/api/ps": {"get": _operation("ollama_ps", "The models that are loaded.", _OBJECT)},
        "/api/show": _post("ollama_show", "What a model is.", ShowFields, _OBJECT),
        "/api/chat": chat,
        "/api/generate": generate,
        "/api/embed": _post("ollama_embed", "Vectors of texts.", EmbedFields, _OBJECT),
        "/api/embeddings": _post("ollama_embeddings", "The vector of a text.", OldEmbedFields, _OBJECT),
    }
    for operation in (each for methods in told.values() for each in methods.values()):
        operation["responses"] |= _refusals("OllamaError")
    return told


def _operation(name: str, told: str, answer: Described, error: str = "Error") -> Described:
    return {
        "operationId": name,
        "summary": told,
        "responses": {
            "200": {
                "description": "Done.",
                "headers": {
                    IGNORED_HEADER: {"description": "What had no effect, by name.", "schema": _TEXT},
                    MODEL_HEADER: {"description": "The model that answers, whatever was asked for.", "schema": _TEXT},
                    REREAD_HEADER: {"description": "Why entries are read again, where, and how many.", "schema": _TEXT},
                },
                "content": {"application/json": {"schema": answer}},
            },
            **_refusals(error),
        },
    }


def _plain(name: str, told: str) -> Described:
    made = _operation(name, told, _TEXT)
    made["responses"]["200"]["content"] = {"text/plain": {"schema": _TEXT}}
    return made


def _refusals(error: str) -> Described:
    return {
        "4XX": _refused("The request can't be served.", error),
        "5XX": _refused("Nothing can be served now.", error),
    }


def _refused(told: str, error: str) -> Described:
    return {
        "description": told,
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{error}"}}},
    }


def _stored_response() -> Described:
    place = {"name": "response_id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    told = {"get": ("stored_response", "A response that is remembered."), "delete": ("forget_response", "Forget it.")}
    return {method: {**_operation(*each, _OBJECT), "parameters": [place]} for method, each in told.items()}


def _one_model() -> Described:
    place = {"name": "model", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    return {**_operation("model", "The model that is loaded, by its name.", _MODEL), "parameters": [place]}


def _slots() -> Described:
    made = _post("slot", "Save what the context holds, bring it back, or forget it.", SlotFields, _OBJECT)
    action = {"type": "string", "enum": list(get_args(Action))}
    made["post"]["parameters"] = [
        {"name": "slot", "in": "path", "required": True, "schema": {"const": "0"}},
        {"name": "action", "in": "query", "required": True, "schema": action},
    ]
    return made


def _post(name: str, told: str, body: type[Struct], answer: Described, *, stream: bool = False) -> Described:
    made = _operation(name, told, answer, "AnthropicError" if body is MessagesFields else "Error")
    if stream:
        made["responses"]["200"]["content"]["text/event-stream"] = {"schema": _TEXT}
    made["requestBody"] = {"required": True, "content": {"application/json": {"schema": _body(body)}}}
    return {"post": made}


def _body(kind: type[Struct]) -> Described:
    """What is not described is ignored, and named in a header."""
    schema = schema_of(kind)
    taken = {name: {"description": "Taken, and without effect."} for name in sorted({"model", *WITHOUT_EFFECT})}
    return {**schema, "properties": {**taken, **schema["properties"]}}


_EMBEDDING = ("Vectors of texts, as llama-server tells them.", EmbeddingFields, {"type": "array"})
_RERANKS = ("/rerank", "/reranking", "/v1/rerank", "/v1/reranking")
_RERANKING = ("How well documents answer a query.", RerankFields, {"type": ["object", "array"]})
_TOKENS = {"type": "object", "required": ["tokens"], "properties": {"tokens": {"type": "array"}}}
_PROMPT = {"type": "object", "required": ["prompt"], "properties": {"prompt": _TEXT}}
_COUNT = {"type": "object", "required": ["input_tokens"], "properties": {"input_tokens": {"type": "integer"}}}
_CONTENT = {"type": "object", "required": ["content"], "properties": {"content": _TEXT}}
_FIGURES = ("perplexity", "error", "loss")
_COUNTS = ("n_tokens", "n_scored", "n_windows", "window", "stride")
_PERPLEXITY = {
    "type": "object",
    "required": [*_FIGURES, *_COUNTS],
    "properties": {
        **{name: {"type": ["number", "null"]} for name in _FIGURES},
        **{name: {"type": "integer"} for name in _COUNTS},
        "tokens": {"type": "array", "items": _OBJECT},
    },
}
_STATUS = {"type": "object", "required": ["status"], "properties": {"status": {"const": "ok"}}}
_MODEL = {
    "type": "object",
    "required": ["id", "object", "created", "owned_by"],
    "properties": {
        "id": _TEXT,
        "object": {"const": "model"},
        "created": {"type": "integer"},
        "owned_by": _TEXT,
        "capabilities": _OBJECT,
    },
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
_OLLAMA_ERROR = {"type": "object", "required": ["error"], "properties": {"error": _TEXT}}
_ANTHROPIC_ERROR = {
    "type": "object",
    "required": ["type", "error"],
    "properties": {
        "type": {"const": "error"},
        "error": {"type": "object", "required": ["type", "message"], "properties": {"type": _TEXT, "message": _TEXT}},
    },
}
