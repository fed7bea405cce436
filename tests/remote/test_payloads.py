"""Bytes of a stream, cut into what it carries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.remote.payloads import EventPayloads, LinePayloads, TooLongError


def cut(splitter: EventPayloads | LinePayloads, *pieces: bytes) -> list[bytes]:
    found = [payload for piece in pieces for payload in splitter.feed(piece)]
    return [*found, *splitter.end()]


def test_the_fields_of_events_as_the_standard_has_them() -> None:
    stream = (
        b"\xef\xbb\xbf: hello\r\n\r\nevent: x\r\nid: 3\r\ndata: one\r\n\r\ndata:two\n\ndata:  three\ndata: four\n\n\n"
        b"retry: 5\n\ndata\n\ndata: last"
    )
    assert cut(EventPayloads(), stream) == [b"one", b"two", b" three\nfour", b"", b"last"]


@given(
    st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])), max_size=6),
    st.integers(1, 7),
)
def test_however_the_bytes_are_cut_the_same_comes_out(texts: list[str], size: int) -> None:
    """U+2028 and U+0085 end no line here."""
    stream = b"".join(f"data: {text}\n\n".encode() for text in (*texts, "a\u2028b\u0085c é 🙂"))
    pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
    assert [each.decode() for each in cut(EventPayloads(), *pieces)] == [*texts, "a\u2028b\u0085c é 🙂"]


def test_lines_of_json() -> None:
    assert cut(LinePayloads(), b'{"a":', b'1}\r\n\n{"b":2}\n{"c"', b":3}") == [b'{"a":1}', b'{"b":2}', b'{"c":3}']


@pytest.mark.parametrize("line", [b"data: " + b"x" * 4096, (b"data: " + b"x" * 4090 + b"\n")])
def test_what_does_not_end_is_not_kept(line: bytes) -> None:
    splitter = EventPayloads()
    with pytest.raises(TooLongError):
        for _ in range(5000):
            list(splitter.feed(line))
