"""A JSON schema as a grammar: every text that fits it is a value that the schema takes."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from app.engine.output.gbnf import Rules, choice, literal
from app.engine.output.number_grammar import integer, number
from app.engine.output.parameter_schema import pointed_at
from app.engine.output.pattern_grammar import pattern_expression
from app.engine.output.schema_errors import reported, unusable

_REFUSED = ("not", "if", "dependentRequired", "dependentSchemas", "contains", "propertyNames", "patternProperties")
_DEEPEST = 60
_MOST_PARTS = 20_000
"""References with something beside them are written out each time, so a small schema can ask for very much."""
_CHARACTER = (
    r'([^"\\\x00-\x1F\x7F] | "\\" (["\\bfnrt] | "u" ([0-9a-cefA-CEF] [0-9a-fA-F]{3} | [dD] [0-7] [0-9a-fA-F]{2})))'
)
_SPACE = r'("" | " " | "\n" [ \t]{0,20})'
_FORMATS = {
    "date": r'[0-9]{4} "-" ("0" [1-9] | "1" [0-2]) "-" ("0" [1-9] | "1" [0-9] | "2" [0-8])',
    "time": r'([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] ("." [0-9]{1,6})? '
    r'("Z" | [-+] [01] [0-9] ":" [0-5] [0-9])',
    "uuid": r'[0-9a-f]{8} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{12}',
}
_FORMATS["date-time"] = f'{_FORMATS["date"]} "T" {_FORMATS["time"]}'
Schema = Mapping[str, Any]


class SchemaGrammar:
    """Makes expressions for schemas. What a schema leaves open may be narrowed: an object gets the properties that
    are declared, in their order, and no others.

    `uniqueItems` and formats other than date, time, date-time and uuid are not seen to; `oneOf` counts as `anyOf`.
    Other demands that a grammar can't make are refused: UserError.
    """

    def __init__(self, root: Schema, rules: Rules) -> None:
        """`root` is what references point into."""
        self.rules = rules
        self._root = root
        self._referred: dict[str, str] = {}
        self._space = rules.add(_SPACE, "space")
        self._depth = 0
        self._parts = 0

    def value(self, schema: Schema | bool, hint: str = "value") -> str:
        """An expression for the values that `schema` takes."""
        if isinstance(schema, bool):
            if not schema:
                raise unusable("false")
            schema = {}
        self._depth += 1
        self._parts += 1
        try:
            if self._parts > _MOST_PARTS:
                raise unusable("more combinations than can be written out")
            if self._depth > _DEEPEST:
                raise unusable("schemas within schemas without end")
            return self._value(schema, hint)
        finally:
            self._depth -= 1

    def _value(self, schema: Schema, hint: str) -> str:
        refused = next((key for key in _REFUSED if key in schema), None)
        if refused is not None:
            raise unusable(f'"{refused}"')
        if "$ref" in schema and schema.keys() - _ABOUT - {"$ref"}:
            return self.value(self.resolved(schema), hint)
        if "$ref" in schema:
            return self._reference(str(schema["$ref"]), hint)
        if "const" in schema:
            return self.constant(schema["const"])
        if "enum" in schema:
            return choice(self.constant(each) for each in schema["enum"])
        for key in ("anyOf", "oneOf"):
            if key in schema:
                rest = _without(schema, key)
                return choice(self.value(merged([rest, each]), f"{hint}-{n}") for n, each in enumerate(schema[key]))
        if "allOf" in schema:
            return self.value(self._of_all(schema), hint)
        kind = schema.get("type") or _implied(schema)
        if isinstance(kind, list):
            return choice(self.value({**schema, "type": each}, f"{hint}-{each}") for each in kind)
        return self._of_kind(kind, schema, hint)

    def _of_kind(self, kind: str | None, schema: Schema, hint: str) -> str:
        match kind:
            case "object":
                return self.rules.add(self._object(schema, hint), hint)
            case "array":
                return self.rules.add(self._array(schema, hint), hint)
            case "string":
                return self.string(schema)
            case "integer":
                return integer(schema)
            case "number":
                return number(schema)
            case "boolean":
                return '("true" | "false")'
            case "null":
                return '"null"'
            case None:
                return self._anything()
            case _:
                raise unusable(f'type "{kind}"')

    def parameters(self) -> tuple[Mapping[str, Schema], Sequence[str]]:
        """The properties of the schema as a whole, and the names of those that must be there."""
        schema = self.resolved(self._root)
        if "allOf" in schema:
            schema = self._of_all(schema)
        if schema.keys() & {"anyOf", "oneOf", *_REFUSED}:
            raise unusable("a choice between sets of parameters")
        properties = {name: {} if each is True else each for name, each in schema.get("properties", {}).items()}
        required = list(schema.get("required", ()))
        return {**properties, **{name: {} for name in required if name not in properties}}, required

    def resolved(self, schema: Schema | bool) -> Schema:
        """Without a reference on top."""
        for _ in range(_DEEPEST):
            if isinstance(schema, bool) or "$ref" not in schema:
                return {} if schema is True else schema or {"enum": []}
            schema = merged([self._target(str(schema["$ref"])), _without(schema, "$ref")])
        raise unusable("a reference in a circle")

    def _of_all(self, schema: Schema) -> Schema:
        return merged([_without(schema, "allOf"), *map(self.resolved, schema["allOf"])])

    def _reference(self, reference: str, hint: str) -> str:
        if reference not in self._referred:
            name = self._referred[reference] = self.rules.reserve(reference.rsplit("/", 1)[-1] or hint)
            depth, self._depth = self._depth, 0
            expression = self.value(self._target(reference), hint)
            self._depth = depth
            if expression == name:
                raise unusable("a reference in a circle")
            self.rules.define(name, expression)
        return self._referred[reference]

    def _target(self, reference: str) -> Schema:
        found = pointed_at(self._root, reference)
        if found is None:
            raise unusable(f'a reference to "{reference}"')
        return found

    def constant(self, value: object) -> str:
        return literal(json.dumps(value, ensure_ascii=False))

    def key(self, name: str) -> str:
        return f'{literal(json.dumps(name, ensure_ascii=False))} ":" {self._space}'

    def string(self, schema: Schema) -> str:
        return f'"\\"" {self.string_inside(schema)} "\\""'

    def string_inside(self, schema: Schema, character: str = _CHARACTER, *, raw: str | None = None) -> str:
        """What a string holds. `raw` are characters that can't be in a text that isn't JSON; None for JSON."""
        low, high = int(schema.get("minLength", 0)), schema.get("maxLength")
        if "pattern" in schema:
            if low or high is not None:
                raise unusable('"pattern" with a length')
            return pattern_expression(str(schema["pattern"]), self.rules, character, raw)
        if schema.get("format") in _FORMATS:
            return _FORMATS[schema["format"]]
        if high is not None and int(high) < low:
            raise unusable("a string that is shorter than it is long")
        return self.rules.repeat(character, low, None if high is None else int(high))

    def _object(self, schema: Schema, hint: str) -> str:
        properties = {**schema.get("properties", {})}
        required = list(schema.get("required", ()))
        for name in required:
            properties.setdefault(name, schema.get("additionalProperties", True))
        if not properties:
            return self._map(schema, hint)
        if int(schema.get("minProperties", 0)) > len(required) or "maxProperties" in schema:
            raise unusable('"minProperties"')
        members = [
            (f"{self.key(name)} {self.value(each, f'{hint}-{name}')}", name in required)
            for name, each in properties.items()
        ]
        return f'"{{" {self._space} {self.members(members)} {self._space} "}}"'

    def members(self, members: Sequence[tuple[str, bool]], separator: str = "") -> str:
        """Expressions in their order, with commas; each with whether it must be there."""
        comma = separator or f'"," {self._space}'
        behind, alone = '""', '""'
        for expression, needed in reversed(members):
            member = self.rules.add(expression, "member")
            if needed:
                behind, alone = f"{comma} {member} {behind}", f"{member} {behind}"
            else:
                behind, alone = f"({comma} {member})? {behind}", f"({member} {behind} | {alone})"
            behind, alone = self.rules.add(behind, "behind"), self.rules.add(alone, "members")
        return alone

    def _map(self, schema: Schema, hint: str) -> str:
        low, high = int(schema.get("minProperties", 0)), schema.get("maxProperties")
        extra = schema.get("additionalProperties", "properties" not in schema)
        if extra is False:
            return '"{" "}"'
        member = self.rules.add(f'{self.string({})} ":" {self._space} {self.value(extra, f"{hint}-value")}', "member")
        return f'"{{" {self._space} {self._series(member, low, high)} {self._space} "}}"'

    def _array(self, schema: Schema, hint: str) -> str:
        low, high = int(schema.get("minItems", 0)), schema.get("maxItems")
        first = schema.get("prefixItems", ())
        items = schema.get("items", True)
        if isinstance(items, list):
            first, items = items, schema.get("additionalItems", True)
        if first:
            if low > len(first):
                raise unusable('"prefixItems" with more items')
            needed = [(self.value(each, f"{hint}-{n}"), True) for n, each in enumerate(first)]
            return f'"[" {self._space} {self.members(needed)} {self._space} "]"'
        if items is False or high == 0:
            return '"[" "]"'
        item = self.rules.add(self.value(items, f"{hint}-item"), "item")
        return f'"[" {self._space} {self._series(item, low, high)} {self._space} "]"'

    def _series(self, item: str, low: int, high: int | None) -> str:
        if high is not None and int(high) < max(low, 1):
            if low:
                raise unusable("fewer items than there must be")
            return '""'
        more = self.rules.repeat(f'"," {self._space} {item}', max(0, low - 1), None if high is None else int(high) - 1)
        return f"({item} {more})" if low else f"({item} {more})?"

    def _anything(self) -> str:
        if "*" not in self._referred:
            name = self._referred["*"] = self.rules.reserve("any")
            kinds = ({"type": kind} for kind in ("object", "array", "string", "number", "boolean", "null"))
            self.rules.define(name, choice(self.value(each) for each in kinds))
        return self._referred["*"]


def json_grammar(schema: Schema | bool = True) -> str:
    """A grammar for answers that are JSON of this schema. Raises UserError for what it can't demand."""
    rules = Rules()
    with reported():
        made = SchemaGrammar(schema if isinstance(schema, Mapping) else {}, rules)
        return rules.grammar(made.value(schema))


