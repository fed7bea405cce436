"""Schemas as grammars: what they let through is what the schema takes."""

import json
from typing import Any

import jsonschema_rs
import pytest

from app.core.errors import UserError
from app.engine.binding.vocab import Vocab
from app.engine.output.gbnf import Rules, integers
from app.engine.output.schema_grammar import json_grammar
from tests.engine.output.walks import fits, walk

TREE = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"name": {"type": "string", "maxLength": 5}, "next": {"$ref": "#/$defs/node"}},
            "required": ["name"],
        }
    },
    "$ref": "#/$defs/node",
}
CASES: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    "object": (
        {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "string"}, "c": {"type": "boolean"}},
            "required": ["b"],
            "additionalProperties": False,
        },
        ['{"b": "x"}', '{"a": -1, "b": "\\n", "c": true}', '{"b":"","c":false}', '{\n  "b": "ü"\n}'],
        ["{}", '{"a": 1}', '{"b": 1}', '{"b": "x", "d": 1}', '{"b": "x"', '{"b": "x",}', '{"a": 01, "b": ""}'],
    ),
    "optional only": (
        {"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "number"}}},
        ["{}", '{"a": null}', '{"b": 1.5e3}', '{"a": null, "b": -0.25}'],
        ['{, "b": 1}', '{"a": null,}'],
    ),
    "free object": ({"type": "object"}, ['{"x": [1, {"y": null}]}', "{}"], ["[]", "{x: 1}"]),
    "map": ({"additionalProperties": {"type": "integer"}}, ['{"x": 1}'], ['{"x": "1"}']),
    "array": (
        {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2, "maxItems": 3},
        ['["a", "b"]', '["a","a","b"]'],
        ['["a"]', '["a","a","a","a"]', '["c", "a"]'],
    ),
    "tuple": (
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2},
        ['["x", 1]'],
        ['["x"]', '[1, "x"]'],
    ),
    "text of a length": (
        {"type": "string", "minLength": 2, "maxLength": 4},
        ['"ab"', '"\\u00e4b\\"d"'],
        ['"a"', '"abcde"'],
    ),
    "long text": ({"type": "string", "minLength": 1, "maxLength": 2500}, ['"' + "a" * 700 + '"', '"a"'], ['""']),
    "pattern": (
        {"type": "string", "pattern": "^[A-Z]{2}-\\d{1,3}(x|y)?$"},
        ['"AB-1"', '"AB-123x"'],
        ['"AB-"', '"ab-1"', '"AB-1z"'],
    ),
    "pattern inside": ({"type": "string", "pattern": "a[^b]c"}, ['"xa\\"cx"', '"aac"'], ['"abc"', '"ac"']),
    "date": ({"type": "string", "format": "date"}, ['"2024-02-28"'], ['"2024-13-01"', '"today"']),
    "union": (
        {"anyOf": [{"type": "integer"}, {"type": "null"}, {"const": {"a": [1]}}]},
        ["7", "null", '{"a": [1]}'],
        ['"7"', "{}"],
    ),
    "kinds": ({"type": ["string", "null"]}, ['"x"', "null"], ["1"]),
    "allOf": (
        {"allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"$ref": "#/$defs/b"}],
         "$defs": {"b": {"type": "object", "properties": {"b": {"type": "null"}}, "required": ["b"]}}},
        ['{"a": 1, "b": null}'],
        ['{"a": 1}', '{"b": null}'],
    ),
    "number of a range": (
        {"type": "number", "minimum": -1.5, "exclusiveMaximum": 2},
        ["-1", "-0.5", "0", "1.99", "0.001"],
        ["2", "2.5", "-1.6", "-2"],
    ),
    "integer between": (
        {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10},
        ["1", "9"],
        ["0", "10", "1.5"],
    ),
    "pattern of others": (
        {"type": "string", "pattern": "^\\D\\S\\W$"},
        ['"a-."', '"\\n1 "'],
        ['"1-."', '"a ."', '"a-b"'],
    ),
    "number of a small range": ({"type": "number", "minimum": 0.25, "maximum": 0.5}, ["0.25"], ["0.2", "1"]),
    "tree": (TREE, ['{"name": "a", "next": {"name": "b"}}'], ['{"next": {"name": "b"}}', '{"name": "abcdef"}']),
    "nothing known": ({}, ['"x"', "[1, 2.5]", '{"a": false}'], ["x", "[1,]"]),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(CASES))
