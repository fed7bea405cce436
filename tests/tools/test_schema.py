"""Schemas for templates, and what is wrong with arguments."""

from typing import Any

import pytest

from app.tools.schema import arguments_for, completed

CITY: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "unit": {"enum": ["C", "F"]},
        "days": {"type": ["integer", "null"]},
        "places": {"type": "array", "items": {"type": "object", "required": ["x"]}},
    },
    "required": ["city"],
}


def test_templates_get_all_that_they_ask_for() -> None:
    assert completed({}) == {"type": "object", "properties": {}}
    made = completed({**CITY, "$schema": "x", "title": "y"})
    assert "$schema" not in made and "title" not in made
    assert made["properties"]["city"] == {"description": "", "type": "string"}
    assert made["properties"]["days"]["type"] == "integer"
    assert completed({"properties": {"any": True, "a": {"$ref": "#/x"}}})["properties"] == {
        "any": {"description": "", "type": "string"},
        "a": {"description": "", "$ref": "#/x"},
    }


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("{", "The arguments are no valid JSON."),
        ("[" * 100_000, "The arguments are no valid JSON."),
        ("[1]", "The arguments have to be a JSON object."),
        ("{}", "The argument “city” is missing."),
        ('{"city": 1}', "The argument “city” has to be of type string."),
        ('{"city": "x", "unit": "K"}', 'The argument “unit” has to be one of ["C", "F"].'),
        ('{"city": "x", "days": 1.5}', "The argument “days” has to be of type integer or null."),
        ('{"city": "x", "days": true}', "The argument “days” has to be of type integer or null."),
        ('{"city": "x", "places": [{"x": 1}, {}]}', "The argument “places[1].x” is missing."),
    ],
)
def test_what_is_wrong_with_arguments_is_one_sentence(written: str, told: str) -> None:
    assert arguments_for(CITY, written) == told


@pytest.mark.parametrize("written", ['{"city": "x", "days": null}', '{"city": "x", "days": 2.0, "more": 1}'])
def test_what_is_right_is_taken(written: str) -> None:
    assert isinstance(arguments_for(CITY, written), dict)


def test_unknown_arguments_are_named_where_the_schema_forbids_them() -> None:
    strict = {**CITY, "additionalProperties": False}
    assert arguments_for(strict, '{"city": "x", "town": 1}') == (
        "The argument “town” is not known. Known are city, unit, days, places."
    )


@pytest.mark.parametrize("schema", [{"type": 5}, {"properties": 1}, {"required": "x"}, {"enum": 1}, {"items": 2}])
def test_schemas_that_are_none_hurt_nothing(schema: dict[str, Any]) -> None:
    completed(schema)
    arguments_for(schema, '{"a": [1]}')
