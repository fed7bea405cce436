"""OpenAI's error objects."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.core.errors import ConstraintError, ContextFullError, ModelError, UserError

Json = Mapping[str, object]


class ApiError(Exception):
    """A request that is refused: OpenAI's error object, and the HTTP status that goes with it."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = "",
        param: str | None = None,
        code: str | None = None,
        retry: bool = True,
        more: Json | None = None,
    ) -> None:
        """`retry`: whether the same request may fare better later, where the status leaves that open. `more` is told
        with the error.
        """
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind or ("server_error" if status >= 500 else "invalid_request_error")
        self.param = param
        self.code = code
        self.retry = retry
        self.more = more or {}

    def body(self) -> Json:
        told = {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}
        return {"error": {**told, **self.more}}


@dataclass(frozen=True, slots=True)
class Places:
    """Which parameters of a request hold what the engine may refuse."""

    prompt: str = "messages"
    grammar: str = "grammar"
    message: str = "messages[{}].content"
    """By its number, where the dialect's messages are as many as ours."""


def error_from(error: UserError, places: Places) -> ApiError:
    """What the engine refuses, as an HTTP error."""
    match error:
        case ConstraintError():
            return ApiError(400, error.sentence, param=places.grammar)
        case ContextFullError():
            return _too_long(error, places)
        case ModelError():
            return ApiError(400, error.sentence, param=places.prompt)
    return ApiError(503, error.sentence)


def _too_long(error: ContextFullError, places: Places) -> ApiError:
    """By OpenAI's code, and llama-server's type, words and figures: clients look for one or the other, and shorten."""
    figures = {"n_prompt_tokens": error.n_tokens, "n_ctx": error.n_ctx} if error.n_ctx else {}
    code, kind = "context_length_exceeded", "exceed_context_size_error"
    told = "This exceeds the available context size." if figures else "The input is too large to process."
    return ApiError(400, f"{told} {error.sentence}", kind=kind, param=places.prompt, code=code, more=figures)
