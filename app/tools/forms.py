"""What a server asks a person during a call (elicitation), as a form."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from app.tools.schema import arguments_for

_MOST_FIELDS = 30


class FieldKind(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    SWITCH = "switch"
    CHOICE = "choice"
    CHOICES = "choices"
    """Any number of them."""


@dataclass(frozen=True, slots=True)
class FormField:
    name: str
    title: str
    description: str = ""
    kind: FieldKind = FieldKind.TEXT
    required: bool = False
    default: object = None
    choices: tuple[tuple[str, str], ...] = ()
    """Values, and what they are called."""


@dataclass(frozen=True, slots=True)
class Form:
    server: str
    message: str
    fields: tuple[FormField, ...] = ()
    url: str = ""
    """Of a web page that is to be opened instead; what is done there the server learns by itself."""
    schema: Mapping[str, object] = field(default_factory=dict, hash=False)

    def problem(self, values: Mapping[str, object]) -> str:
        """One sentence about what is wrong with these values; empty where all is well."""
        found = arguments_for(self.schema, json.dumps(values))
        return found if isinstance(found, str) else ""


class FormAction(StrEnum):
    """As the protocol calls them."""

    ACCEPT = "accept"
    DECLINE = "decline"
    CANCEL = "cancel"


@dataclass(frozen=True, slots=True)
class FormAnswer:
    action: FormAction
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Of those fields that were filled in; numbers as such."""


def form_of(server: str, message: str, schema: Mapping[str, Any]) -> Form:
    """What can't be understood of a field makes it a text."""
    properties, required = schema.get("properties"), schema.get("required")
    known = properties if isinstance(properties, Mapping) else {}
    needed = required if isinstance(required, list) else []
    fields = [_field(str(name), value, name in needed) for name, value in list(known.items())[:_MOST_FIELDS]]
    return Form(server, " ".join(message.split())[:1000], tuple(fields), schema=schema)


def _field(name: str, value: object, required: bool) -> FormField:
    told = value if isinstance(value, Mapping) else {}
    items = told.get("items")
    many = told.get("type") == "array"
    choices = _choices(items if many and isinstance(items, Mapping) else told)
    kind = FieldKind.TEXT
    if choices:
        kind = FieldKind.CHOICES if many else FieldKind.CHOICE
    elif told.get("type") in ("number", "integer"):
        kind = FieldKind.NUMBER
    elif told.get("type") == "boolean":
        kind = FieldKind.SWITCH
    title, description = str(told.get("title") or name), str(told.get("description") or "")
    return FormField(name, title, description, kind, required, told.get("default"), choices)


def _choices(told: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    if isinstance(plain := told.get("enum"), list):
        names = told.get("enumNames")
        called = names if isinstance(names, list) and len(names) == len(plain) else plain
        return tuple((str(value), str(name)) for value, name in zip(plain, called, strict=True))
    titled = told.get("oneOf") or told.get("anyOf")
    if not isinstance(titled, list):
        return ()
    return tuple(
        (str(each["const"]), str(each.get("title") or each["const"]))
        for each in titled
        if isinstance(each, Mapping) and "const" in each
    )
