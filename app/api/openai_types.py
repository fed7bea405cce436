"""OpenAI's chat completions as values of ours: what is asked is checked by hand, what is answered is plain JSON."""

from dataclasses import asdict, dataclass, replace
from typing import TypeVar

from app.api.errors import ApiError, Json
from app.api.pictures import picture_from
from app.core.events import Finished, FinishReason, ModelInfo
from app.core.messages import Message, Part, Role, TextPart
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.setting import check

Kind = TypeVar("Kind")

_SAMPLING = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "min_p": "min_p",
    "seed": "seed",
    "presence_penalty": "penalty_present",
    "frequency_penalty": "penalty_freq",
}
"""OpenAI's and llama.cpp's names for parameters of the sampler chain."""
_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
}
_NOT_YET: dict[str, tuple[object, ...]] = {
    "n": (1,),
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "functions": ([],),
    "function_call": ("none", "auto"),
    "response_format": ({"type": "text"},),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "logit_bias": ({},),
    "modalities": (["text"],),
    "store": (False,),
    "audio": (),
    "prediction": (),
    "reasoning_effort": (),
    "verbosity": (),
    "web_search_options": (),
    "chat_template_kwargs": ({},),
}
"""What is refused rather than ignored, with the values that ask for nothing."""
_BOOKKEEPING = frozenset(
    {"user", "metadata", "service_tier", "safety_identifier", "prompt_cache_key", "parallel_tool_calls"}
)
"""Taken and not used: the answer is the same without them."""
_HANDLED = frozenset(
    {"model", "messages", "stream", "stream_options", "stop", "max_tokens", "max_completion_tokens", *_SAMPLING}
)
_MAX_STOPS = 16
_NO_LIMIT = -1


@dataclass(frozen=True, slots=True)
class ChatCompletion:
    """A checked request."""

    model: str | None
    """As the client names it; None for whichever is loaded."""
    chat: ChatRequest
    stream: bool
    include_usage: bool


def parse_chat_completion(body: object, defaults: Sampling) -> ChatCompletion:
    """Check a decoded JSON body. What it leaves out or sets to null is as in `defaults`. Raises ApiError."""
    if not isinstance(body, dict):
        raise ApiError(400, "The body must be a JSON object.")
    given = {name: value for name, value in body.items() if value is not None}
    _refuse_unsupported(given)
    stream = _typed(given, "stream", bool) or False
    return ChatCompletion(
        model=_typed(given, "model", str),
        chat=ChatRequest(_messages(given), _sampling(given, defaults), _stops(given)),
        stream=stream,
        include_usage=_include_usage(given, stream=stream),
    )


def _refuse_unsupported(given: Json) -> None:
    for name, value in given.items():
        if name in _HANDLED or name in _BOOKKEEPING:
            continue
        if name not in _NOT_YET:
            raise _invalid(name, f"{name} is not a parameter that Hearth knows.")
        if value not in _NOT_YET[name]:
            raise _invalid(name, f"Hearth does not support {name} yet. Leave it out.", code="unsupported_parameter")


def _messages(given: Json) -> tuple[Message, ...]:
    messages = given.get("messages")
    if not isinstance(messages, list) or not messages:
        raise _invalid("messages", "messages must be a list of at least one message.")
    return tuple(_message(f"messages[{index}]", each) for index, each in enumerate(messages))


def _message(where: str, given: object) -> Message:
    if not isinstance(given, dict):
        raise _invalid(where, f"{where} must be an object with a role and a content.")
    role = given.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise _invalid(f"{where}.role", f"{where}.role must be one of {', '.join(_ROLES)}.")
    for name, value in given.items():
        # Clients send an answer back as they got it, with all its empty fields.
        if name not in ("role", "content") and value not in (None, [], ""):
            raise _invalid(f"{where}.{name}", f"Hearth does not support {where}.{name} yet. Leave it out.")
    return Message(_ROLES[role], _parts(f"{where}.content", given.get("content")))


def _parts(where: str, content: object) -> tuple[Part, ...]:
    if isinstance(content, str):
        return (TextPart(_text(where, content)),)
    if not isinstance(content, list) or not content:
        raise _invalid(where, f"{where} must be a text, or a list of parts.")
    return tuple(_part(f"{where}[{index}]", each) for index, each in enumerate(content))


def _part(where: str, given: object) -> Part:
    kind = given.get("type") if isinstance(given, dict) else None
    if not isinstance(given, dict) or not isinstance(kind, str):
        raise _invalid(where, f"{where} must be an object with a type.")
    if kind == "image_url":
        image = given.get("image_url")
        return picture_from(f"{where}.image_url.url", image.get("url") if isinstance(image, dict) else image)
    if kind != "text":
        raise _invalid(where, f"{where}: Hearth reads parts of type text and image_url.")
    text = given.get("text")
    if not isinstance(text, str):
        raise _invalid(where, f"{where}.text must be a text.")
    return TextPart(_text(where, text))


