"""What stands within axes: lines, points, areas, pictures and texts."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from app.tools.plots.colours import colour_of, mapped
from app.tools.plots.pen import POINT, Pen, Point
from app.tools.plots.scale import Scale

Told = dict[str, Any]
"""As `resources/python/plots` notes it."""

_FORMULA = re.compile(r"(?<!\\)\$([^$]*)(?<!\\)\$")


@dataclass(frozen=True, slots=True)
class Room:
    """Where axes stand on the picture, in its pixels, and what their sides mean."""

    left: float
    top: float
    right: float
    bottom: float
    x: Scale
    y: Scale

    def at(self, x: float, y: float) -> Point:
        across, up = self.x.at(x), self.y.at(y)
        return self.left + across * (self.right - self.left), self.bottom - up * (self.bottom - self.top)


class Items:
    def __init__(self, room: Room, pen: Pen) -> None:
        self.room = room
        self.pen = pen

    def draw(self, item: Told) -> None:
        match item["kind"]:
            case "line":
                self._draw_line(item)
            case "points":
                self._draw_points(item)
            case "area":
                points = [self.room.at(x, y) for x, y in points_of(item)]
                edge = colour_of(item["edge"]) if item["edge"] else None
                self.pen.area(points, colour_of(item["color"], item["alpha"]), edge)
            case "across":
                self._draw_across(item)
            case "image":
                self._draw_image(item)

    def _draw_line(self, item: Told) -> None:
        colour = colour_of(item["color"], item["alpha"])
        for run in _runs(item["x"], item["y"]):
            points = [self.room.at(*each) for each in run]
            self.pen.line(points, colour, float(item["width"]) * POINT, item["style"])
            for each in points if item["marker"] not in ("", "None") else ():
                self.pen.mark(each, item["marker"], float(item["size"]) * POINT, colour)

    def _draw_points(self, item: Told) -> None:
        sizes, looks = item["sizes"], item["colors"]
        sizes = sizes if isinstance(sizes, list) else [sizes]
        looks = [looks] if not isinstance(looks, list) or _is_colour(looks) else looks
        for number, (x, y) in enumerate(zip(item["x"], item["y"], strict=True)):
            if x is not None and y is not None:
                colour = colour_of(looks[number % len(looks)], item["alpha"])
                size = math.sqrt(abs(float(sizes[number % len(sizes)]))) * POINT
                self.pen.mark(self.room.at(x, y), item["marker"], size, colour)

    def _draw_across(self, item: Told) -> None:
        room, colour = self.room, colour_of(item["color"], item["alpha"])
        (left, top), (right, bottom) = self.room.at(item["low"], item["high"]), self.room.at(item["high"], item["low"])
        if item["axis"] == "x":
            top, bottom = room.top, room.bottom
        else:
            left, right = room.left, room.right
        if item["low"] == item["high"]:
            self.pen.line(((left, top), (right, bottom)), colour, float(item["width"]) * POINT, item["style"])
        else:
            self.pen.area([(left, top), (right, top), (right, bottom), (left, bottom)], colour, None)

    def _draw_image(self, item: Told) -> None:
        rows, low, span = item["rows"], item["low"], (item["high"] - item["low"]) or 1
        cells = Image.new("RGB", (len(rows[0]), len(rows)))
        cells.putdata([mapped(item["map"], (each - low) / span)[:3] for row in rows for each in row])
        left, right, bottom, top = item["extent"]
        (x0, y0), (x1, y1) = self.room.at(left, bottom), self.room.at(right, top)
        if y0 > y1:
            # The first row lies lowest.
            cells, y0, y1 = cells.transpose(Image.Transpose.FLIP_TOP_BOTTOM), y1, y0
        x1, y1 = max(x1, x0 + 1), max(y1, y0 + 1)
        # What lies within the picture alone: an extent may be far larger.
        left, top = max(0, round(x0)), max(0, round(y0))
        size = min(self.pen.image.width, round(x1)) - left, min(self.pen.image.height, round(y1)) - top
        if min(size) <= 0:
            return
        across, down = cells.width / (x1 - x0), cells.height / (y1 - y0)
        box = ((left - x0) * across, (top - y0) * down, (left + size[0] - x0) * across, (top + size[1] - y0) * down)
        box = max(0, box[0]), max(0, box[1]), min(cells.width, box[2]), min(cells.height, box[3])
        self.pen.image.paste(cells.resize(size, Image.Resampling.NEAREST, box), (left, top))

    def write(self, item: Told) -> None:
        room = self.room
        if item["x"] is None or item["y"] is None:
            return
        if item["within"]:
            at = room.left + item["x"] * (room.right - room.left), room.bottom - item["y"] * (room.bottom - room.top)
        else:
            at = self.room.at(item["x"], item["y"])
        right, up = item.get("offset", (0, 0))
        at = at[0] + right * POINT, at[1] - up * POINT
        if item.get("arrow"):
            self.pen.arrow(at, self.room.at(*item["arrow"]))
        across = {"center": "middle", "right": "right"}.get(item["ha"], "left")
        along = {"center": "middle", "top": "top"}.get(item["va"], "bottom")
        turn, colour = float(item["rotation"] or 0), colour_of(item["color"])
        self.pen.write(at, plain(item["text"]), 10, across=across, along=along, colour=colour, turn=turn)


def points_of(item: Told) -> Iterator[Point]:
    if item["kind"] in ("line", "points", "area"):
        for x, y in zip(item["x"], item["y"], strict=False):
            if x is not None and y is not None:
                yield x, y


def _is_colour(looks: Sequence[Any]) -> bool:
    return len(looks) in (3, 4) and all(isinstance(each, int | float) for each in looks)


def _runs(x: Sequence[float | None], y: Sequence[float | None]) -> Iterator[list[Point]]:
    """Of a line that has gaps."""
    run: list[Point] = []
    for one, other in zip(x, y, strict=True):
        if one is not None and other is not None:
            run.append((one, other))
        elif run:
            yield run
            run = []
    if run:
        yield run


def plain(text: Any) -> str:
    """Without the marks of TeX, where there are any: one dollar is a dollar."""
    return _FORMULA.sub(lambda found: _flat(found[1]), str(text)).replace("\\$", "$")


def _flat(formula: str) -> str:
    for sign, power in (("2", "²"), ("3", "³")):
        formula = re.sub(rf"\^(\{{{sign}\}}|{sign})", power, formula)
    return re.sub(r"[\\{}]", "", formula)
