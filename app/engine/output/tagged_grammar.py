"""Calls as tags, as a grammar."""

from collections.abc import Mapping
from typing import Any

from app.core.errors import UserError
from app.engine.output.call_syntax import Schema
from app.engine.output.gbnf import Rules, choice, literal
from app.engine.output.parameter_schema import types_of
from app.engine.output.schema_grammar import SchemaGrammar
from app.engine.output.tagged_calls import TaggedCalls

_BREAK = r'"\n"?'
_TRUE = 'string="true"'
_KINDS = ("array", "boolean", "null", "number", "object")
_LIMITED = "[^<\\n\\r]"
_BARRED = "<\n\r"


def tagged_call(syntax: TaggedCalls, name: str, schema: Schema, rules: Rules) -> str:
    """One call without its section, or with it where that is the call's own tag."""
    made = SchemaGrammar(schema, rules)
    properties, required = made.parameters()
    values = _Values(syntax, schema, made)
    members = [(f"{_BREAK} {values.parameter(key, each)}", key in required) for key, each in properties.items()]
    inside = made.members(members, '""')
    if not syntax.call[0]:
        head = literal(syntax.section[0] + name + syntax.call[1])
        return f"{head} {inside} {_BREAK} {literal(syntax.section[1])}"
    number = f""" " index=\\"" [1-9] [0-9]? "\\"" {literal(syntax.tag_end)}""" if syntax.numbered else ""
    return f"{literal(syntax.call[0] + name + syntax.call[1])}{number} {inside} {_BREAK} {literal(syntax.call_end)}"


class _Values:
    def __init__(self, syntax: TaggedCalls, root: Schema, made: SchemaGrammar) -> None:
        self._syntax = syntax
        self._root = root
        self._made = made
        self._end = ("\n" if syntax.lines else "") + syntax.parameter_end

    def parameter(self, key: str, schema: Schema) -> str:
        """A parameter with all its tags."""
        syntax = self._syntax
        if syntax.parameter[1] in key or "\n" in key:
            raise UserError("A parameter's name can't be written in this model's calls. Rename the parameter.")
        behind = (f"\n{syntax.value}" if syntax.value else "") + ("\n" if syntax.lines else "")
        head = syntax.parameter[0] + key + syntax.parameter[1]
        if not syntax.typed:
            return f"{literal(head + behind)} {self._value(key, schema)}"
        is_string = types_of(self._root, key) == {"string"}
        if is_string:
            return f"{literal(f'{head} {syntax.typed}{syntax.tag_end}')} {self._value(key, schema)}"
        said, value = syntax.typed.partition("=")[0], self._made.value(schema, key)
        begin, end = literal(f'{head} {said}="'), literal(f'"{syntax.tag_end}')
        return f"{begin} {self._other(schema)} {end} {value} {literal(self._end)}"

    def _other(self, schema: Schema) -> str:
        """What the attribute says of a value that is no string."""
        if self._syntax.typed == _TRUE:
            return literal("false")
        kinds = types_of({"properties": {"": schema}, **_pointed(self._root)}, "") - {"string"}
        words = sorted({"number" if each == "integer" else each for each in kinds})
        return choice(map(literal, words or _KINDS))

    def _value(self, key: str, schema: Schema) -> str:
        """A value with the tag that closes it."""
        schema = self._made.resolved(schema)
        types = types_of({"properties": {key: schema}, **_pointed(self._root)}, key)
        if "string" not in types:
            return f"{self._made.value(schema, key)} {literal(self._end)}"
        if "enum" in schema or "const" in schema:
            values = schema["enum"] if "enum" in schema else [schema["const"]]
            return choice(literal(each) if isinstance(each, str) else self._made.constant(each) for each in values) + (
                f" {literal(self._end)}"
            )
        if types == {"string"} and schema.get("type") == "string":
            return self._string(schema)
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return choice(self._value(key, {**schema, "type": each}) for each in kinds)
        ways = schema.get("anyOf") or schema.get("oneOf")
        if not ways:
            raise UserError("A parameter's schema is too involved to be enforced here. Say its type plainly.")
        return choice(self._value(key, each) for each in ways)

    def _string(self, schema: Schema) -> str:
        if not schema.keys() & {"minLength", "maxLength", "pattern", "format"}:
            return self._made.rules.until(self._syntax.parameter_end)
        return f"{self._made.string_inside(schema, _LIMITED, raw=_BARRED)} {literal(self._end)}"


def _pointed(root: Schema) -> Mapping[str, Any]:
    """What references point into."""
    return {key: each for key, each in root.items() if key != "properties"}
