"""The stream reads what `json` reads, in pieces of any size, and never more at once than one value needs."""

import json
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.storage.exchange import json_stream
from app.storage.exchange.json_stream import JsonStream

_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(_values, max_size=6), st.integers(1, 7), st.sampled_from([None, 1]), st.booleans())
def test_items_are_those_of_the_array(values: list[object], chunk: int, indent: int | None, ascii: bool) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=ascii)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "_CHUNK", chunk)
        stream = JsonStream(StringIO(text))
        assert list(stream.items()) == values
        stream.end()


@given(st.dictionaries(st.text(), _values, max_size=6), st.integers(1, 7))
def test_members_are_those_of_the_object(values: dict[str, object], chunk: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "_CHUNK", chunk)
        stream = JsonStream(StringIO(json.dumps(values)))
        assert {name: stream.value() for name in stream.members()} == values
        stream.end()


@pytest.mark.parametrize("text", ["", "[1", "[1,", "[1,]", "[1 2]", "[1]x", '["a', "[nul]", "[" * 100_000, "{", "[\\]"])
def test_other_text_raises_value_error(text: str) -> None:
    stream = JsonStream(StringIO(text))

    def read() -> None:
        list(stream.items())
        stream.end()

    with pytest.raises(ValueError):
        read()


def test_a_number_that_the_chunk_cuts_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "_CHUNK", 1)
    assert JsonStream(StringIO("123456")).value() == 123456


def test_damage_is_noticed_where_it_is() -> None:
    """And not after the rest of a large file."""
    file = StringIO("[{,}" + " " * 10_000_000)
    with pytest.raises(ValueError):
        list(JsonStream(file).items())
    assert file.tell() < 2_000_000


def test_what_was_read_is_let_go() -> None:
    file = StringIO("[" + ",".join(['"' + "x" * 1000 + '"'] * 5000) + "]")
    stream = JsonStream(file)
    longest = 0
    for _ in stream.items():
        longest = max(longest, len(stream._text))
    assert longest < 1_000_000


def test_progress_counts_characters_and_may_stop() -> None:
    told: list[int] = []
    list(JsonStream(StringIO("[1, 2]"), told.append).items())
    assert told[-1] == 6

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(JsonStream(StringIO("[1]"), stop).items())