def _text(where: str, text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _invalid(where, f"{where} holds half a character (a lone UTF-16 surrogate), which is no text.") from None
    return text


def _sampling(given: Json, defaults: Sampling) -> Sampling:
    made = defaults
    for param, name in _SAMPLING.items():
        if param in given:
            made = _changed(made, param, name, given[param])
    for param in ("max_tokens", "max_completion_tokens"):
        if param in given:
            made = _changed(made, param, "max_tokens", _limit(param, given[param]))
    return made


def _changed(sampling: Sampling, param: str, name: str, value: object) -> Sampling:
    try:
        return replace(sampling, **{name: check(Sampling, name, value)})
    except ValueError as error:
        raise _invalid(param, str(error)) from None


def _limit(param: str, value: object) -> object:
    """Sampling's number for it; -1 is how clients of llama.cpp ask for no limit."""
    if value == _NO_LIMIT:
        return Sampling().max_tokens
    if isinstance(value, int) and value < 1:
        raise _invalid(param, f"{param} must be at least 1.")
    return value


def _stops(given: Json) -> tuple[str, ...]:
    stop = given.get("stop", [])
    stops = [stop] if isinstance(stop, str) else stop
    if not isinstance(stops, list) or not all(isinstance(each, str) and each for each in stops):
        raise _invalid("stop", "stop must be a text, or a list of texts, none of them empty.")
    if len(stops) > _MAX_STOPS:
        raise _invalid("stop", f"stop takes up to {_MAX_STOPS} texts.")
    return tuple(_text("stop", each) for each in stops)


def _include_usage(given: Json, *, stream: bool) -> bool:
    options = _typed(given, "stream_options", dict)
    if options is None:
        return False
    if not stream:
        raise _invalid("stream_options", "stream_options are for streams; set stream to true, or leave them out.")
    value = options.get("include_usage")
    if not isinstance(value, bool | None):
        raise _invalid("stream_options.include_usage", "stream_options.include_usage must be true or false.")
    return bool(value)


_NAMES = {bool: "true or false", str: "a text", dict: "an object"}


def _typed(given: Json, name: str, kind: type[Kind]) -> Kind | None:
    value = given.get(name)
    if value is None or isinstance(value, kind):
        return value
    raise _invalid(name, f"{name} must be {_NAMES[kind]}.")


def _invalid(param: str, message: str, code: str | None = None) -> ApiError:
    return ApiError(400, message, param=param, code=code)


_REASONS = {FinishReason.STOP: "stop", FinishReason.LENGTH: "length", FinishReason.CONTEXT_FULL: "length"}


@dataclass(frozen=True, slots=True)
class Envelope:
    """What all objects of one answer share."""

    id: str
    created: int
    """Seconds since 1970."""
    model: str
    include_usage: bool = False
    """A stream tells the usage in a last chunk of its own, and null in the others."""

    def whole(self, finished: Finished) -> Json:
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": finished.text, "refusal": None},
            "logprobs": None,
            "finish_reason": _REASONS[finished.reason],
        }
        return {**self._head("chat.completion"), "choices": [choice], **_figures(finished)}

    def opening(self) -> Json:
        """The first chunk, which tells who speaks."""
        return self._chunk({"role": "assistant", "content": ""}, None)

    def delta(self, text: str) -> Json:
        return self._chunk({"content": text}, None)

    def closing(self, finished: Finished) -> list[Json]:
        """The chunks that end a stream. The figures are with the very last one."""
        end = self._chunk({}, _REASONS[finished.reason])
        figures = _figures(finished)
        if self.include_usage:
            return [end, {**self._head("chat.completion.chunk"), "choices": [], **figures}]
        return [{**end, "timings": figures["timings"]}]

    def _chunk(self, delta: Json, reason: str | None) -> Json:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        usage = {"usage": None} if self.include_usage else {}
        return {**self._head("chat.completion.chunk"), "choices": [choice], **usage}

    def _head(self, kind: str) -> Json:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}


def _figures(finished: Finished) -> Json:
    timings = finished.timings
    prompt, answer = timings.cache_n + timings.prompt_n, timings.predicted_n
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": prompt + answer,
        "prompt_tokens_details": {"cached_tokens": timings.cache_n},
    }
    return {"usage": usage, "timings": asdict(timings)}


def model_object(info: ModelInfo, created: int) -> Json:
    """An entry of `GET /v1/models`; `meta` is llama-server's."""
    meta = {"n_ctx": info.n_ctx, "n_ctx_train": info.n_ctx_train, "n_params": info.n_params, "size": info.size}
    return {"id": info.name, "object": "model", "created": created, "owned_by": "hearth", "meta": meta}
