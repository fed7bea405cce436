"""llama-server's `/tokenize` and `/detokenize`."""

import json
from typing import Annotated, Any

from msgspec import Meta, Struct

from app.api.asked import Checks
from app.api.errors import Json
from app.api.sampling_fields import TOKENS, tokens_from
from app.api.validation import given_of, invalid, validated
from app.core.requests import SpellRequest, TokenizeRequest, Tokens


class TokenizeFields(Struct, kw_only=True, frozen=True):
    content: str
    add_special: bool = False
    parse_special: bool = True
    with_pieces: bool = False


class DetokenizeFields(Struct, kw_only=True, frozen=True):
    tokens: Annotated[Any, Meta(title="a list of tokens", extra_json_schema=TOKENS)]


_STEP = 10_000


def parse_tokenize(body: object, checks: Checks) -> tuple[TokenizeRequest, bool]:
    """The request, and whether the pieces are to be told too. Raises ApiError."""
    asked = validated(TokenizeFields, given_of(body))
    if len(asked.content) > checks.limits.prompt:
        raise invalid("content", f"content may have up to {checks.limits.prompt:,} characters.")
    request = TokenizeRequest(asked.content, add_special=asked.add_special, parse_special=asked.parse_special)
    return request, asked.with_pieces


def parse_detokenize(body: object, checks: Checks) -> SpellRequest:
    """Raises ApiError."""
    return SpellRequest(tokens_from("tokens", validated(DetokenizeFields, given_of(body)).tokens, checks.n_vocab))


def tokenized(tokens: Tokens, *, pieces: bool) -> bytes:
    """The answer as JSON, made step by step: Python's encoder lets nobody else run in between."""
    steps = []
    for start in range(0, len(tokens.ids), _STEP):
        ids: tuple[object, ...] = tokens.ids[start : start + _STEP]
        if pieces:
            both = zip(ids, tokens.pieces[start : start + _STEP], strict=True)
            ids = tuple({"id": token, "piece": _piece(piece)} for token, piece in both)
        steps.append(json.dumps(ids)[1:-1])
    return f'{{"tokens": [{", ".join(steps)}]}}'.encode()


def detokenized(tokens: Tokens) -> Json:
    return {"content": b"".join(tokens.pieces).decode("utf-8", "replace")}


def _piece(piece: bytes) -> str | list[int]:
    """A text, or bytes where it is a part of a character."""
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return list(piece)
