"""Plain texts of parameters become JSON, by what their schema says."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.output.parameter_schema import types_of, value_text

SCHEMA = {
    "properties": {
        "word": {"type": "string"},
        "maybe": {"type": ["integer", "null"]},
        "unit": {"enum": ["C", "F"]},
        "one": {"const": 1},
        "either": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/place"}]},
        "circle": {"$ref": "#/properties/circle"},
        "broken": {"anyOf": 7, "$ref": 7},
        "odd": 7,
    },
    "$defs": {"place": {"type": "object"}},
}


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("word", {"string"}),
        ("maybe", {"integer", "null"}),
        ("unit", {"string"}),
        ("either", {"string", "object"}),
        ("circle", set()),
        ("broken", set()),
        ("odd", set()),
        ("unknown", set()),
    ],
)
def test_types_of_a_parameter(name: str, types: set[str]) -> None:
    assert types_of(SCHEMA, name) == types


def test_a_constants_type() -> None:
    assert types_of(SCHEMA, "one") <= {"integer", "number"}
    assert types_of(None, "one") == types_of({"properties": 7}, "one") == set()


@pytest.mark.parametrize(
    ("raw", "types", "expected"),
    [
        ("5", {"integer"}, 5),
        (" 5\n", {"integer"}, 5),
        ("5", {"string"}, "5"),
        ("5", {"string", "null"}, "5"),
        ("null", {"string", "null"}, None),
        ("5", set(), 5),
        ("Oslo", set(), "Oslo"),
        ('"Oslo"', {"string", "null"}, '"Oslo"'),
        ("True", {"boolean"}, True),
        ("None", set(), None),
        ("{'a': [1, None], \"b\": 'c'}", {"object"}, {"a": [1, None], "b": "c"}),
        ("{'a': ", {"object"}, "{'a': "),
        ("{'a': 1} x", {"object"}, "{'a': 1} x"),
        ("soon", {"integer"}, "soon"),
        ("NaN", {"number"}, "NaN"),
        ("[Infinity]", set(), ["Infinity"]),
        ("9" * 5000, {"integer"}, "9" * 5000),
        ("[" * 5000, {"array"}, "[" * 5000),
        ("", {"integer"}, ""),
    ],
)
def test_values(raw: str, types: set[str], expected: object) -> None:
    assert json.loads(value_text(raw, frozenset(types))) == expected


KINDS = ["string", "integer", "object", "array", "null", "boolean", "number"]
LEAVES = st.none() | st.booleans() | st.integers() | st.text()


@settings(deadline=None)
@given(st.text(), st.sets(st.sampled_from(KINDS)))
def test_whatever_is_written_becomes_json(raw: str, types: set[str]) -> None:
    json.loads(value_text(raw, frozenset(types)), parse_constant=pytest.fail)


@settings(deadline=None)
@given(
    st.recursive(LEAVES, lambda each: st.lists(each) | st.dictionaries(st.text("abc", min_size=1), each), max_leaves=8)
)
def test_what_python_writes_is_read(value: object) -> None:
    if isinstance(value, list | dict):
        assert json.loads(value_text(repr(value), frozenset({"object", "array"}))) == value
