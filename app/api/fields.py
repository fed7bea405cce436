"""Reading a decoded JSON body field by field; whatever is wrong becomes an `ApiError` that names the field."""

from collections.abc import Mapping
from typing import Any, TypeVar

from app.api.errors import ApiError

Kind = TypeVar("Kind")
Given = Mapping[str, Any]
"""A JSON object without its null values."""

_NAMES = {bool: "true or false", str: "a text", dict: "an object", int: "a whole number", list: "a list"}
_DEEPEST = 100
_MOST_FREE = 20_000
"""Values in JSON that is passed on; templates and grammars are made of it."""
_MOST_FIELDS = 1024


def given_of(body: object) -> Given:
    """What a body asks for: null is as if left out. Raises ApiError for what is no object."""
    if not isinstance(body, dict):
        raise ApiError(400, "The body must be a JSON object.")
    if len(body) > _MOST_FIELDS:
        raise ApiError(400, f"An object of a request takes up to {_MOST_FIELDS:,} fields.")
    return {name: value for name, value in body.items() if value is not None}


def typed(given: Given, name: str, kind: type[Kind], where: str = "") -> Kind | None:
    """The field as this kind, or None where it is missing."""
    value = given.get(name)
    if kind is int:
        value = as_whole(value)
    is_bool = isinstance(value, bool)
    if value is None or (isinstance(value, kind) and (not is_bool or kind is bool)):
        return value
    raise invalid(f"{where}{name}", f"{where}{name} must be {_NAMES[kind]}.")


def as_whole(value: object) -> Any:
    """JSON knows no difference between 20 and 20.0, and some clients write the latter."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def whole(given: Given, name: str, default: int, least: int, most: int) -> int:
    """A whole number within bounds."""
    value = typed(given, name, int)
    if value is None:
        return default
    if not least <= value <= most:
        raise invalid(name, f"{name} must be from {least} to {most}.")
    return value


def text(where: str, value: object) -> str:
    """A text that can be written as UTF-8."""
    if not isinstance(value, str):
        raise invalid(where, f"{where} must be a text.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise invalid(where, f"{where} holds half a character (a lone UTF-16 surrogate), which is no text.") from None
    return value


def check_free(where: str, value: object) -> None:
    """Raises ApiError where JSON that is passed on as it is holds half a character, very many values, or lists in lists
    without end: what walks over it later does so by recursion.
    """
    level, count = [value], 0
    for _ in range(_DEEPEST):
        inner: list[object] = []
        for each in level:
            if isinstance(each, str):
                text(where, each)
            elif isinstance(each, list):
                inner += each
            elif isinstance(each, dict):
                inner += each
                inner += each.values()
        if not inner:
            return
        count += len(inner)
        if count > _MOST_FREE:
            raise invalid(where, f"{where} holds too much; up to {_MOST_FREE:,} values are taken.")
        level = inner
    raise invalid(where, f"{where} is nested too deeply; up to {_DEEPEST} levels are taken.")


def invalid(param: str, message: str, code: str | None = None) -> ApiError:
    return ApiError(400, message, param=param, code=code)
