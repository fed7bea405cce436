from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.loading import CacheType, FlashAttention, Loading
from app.core.sampling import Sampling
from app.core.setting import check, declaration
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
