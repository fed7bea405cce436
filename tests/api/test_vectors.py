"""Texts to make vectors of, in all the forms that clients send."""

from typing import Any

import pytest

from app.api.errors import ApiError
from app.api.vectors import texts_from


@pytest.mark.parametrize(
    ("told", "texts"),
    [
        ("a", ["a"]),
        ([1, 2.0], [[1, 2]]),
        ([1, "a"], [[1, "a"]]),
        (["a", [1]], ["a", [1]]),
        ({"prompt_string": "a"}, ["a"]),
        ({"prompt_string": "a", "multimodal_data": []}, ["a"]),
        ({"content": [{"type": "text", "text": "a "}, {"type": "text", "text": "b"}]}, ["a b"]),
        (["a", {"prompt_string": "b"}, {"content": []}], ["a", "b", ""]),
    ],
)
def test_every_form_of_a_text_is_understood(told: Any, texts: list[Any]) -> None:
    assert texts_from("input", told) == texts


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ([], "input must be a text, a list of texts"),
        ({}, "input must hold texts alone"),
        ({"content": "a"}, "input must hold texts alone"),
        ([{"prompt_string": "a", "multimodal_data": ["AAAA"]}], r"input\[0\] must hold texts alone"),
        ({"content": [{"type": "image_url", "image_url": {"url": "x"}}]}, r"input.content\[0\] must be a text"),
        ({"prompt_string": 1}, "input.prompt_string must be a text"),
        (["a", {"content": [{"type": "text"}]}], r"input\[1\].content\[0\] must be a text"),
        (5, "input must be a text"),
    ],
)
def test_what_is_no_text_is_refused_at_its_place(told: Any, why: str) -> None:
    with pytest.raises(ApiError, match=why):
        texts_from("input", told)
