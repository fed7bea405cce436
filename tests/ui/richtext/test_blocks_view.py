"""Streaming ends with the same widgets as showing at once, and leaves closed blocks alone."""

from time import thread_time
from typing import cast

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.core.messages import Role
from app.ui.richtext.blocks_view import BlocksView
from app.ui.richtext.code_block import CodeBlock
from app.ui.richtext.details_line import DetailsLine
from app.ui.richtext.document_text import column_widths
from app.ui.richtext.markdown_blocks import Mark, Prose
from app.ui.richtext.render_throttle import FRAME_MS, RenderThrottle
from app.ui.richtext.text_block_view import TextBlockView
from app.ui.theme.appearance import Appearance
from app.ui.transcript.message_view import make_message_view
from tests.ui.fakes import stored
from tests.ui.richtext.test_markdown import CORPUS, documents


@pytest.fixture
def view(qtbot: QtBot, appearance: Appearance) -> BlocksView:
    made = BlocksView(appearance)
    qtbot.addWidget(made)
    made.resize(600, 400)
    return made


@pytest.mark.parametrize("text", CORPUS)
def test_token_by_token_shows_what_at_once_shows(view: BlocksView, appearance: Appearance, text: str) -> None:
    for letter in text:
        view.append(letter)
        view.flush()
    view.finish(text)
    assert contents(view) == contents(at_once(appearance, text))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents, st.integers(1, 9))
@example("<details><summary>s</summary>a", 1)
def test_random_text_in_pieces_shows_what_at_once_shows(appearance: Appearance, text: str, size: int) -> None:
    view = BlocksView(appearance)
    for start in range(0, len(text), size):
        view.append(text[start : start + size])
        view.flush()
    view.finish(text)
    assert contents(view) == contents(at_once(appearance, text))
    view.deleteLater()


def test_closed_blocks_are_not_laid_out_again(view: BlocksView) -> None:
    view.append("# Title\n\nfirst\n\n```py\na = 1\n```\n\nsecond")
    view.flush()
    closed = [view.widget_at(index) for index in range(3)]
    changes: list[int] = []
    cast(TextBlockView, closed[1]).document().contentsChange.connect(lambda *_: changes.append(1))
    cast(CodeBlock, closed[2]).text_view.document().contentsChange.connect(lambda *_: changes.append(2))
    for piece in (" goes on\n", "\n- and\n- more\n", "\nlast"):
        view.append(piece)
        view.flush()
    view.finish(view.stream.streamed)
    assert [view.widget_at(index) for index in range(3)] == closed
    # Colours are formats of the layout: they change no contents, but mark them as in need of painting.
    assert 1 not in changes
    assert len(view.blocks) == 6


def test_there_is_more_room_above_a_heading_than_below_it(view: BlocksView) -> None:
    def heights() -> list[int]:
        view.place(400)
        return [view.widget_at(index).height() for index in range(len(view.blocks))]

    view.set_text("one\n\ntwo")
    usual, _ = heights()
    view.set_text("one\n\n## Two\n\nthree")
    above, _, below = heights()
    assert above > usual == below
    view.set_text("")
    for piece in ("one", "\n\n#", "# Two", "\n\nthree"):
        view.append(piece)
        view.flush()
    view.finish("one\n\n## Two\n\nthree")
    assert heights()[0] == above


def test_growing_code_keeps_its_widget(view: BlocksView) -> None:
    view.append("```py\na = 1")
    view.flush()
    card = view.widget_at(0)
    view.append("\nb = 2\n```")
    view.flush()
    view.finish("```py\na = 1\nb = 2\n```")
    assert view.widget_at(0) is card
    assert cast(CodeBlock, card).text_view.plain_text() == "a = 1\nb = 2"


def test_another_text_at_the_end_wins(view: BlocksView) -> None:
    view.append("half of what was")
    view.finish("something *else*")
    assert contents(view) == ["something else"]
    assert not view.stream.is_open


def test_many_pieces_are_drawn_in_few_renders(qtbot: QtBot, view: BlocksView) -> None:
    renders: list[int] = []
    view.rendered.connect(lambda: renders.append(1))
    for _ in range(50):
        view.append("word ")
    with qtbot.waitSignal(view.rendered):
        pass
    assert len(renders) == 2  # the empty start, and everything at once
    assert contents(view) == [("word " * 50).strip()]


def test_what_comes_all_at_once_is_drawn_in_several_frames(qtbot: QtBot, view: BlocksView) -> None:
    text = "\n\n".join(f"Paragraph {number} of the answer." for number in range(60))
    sizes: list[int] = []
    view.rendered.connect(lambda: sizes.append(len(view.blocks)))
    view.append(text)
    assert view.stream.streamed == text
    qtbot.waitUntil(lambda: len(view.blocks) == 60)
    assert len(sizes) > 3
    assert sizes == sorted(sizes)
    view.append("\n\nend")
    view.finish(text + "\n\nend")
    assert len(view.blocks) == 61


