"""The marks of lists: where they stand, and which items have none."""

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from app.ui.document import SafeDocument, prose_css
from app.ui.list_marks import draw_marks
from app.ui.markdown import parse
from app.ui.markdown_blocks import Prose
from app.ui.tokens import LIGHT

WIDTH, HEIGHT = 400, 200


def drawn(source: str, clip: QRectF | None = None) -> list[tuple[int, int]]:
    """The pixels of the marks; the text itself is not drawn."""
    document = SafeDocument()
    document.setDefaultStyleSheet(prose_css(LIGHT))
    (block,) = parse(source)
    assert isinstance(block, Prose)
    document.setHtml(block.html)
    document.setTextWidth(WIDTH)
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    draw_marks(painter, document, clip or QRectF(0, 0, WIDTH, HEIGHT), QColor("red"))
    painter.end()
    white = QColor("white").rgb()
    return [(x, y) for y in range(HEIGHT) for x in range(WIDTH) if image.pixel(x, y) != white]


def test_a_disc_stands_off_its_text(qtbot: QtBot) -> None:
    places = drawn("- one")
    assert places
    assert max(x for x, _ in places) < 28 - 6, "the text begins at 28"
    assert min(x for x, _ in places) > 8


def test_each_item_has_one_and_a_second_paragraph_has_none(qtbot: QtBot) -> None:
    one, loose = drawn("- one"), drawn("- one\n\n  more\n\n- two")
    assert one
    assert len(loose) == 2 * len(one)


def test_the_second_level_has_a_ring(qtbot: QtBot) -> None:
    outer, both = drawn("- a"), drawn("- a\n  - b")
    inner = [place for place in both if place[0] > 30]
    assert inner
    middle = (round(sum(x for x, _ in inner) / len(inner)), round(sum(y for _, y in inner) / len(inner)))
    assert middle not in inner
    assert len(inner) < len(outer)


@pytest.mark.parametrize("source", ["1. one\n2. two", "- [ ] open\n- [x] done", "no list"])
def test_numbers_and_boxes_are_marks_themselves(qtbot: QtBot, source: str) -> None:
    assert drawn(source) == []


def test_right_to_left_it_stands_at_the_right(qtbot: QtBot) -> None:
    places = drawn("- שלום")
    assert places
    assert min(x for x, _ in places) > WIDTH - 28


def test_what_is_out_of_sight_is_not_drawn(qtbot: QtBot) -> None:
    assert drawn("- one\n- two", QRectF(0, 100, WIDTH, 100)) == []
