"""Markers are found as if all the text had been there at once."""

from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.output.cursor import Cursor, Parsing


def found_at_once(text: str, markers: list[str]) -> list[tuple[str, str]]:
    """Text and marker, again and again: the earliest, and of several the longest."""
    found: list[tuple[str, str]] = []
    while True:
        places = [(text.find(marker), -len(marker), marker) for marker in markers if marker in text]
        if not places:
            return [*found, (text, "")]
        at, _, marker = min(places)
        found.append((text[:at], marker))
        text = text[at + len(marker) :]


def all_found(cursor: Cursor, markers: list[str], found: list[tuple[str, str]]) -> Parsing[None]:
    while True:
        parts: list[str] = []
        marker = yield from cursor.take_until(markers, parts.append)
        found.append(("".join(parts), marker))
        if not marker:
            return


@settings(deadline=None)
@given(st.text("abc", max_size=30), st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=4), st.data())
def test_the_earliest_marker_counts_and_of_several_the_longest(
    text: str, markers: list[str], data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)))))
    found: list[tuple[str, str]] = []
    cursor = Cursor()
    reading = all_found(cursor, markers, found)
    next(reading)
    for start, stop in zip([0, *cuts], [*cuts, len(text)], strict=True):
        if not cursor.write_plain(text[start:stop]):
            cursor.feed(text[start:stop])
            next(reading)
    cursor.end()
    assert next(reading, "done") == "done"
    assert found == found_at_once(text, markers)


def test_what_begins_no_marker_wakes_nobody() -> None:
    cursor, found = Cursor(), list[tuple[str, str]]()
    reading = all_found(cursor, ["<end>"], found)
    assert not cursor.write_plain("before anybody reads")
    next(reading)
    assert cursor.write_plain("words ")
    assert not cursor.write_plain("and a <"), "which may become one"
    cursor.feed("and a <")
    next(reading)
    assert not cursor.write_plain("words"), "while that is not clear"
    cursor.feed(" b")
    next(reading)
    assert cursor.write_plain(" again")
    cursor.mark()
    assert not cursor.write_plain("what may have to be read again")
    cursor.forget_mark()
    cursor.feed("<end>")
    next(reading)
    assert found == [("words and a < b again", "<end>")]


def test_going_back_brings_everything_back() -> None:
    cursor, taken = Cursor(), []

    def read() -> Parsing[None]:
        cursor.mark()
        taken.append((yield from cursor.take_space()))
        taken.append((yield from cursor.take("abc")))
        cursor.rewind()
        yield from cursor.take_until(["!"], taken.append)

    reading = read()
    next(reading)
    for text in (" ", "\n", "a", "b", "c", "d", "!"):
        cursor.feed(text)
        next(reading, None)
    assert taken[:2] == [" \n", "abc"]
    assert "".join(taken[2:]) == " \nabcd"
