"""Decoded JSON bodies, checked against the msgspec Structs that declare them, and those Structs as JSON Schema: what
`/openapi.json` says and what a refusal says of a field both come from the declaration.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from app.api.errors import ApiError

Given = Mapping[str, Any]
"""A JSON object without its null values."""
Schema = dict[str, Any]
Declared = TypeVar("Declared", bound=msgspec.Struct)
MOST_FREE = 20_000
"""Values in JSON that is passed on; templates and grammars are made of it."""
_DEEPEST = 100
_MOST_FIELDS = 1024
_KINDS = {
    "boolean": "true or false",
    "string": "a text",
    "object": "an object",
    "array": "a list",
    "integer": "a whole number",
    "number": "a number",
}
_MISSING = re.compile(r"Object missing required field `([^`]+)`")
_PLACE = re.compile(r"`\$\.?([^`]*?)(?:\[\.\.\.\].*)?`$")
_HOLDS_TEXT = (str, dict, msgspec.Struct)
_SCHEMAS: dict[type[msgspec.Struct], Schema] = {}


def given_of(body: object) -> dict[str, Any]:
    """What a body asks for: null is as if left out, and 20.0 is 20, which JSON knows no difference between. Raises
    ApiError for what is no object.
    """
    if not isinstance(body, dict):
        raise ApiError(400, "The body must be a JSON object.")
    if len(body) > _MOST_FIELDS:
        raise ApiError(400, f"An object of a request takes up to {_MOST_FIELDS:,} fields.")
    return {name: as_whole(value) for name, value in body.items() if value is not None}


def as_whole(value: object) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def names_of(kind: type[msgspec.Struct]) -> frozenset[str]:
    """The fields that a declaration knows."""
    return frozenset(kind.__struct_encode_fields__)


def validated(kind: type[Declared], given: Given) -> Declared:
    """The fields as they are declared; others are passed over. Raises ApiError, which names the field."""
    try:
        made = msgspec.convert({name: given[name] for name in names_of(kind) & given.keys()}, kind)
    except msgspec.ValidationError as error:
        raise _refused(kind, str(error)) from None
    except UnicodeEncodeError:
        raise ApiError(400, "A name in the body holds half a character (a lone UTF-16 surrogate).") from None
    _check_texts("", made)
    return made


def schema_of(kind: type[msgspec.Struct]) -> Schema:
    """As OpenAPI 3.1 has it, whole."""
    if kind not in _SCHEMAS:
        (schema,), parts = msgspec.json.schema_components([kind], ref_template="{name}")
        _SCHEMAS[kind] = _inlined(schema, parts)
    return _SCHEMAS[kind]


def _inlined(told: Any, parts: Mapping[str, Any]) -> Any:
    if isinstance(told, list):
        return [_inlined(each, parts) for each in told]
    if not isinstance(told, dict):
        return told
    if "$ref" in told:
        more = {name: value for name, value in told.items() if name != "$ref"}
        told = {name: value for name, value in parts[told["$ref"]].items() if name != "title"} | more
    return {name: _inlined(value, parts) for name, value in told.items() if name not in ("default", "discriminator")}


def _refused(kind: type[msgspec.Struct], told: str) -> ApiError:
    """msgspec's sentence as ours: it knows the place, and the schema what must be there."""
    place = found[1] if (found := _PLACE.search(told)) else ""
    if missing := _MISSING.match(told):
        place = f"{place}.{missing[1]}".lstrip(".")
    wanted = _wanted(_at(place, list(_choices(schema_of(kind)))))
    return invalid(place, f"{place} must be {wanted}.")


def _choices(schema: Schema) -> Iterator[Schema]:
    """What may stand at a place, null aside."""
    if "title" in schema or "anyOf" not in schema:
        yield from () if schema.get("type") == "null" else (schema,)
    else:
        for each in schema["anyOf"]:
            yield from _choices(each)


def _at(place: str, schemas: list[Schema]) -> list[Schema]:
    """The schemas at a place such as `messages[0].content`; names of fields may hold dots themselves."""
    if not place:
        return schemas
    found: list[Schema] = []
    for schema in schemas:
        found += _at(place, schema.get("anyOf", []))
        if place.startswith("["):
            items = [each for each in (schema.get("items"), *schema.get("prefixItems", ())) if isinstance(each, dict)]
            inner = [choice for each in items for choice in _choices(each)]
            found += _at(place.partition("]")[2].lstrip("."), inner)
        for name, field in schema.get("properties", {}).items():
            if place == name or place.startswith((f"{name}.", f"{name}[")):
                found += _at(place[len(name) :].removeprefix("."), list(_choices(field)))
    return found


def _wanted(schemas: list[Schema]) -> str:
    texts = list(dict.fromkeys(each for schema in schemas for each in schema.get("enum", ()) if each))
    words = [f"one of {', '.join(texts)}" if len(texts) > 1 else texts[0]] if texts else []
    words += [_words(schema) for schema in schemas if "enum" not in schema]
    return ", or ".join(dict.fromkeys(words)) or "of another kind"


def _words(schema: Schema) -> str:
    if "title" in schema:
        return str(schema["title"])
    least, most = schema.get("minimum"), schema.get("maximum", schema.get("maxItems"))
    bounds = f" of up to {most:,}" if least is None and most is not None else ""
    if least is not None and most is not None:
        bounds = f" from {_shown(least)} to {_shown(most)}"
    return _KINDS.get(schema.get("type", ""), "of another kind") + bounds


def _shown(bound: float) -> str:
    return f"{int(bound):,}" if bound == int(bound) else f"{bound:g}"


def _check_texts(where: str, value: object) -> None:
    """Raises ApiError where a declared text holds half a character, or JSON that is passed on is out of bounds."""
    match value:
        case str():
            text(where, value)
        case dict():
            check_free(where, value)
        case list() if not set(map(type, value)) <= {int, float}:  # a prompt may be of very many tokens
            for index, each in enumerate(value):
                if isinstance(each, _HOLDS_TEXT):
                    _check_texts(f"{where}[{index}]", each)
        case msgspec.Struct():
            for name, attribute in zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True):
                _check_texts(f"{where}.{name}" if where else name, getattr(value, attribute))


def text(where: str, value: object) -> str:
    """A text that can be written as UTF-8."""
    if not isinstance(value, str):
        raise invalid(where, f"{where} must be a text.")
    try:
        if not value.isascii():
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
        if count > MOST_FREE:
            raise invalid(where, f"{where} holds too much; up to {MOST_FREE:,} values are taken.")
        level = inner
    raise invalid(where, f"{where} is nested too deeply; up to {_DEEPEST} levels are taken.")


def invalid(param: str, message: str, code: str | None = None) -> ApiError:
    return ApiError(400, message, param=param, code=code)