def test_only_what_is_seen_has_widgets(appearance: Appearance, view: BlocksView) -> None:
    view.set_text("\n\n".join(f"Paragraph {number} of a text." for number in range(400)))
    view.show_range(0, 500)
    guessed = view.place(600)
    assert len(dict(view.parts())) < 30
    anchor = view.anchor_at(3000)
    view.show_range(3000, 3500)
    view.place(600)
    assert min(dict(view.parts()).keys() - {0}) > 20
    assert abs(view.y_of(anchor) - 3000) < 400
    exact = BlocksView(appearance)
    exact.set_text("\n\n".join(f"Paragraph {number} of a text." for number in range(400)))
    assert abs(guessed - exact.place(600)) < 0.35 * guessed
    exact.deleteLater()


@pytest.mark.parametrize("role", [Role.USER, Role.ASSISTANT])
def test_a_message_makes_nothing_before_it_is_known_what_is_seen(
    qtbot: QtBot, appearance: Appearance, role: Role
) -> None:
    text = "\n\n".join(f"Paragraph {number} of a text." for number in range(40))
    parent = QWidget()
    qtbot.addWidget(parent)
    message = make_message_view(appearance, stored(role, text), parent)
    assert not dict(message.blocks_view.parts())
    message.arrange(600, 0, 300)
    assert 0 < len(dict(message.blocks_view.parts())) < 20


def test_what_has_its_place_is_not_measured_again(view: BlocksView, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[int] = []

    def height_for(_: TextBlockView, width: int) -> int:
        measured.append(width)
        return 30

    monkeypatch.setattr(TextBlockView, "height_for", height_for)
    view.set_text("\n\n".join(f"Paragraph {number} of a text." for number in range(400)))
    view.show_range(0, 500)
    view.place(600)
    measured.clear()
    view.show_range(1, 501)
    height = view.place(600)
    assert not measured
    view.show_range(300, 800)
    view.place(600)
    assert measured
    measured.clear()
    view.widget_at(12).resized.emit()
    assert measured
    measured.clear()
    view.place(500)
    assert measured
    view.set_text("A word.")
    assert view.place(500) == 30 < height


def test_a_longest_line_follows_its_text(view: BlocksView) -> None:
    view.set_text("word")
    short = view.longest_line(500)
    assert view.longest_line(500) == short
    view.set_text("word word word")
    assert short < view.longest_line(500) < 500
    assert view.longest_line(20) == 20


@pytest.mark.parametrize(
    "text",
    [
        "```py\n" + "value = compute(1, 'text')  # note\n" * 1200,
        "".join(f"{number}. item **{number}** with some words\n" for number in range(1, 900)),
        "| a | b |\n|---|---|\n" + "| row | *some* words |\n" * 1200,
        "A paragraph with *some* words.\n\n" * 1000,
        "word " * 6000,
    ],
    ids=["code", "list", "table", "paragraphs", "one paragraph"],
)
def test_a_frame_costs_the_same_at_the_end(view: BlocksView, text: str) -> None:
    def is_steady() -> bool:
        view.set_text("")
        view.show_range(0, 600)
        costs = []
        for start in range(0, len(text), 100):
            begun = thread_time()
            view.append(text[start : start + 100])
            view.flush()
            height = view.place(600)
            view.show_range(height - 600, height)
            costs.append(thread_time() - begun)
        early, late = sorted(costs[20:90]), sorted(costs[-70:])
        return late[35] < 4 * early[35] + 0.003

    # The machine may have been busy in the second half.
    assert any(is_steady() for _ in range(3))


def test_pieces_of_one_table_have_the_same_columns(view: BlocksView) -> None:
    rows = "".join(f"| {'long ' * (number == 3)}row {number} | {number} |\n" for number in range(40))
    view.set_text("| first | second |\n|---|---|\n" + rows)
    view.place(600)
    assert len(view.blocks) == 3
    widths = [[round(each.rawValue()) for each in column_widths(part.document())] for _, part in view.parts()]
    assert len(widths[0]) == 2
    assert widths[0] == widths[1] == widths[2]


def test_dear_renders_come_more_rarely(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((0.0, 0.001, 1.0, 1.050))
    monkeypatch.setattr("app.ui.richtext.render_throttle.thread_time", lambda: next(clock))
    pacer = RenderThrottle(lambda: None)
    pacer.run_now()
    assert pacer.interval == FRAME_MS
    pacer.run_now()
    assert pacer.interval == 400


def at_once(appearance: Appearance, text: str) -> BlocksView:
    view = BlocksView(appearance)
    view.set_text(text)
    return view


def contents(view: BlocksView) -> list[object]:
    shown: list[object] = []
    # What was discarded goes first.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    for line in view.findChildren(DetailsLine):
        shown.append(line.isChecked())
        line.setChecked(True)
    for index, block in enumerate(view.blocks):
        if isinstance(block, Prose) and block.mark is not Mark.NONE and not block.html:
            continue
        widget = view.widget_at(index)
        if isinstance(widget, CodeBlock):
            shown.append((widget.code.language, widget.text_view.plain_text()))
        else:
            shown.append(widget.plain_text() if isinstance(widget, TextBlockView) else widget.text_view.plain_text())
    return shown