def test_what_fits_is_let_through_and_nothing_else(name: str, vocab: Vocab) -> None:
    schema, good, bad = CASES[name]
    grammar = json_grammar(schema)
    assert [text for text in good if not fits(vocab, grammar, text)] == []
    assert [text for text in bad if fits(vocab, grammar, text)] == []


@pytest.mark.parametrize("name", sorted(CASES))
def test_whatever_is_let_through_is_valid(name: str, vocab: Vocab) -> None:
    schema = CASES[name][0]
    grammar, validator = json_grammar(schema), jsonschema_rs.validator_for(schema)
    texts = [walk(vocab, grammar, seed, ['"', "}", "]", "0", "1"]) for seed in range(8)]
    found = [text for text in texts if text is not None]
    assert len(found) > 2
    for text in found:
        validator.validate(json.loads(text))


@pytest.mark.parametrize(
    ("low", "high"), [(0, 0), (0, 9), (7, 13), (5, 1234), (100, 999), (-3, 3), (-120, -15), (-1000, 25), (99, 101)]
)
def test_ranges_of_integers_are_exact(low: int, high: int, vocab: Vocab) -> None:
    grammar = Rules().grammar(integers(low, high))
    near = {low + offset for offset in range(-12, 13)} | {high + offset for offset in range(-12, 13)}
    for number in sorted(near | set(range(low, high, max(1, (high - low) // 40)))):
        assert fits(vocab, grammar, str(number)) == (low <= number <= high), number
    assert not fits(vocab, grammar, "007")


@pytest.mark.parametrize(
    "schema",
    [
        {"not": {"type": "string"}},
        {"type": "integer", "multipleOf": 3},
        {"type": "integer", "minimum": 5, "maximum": 4},
        {"type": "string", "pattern": "(?=a)b"},
        {"type": "string", "pattern": "("},
        {"$ref": "#/$defs/none"},
        {"$ref": "http://example.com/schema"},
        {"$ref": "#"},
        {"type": "thing"},
        {"type": 7},
        {"enum": 7},
        {"properties": []},
        {"type": "array", "items": {"type": "integer"}, "minItems": 3, "maxItems": 2},
        {"anyOf": []},
        {"allOf": [{"type": "string"}, {"type": "integer"}]},
    ],
)
def test_what_cannot_be_demanded_is_said(schema: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        json_grammar(schema)


def test_schemas_without_end_are_refused() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(5000):
        deep = {"type": "array", "items": deep}
    with pytest.raises(UserError):
        json_grammar(deep)


def test_text_up_to_an_end_holds_no_end(vocab: Vocab) -> None:
    for end in ("</a>", "aab", "aabaa", "\n</p>", "<|end|>"):
        rules = Rules()
        grammar = rules.grammar(rules.until(end))
        for text in ("", "x", "a", "aa", "aaa", "aaba", end[:-1], end[:-1] * 2 + "<", "<<</", "\n\n"):
            whole = text + end
            assert fits(vocab, grammar, whole) == (whole.find(end) == len(text)), (text, end)
        assert not fits(vocab, grammar, end + "x")
        assert not fits(vocab, grammar, end + end)


def test_a_small_schema_that_asks_for_very_much_is_refused_soon() -> None:
    parts: dict[str, Any] = {"d0": {"type": "object", "properties": {"a": {"type": "string"}}}}
    for level in range(1, 25):
        below = {"$ref": f"#/$defs/d{level - 1}", "required": []}
        parts[f"d{level}"] = {"type": "object", "properties": {"x": below, "y": {**below, "required": ["x"]}}}
    with pytest.raises(UserError, match="more combinations"):
        json_grammar({"$defs": parts, "$ref": "#/$defs/d24"})
