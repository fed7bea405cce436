"""The marks and numbers of lists: where they stand, and which items have none."""

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from app.ui.richtext.list_marks import draw_marks
from app.ui.richtext.markdown import parse
from app.ui.richtext.markdown_blocks import Prose
from app.ui.richtext.safe_document import SafeDocument, prose_css
from app.ui.theme.palette import LIGHT

WIDTH, HEIGHT = 400, 200
INDENT = 32
_WHITE = b"\xff" * 3


def document_with(source: str) -> SafeDocument:
    document = SafeDocument()
    document.setDefaultStyleSheet(prose_css(LIGHT))
    (block,) = parse(source)
    assert isinstance(block, Prose)
    document.setHtml(block.html)
    document.fit_indent(block.html)
    document.setTextWidth(WIDTH)
    return document


def drawn(source: str, clip: QRectF | None = None) -> list[tuple[int, int]]:
    """The pixels of the marks; the text itself is not drawn."""
    document = document_with(source)
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    draw_marks(painter, document, clip or QRectF(0, 0, WIDTH, HEIGHT), QColor("red"), QColor("blue"))
    painter.end()
    white = b"\xff" * 4 * WIDTH
    bits, wide = bytes(image.constBits()), image.bytesPerLine()
    rows = {y: bits[y * wide : y * wide + 4 * WIDTH] for y in range(HEIGHT)}
    return [(x, y) for y, row in rows.items() if row != white for x in range(WIDTH) if row[4 * x : 4 * x + 3] != _WHITE]


def test_a_disc_stands_off_its_text(qtbot: QtBot) -> None:
    places = drawn("- one")
    assert places
    assert max(x for x, _ in places) < INDENT - 6, f"the text begins at {INDENT}"
    assert min(x for x, _ in places) > 8


def test_each_item_has_one_and_a_second_paragraph_has_none(qtbot: QtBot) -> None:
    one, loose = drawn("- one"), drawn("- one\n\n  more\n\n- two")
    assert one
    assert len(loose) == 2 * len(one)


def test_the_second_level_has_a_ring(qtbot: QtBot) -> None:
    outer, both = drawn("- a"), drawn("- a\n  - b")
    inner = [place for place in both if place[0] > INDENT]
    assert inner
    middle = (round(sum(x for x, _ in inner) / len(inner)), round(sum(y for _, y in inner) / len(inner)))
    assert middle not in inner
    assert len(inner) < len(outer)


def text_of(source: str) -> QRectF:
    """Where the first line stands."""
    document = document_with(source)
    block = document.begin()
    document.documentLayout().blockBoundingRect(block)
    return block.layout().lineAt(0).naturalTextRect()


@pytest.mark.parametrize("source", ["- [ ] open\n- [x] done", "no list"])
def test_boxes_are_marks_themselves(qtbot: QtBot, source: str) -> None:
    assert drawn(source) == []


@pytest.mark.parametrize("first", [1, 10, 99, 100, 1000, 999999999])
def test_numbers_stand_as_far_from_their_text_as_discs(qtbot: QtBot, first: int) -> None:
    source = f"{first}. one"
    disc, places = max(x for x, _ in drawn("- one")), drawn(source)
    begins = text_of(source).left()
    assert abs(begins - max(x for x, _ in places) - (INDENT - disc)) <= 2
    assert min(x for x, _ in places) >= 0
    if first < 100:
        assert begins == INDENT, "short numbers stand as deep as discs"


def test_right_to_left_the_digits_keep_their_order(qtbot: QtBot) -> None:
    """The bar of a 7 is most of what is at the top."""

    def bar(number: int) -> float:
        places = drawn(f"{number}. שלום")
        left, top = min(x for x, _ in places), min(y for _, y in places)
        found = [x - left for x, y in places if y <= top + 1]
        return sum(found) / len(found)

    assert bar(711) < bar(117) - 2


@pytest.mark.parametrize("first", [1, 100])
def test_numbers_stand_in_sight_right_to_left_too(qtbot: QtBot, first: int) -> None:
    source = f"{first}. שלום"
    places = drawn(source)
    ends = text_of(source).right()
    disc = min(x for x, _ in drawn("- שלום"))
    assert max(x for x, _ in places) < WIDTH
    assert abs(min(x for x, _ in places) - ends - (disc - (WIDTH - INDENT))) <= 2
    # The full stop, which is low, comes after the number: further left.
    left = [y for x, y in places if x <= min(x for x, _ in places) + 1]
    assert min(left) > (min(y for _, y in places) + max(y for _, y in places)) / 2


def test_items_are_counted_on_around_other_lists(qtbot: QtBot) -> None:
    """The second number of the outer list is a 2, whatever stands between."""
    plain, mixed = drawn("1. a\n2. b"), drawn("1. a\n   - x\n   1. y\n2. b")

    def shape(places: list[tuple[int, int]]) -> set[tuple[int, int]]:
        bottom = max(y for _, y in places)
        last = [(x, y) for x, y in places if x < INDENT and y > bottom - 14]
        top = min(y for _, y in last)
        return {(x, y - top) for x, y in last}

    assert shape(plain) == shape(mixed)


def test_a_list_begins_where_it_says(qtbot: QtBot) -> None:
    assert len(drawn("7. a")) != len(drawn("1. a"))
    assert drawn("7. a") == drawn("7. b")


def test_another_text_has_the_usual_room_again(qtbot: QtBot) -> None:
    document = document_with("1000. a")
    assert document.indentWidth() > INDENT
    document.fit_indent("<ul><li>a</li></ul>")
    assert document.indentWidth() == INDENT


def test_right_to_left_it_stands_at_the_right(qtbot: QtBot) -> None:
    places = drawn("- שלום")
    assert places
    assert min(x for x, _ in places) > WIDTH - INDENT


def test_what_is_out_of_sight_is_not_drawn(qtbot: QtBot) -> None:
    assert drawn("- one\n- two", QRectF(0, 100, WIDTH, 100)) == []
