"""Figures as pictures: what stands where, by its colour."""

import io
import time
from typing import Any

import pytest
from PIL import Image

from app.tools.plots.colours import colour_of, mapped
from app.tools.plots.items import plain
from app.tools.plots.picture import picture

AXIS = {"limits": [0, 10], "scale": "linear", "inverted": False, "ticks": None, "labels": None, "dates": False}
AREA = {"kind": "area", "alpha": None, "label": "", "edge": None}
LINE = {"kind": "line", "alpha": None, "label": "", "style": "-", "width": 2, "marker": "", "size": 6}


def axes(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    """That fill the figure, without a frame."""
    told = {
        "place": [0, 0, 1, 1], "items": list(items), "texts": {"title": "", "xlabel": "", "ylabel": ""}, "right": False,
        "frame": False, "lines_across": "", "equal": False, "key": None, "strip": None,
        "x": {**AXIS, "rotation": 0}, "y": {**AXIS, "rotation": 0},
    }  # fmt: skip
    return {**told, **more}


def drawn(*all_axes: dict[str, Any], **more: Any) -> Image.Image:
    figure = {"size": [4, 3], "title": "", "axes": list(all_axes), **more}
    return Image.open(io.BytesIO(picture(figure))).convert("RGB")


def colours(image: Image.Image) -> set[tuple[int, ...]]:
    return {colour for _, colour in image.getcolors(1 << 24) or [] if isinstance(colour, tuple)}


def test_an_area_stands_where_its_numbers_say() -> None:
    left = {**AREA, "x": [0, 5, 5, 0], "y": [0, 0, 10, 10], "color": "red"}
    image = drawn(axes(left))
    assert image.size == (600, 450)
    assert image.getpixel((150, 225)) == (255, 0, 0) and image.getpixel((450, 225)) == (255, 255, 255)


def test_what_one_looks_through_is_laid_over_and_nothing_leaves_the_axes() -> None:
    below = {**AREA, "x": [-99, 99, 99, -99], "y": [-99, -99, 99, 99], "color": "blue"}
    above = {**below, "color": "red", "alpha": 0.5}
    image = drawn(axes(below, above))
    assert image.getpixel((300, 225)) == (128, 0, 127)
    assert image.getpixel((2, 2)) == (255, 255, 255)


def test_a_line_has_gaps_dashes_and_marks() -> None:
    whole = {**LINE, "x": [0, 10], "y": [5, 5], "color": "C0"}
    image = drawn(axes(whole))
    row = [image.getpixel((x, 225)) for x in range(50, 550)]
    assert set(row) == {(31, 119, 180)}
    image = drawn(axes({**whole, "style": "--"}))
    dashed = [image.getpixel((x, 225)) for x in range(50, 550)]
    assert 0.5 < sum(each == (31, 119, 180) for each in dashed) / len(dashed) < 0.8
    gap = {**whole, "x": [0, 3, None, 7, 10], "y": [5, 5, None, 5, 5]}
    assert drawn(axes(gap)).getpixel((300, 225)) == (255, 255, 255)
    marked = {**whole, "x": [5], "y": [5], "style": "", "marker": "o", "size": 20}
    assert drawn(axes(marked)).getpixel((300, 225)) == (31, 119, 180)


def test_a_line_that_leaves_the_picture_is_cut_there() -> None:
    began = time.process_time()
    far = {**LINE, "x": [0, 5, 5, 10], "y": [5, 5, 1e7, 1e7], "color": "red", "style": "--"}
    image = drawn(axes(far))
    assert time.process_time() - began < 5, "its dashes are not counted to the end: that took minutes"
    upwards = [image.getpixel((296, y)) for y in range(50, 200)]
    assert (255, 0, 0) in upwards and (255, 255, 255) in upwards
    assert image.getpixel((450, 225)) == (255, 255, 255)
    back = drawn(axes({**far, "x": [0, 5, 10], "y": [0, 1e6, 0], "style": "-"}))
    assert [back.getpixel((x, 100)) for x in (14, 300, 586)].count((255, 255, 255)) == 3
    assert (255, 0, 0) in [back.getpixel((x, 100)) for x in range(600)]


def test_cells_beyond_the_picture_are_not_made() -> None:
    cells = {"kind": "image", "rows": [[1, 1], [1, 0]], "map": "gray", "low": 0, "high": 1, "label": ""}
    extents = [0, 10, 0, 10], [-1000, 1000, -1000, 1000]
    image = drawn(axes(*({**cells, "alpha": None, "extent": each} for each in extents)))
    assert [image.getpixel((x, 225)) for x in (50, 300, 550)] == [(0, 0, 0)] * 3


def test_texts_a_legend_and_a_second_axis_are_written() -> None:
    texts = {"title": "Título", "xlabel": "Ось", "ylabel": "Größe"}
    line = {**LINE, "x": [0, 10], "y": [0, 10], "color": "green", "label": "growth"}
    first = axes(line, texts=texts, frame=True, lines_across="xy", key={"loc": "best", "title": "", "items": []})
    twin = axes({**line, "color": "red"}, frame=True, right=True)
    image = drawn(first, twin, title="All of it")
    assert {(0, 128, 0), (255, 0, 0), (38, 38, 38)} <= colours(image)
    strip = drawn(axes(line, strip={"low": 0, "high": 1, "map": "hot", "label": "heat"}))
    assert (255, 255, 0) in colours(strip)


def test_a_picture_of_numbers_has_its_first_row_where_the_axis_says() -> None:
    cells = {
        "kind": "image",
        "rows": [[0, 0], [1, 1]],
        "extent": [-0.5, 1.5, -0.5, 1.5],
        "map": "gray",
        "low": 0,
        "high": 1,
    }
    up = axes(cells | {"alpha": None, "label": ""}, equal=True)
    assert drawn(up).getpixel((300, 350)) == (0, 0, 0)
    down = {**up, "y": {**up["y"], "inverted": True}}
    assert drawn(down).getpixel((300, 100)) == (0, 0, 0)


@pytest.mark.parametrize(
    ("told", "colour"),
    [
        ("r", (255, 0, 0, 255)), ("C1", (255, 127, 14, 255)), ("tab:green", (44, 160, 44, 255)),
        ("0.5", (128, 128, 128, 255)),
        ("#00ff0080", (0, 255, 0, 128)), ([1, 0, 0], (255, 0, 0, 255)), ([0, 0, 1, 0.5], (0, 0, 255, 128)),
        (["gray", 1.0], (255, 255, 255, 255)), ("none", (0, 0, 0, 0)),
    ],
)  # fmt: skip
def test_colours_are_matplotlibs(told: object, colour: tuple[int, int, int, int]) -> None:
    assert colour_of(told) == colour


def test_maps_go_from_end_to_end_and_back() -> None:
    assert mapped("viridis", 0)[:3] == (68, 1, 84) and mapped("viridis_r", 1) == mapped("viridis", 0)
    assert mapped("of-nobody", 7) == mapped("viridis", 1)


def test_formulas_lose_their_marks_and_prices_do_not() -> None:
    assert plain(r"$\sin(x^2)$ of $x^{3}$") == "sin(x²) of x³"
    assert plain("Sales ($)") == "Sales ($)" and plain(r"\$5") == "$5"


def test_a_figure_of_a_mile_is_bounded() -> None:
    assert drawn(axes(), size=[1e9, 1e-9]).size == (2400, 300)
