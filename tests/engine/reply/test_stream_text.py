"""Bytes to text: however they are cut, the text is the same, and no stop string shows."""

from hypothesis import given
from hypothesis import strategies as st

from app.engine.reply.stream_text import StreamText


def stream(pieces: list[bytes], stops: tuple[str, ...] = ()) -> tuple[list[str], StreamText]:
    made = StreamText(stops)
    return [*(made.feed(piece) for piece in pieces), made.finish()], made


@given(st.text(), st.data())
def test_text_comes_out_whole_however_it_is_cut(text: str, data: st.DataObject) -> None:
    raw = text.encode("utf-8", "surrogatepass") if text.isascii() else text.encode("utf-8", "replace")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)))))
    pieces = [raw[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    shown, _ = stream(pieces)
    assert "".join(shown) == raw.decode("utf-8", "replace")


def test_half_a_character_waits_for_its_rest() -> None:
    made = StreamText()
    assert made.feed("€".encode()[:2]) == ""
    assert made.feed("€".encode()[2:] + b"!") == "€!"


def test_bytes_that_never_become_a_character_are_shown_as_such() -> None:
    shown, _ = stream([b"a\xff", b"b\xe2\x82"])
    assert "".join(shown) == "a\ufffdb\ufffd"


@given(st.text("ab", max_size=30), st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=3), st.data())
def test_nothing_of_a_stop_string_shows(text: str, stops: list[str], data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)))))
    pieces = [text[start:stop].encode() for start, stop in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    shown, made = stream(pieces, tuple(stops))
    ends = [text.find(stop) + len(stop) for stop in stops if stop in text]
    if not ends:
        assert "".join(shown) == text
        assert made.stopped_by is None
    else:
        assert made.stopped_by in stops
        wanted = "".join(shown)
        assert text.startswith(wanted + made.stopped_by)
        assert not any(stop in wanted for stop in stops)


def test_what_cannot_be_a_stop_string_any_more_is_shown_at_once() -> None:
    made = StreamText(("###END",))
    assert made.feed(b"one ##") == "one "
    assert made.feed(b"two") == "##two"
    assert made.feed(b"###") == ""
    assert made.feed(b"END and more") == ""
    assert made.stopped_by == "###END"
    assert made.feed(b"nothing") == ""
