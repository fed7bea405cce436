"""MiniMax M3's calls, tags within tags, as a grammar."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.core.errors import UserError
from app.engine.output.call_syntax import Schema
from app.engine.output.gbnf import Rules, choice, literal
from app.engine.output.nested_calls import ITEM, NestedCalls
from app.engine.output.parameter_schema import types_in
from app.engine.output.schema_grammar import SchemaGrammar


def nested_call(syntax: NestedCalls, name: str, schema: Schema, rules: Rules) -> str:
    made = _Nested(syntax, schema, rules)
    properties, required = made.parameters()
    inside = made.tags(properties, required)
    return f"{literal(syntax.call[0] + name + syntax.call[1])} {inside} {literal(syntax.mark + '</invoke>' + chr(10))}"


class _Nested(SchemaGrammar):
    def __init__(self, syntax: NestedCalls, root: Schema, rules: Rules) -> None:
        super().__init__(root, rules)
        self._mark = syntax.mark
        self._whole = root

    def tags(self, properties: Mapping[str, Schema], required: Sequence[str]) -> str:
        if any(">" in key or "\n" in key or key.startswith("/") for key in properties):
            raise UserError("A parameter's name can't be written in this model's calls. Rename the parameter.")
        members = [(self._tag(key, each), key in required) for key, each in properties.items()]
        return self.members(members, '""')

    def _tag(self, key: str, schema: Schema) -> str:
        return f"{literal(f'{self._mark}<{key}>')} {self._inside(self.resolved(schema), key)}"

    def _inside(self, schema: Schema, key: str) -> str:
        """A value, and the tag that closes it."""
        end = literal(f"{self._mark}</{key}>")
        types = types_in(schema, self._whole)
        if types == {"string"} and schema.keys().isdisjoint(("enum", "const", "anyOf", "oneOf", "allOf")):
            if schema.keys().isdisjoint(("minLength", "maxLength", "pattern", "format")):
                return f"{self.rules.until(self._mark + '</')} {literal(key + '>')}"
            return f"{self.string_inside(schema, _LIMITED, raw=_BARRED)} {end}"
        if types == {"object"} and "properties" in schema:
            return f"{self.tags(schema['properties'], schema.get('required', ()))} {end}"
        if types == {"array"} and isinstance(schema.get("items"), Mapping):
            low, high = int(schema.get("minItems", 0)), schema.get("maxItems")
            return f"{self.rules.repeat(self.rules.add(self._tag(ITEM, schema['items'])), low, high)} {end}"
        return f"{self._plain(schema, key)} {end}"

    def _plain(self, schema: Schema, key: str) -> str:
        """Anything else: strings as they are, all other values as JSON."""
        values: list[Any] = schema["enum"] if "enum" in schema else [schema["const"]] if "const" in schema else []
        if values:
            return choice(literal(each) if isinstance(each, str) else self.constant(each) for each in values)
        kinds = schema.get("type")
        others = [each for each in kinds if each != "string"] if isinstance(kinds, list) else []
        return self.value({**schema, "type": others} if others else schema, key)


_LIMITED = "[^\\]\\n\\r]"
_BARRED = "]\n\r"
