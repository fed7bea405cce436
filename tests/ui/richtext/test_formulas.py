"""Formulas are drawn once, stand on the line, follow the theme, and fall back to their source."""

import re
import threading

import pytest
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from app.core.settings import Theme
from app.ui.richtext.formulas import Formula, draw, formulas, names_in, readable
from app.ui.richtext.markdown import parse
from app.ui.richtext.markdown_blocks import Prose
from app.ui.richtext.text_block_view import TextBlockView
from app.ui.theme.appearance import Appearance
from app.ui.theme.palette import DARK, LIGHT
from app.ui.widgets.markdown_links import formula_link, formula_of, tail_of


def html(source: str) -> str:
    (block,) = parse(source)
    assert isinstance(block, Prose)
    return block.html


def shown(qtbot: QtBot, appearance: Appearance, source: str) -> TextBlockView:
    """With all its formulas drawn."""
    view = TextBlockView(appearance, "Answer")
    qtbot.addWidget(view)
    view.show_html(source)
    qtbot.waitUntil(lambda: all(formulas().known(name) for name in names_in(source)))
    return view


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
    qtbot: QtBot, appearance: Appearance, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[str, bool]] = []

    def count(tex: str, *, display: bool) -> Formula:
        drawn.append((tex, threading.current_thread() is threading.main_thread()))
        return Formula(b"<svg/>", 10, 8, 2)

    monkeypatch.setattr("app.ui.richtext.formulas.draw", count)
    views = [TextBlockView(appearance, "Answer") for _ in range(3)]
    for view in views:
        qtbot.addWidget(view)
        view.show_html(html("once $q_{17}$ and again $q_{17}$"))
    qtbot.waitUntil(lambda: formulas().known(formula_link("q_{17}", display=False)) is not None)
    assert drawn == [("q_{17}", False)]


def test_the_text_makes_room_when_a_formula_is_there(qtbot: QtBot, appearance: Appearance) -> None:
    view = TextBlockView(appearance, "Answer")
    qtbot.addWidget(view)
    tall = r"\begin{pmatrix} a \\ b \\ c \\ d \\ 19 \end{pmatrix}"
    with qtbot.waitSignal(view.resized):
        view.show_html(html(f"$$\n{tall}\n$$"))
        before = view.height_for(500)
    assert view.height_for(500) > before + 40
    assert view.plain_text() == f"$${tall}$$"
    view.resize(500, view.height_for(500))
    for theme, tokens in ((Theme.DARK, DARK), (Theme.LIGHT, LIGHT)):
        appearance.choose(theme)
        image = view.grab().toImage()
        colours = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
        assert QColor(tokens.text).name() in colours


def test_a_formula_is_as_large_as_the_text_around_it(qtbot: QtBot, appearance: Appearance) -> None:
    tall = html(r"$$\begin{pmatrix} a \\ b \\ c \\ d \\ 20 \end{pmatrix}$$")
    heights = []
    try:
        for percent in (100, 200):
            appearance.set_text_size(percent)
            view = shown(qtbot, appearance, tall)
            view.resize(900, view.height_for(900))
            image = view.grab().toImage()
            ink = QColor(appearance.tokens.text)
            lines = [y for y in range(image.height()) if any(image.pixelColor(x, y) == ink for x in range(900))]
            heights.append(lines[-1] - lines[0])
    finally:
        appearance.set_text_size(100)
    assert heights[1] > 1.9 * heights[0]


def test_a_formula_in_a_table_has_room_below_its_line(qtbot: QtBot, appearance: Appearance) -> None:
    """An integral reached over the border of its cell."""
    table = html("|a|b|\n|-|-|\n|$\\int_0^\\infty e^{-x}dx$|one|\n|x|y|\n")
    (name,) = names_in(table)
    view = shown(qtbot, appearance, table)
    view.height_for(500)
    formula = formulas().known(name)
    assert formula is not None
    block = view.document().begin()
    while "\ufffc" not in block.text():
        block = block.next()
    line = block.layout().lineAt(0)
    assert line.ascent() >= formula.ascent - 1 and line.descent() >= formula.descent - 1
    assert 'class="short high"' in table, "what stands beside it stands at half its height"


def test_a_broken_formula_is_shown_as_it_was_written(qtbot: QtBot, appearance: Appearance) -> None:
    source = html(r"see $\frac{b$ here")
    view = shown(qtbot, appearance, source)
    assert view.document().toPlainText() == r"see $\frac{b$ here"
    assert "<code>" in readable(source)


def test_names_survive_every_letter() -> None:
    for tex in ('a"b', "<&>", "ü漢😀", "a%20b", "x:y"):
        assert formula_of(formula_link(tex, display=True)) == (tex, True)
    assert formula_of("file:///etc/passwd") is None


@pytest.mark.parametrize(
    ("source", "tail"),
    [
        ("a $x$. B", "."),
        ("($x$), b", "),"),
        ("an $n$-gram", "-"),
        (r"is \(x\)?", "?"),
        ("it is $x$!", "!"),
        ("**$x$**.", ""),
        ("[see $x$](https://a.org)", ""),
        ("$x$![a](https://a.org)", ""),
        ("$x$ .", ""),
    ],
)
def test_what_ends_a_formula_is_part_of_it(source: str, tail: str) -> None:
    made = html(source)
    (name,) = re.findall('<img src="([^"]*)">', made)
    assert tail_of(name) == tail
    assert formula_of(name) == ("x" if "x" in source else "n", False)
    assert names_in(made) == {formula_link("n" if tail == "-" else "x", display=False)}


def test_no_line_begins_with_the_stop_that_ends_a_formula(qtbot: QtBot, appearance: Appearance) -> None:
    source = "The cost grows with $n^2 d$. It is much."
    view = shown(qtbot, appearance, html(source))
    assert view.plain_text() == source
    text = view.document().toPlainText()
    for width in range(60, 300):
        view.height_for(width)
        layout = view.document().firstBlock().layout()
        begins = [layout.lineAt(line).textStart() for line in range(layout.lineCount())]
        assert text.find(" It") not in begins
        assert all(text[begin] not in ".," for begin in begins)


def test_the_stop_behind_a_formula_is_drawn(qtbot: QtBot, appearance: Appearance) -> None:
    for direction in ("a ", "\u05d0 "):
        inked = []
        for stop in ("", "…"):
            view = shown(qtbot, appearance, html(f"{direction}$z_3${stop}"))
            view.resize(300, view.height_for(300))
            image = view.grab().toImage()
            columns = [x for x in range(image.width()) if _is_inked(image, x)]
            inked.append((columns[0], columns[-1]))
        (left, right), (left_too, right_too) = inked
        if direction == "a ":
            assert left_too == left and right_too > right + 6
        else:
            assert right_too == right and left_too < left - 6


def _is_inked(image: QImage, x: int) -> bool:
    return any(image.pixelColor(x, y) != image.pixelColor(150, 0) for y in range(image.height()))
