"""A JSON schema as a grammar for values as Gemma writes them."""

import re
from collections.abc import Mapping

from app.engine.output.gbnf import literal
from app.engine.output.literals import GEMMA
from app.engine.output.schema_grammar import Schema, SchemaGrammar

_QUOTE = GEMMA.quotes[0]
_KEY = re.compile(r"[\w.\-]+")


class GemmaGrammar(SchemaGrammar):
    """Keys stand without quotes, strings between marks of their own, with nothing escaped."""

    def constant(self, value: object) -> str:
        return literal(_written(value)) if not isinstance(value, int | float | None) else super().constant(value)

    def key(self, name: str) -> str:
        return literal(f"{_key(name)}:")

    def string(self, schema: Schema) -> str:
        if not schema.keys() & {"minLength", "maxLength", "pattern", "format"}:
            return f"{literal(_QUOTE)} {self.rules.until(_QUOTE)}"
        return f"{literal(_QUOTE)} {self.string_inside(schema, '[^<]', raw='<')} {literal(_QUOTE)}"


def _key(name: str) -> str:
    return name if _KEY.fullmatch(name) else f"{_QUOTE}{name}{_QUOTE}"


def _written(value: object) -> str:
    match value:
        case str():
            return f"{_QUOTE}{value}{_QUOTE}"
        case Mapping():
            return "{" + ",".join(f"{_key(str(key))}:{_written(each)}" for key, each in value.items()) + "}"
        case list():
            return "[" + ",".join(map(_written, value)) + "]"
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case _:
            return str(value)
