"""What bodies say: packed or not, counted before anything is made of them."""

import gzip
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.body_json import decoded, unpacked
from app.api.errors import ApiError
from app.api.limits import Limits

LIMITS = Limits(body=1 << 20, values=1000)
LONG = "a" * 300_000
"""Makes a body long enough to be counted."""
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_long_and_short_bodies_say_what_json_says(value: object) -> None:
    for each in (value, [LONG, value], [value, LONG]):
        assert decoded(json.dumps(each).encode(), LIMITS) == each


def test_what_stands_in_texts_is_not_counted() -> None:
    text = '[{,:"\\' * 20_000 + LONG + "\\"
    assert decoded(json.dumps([text, 1, {"a": text}]).encode(), LIMITS) == [text, 1, {"a": text}]


@pytest.mark.parametrize("values", [[0] * 2000, [{}] * 700, {f"k{each}": "" for each in range(900)}])
def test_too_many_values_are_refused_before_they_are_made(values: object) -> None:
    with pytest.raises(ApiError, match="more than 1,000 values") as refused:
        decoded(json.dumps(['\\"[', LONG, values]).encode(), LIMITS)
    assert refused.value.status == 413


@pytest.mark.parametrize("body", [b"{", b"\xff", '{"a": 1}'.encode("utf-16"), b"[" * 100_000])
def test_what_is_no_json_in_utf_8_is_refused(body: bytes) -> None:
    with pytest.raises(ApiError, match="not valid JSON"):
        decoded(body, LIMITS)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("", b"{}"),
        ("identity", b"{}"),
        ("gzip", gzip.compress(b"{}")),
        ("GZIP", gzip.compress(b"{}")),
        ("deflate", zlib.compress(b"{}")),
        ("deflate", zlib.compress(b"{}")[2:-4]),
    ],
)
def test_it_is_unpacked(name: str, body: bytes) -> None:
    assert unpacked(body, name, 2) == b"{}"


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("br", b"", 415),
        ("gzip, gzip", b"", 415),
        ("gzip", b"{}", 400),
        ("gzip", gzip.compress(b"{}" * 99)[:-9], 400),
        ("deflate", b"", 400),
        ("deflate", zlib.compress(bytes(1 << 20)), 413),
    ],
)
def test_what_can_not_be_unpacked_is_refused(name: str, body: bytes, status: int) -> None:
    with pytest.raises(ApiError) as refused:
        unpacked(body, name, 1 << 19)
    assert refused.value.status == status
