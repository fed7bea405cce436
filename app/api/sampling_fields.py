"""The sampler's parameters by OpenAI's names and llama.cpp's, as `Sampling` declares them."""

import math
from collections.abc import Mapping
from dataclasses import fields, replace

from app.api.fields import Given, as_whole, check_free, invalid
from app.core.sampling import MAX_SEED, RANDOM_SEED, Sampling
from app.core.setting import check, field_types

_OTHERWISE = {
    "presence_penalty": "penalty_present",
    "frequency_penalty": "penalty_freq",
    "repeat_penalty": "penalty_repeat",
    "repetition_penalty": "penalty_repeat",
    "repeat_last_n": "penalty_last_n",
}
"""OpenAI's, llama-server's and vLLM's names where they are not the declared ones."""
_LIMITS = ("max_tokens", "n_predict", "max_completion_tokens")
"""Names of the limit on an answer; the last one that is given holds."""
SAMPLING_FIELDS: Mapping[str, str] = {
    **{each.name: each.name for each in fields(Sampling) if each.name != "max_tokens"},
    **_OTHERWISE,
}
"""The field of `Sampling` by each name that requests know."""
KNOWN = frozenset({*SAMPLING_FIELDS, *_LIMITS, "logit_bias"})
_KINDS = field_types(Sampling)
_NO_LIMIT = -1
_ALL = -1
_LONGEST_TOLD = 300
"""Characters; what a client sent is in it."""
_MOST_BIASES = 1024


def sampling_from(given: Given, defaults: Sampling) -> Sampling:
    """`defaults` with what is given. Raises ApiError."""
    made = defaults
    for param, name in SAMPLING_FIELDS.items():
        if param in given:
            made = _changed(made, param, name, given[param])
    for param in _LIMITS:
        if param in given:
            made = _changed(made, param, "max_tokens", _limit(param, given[param]))
    return made


def logit_bias_from(given: Given, n_vocab: int) -> tuple[tuple[int, float], ...]:
    """OpenAI's object of biases by token. -100 forbids a token, as there. Raises ApiError."""
    biases = given.get("logit_bias", {})
    if not isinstance(biases, dict) or len(biases) > _MOST_BIASES:
        raise invalid("logit_bias", f"logit_bias must be an object of up to {_MOST_BIASES} tokens and their biases.")
    return tuple((_token(token, n_vocab), _bias(bias)) for token, bias in biases.items())


def _token(told: str, n_vocab: int) -> int:
    if told.isascii() and told.isdigit() and len(told) <= 9 and int(told) < n_vocab:
        return int(told)
    raise invalid("logit_bias", f"logit_bias: {told[:20]!r} is no token of this model.")


def _bias(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -100 <= value <= 100:
        raise invalid("logit_bias", "logit_bias: a bias must be a number from -100 to 100.")
    return -math.inf if value == -100 else float(value)


def _changed(sampling: Sampling, param: str, name: str, value: object) -> Sampling:
    check_free(param, value)
    try:
        return replace(sampling, **{name: check(Sampling, name, _as_ours(name, value))})
    except ValueError as error:
        told = str(error)
        raise invalid(param, told if len(told) <= _LONGEST_TOLD else f"{param} is not of the right kind.") from None


def _as_ours(name: str, value: object) -> object:
    """What other servers write otherwise: -1 for all tokens, and seeds of 64 bits."""
    if _KINDS[name] is int:
        value = as_whole(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return value
    if name == "seed" and value != RANDOM_SEED:
        return value % (MAX_SEED + 1)
    return 0 if name == "top_k" and value == _ALL else value


def _limit(param: str, value: object) -> object:
    """Sampling's number for it; -1 is how clients of llama.cpp ask for no limit."""
    value = as_whole(value)
    if value == _NO_LIMIT and not isinstance(value, bool | float):
        return Sampling().max_tokens
    if isinstance(value, int) and value < 1:
        raise invalid(param, f"{param} must be at least 1.")
    return value