def merged(schemas: Sequence[Schema | bool]) -> Schema:
    """One schema that demands what all of them demand."""
    result: dict[str, Any] = {}
    for schema in schemas:
        if isinstance(schema, bool):
            if not schema:
                raise unusable("false")
            continue
        for key, each in schema.items():
            if key == "properties":
                result[key] = {**result.get(key, {}), **each}
            elif key == "required":
                result[key] = [*dict.fromkeys([*result.get(key, ()), *each])]
            elif key in _LARGEST:
                result[key] = max(result.get(key, each), each)
            elif key in _SMALLEST:
                result[key] = min(result.get(key, each), each)
            elif key in result and result[key] != each and key not in _ABOUT:
                raise unusable(f'several "{key}" for one value')
            else:
                result[key] = each
    return result


_LARGEST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_SMALLEST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_ABOUT = {"title", "description", "default", "examples", "$comment", "$id", "$schema", "$defs", "definitions"}


def _without(schema: Schema, name: str) -> Schema:
    return {key: each for key, each in schema.items() if key != name}


def _implied(schema: Schema) -> str | None:
    if schema.keys() & {"properties", "additionalProperties", "required", "minProperties"}:
        return "object"
    if schema.keys() & {"items", "prefixItems", "minItems", "maxItems"}:
        return "array"
    if schema.keys() & {"minLength", "maxLength", "pattern", "format"}:
        return "string"
    return "number" if schema.keys() & {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} else None
