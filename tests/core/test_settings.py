"""Settings: declared, checked, read from files and written."""

import re
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.loading import CacheType, FlashAttention, Loading
from app.core.sampling import Sampling
from app.core.setting import check, declaration, field_types, section_from, setting, valid
from app.core.settings import Settings, Theme, settings_from, settings_to

SECTIONS = [type(getattr(Settings(), each.name)) for each in fields(Settings)]
DECLARED = [(section, each) for section in SECTIONS for each in fields(section)]


@pytest.mark.parametrize(("section", "field"), DECLARED, ids=[f"{s.__name__}.{f.name}" for s, f in DECLARED])
def test_every_setting_is_declared_with_a_default_that_it_takes(section: type, field: Any) -> None:
    told = declaration(field)
    assert told.label
    assert told.help.endswith(".")
    assert check(section, field.name, field.default) == field.default


def test_no_command_line_spelling_is_used_twice() -> None:
    flags = [flag for _, field in DECLARED for flag in declaration(field).flags]
    assert len(flags) == len(set(flags))


def test_the_sampling_defaults_are_those_of_llama_cpp() -> None:
    # common/common.h: common_params_sampling
    sampling = Sampling()
    assert (sampling.temperature, sampling.top_k, sampling.top_p, sampling.min_p) == (0.8, 40, 0.95, 0.05)
    assert (sampling.penalty_last_n, sampling.penalty_repeat) == (64, 1.0)
    assert (sampling.mirostat, sampling.mirostat_tau, sampling.mirostat_eta) == (0, 5.0, 0.1)
    assert (sampling.dry_base, sampling.dry_allowed_length) == (1.75, 2)
    assert sampling.dry_sequence_breakers == ("\n", ":", '"', "*")


def test_the_defaults_write_nothing() -> None:
    assert settings_to(Settings()) == {}


def test_only_what_differs_is_written_in_plain_values() -> None:
    settings = Settings(
        loading=Loading(ctx_size=4096, cache_type_k=CacheType.Q8_0),
        sampling=Sampling(dry_sequence_breakers=("\n", "§")),
    )
    values = settings_to(settings)
    assert values == {
        "loading": {"ctx_size": 4096, "cache_type_k": "q8_0"},
        "sampling": {"dry_sequence_breakers": ["\n", "§"]},
    }
    assert type(values["loading"]["cache_type_k"]) is str


def test_problems_are_told_and_the_rest_holds() -> None:
    settings, problems = settings_from(
        {
            "loading": {"threads": "many", "flash_attn": "on"},
            "interface": {"theme": "dark", "future": 1},
            "plugins": {},
            "sampling": 7,
        }
    )
    assert settings.loading == Loading(flash_attn=FlashAttention.ON)
    assert settings.interface.theme is Theme.DARK
    assert settings.sampling == Sampling()
    assert [problem.name for problem in problems] == ["loading.threads", "interface.future", "plugins", "sampling"]
    assert all(problem.sentence.endswith(".") for problem in problems)


def _values(default: object, low: float | None, high: float | None) -> st.SearchStrategy[Any]:
    match default:
        case bool():
            return st.booleans()
        case int():
            return st.integers(None if low is None else int(low), None if high is None else int(high))
        case float():
            return st.floats(low, high, allow_nan=False, allow_infinity=False)
        case StrEnum():
            return st.sampled_from(list(type(default)))
        case str():
            return st.text()
        case tuple():
            return st.lists(st.text(), max_size=3).map(tuple)
    raise TypeError(default)


def _changed(section: type) -> st.SearchStrategy[Any]:
    values = {}
    for each in fields(section):
        told = declaration(each)
        values[each.name] = _values(each.default, told.minimum, told.maximum)
    return st.fixed_dictionaries({}, optional=values).map(lambda given: section(**given))


@given(
    st.fixed_dictionaries({each.name: _changed(kind) for each, kind in zip(fields(Settings), SECTIONS, strict=True)})
)
def test_what_is_written_is_read_back(sections: dict[str, Any]) -> None:
    settings = replace(Settings(), **sections)
    assert all(is_dataclass(section) for section in sections.values())
    assert settings_from(settings_to(settings)) == (settings, [])


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    count: int = setting(3, "Count", "How many.", within=(0, 16_777_216))
    share: float = setting(0.5, "Share", "How much.", within=(-1.5, 1.0))
    on: bool = setting(False, "On", "Whether.")
    colour: Colour = setting(Colour.RED, "Colour", "Which.")
    name: str = setting("", "Name", "Who.", flags=("-n",), reload=True)
    words: tuple[str, ...] = setting(("a",), "Words", "Several.")


