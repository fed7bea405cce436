"""Schemas of tools' arguments: made so that chat templates can print them, and what is wrong with arguments.

Not a whole JSON-Schema check: servers check for themselves, and a pattern of theirs could keep a thread busy for ever.
"""

import json
from collections.abc import Mapping
from typing import Any

from app.tools.tool import to_model

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_NOISE = ("$schema", "title", "default")
"""What tells a model nothing, and costs tokens."""
_DEEPEST = 20


def completed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """With all that some chat template asks for: a type and properties, and for each property a type and a description.

    A list of types is its first proper one, for templates print it as a text.
    """
    made = _completed(schema, _DEEPEST)
    made["type"] = "object"
    made.setdefault("properties", {})
    return made


def arguments_for(schema: Mapping[str, Any], text: str) -> dict[str, Any] | str:
    """The arguments that were written as JSON, or one sentence about what is wrong with them."""
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return to_model("The arguments are no valid JSON.")
    if not isinstance(found, dict):
        return to_model("The arguments have to be a JSON object.")
    return _problem(found, schema, "", _DEEPEST) or found


def _completed(schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
    made = {key: value for key, value in schema.items() if key not in _NOISE}
    if isinstance(kinds := made.get("type"), list):
        made["type"] = next((each for each in kinds if each != "null"), "string")
    if depth == 0:
        return made
    if isinstance(properties := made.get("properties"), Mapping):
        made["properties"] = {name: _property(value, depth - 1) for name, value in properties.items()}
    if isinstance(items := made.get("items"), Mapping):
        made["items"] = _completed(items, depth - 1)
    return made


def _property(value: object, depth: int) -> dict[str, Any]:
    told = _completed(value, depth) if isinstance(value, Mapping) else {}
    if "type" not in told and not any(key in told for key in ("anyOf", "oneOf", "allOf", "$ref", "enum", "const")):
        told["type"] = "string"
    return {"description": "", **told}


def _problem(value: Any, schema: object, where: str, depth: int) -> str:
    if not isinstance(schema, Mapping) or depth == 0:
        return ""
    kinds = schema.get("type")
    wanted = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
    if wanted and not any(_is(value, each) for each in wanted):
        return to_model("{it} has to be of type {kinds}.", it=_name(where), kinds=" or ".join(map(str, wanted)))
    choices = schema.get("enum")
    if isinstance(choices, list) and value not in choices:
        return to_model("{it} has to be one of {choices}.", it=_name(where), choices=json.dumps(choices))
    if isinstance(value, dict):
        return _problem_of_object(value, schema, where, depth)
    if isinstance(value, list):
        found = (_problem(each, schema.get("items"), f"{where}[{n}]", depth - 1) for n, each in enumerate(value))
        return next(filter(None, found), "")
    return ""


def _problem_of_object(value: Mapping[str, Any], schema: Mapping[str, Any], where: str, depth: int) -> str:
    properties = schema.get("properties")
    known = properties if isinstance(properties, Mapping) else {}
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        if name not in value:
            return to_model("{it} is missing.", it=_name(_within(where, name)))
    for name, each in value.items():
        if name not in known and schema.get("additionalProperties") is False:
            names = ", ".join(known) or "none"
            return to_model("{it} is not known. Known are {names}.", it=_name(_within(where, name)), names=names)
        if told := _problem(each, known.get(name), _within(where, name), depth - 1):
            return told
    return ""


def _is(value: object, kind: object) -> bool:
    allowed = _TYPES.get(str(kind))
    if allowed is None:
        return True
    if isinstance(value, bool):
        return bool in allowed
    if isinstance(value, float) and value.is_integer():
        return bool({int, float} & set(allowed))
    return isinstance(value, allowed)


def _within(where: str, name: object) -> str:
    return f"{where}.{name}" if where else str(name)


def _name(where: str) -> str:
    return f"The argument “{where}”" if where else "The arguments"
