"""Plots as pictures: what `resources/python/plots` noted, drawn with Pillow. For the child that runs Python.

What was noted comes out of the sandbox, so it may be anything: sizes are bounded here, and all else may raise.
"""

import io
import math
from collections.abc import Iterable, Iterator, Sequence

from PIL import Image

from app.tools.plots.colours import Colour, mapped
from app.tools.plots.items import Items, Room, Told, plain, points_of
from app.tools.plots.legend import draw_legend
from app.tools.plots.pen import FRAME, INCH, POINT, SHRINK, Pen
from app.tools.plots.scale import Scale, scale_of, ticks_of

_SIZES = (2.0, 16.0)
"""Inches."""
_FAINT: Colour = (208, 208, 208, 255)
_THIN, _DASH = 0.8 * POINT, 3.5 * POINT
Tick = tuple[float, str]
_Cell = tuple[float, float, float, float]


def picture(figure: Told) -> bytes:
    """A PNG. Raises anything for what can't be drawn."""
    wide, high = (min(max(float(each), _SIZES[0]), _SIZES[1]) * INCH for each in figure["size"])
    image = Image.new("RGB", (round(wide), round(high)), "white")
    pen, top = Pen(image), 0.0
    if title := plain(figure["title"]):
        pen.write((wide / 2, 10 * POINT), title, 13, across="middle", along="middle")
        top = 22 * POINT
    rooms: dict[str, Room] = {}
    for axes in figure["axes"]:
        row, column, tall, broad = (float(each) for each in axes["place"])
        cell = (column * wide, top + row * (high - top), (column + broad) * wide, top + (row + tall) * (high - top))
        name = str(axes["place"])
        rooms[name] = _Plot(axes, pen, cell, figure["axes"], rooms.get(name)).draw()
    small = image.resize((round(wide / SHRINK), round(high / SHRINK)), Image.Resampling.BOX)
    made = io.BytesIO()
    small.save(made, "PNG", optimize=True)
    return made.getvalue()


