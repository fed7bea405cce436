"""A preset goes through its file unchanged; what is wrong in a file is left out, and another file is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.preset import Preset, Thinking, dump_file, from_json, load_file, plain_name, to_json

_presets = st.builds(
    Preset,
    st.text(max_size=30).map(plain_name),
    st.text(),
    st.fixed_dictionaries(
        {},
        optional={
            "temperature": st.floats(0, 5),
            "top_k": st.integers(0, 1_000_000),
            "dry_sequence_breakers": st.lists(st.text(max_size=3), max_size=3).map(tuple),
        },
    ),
    st.sampled_from(Thinking),
)


@given(_presets)
def test_a_file_brings_back_the_same(preset: Preset) -> None:
    assert load_file(dump_file(preset)) == preset
    assert from_json(json.loads(json.dumps(to_json(preset)))) == preset


def test_what_is_wrong_is_left_out() -> None:
    told = {"name": 7, "system_prompt": None, "thinking": "maybe", "sampling": {"top_k": -3, "other": 1, "top_p": 0.5}}
    assert from_json(told) == Preset("", "", {"top_p": 0.5})
    assert from_json({"sampling": [1]}) == Preset("")


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff", b'{"format": "other"}', b"[" * 100_000])
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        load_file(data)


def test_thinking_is_told_to_the_template_only_when_it_is_set() -> None:
    assert Preset("a").template_args == {}
    assert Preset("a", thinking=Thinking.ON).template_args == {"enable_thinking": True}
    assert Preset("a", thinking=Thinking.OFF).template_args == {"enable_thinking": False}