def test_a_field_carries_its_declaration() -> None:
    told = {each.name: declaration(each) for each in fields(Example)}
    assert told["count"].label == "Count"
    assert (told["share"].minimum, told["share"].maximum) == (-1.5, 1.0)
    assert told["name"].flags == ("-n",)
    assert told["name"].reload
    assert not told["on"].reload


def test_types_are_resolved() -> None:
    assert field_types(Example) == {
        "count": int,
        "share": float,
        "on": bool,
        "colour": Colour,
        "name": str,
        "words": tuple[str, ...],
    }


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("count", 0, 0),
        ("count", 16_777_216, 16_777_216),
        ("share", 1, 1.0),
        ("share", -1.5, -1.5),
        ("on", True, True),
        ("colour", "blue", Colour.BLUE),
        ("colour", Colour.BLUE, Colour.BLUE),
        ("name", "Ada", "Ada"),
        ("words", ["b", "c"], ("b", "c")),
        ("words", [], ()),
    ],
)
def test_a_good_value_takes_the_settings_own_type(name: str, value: object, expected: object) -> None:
    checked = check(Example, name, value)
    assert checked == expected
    assert type(checked) is type(expected)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("count", -1, "Count: -1 is below the smallest value, 0."),
        ("count", 16_777_217, "Count: 16777217 is above the largest value, 16777216."),
        ("share", -1.6, "Share: -1.6 is below the smallest value, -1.5."),
        ("share", float("nan"), "Share: write a finite number."),
        ("share", float("inf"), "Share: write a finite number."),
        ("share", 10**400, "Share: write a finite number."),
        ("on", 1, "On: write true or false, not 1."),
        ("on", "true", "On: write true or false, not 'true'."),
        ("colour", "green", "Colour: 'green' is not one of red, blue."),
        ("count", True, "Count: True is not of the right kind (int)."),
        ("count", 1.0, "Count: 1.0 is not of the right kind (int)."),
        ("count", "1", "Count: '1' is not of the right kind (int)."),
        ("share", True, "Share: True is not of the right kind (float)."),
        ("name", 1, "Name: 1 is not of the right kind (str)."),
        ("words", "abc", "Words: 'abc' is not of the right kind (tuple)."),
        ("words", ["a", 1], "Words: ['a', 1] is not of the right kind (tuple)."),
    ],
)
def test_a_bad_value_is_refused_in_a_sentence(name: str, value: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        check(Example, name, value)
    assert str(caught.value) == sentence


def test_a_section_takes_what_is_given() -> None:
    made, problems = section_from(Example, {"count": 7, "words": ["x"]}, "example")
    assert made == Example(count=7, words=("x",))
    assert problems == []


def test_a_bad_value_resets_alone_and_unknown_names_are_told() -> None:
    made, problems = section_from(Example, {"count": -5, "shape": "round", "name": "Ada"}, "example")
    assert made == Example(name="Ada")
    assert [problem.name for problem in problems] == ["example.count", "example.shape"]
    assert "below the smallest" in problems[0].sentence
    assert "not a setting of this version" in problems[1].sentence


_SCALAR = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(10**400)
_ANYTHING = _SCALAR | st.lists(_SCALAR, max_size=3) | st.dictionaries(st.text(), _SCALAR, max_size=3)


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from([each.name for each in fields(Example)]) | st.text(), _ANYTHING))
def test_nothing_in_a_file_can_raise_or_leave_the_bounds(values: dict[str, object]) -> None:
    made, problems = section_from(Example, values, "example")
    assert 0 <= made.count <= 16_777_216
    assert -1.5 <= made.share <= 1.0
    assert isinstance(made.colour, Colour)
    assert {problem.name for problem in problems} <= {f"example.{name}" for name in values}


@pytest.mark.parametrize("values", [None, 3, "count", ["count"], {}])
def test_what_holds_no_values_has_none(values: object) -> None:
    assert valid(Example, values) == {}


def test_what_is_not_valid_is_left_out() -> None:
    values = {"count": 5, "share": 7.0, "colour": "red", "fewer": 1, 3: 4, "on": "yes"}
    assert valid(Example, values) == {"count": 5, "colour": Colour.RED}
