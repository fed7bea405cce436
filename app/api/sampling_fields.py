"""The sampler's parameters by OpenAI's names and llama.cpp's, as `Sampling` declares them."""

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Annotated, Any, TypeVar, cast

import msgspec
from msgspec import Meta

from app.api.validation import MOST_FREE, as_whole, invalid
from app.core.sampling import MAX_SEED, RANDOM_SEED, Sampling
from app.core.setting import declaration, field_types

_OTHERWISE = {
    "presence_penalty": "penalty_present",
    "frequency_penalty": "penalty_freq",
    "repeat_penalty": "penalty_repeat",
    "repetition_penalty": "penalty_repeat",
    "repeat_last_n": "penalty_last_n",
}
"""OpenAI's, llama-server's and vLLM's names where they are not the declared ones."""
_LIMITS = ("max_tokens", "n_predict", "max_completion_tokens", "max_output_tokens")
"""Names of the limit on an answer; the last one that is given holds."""
_FIELDS: Mapping[str, str] = {
    **{each.name: each.name for each in fields(Sampling) if each.name != "max_tokens"},
    **_OTHERWISE,
}
"""The field of `Sampling` by each name that requests know."""
_DECLARED = {each.name: each for each in fields(Sampling)}
_LIMIT: dict[str, Any] = {"ge": -1, "le": int(declaration(_DECLARED["max_tokens"]).maximum or 0)}
_TITLE = f"a whole number up to {_LIMIT['le']:,}, or -1 for no limit"
Limit = Annotated[int, Meta(**_LIMIT, title=_TITLE)]
"""0 asks for the reading alone."""
_Never = Annotated[bool, Meta(extra_json_schema={"enum": [False]})]
_Bias = Annotated[float, Meta(ge=-100, le=100)] | _Never
_Biased = Annotated[str, Meta(min_length=1, max_length=256)]
LogitBias = Annotated[
    Annotated[dict[_Biased, _Bias], Meta(max_length=1024)]
    | Annotated[list[tuple[Annotated[int, Meta(ge=0)] | _Biased, _Bias]], Meta(max_length=1024)],
    Meta(title="an object of up to 1024 tokens of the model, or texts, and their biases from -100 to 100"),
]
TOKENS = {"type": "array", "items": {"type": "integer", "minimum": 0}}
_NO_LIMIT = -1
Request = TypeVar("Request", bound=msgspec.Struct)


def with_sampling(request: type[Request]) -> type[Request]:
    """A declared request, with the sampler's parameters among its fields."""
    types = field_types(Sampling)
    made = [(param, _type_of(name, types[name]) | None, None) for param, name in _FIELDS.items()]
    return cast(type[Request], msgspec.defstruct(request.__name__, made, bases=(request,), kw_only=True, frozen=True))


def _type_of(name: str, kind: Any) -> Any:
    told = declaration(_DECLARED[name])
    if kind not in (int, float):
        return Annotated[list[str], Meta(max_length=MOST_FREE, description=told.help)]
    bounds = {"ge": told.minimum, "le": told.maximum}
    if name == "seed":
        bounds = {}  # any, of which 32 bits are used
    elif name == "top_k":
        bounds["ge"] = -1  # as 0: all tokens
    known = {bound: kind(value) for bound, value in bounds.items() if value is not None}
    return Annotated[kind, Meta(description=told.help, **known)]


def sampling_from(asked: msgspec.Struct, defaults: Sampling) -> Sampling:
    """`defaults` with what is asked."""
    values = {name: getattr(asked, param) for param, name in _FIELDS.items() if getattr(asked, param) is not None}
    if limit := _limit(asked):
        values["max_tokens"] = Sampling().max_tokens if limit == _NO_LIMIT else limit
    if values.get("top_k") == -1:
        values["top_k"] = 0
    if values.get("seed", RANDOM_SEED) != RANDOM_SEED:
        values["seed"] %= MAX_SEED + 1
    if (breakers := values.get("dry_sequence_breakers")) is not None:
        values["dry_sequence_breakers"] = tuple(breakers)
    return replace(defaults, **values)


def _limit(asked: msgspec.Struct) -> int | None:
    limits = [value for param in _LIMITS if (value := getattr(asked, param, None)) is not None]
    return limits[-1] if limits else None


def only_reads(asked: msgspec.Struct) -> bool:
    """Whether nothing is to be written."""
    return _limit(asked) == 0


def biases_from(asked: LogitBias, n_vocab: int) -> tuple[tuple[int | str, float], ...]:
    """OpenAI's object of biases by token, or llama-server's pairs; a text means all of its tokens. -100 forbids a
    token, as there. Raises ApiError.
    """
    pairs = asked.items() if isinstance(asked, dict) else asked
    return tuple((_token(told, n_vocab), _bias(bias)) for told, bias in pairs)


def _token(told: int | str, n_vocab: int) -> int | str:
    if isinstance(told, str) and not (told.isascii() and told.isdigit()):
        return told
    if len(str(told)) > 9 or int(told) >= n_vocab:
        raise invalid("logit_bias", f"logit_bias: {told!r} is no token of this model.")
    return int(told)


def _bias(told: float | bool) -> float:
    if told is True:
        raise invalid("logit_bias", "logit_bias: a bias is a number from -100 to 100, or false.")
    return -math.inf if told is False or told == -100 else float(told)


def tokens_from(where: str, told: object, n_vocab: int) -> tuple[int, ...]:
    """A list of tokens of the model. Raises ApiError."""
    if not isinstance(told, list):
        raise invalid(where, f"{where} must be a list of tokens.")
    tokens = tuple(map(as_whole, told))
    for token in tokens:
        if not isinstance(token, int) or isinstance(token, bool) or not 0 <= token < n_vocab:
            raise invalid(where, f"{where} must hold numbers of tokens, from 0 to {n_vocab - 1}.")
    return tokens
