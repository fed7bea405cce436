"""How documents are cut: what a passage holds, and where it says that it stands."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.storage.passages.chunks import SIZE, chunks
from app.storage.passages.headings import heading_of
from app.storage.passages.passage import Document

Make = Callable[..., Document]
_WORDS = "The pump is to be primed with water before it is begun. "


def test_headings_are_told_with_those_above_them(made: Make) -> None:
    text = f"# Pumps\n\n{_WORDS * 20}\n\n## Priming\n\n{_WORDS * 20}\n\n# Valves\n\n{_WORDS * 20}\n"
    assert [each.heading for each in chunks(made(text))] == ["Pumps", "Pumps > Priming", "Valves"]


def test_small_neighbours_are_merged_and_long_ones_cut_evenly(made: Make) -> None:
    small = chunks(made("".join(f"## Point {n}\n\nA few words.\n\n" for n in range(40))))
    assert len(small) == 2
    long = chunks(made("\n".join([_WORDS.strip()] * 60)))
    assert [len(each.body) < SIZE for each in long] == [True] * 3
    assert min(len(each.body) for each in long) > SIZE / 2


def test_no_passage_crosses_a_page_and_headings_go_on_over_it(made: Make) -> None:
    found = chunks(made("# Pumps\n\nshort", "and on\n"))
    assert [(each.page, each.heading, each.body) for each in found] == [
        (1, "Pumps", "# Pumps\n\nshort"),
        (2, "Pumps", "and on"),
    ]
    assert chunks(made("one text"))[0].page is None


def test_lines_that_repeat_on_pages_and_tables_of_contents_are_left_out(made: Make) -> None:
    names = ("priming", "valves", "seals", "shafts", "motors", "oil", "noise", "spares")
    pages = [
        f"Manual of pumps, page {n}\r\n1.{n} Valves . . . . . {n}\r\n"
        f"On {name}\r\n12\r\n12\r\n{name}\r\nend of {name}\r\n- {n} -"
        for n, name in enumerate(names, 1)
    ]
    # A table's numbers, within the page, repeat as well.
    kept = [["On", name, "12", "12", name, "end", "of", name] for name in names]
    assert [each.body.split() for each in chunks(made(*pages))] == kept
    # Too few to tell.
    assert "Manual" in chunks(made(*pages[:3]))[0].body


def test_marks_of_a_reader_are_not_searched_but_counted(made: Make) -> None:
    page = "A long hy\ufffe\r\nphen\0ated word"
    (found, _) = chunks(made(page, "x"))
    assert (found.body, page[found.start : found.end]) == ("A long hy-\nphenated word", page)


@given(st.lists(st.text(alphabet="ab #.\n\r\t=-1A…\ufffe", max_size=6000), min_size=1, max_size=5))
def test_passages_stand_where_they_say_and_lose_nothing_but_what_is_left_out(pages: list[str]) -> None:
    found = chunks(Document("0" * 64, "x", tuple(pages)))
    for each in found:
        assert each.page is not None
        raw = pages[each.page - 1][each.start : each.end]
        assert len(each.body) <= SIZE + 400
        assert raw.strip()
        assert set(each.body.split()) <= set(raw.replace("\ufffe", "-").replace("\r", "\n").split()) | set(
            raw.replace("\ufffe", "-").replace("\r", "").split()
        )
    for before, after in pairwise(found):
        assert (before.page or 0, before.end) <= (after.page or 0, after.start) or before.page != after.page


@pytest.mark.parametrize(
    ("line", "before", "after", "heading"),
    [
        ("## Priming ##", "", "", (2, "Priming")),
        ("Priming", "", "=======", (1, "Priming")),
        ("Priming", "text", "=======", None),
        ("3.2.1 Priming the pump", "", "", (3, "3.2.1 Priming the pump")),
        ("3.2 Priming the pump ....... 17", "", "", None),
        ("3 pumps were primed.", "", "", None),
        ("SEE ALSO", "", "", (1, "SEE ALSO")),
        ("SEE ALSO", "text", "", None),
        ("Just a sentence", "", "", None),
        ("#include <stdio.h>", "", "", None),
    ],
)
def test_what_is_a_heading(line: str, before: str, after: str, heading: tuple[int, str] | None) -> None:
    assert heading_of(line, before, after) == heading
