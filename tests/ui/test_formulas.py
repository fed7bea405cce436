"""Formulas are drawn once, stand on the line, follow the theme, and fall back to their source."""

import threading

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.core.settings import Theme
from app.ui.formulas import Formula, draw, formulas, names_in, readable
from app.ui.markdown import parse
from app.ui.markdown_blocks import Prose
from app.ui.markdown_links import formula_link, formula_of
from app.ui.prose import ProseView
from app.ui.theme import Look
from app.ui.tokens import DARK, LIGHT


def html(source: str) -> str:
    (block,) = parse(source)
    assert isinstance(block, Prose)
    return block.html


@pytest.mark.parametrize(
    ("source", "formula"),
    [
        ("a $x^2$ b", ("x^2", False)),
        (r"a \(x\) b", ("x", False)),
        ("$$\nx\n$$", ("x", True)),
        (r"\[ x \]", ("x", True)),
        ("a $$y$$ b", ("y", True)),
        ("\\begin{align}\na &= b\n\\end{align}", ("\\begin{align}a &= b\n\\end{align}", True)),
        ("$a<b$", ("a<b", False)),
        ('$"&$', ('"&', False)),
    ],
)
def test_what_is_a_formula(source: str, formula: tuple[str, bool]) -> None:
    (name,) = names_in(html(source))
    read = formula_of(name)
    assert read is not None
    assert (read[0].replace("\n", ""), read[1]) == (formula[0].replace("\n", ""), formula[1])


@pytest.mark.parametrize("source", ["costs $5 or $6", "$ x $", "`$x$`", r"\$x\$", "a$b$c", "US$ 5, US$ 6", "$x$1"])
def test_what_is_none(source: str) -> None:
    assert not names_in(html(source))


def test_a_formula_knows_its_line() -> None:
    plain, low = draw("x", display=False), draw("y", display=False)
    assert plain.svg
    assert plain.ascent > 5
    assert plain.descent < 3 < low.descent
    assert draw(r"\frac{a}{b}", display=True).ascent > 1.5 * draw(r"\frac{a}{b}", display=False).ascent > 0


def test_what_cannot_be_read_has_no_picture() -> None:
    assert draw(r"\frac{a", display=False) == Formula(b"")


def test_a_formula_is_drawn_once_in_a_thread_of_its_own(
    qtbot: QtBot, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[str, bool]] = []

    def count(tex: str, *, display: bool) -> Formula:
        drawn.append((tex, threading.current_thread() is threading.main_thread()))
        return Formula(b"<svg/>", 10, 8, 2)

    monkeypatch.setattr("app.ui.formulas.draw", count)
    views = [ProseView(look, "Answer") for _ in range(3)]
    for view in views:
        qtbot.addWidget(view)
        view.show_html(html("once $q_{17}$ and again $q_{17}$"))
    qtbot.waitUntil(lambda: formulas().known(formula_link("q_{17}", display=False)) is not None)
    assert drawn == [("q_{17}", False)]


def test_the_text_makes_room_when_a_formula_is_there(qtbot: QtBot, look: Look) -> None:
    view = ProseView(look, "Answer")
    qtbot.addWidget(view)
    tall = r"\begin{pmatrix} a \\ b \\ c \\ d \\ 19 \end{pmatrix}"
    with qtbot.waitSignal(view.resized, timeout=30_000):
        view.show_html(html(f"$$\n{tall}\n$$"))
        before = view.height_for(500)
    assert view.height_for(500) > before + 40
    assert view.plain_text() == f"$${tall}$$"
    view.resize(500, view.height_for(500))
    for theme, tokens in ((Theme.DARK, DARK), (Theme.LIGHT, LIGHT)):
        look.choose(theme)
        image = view.grab().toImage()
        colours = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
        assert QColor(tokens.text).name() in colours


def test_a_broken_formula_is_shown_as_it_was_written(qtbot: QtBot, look: Look) -> None:
    view = ProseView(look, "Answer")
    qtbot.addWidget(view)
    source = html(r"see $\frac{b$ here")
    (name,) = names_in(source)
    view.show_html(source)
    qtbot.waitUntil(lambda: formulas().known(name) is not None, timeout=30_000)
    assert view.document().toPlainText() == r"see $\frac{b$ here"
    assert "<code>" in readable(source)


def test_names_survive_every_letter() -> None:
    for tex in ('a"b', "<&>", "ü漢😀", "a%20b", "x:y"):
        assert formula_of(formula_link(tex, display=True)) == (tex, True)
    assert formula_of("file:///etc/passwd") is None
