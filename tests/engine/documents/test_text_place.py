import pytest

from app.engine.documents.text_place import place_of


@pytest.mark.parametrize(
    ("text", "page", "found"),
    [
        ("b c", "a  b\r\n c d", "b\r\n c"),
        ("a well-known word", "x a well\ufffeknown\r\nword y", "a well\ufffeknown\r\nword"),
        ("co-op", "the co\xad-\r\nop", "co\xad-\r\nop"),
        ("nowhere", "a b", ""),
        (" \n", "a b", ""),
        ("a", "", ""),
    ],
)
def test_blanks_and_hyphens_may_be_others(text: str, page: str, found: str) -> None:
    assert page[slice(*place_of(text, page))] == found
