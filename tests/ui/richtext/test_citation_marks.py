"""Citations become marks in an answer's HTML, and nothing else does."""

import re

import pytest
from pytestqt.qtbot import QtBot

from app.core.messages import PassagePart
from app.ui.richtext.blocks_view import BlocksView
from app.ui.richtext.citation_marks import CitationMarks
from app.ui.richtext.markdown import parse
from app.ui.richtext.markdown_blocks import Prose
from app.ui.richtext.text_block_view import TextBlockView
from app.ui.theme.appearance import Appearance

RAIN = PassagePart(1, "ab", "rain.pdf", "The gauge at Elm Bridge measured 37 cm after two days of rain.", 12)
WIND = PassagePart(2, "cd", "wind.txt", "In autumn the wind comes from the sea, and ships wait in the harbour.")
PASSAGES = {1: RAIN, 2: WIND}


def marked(source: str, *, is_whole: bool = True) -> list[tuple[str, str]]:
    """State and text of each mark."""
    marks = CitationMarks(PASSAGES)
    html = "".join(marks.marked(each, is_whole=is_whole) for each in parse(source) if isinstance(each, Prose))
    return re.findall(r'<span class="cite-(\w+)">(.*?)</span>', html.replace("&nbsp;", " "))


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("It measured 37 cm at Elm Bridge [1].", [("found", " 1 ")]),
        ("It measured 73 cm at Elm Bridge after the rain [1].", [("partly", " 1?")]),
        ("Ships wait in the harbour [1].", [("not_found", " 1!")]),
        ("Ships wait in the harbour [2, 1] and so on.", [("found", " 2 "), ("not_found", " 1!")]),
        ("Ships wait in the harbour [2][1].", [("found", " 2 "), ("not_found", " 1!")]),
        ("Nothing [3], `[1]`, a[1], [1](http://a.b) or [x].", []),
        ("```\n[1]\n```", []),
        ("| wind |\n|--|\n| ships wait in the harbour [2] |", [("found", " 2 ")]),
    ],
)
def test_marks_say_what_was_found(source: str, wanted: list[tuple[str, str]]) -> None:
    assert marked(source) == wanted


def test_while_it_is_written_nothing_is_checked() -> None:
    assert marked("Ships wait in the harbour [1].", is_whole=False) == [("found", " 1 ")]


@pytest.mark.parametrize("cited", ["[1]", "[2, 1]", "[2,1]", "[2][1]"])
def test_a_mark_is_as_long_as_what_it_stands_for(cited: str, qtbot: QtBot, appearance: Appearance) -> None:
    view = BlocksView(appearance)
    qtbot.addWidget(view)
    view.resize(600, 400)
    view.set_text(f"Ships wait {cited} there")
    view.place(600)
    (block,) = (part for _, part in view.parts())
    before = block.document().toPlainText()
    view.show_citations(CitationMarks(PASSAGES))
    after = block.document().toPlainText()
    assert len(after) == len(before) and after.endswith(" there") and "[" not in after


def test_a_mark_leads_to_its_passage_and_says_what_it_is(qtbot: QtBot, appearance: Appearance) -> None:
    view = BlocksView(appearance)
    qtbot.addWidget(view)
    view.show_citations(CitationMarks(PASSAGES))
    view.set_text("Ships wait in the harbour [1].")
    view.place(600)
    block = view.widget_at(0)
    assert isinstance(block, TextBlockView)
    (link,) = block.links
    assert view.citations.described(link.address) == "rain.pdf, page 12\nThese words stand rather in [2]."
    with qtbot.waitSignal(view.passage_wanted) as wanted:
        block._follow(link.address)
    check = view.citations.check_of(wanted.args[0])
    assert check is not None and (check.number, check.rather) == (1, 2)
