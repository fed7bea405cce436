"""What a parameter may be, by the JSON schema of its function."""

import json
from collections.abc import Mapping
from typing import Any

from app.engine.output.call_syntax import Schema
from app.engine.output.json_text import NO_JSON, PYTHON_WORDS, value_of
from app.engine.output.literals import literal_text

_DEEPEST = 8


def types_of(schema: Schema | None, name: str) -> frozenset[str]:
    """The JSON types that parameter `name` may have; empty where nothing is known of it."""
    properties = schema.get("properties") if schema else None
    known = properties.get(name) if isinstance(properties, Mapping) else None
    return frozenset(_types(known, schema or {}, 0)) if isinstance(known, Mapping) else frozenset()


def types_in(schema: Schema, root: Schema) -> frozenset[str]:
    """The JSON types that `schema`, a part of `root`, takes; empty where nothing is known of it."""
    return frozenset(_types(schema, root, 0))


def inner(schema: Schema, key: str, root: Schema) -> Schema:
    """What a part of `root` says of an object's member, or of an array's elements; empty where that is nothing."""
    pointed = pointed_at(root, str(schema.get("$ref", "")))
    known = pointed if pointed is not None else schema
    properties = known.get("properties")
    found = properties.get(key) if isinstance(properties, Mapping) else known.get("items")
    return found if isinstance(found, Mapping) else {}


def value_text(raw: str, types: frozenset[str]) -> str:
    """The JSON text that a value's plain text stands for: itself where it is valid and allowed, else a string."""
    text = raw.strip()
    text = PYTHON_WORDS.get(text, text)
    value = value_of(text)
    if value is NO_JSON and text[:1] in ("{", "["):
        text = literal_text(text) or ""
        value = value_of(text)
    if value is NO_JSON or ("string" in types and (isinstance(value, str) or not types & _types_of_value(value))):
        return json.dumps(raw, ensure_ascii=False)
    return text


def _types(schema: Mapping[str, Any], root: Schema, depth: int) -> set[str]:
    if depth > _DEEPEST:
        return set()
    named = schema.get("type")
    if isinstance(named, str):
        return {named}
    if isinstance(named, list):
        return {each for each in named if isinstance(each, str)}
    values = schema["enum"] if isinstance(schema.get("enum"), list) else [schema["const"]] if "const" in schema else []
    if values:
        return {min(_types_of_value(each)) for each in values}
    found: set[str] = set()
    for key in ("anyOf", "oneOf", "allOf"):
        ways = schema.get(key)
        for each in ways if isinstance(ways, list) else ():
            if isinstance(each, Mapping):
                found |= _types(each, root, depth + 1)
    pointed = pointed_at(root, str(schema.get("$ref", "")))
    return found | _types(pointed, root, depth + 1) if pointed is not None else found


def pointed_at(root: Schema, reference: str) -> Mapping[str, Any] | None:
    """What a `$ref` means; None where it leads to no schema in `root`."""
    place: Any = root
    for step in filter(None, reference.removeprefix("#").split("/")):
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(place, list) and key.isdecimal() and int(key) < len(place):
            place = place[int(key)]
        else:
            place = place.get(key) if isinstance(place, Mapping) else None
    return place if reference.startswith("#") and isinstance(place, Mapping) else None


def _types_of_value(value: object) -> set[str]:
    match value:
        case None:
            return {"null"}
        case bool():
            return {"boolean"}
        case int():
            return {"integer", "number"}
        case float():
            return {"number", "integer"} if value.is_integer() else {"number"}
        case str():
            return {"string"}
        case list():
            return {"array"}
        case _:
            return {"object"}