class _Plot:
    """Axes. `first` is the room of those that they are put upon, with a side of their own."""

    def __init__(self, axes: Told, pen: Pen, cell: _Cell, all_axes: Sequence[Told], first: Room | None) -> None:
        self._axes = axes
        self._pen = pen
        self._cell = cell
        self._beside = [each for each in all_axes if each["place"] == axes["place"]]
        x, y = self._scales()
        shown = axes["frame"]
        left, top, right, bottom = cell
        self._x_ticks = (
            ticks_of(axes["x"], x, max(2, round((right - left) / INCH / 0.8))) if shown and not first else []
        )
        self._y_ticks = ticks_of(axes["y"], y, max(2, round((bottom - top) / INCH / 0.6))) if shown else []
        self._turn = self._turned(right - left)
        place = (first.left, first.top, first.right, first.bottom) if first else self._place(x, y)
        self._room = Room(*place, first.x if first else x, y)
        self._is_first = first is None

    def draw(self) -> Room:
        axes, pen, room = self._axes, self._pen, self._room
        self._draw_grid()
        # What lies beyond the axes is cut off.
        inner = Pen(pen.image.copy())
        items = Items(room, inner)
        for item in axes["items"]:
            items.draw(item)
        box = round(room.left), round(room.top), round(room.right), round(room.bottom)
        pen.image.paste(inner.image.crop(box), box[:2])
        if axes["frame"] and self._is_first:
            pen.draw.rectangle(box, outline=FRAME, width=round(_THIN))
        for item in axes["items"]:
            if item["kind"] == "text":
                Items(room, pen).write(item)
        self._write_sides()
        if axes["strip"]:
            self._draw_strip(axes["strip"])
        if axes["key"] is not None:
            draw_legend(axes["key"], axes["items"], room, pen)
        return room

    def _scales(self) -> tuple[Scale, Scale]:
        axes, made = self._axes, []
        image = next((each["extent"] for each in axes["items"] if each["kind"] == "image"), None)
        for name, of, sides in (("x", self._beside, slice(0, 2)), ("y", [axes], slice(2, 4))):
            told = axes[name] if image is None else {**axes[name], "limits": image[sides]}
            made.append(scale_of(told, _values(of, name), from_zero=_rests(of, name)))
        return made[0], made[1]

    def _turned(self, wide: float) -> float:
        """Degrees by which what is written below the axes is turned: as the code says it, or because of its length."""
        widest = max((self._pen.width(plain(label), 10) for _, label in self._x_ticks), default=0)
        is_long = widest * len(self._x_ticks) > wide * 0.85
        return float(self._axes["x"]["rotation"] or 0) or (45.0 if is_long else 0.0)

    def _place(self, x: Scale, y: Scale) -> _Cell:
        axes, pen, gap = self._axes, self._pen, 14 * POINT
        left, top, right, bottom = self._cell
        if axes["frame"]:
            left += max((pen.width(plain(label), 10) for _, label in self._y_ticks), default=0) + gap
            left += 16 * POINT if axes["texts"]["ylabel"] else 0
            widest = max((pen.width(plain(label), 10) for _, label in self._x_ticks), default=0)
            bottom -= widest * abs(math.sin(math.radians(self._turn))) + 22 * POINT
            bottom -= gap if axes["texts"]["xlabel"] else 0
        else:
            left, bottom = left + gap, bottom - gap
        top += 26 * POINT if any(each["texts"]["title"] for each in self._beside) else gap
        right -= 70 * POINT if axes["strip"] or len(self._beside) > 1 else 18 * POINT
        right, bottom = max(right, left + gap), max(bottom, top + gap)
        if not axes["equal"]:
            return left, top, right, bottom
        # One unit of x is as long as one of y.
        unit = min((right - left) / (x.high - x.low), (bottom - top) / (y.high - y.low))
        wide, high = unit * (x.high - x.low), unit * (y.high - y.low)
        left, top = (left + right - wide) / 2, (top + bottom - high) / 2
        return left, top, left + wide, top + high

    def _draw_grid(self) -> None:
        room, lines = self._room, self._axes["lines_across"]
        for at, _ in self._x_ticks if "x" in lines else ():
            x, _ = room.at(at, room.y.low)
            self._pen.line(((x, room.top), (x, room.bottom)), _FAINT, _THIN)
        for at, _ in self._y_ticks if "y" in lines else ():
            _, y = room.at(room.x.low, at)
            self._pen.line(((room.left, y), (room.right, y)), _FAINT, _THIN)

    def _write_sides(self) -> None:
        room, pen, texts = self._room, self._pen, {name: plain(each) for name, each in self._axes["texts"].items()}
        middle = (room.left + room.right) / 2, (room.top + room.bottom) / 2
        for at, label in self._x_ticks:
            x, _ = room.at(at, room.y.low)
            pen.line(((x, room.bottom), (x, room.bottom + _DASH)), FRAME, _THIN)
            across = "right" if 0 < self._turn % 180 < 80 else "middle"
            pen.write((x, room.bottom + 5 * POINT), plain(label), 10, across=across, along="top", turn=self._turn)
        side, sign, across = (room.right, 1, "left") if self._axes["right"] else (room.left, -1, "right")
        for at, label in self._y_ticks:
            _, y = room.at(room.x.low, at)
            pen.line(((side, y), (side + sign * _DASH, y)), FRAME, _THIN)
            pen.write((side + sign * 5 * POINT, y), plain(label), 10, across=across, along="middle")
        if texts["ylabel"]:
            widest = max((pen.width(plain(label), 10) for _, label in self._y_ticks), default=0)
            at_side = side + sign * (widest + 15 * POINT), middle[1]
            pen.write(at_side, texts["ylabel"], 10, across="middle", along="middle", turn=90)
        if texts["xlabel"]:
            pen.write((middle[0], self._cell[3] - 5 * POINT), texts["xlabel"], 10, across="middle", along="bottom")
        if texts["title"]:
            pen.write((middle[0], room.top - 6 * POINT), texts["title"], 12, across="middle", along="bottom")

    def _draw_strip(self, strip: Told) -> None:
        """Which colours mean what."""
        room, pen, high = self._room, self._pen, self._room.bottom - self._room.top
        left, right = room.right + 10 * POINT, room.right + 22 * POINT
        for step in range(64):
            box = (left, room.top + high * step / 64, right, room.top + high * (step + 1) / 64)
            pen.draw.rectangle(box, fill=mapped(strip["map"], 1 - step / 63))
        scale = Scale(strip["low"], max(strip["high"], strip["low"] + 1e-9))
        for at, label in ticks_of({"ticks": None, "labels": None, "dates": False}, scale, 5):
            pen.write((right + 3 * POINT, room.bottom - scale.at(at) * high), label, 9, across="left", along="middle")
        if strip["label"]:
            at_side = right + 40 * POINT, room.top + high / 2
            pen.write(at_side, plain(strip["label"]), 9, across="middle", along="middle", turn=90)


def _values(axes: Iterable[Told], axis: str) -> Iterator[float]:
    for item in (item for each in axes for item in each["items"]):
        yield from (x if axis == "x" else y for x, y in points_of(item))
        if item["kind"] == "across" and item["axis"] == axis:
            yield from (item["low"], item["high"])


def _rests(axes: Iterable[Told], axis: str) -> bool:
    """Whether bars and areas stand on zero of that axis: then there is no air below them."""
    areas = [item for each in axes for item in each["items"] if item["kind"] == "area"]
    return any(0 in item[axis] for item in areas)
