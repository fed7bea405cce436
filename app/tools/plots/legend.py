"""The legend of axes."""

from collections.abc import Sequence

from app.tools.plots.colours import Colour, colour_of
from app.tools.plots.items import Room, Told, plain, points_of
from app.tools.plots.pen import POINT, Pen, Point

_GROUND: Colour = (255, 255, 255, 215)
_EDGE: Colour = (204, 204, 204, 255)
_LINE = 15 * POINT


def draw_legend(told: Told, items: Sequence[Told], room: Room, pen: Pen) -> None:
    """Where the code says it, or in the corner that hides least."""
    named = [
        (each, plain(each.get("named") or each["label"])) for each in told["items"] or items if each["kind"] != "text"
    ]
    entries = [(each, name) for each, name in named if name and not name.startswith("_")]
    if not entries:
        return
    wide = max(pen.width(name, 9) for _, name in entries) + 42 * POINT
    high = _LINE * (len(entries) + bool(told["title"])) + 8 * POINT
    left, top = _place(str(told["loc"]), wide, high, room, items)
    pen.area(_box(left, top, left + wide, top + high), _GROUND, _EDGE)
    y = top + 4 * POINT + _LINE / 2
    if told["title"]:
        pen.write((left + wide / 2, y), plain(told["title"]), 9, across="middle", along="middle")
        y += _LINE
    for item, name in entries:
        _draw_sample(item, (left + 8 * POINT, left + 30 * POINT), y, pen)
        pen.write((left + 36 * POINT, y), name, 9, across="left", along="middle")
        y += _LINE


def _draw_sample(item: Told, ends: tuple[float, float], y: float, pen: Pen) -> None:
    colour = colour_of(item["color"], item["alpha"])
    if item["kind"] == "area" or (item["kind"] == "across" and item["low"] != item["high"]):
        pen.area(_box(ends[0], y - 4 * POINT, ends[1], y + 4 * POINT), colour, None)
    elif "style" in item:
        pen.line(((ends[0], y), (ends[1], y)), colour, float(item["width"]) * POINT, item["style"])
    if item.get("marker"):
        pen.mark(((ends[0] + ends[1]) / 2, y), item["marker"], 6 * POINT, colour)


def _box(left: float, top: float, right: float, bottom: float) -> list[Point]:
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def _place(loc: str, wide: float, high: float, room: Room, items: Sequence[Told]) -> Point:
    gap = 6 * POINT
    xs = {"right": room.right - wide - gap, "left": room.left + gap, "center": (room.left + room.right - wide) / 2}
    ys = {"upper": room.top + gap, "lower": room.bottom - high - gap, "center": (room.top + room.bottom - high) / 2}
    places = {f"{up} {side}": (x, y) for up, y in ys.items() for side, x in xs.items()}
    places["center"] = places["center center"]
    if loc in places:
        return places[loc]
    points = [room.at(x, y) for each in items for x, y in points_of(each)]

    def covered(name: str) -> int:
        left, top = places[name]
        return sum(left <= x <= left + wide and top <= y <= top + high for x, y in points)

    return places[min(("upper right", "upper left", "lower left", "lower right"), key=covered)]
