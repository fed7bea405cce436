"""The sampler's parameters by OpenAI's names and llama.cpp's, as `Sampling` declares them."""

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Annotated, Any, TypeVar, cast

import msgspec
from msgspec import Meta

from app.api.validation import MOST_FREE, invalid
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
_TITLE = f"a whole number from 1 to {_LIMIT['le']:,}, or -1 for no limit"
Limit = Annotated[int, Meta(**_LIMIT, title=_TITLE, extra_json_schema={"not": {"const": 0}})]
LimitOrNone = Annotated[int, Meta(**_LIMIT, title=_TITLE)]
"""0 asks for the reading alone."""
LogitBias = Annotated[
    dict[Annotated[str, Meta(pattern="^[0-9]{1,9}$")], Annotated[float, Meta(ge=-100, le=100)]],
    Meta(max_length=1024, title="an object of up to 1024 tokens of the model and their biases from -100 to 100"),
]
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
    limits = [value for param in _LIMITS if (value := getattr(asked, param, None))]
    if limits:
        values["max_tokens"] = Sampling().max_tokens if limits[-1] == _NO_LIMIT else limits[-1]
    if values.get("top_k") == -1:
        values["top_k"] = 0
    if values.get("seed", RANDOM_SEED) != RANDOM_SEED:
        values["seed"] %= MAX_SEED + 1
    if (breakers := values.get("dry_sequence_breakers")) is not None:
        values["dry_sequence_breakers"] = tuple(breakers)
    return replace(defaults, **values)


def refuse_zero(asked: msgspec.Struct, *params: str) -> None:
    """Raises ApiError for a limit of 0 where the answer can't be left out."""
    for param in params:
        if getattr(asked, param) == 0:
            raise invalid(param, f"{param} must be {_TITLE}.")


def biases_from(asked: Mapping[str, float], n_vocab: int) -> tuple[tuple[int, float], ...]:
    """OpenAI's object of biases by token. -100 forbids a token, as there. Raises ApiError."""
    for token in asked:
        if not token.isdigit() or int(token) >= n_vocab:
            raise invalid("logit_bias", f"logit_bias: {token!r} is no token of this model.")
    return tuple((int(token), -math.inf if bias == -100 else bias) for token, bias in asked.items())
