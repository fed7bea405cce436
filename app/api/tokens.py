"""llama-server's `/tokenize` and `/detokenize`."""

import json

from app.api.chat_request import Checks
from app.api.errors import Json
from app.api.fields import given_of, invalid, text, typed
from app.api.text_request import tokens_from
from app.core.requests import SpellRequest, TokenizeRequest, Tokens

TOKENIZE = frozenset({"content", "add_special", "parse_special", "with_pieces", "model"})
DETOKENIZE = frozenset({"tokens", "model"})
_STEP = 10_000


def parse_tokenize(body: object, checks: Checks) -> tuple[TokenizeRequest, bool]:
    """The request, and whether the pieces are to be told too. Raises ApiError."""
    given = given_of(body)
    content = text("content", given.get("content"))
    if len(content) > checks.limits.prompt:
        raise invalid("content", f"content may have up to {checks.limits.prompt:,} characters.")
    add = typed(given, "add_special", bool) or False
    parse = typed(given, "parse_special", bool)
    pieces = typed(given, "with_pieces", bool) or False
    return TokenizeRequest(content, add_special=add, parse_special=parse is not False), pieces


def parse_detokenize(body: object, checks: Checks) -> SpellRequest:
    """Raises ApiError."""
    given = given_of(body)
    return SpellRequest(tokens_from("tokens", given.get("tokens"), checks))


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
