import pickle
from pathlib import Path

import pytest

from app.core.sentence import Sentence, as_json, from_json

INNER = Sentence("{name} has {n_pages:,} pages.", name="a{b}.pdf", n_pages=12_345)
OUTER = Sentence("It can't be used: {why}", why=INNER)


def test_it_is_its_english_text() -> None:
    assert INNER == "a{b}.pdf has 12,345 pages."
    assert f"It can't be used: {INNER}" == OUTER
    assert OUTER.values == {"why": INNER}


def test_several_in_a_row_are_one_that_keeps_each() -> None:
    row = Sentence.joined("Plain.", "", INNER)
    assert row == f"Plain. {INNER}"
    assert list(row.values.values()) == ["Plain.", INNER]


def test_an_error_keeps_it_as_its_text() -> None:
    assert str(ValueError(INNER)) is INNER


@pytest.mark.parametrize("told", [INNER, OUTER, Sentence.joined(INNER, "Plain."), "Plain {text}."])
def test_it_crosses_processes_and_files_whole(told: str) -> None:
    for copy in (pickle.loads(pickle.dumps(told)), from_json(as_json(told))):
        assert copy == told
        assert type(copy) is type(told)
        assert vars(copy) == vars(told) if isinstance(told, Sentence) else True


def test_what_is_filled_in_is_text_or_a_number_from_the_beginning() -> None:
    told = Sentence("{path} can't be read: {reason}.", path=Path("a.gguf"), reason=OSError("gone"))
    assert told.values == {"path": "a.gguf", "reason": "gone"}


@pytest.mark.parametrize(
    "told",
    [
        None,
        7,
        {"template": "x {a}", "values": {}},
        {"template": "x {a", "values": {"a": "b"}},
        {"template": "x {a:,}", "values": {"a": "b"}},
        {"template": "x {a:999999999}", "values": {"a": "b"}},
        {"template": "x {a.__class__}", "values": {"a": "b"}},
        {"template": "x {a!r}", "values": {"a": "b"}},
    ],
)
def test_a_file_of_others_says_nothing_that_is_no_sentence(told: object) -> None:
    assert from_json(told) == ""
