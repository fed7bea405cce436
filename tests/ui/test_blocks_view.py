"""Streaming ends with the same widgets as showing at once, and leaves closed blocks alone."""

from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from app.ui.blocks_view import BlocksView
from app.ui.code_block import CodeBlock
from app.ui.pacer import FRAME_MS, Pacer
from app.ui.prose import ProseView
from app.ui.theme import Look
from tests.ui.test_markdown import CORPUS, documents


@pytest.fixture
def view(qtbot: QtBot, look: Look) -> BlocksView:
    made = BlocksView(look)
    qtbot.addWidget(made)
    made.resize(600, 400)
    return made


@pytest.mark.parametrize("text", CORPUS)
def test_token_by_token_shows_what_at_once_shows(view: BlocksView, look: Look, text: str) -> None:
    for letter in text:
        view.append(letter)
        view.flush()
    view.finish(text)
    assert contents(view) == contents(at_once(look, text))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents, st.integers(1, 9))
def test_random_text_in_pieces_shows_what_at_once_shows(look: Look, text: str, size: int) -> None:
    view = BlocksView(look)
    for start in range(0, len(text), size):
        view.append(text[start : start + size])
        view.flush()
    view.finish(text)
    assert contents(view) == contents(at_once(look, text))
    view.deleteLater()


def test_closed_blocks_are_not_laid_out_again(view: BlocksView) -> None:
    view.append("# Title\n\nfirst\n\n```py\na = 1\n```\n\nsecond")
    view.flush()
    closed = [view.widget_at(index) for index in range(3)]
    changes: list[int] = []
    cast(ProseView, closed[1]).document().contentsChange.connect(lambda *_: changes.append(1))
    cast(CodeBlock, closed[2]).text_view.document().contentsChange.connect(lambda *_: changes.append(2))
    for piece in (" goes on\n", "\n- and\n- more\n", "\nlast"):
        view.append(piece)
        view.flush()
    view.finish(view.streamed_source)
    assert [view.widget_at(index) for index in range(3)] == closed
    # Colours are formats of the layout: they change no contents, but mark them as in need of painting.
    assert 1 not in changes
    assert len(view.blocks) == 6


def test_growing_code_keeps_its_widget(view: BlocksView) -> None:
    view.append("```py\na = 1")
    view.flush()
    card = view.widget_at(0)
    view.append("\nb = 2\n```")
    view.flush()
    view.finish("```py\na = 1\nb = 2\n```")
    assert view.widget_at(0) is card
    assert cast(CodeBlock, card).text_view.toPlainText() == "a = 1\nb = 2"


def test_another_text_at_the_end_wins(view: BlocksView) -> None:
    view.append("half of what was")
    view.finish("something *else*")
    assert contents(view) == ["something else"]
    assert not view.is_streaming


def test_many_pieces_are_drawn_in_few_renders(qtbot: QtBot, view: BlocksView) -> None:
    renders: list[int] = []
    view.rendered.connect(lambda: renders.append(1))
    for _ in range(500):
        view.append("word ")
    with qtbot.waitSignal(view.rendered):
        pass
    assert len(renders) == 2  # the empty start, and everything at once
    assert contents(view) == [("word " * 500).strip()]


def test_dear_renders_come_more_rarely(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((0.0, 0.001, 1.0, 1.050))
    monkeypatch.setattr("app.ui.pacer.perf_counter", lambda: next(clock))
    pacer = Pacer(lambda: None)
    pacer.run_now()
    assert pacer.interval == FRAME_MS
    pacer.run_now()
    assert pacer.interval == 400


def at_once(look: Look, text: str) -> BlocksView:
    view = BlocksView(look)
    view.set_text(text)
    return view


def contents(view: BlocksView) -> list[object]:
    shown: list[object] = []
    for index in range(len(view.blocks)):
        widget = view.widget_at(index)
        if isinstance(widget, CodeBlock):
            shown.append((widget.code.language, widget.text_view.toPlainText()))
        else:
            shown.append(widget.plain_text())
    return shown
