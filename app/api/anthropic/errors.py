"""Anthropic's error objects."""

import secrets
from collections.abc import Mapping

from aiohttp import web

from app.api.errors import ApiError, Json
from app.api.lenient_paths import lenient_path

_KINDS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
}


def speaks_anthropic(request: web.Request) -> bool:
    """Whether the client expects what is in this file, also of paths that both dialects have."""
    return lenient_path(request.path).startswith("/v1/messages") or "anthropic-version" in request.headers


def anthropic_error(error: ApiError, number: str = "") -> Json:
    """`number` is the request's."""
    kind = _KINDS.get(error.status, "api_error" if error.status >= 500 else "invalid_request_error")
    told = {"type": "error", "error": {"type": kind, "message": error.message}}
    return {**told, "request_id": number} if number else told


def anthropic_refusal(error: ApiError, headers: Mapping[str, str]) -> web.Response:
    number = f"req_{secrets.token_hex(12)}"
    return web.json_response(
        anthropic_error(error, number), status=error.status, headers={**headers, "request-id": number}
    )
