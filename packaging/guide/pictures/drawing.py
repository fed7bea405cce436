"""Outlines of simple shapes, and how they are painted."""

import math
import random
from functools import cache

from PIL import Image, ImageDraw

from guide.pictures.colours import RGB

Point = tuple[float, float]
SHAPES = (
    "circle",
    "square",
    "triangle",
    "rectangle",
    "star",
    "heart",
    "cross",
    "ring",
    "diamond",
    "line",
    "arrow",
)
"""A grid's shape id is the index plus one, 0 is background."""

THIN = ("line", "ring", "arrow")
RING_HOLE = 0.56
_TURN: dict[str, float] = {"square": 11, "rectangle": 11, "heart": 18, "cross": 11, "diamond": 7, "triangle": 18}


def random_rotation(rng: random.Random, shape: str) -> float:
    """Degrees by which a shape can be turned and still keep its name: a square on its tip would be a diamond."""
    quarter = 0
    if shape in ("rectangle", "line", "arrow") or (shape == "triangle" and rng.random() < 0.3):
        quarter = rng.randrange(4) * 90
    if shape == "line":
        return quarter + rng.choice((0, 45)) + rng.uniform(-10, 10)
    if rng.random() < 0.4 and shape != "star":
        return quarter
    limit = _TURN.get(shape, 14 if shape == "arrow" else 180)
    return quarter + rng.uniform(-limit, limit)


@cache
def unit_outline(shape: str, squash: float) -> tuple[Point, ...]:
    """Corners of a shape within the circle of radius 1, y downwards; `squash`, 0 to 1, varies its proportions."""
    if shape in ("circle", "ring"):
        return tuple((math.cos(i * math.tau / 48), math.sin(i * math.tau / 48)) for i in range(48))
    if shape == "square":
        return ((-0.8, -0.8), (0.8, -0.8), (0.8, 0.8), (-0.8, 0.8))
    if shape == "rectangle":
        high = 0.34 + 0.16 * squash
        return ((-0.92, -high), (0.92, -high), (0.92, high), (-0.92, high))
    if shape == "line":
        high = 0.06 + 0.03 * squash
        return ((-1, -high), (1, -high), (1, high), (-1, high))
    if shape == "triangle":
        wide = 0.75 + 0.2 * squash
        return ((0, -0.95), (wide, 0.75), (-wide, 0.75))
    if shape == "diamond":
        wide = 0.62 + 0.2 * squash
        return ((0, -1), (wide, 0), (0, 1), (-wide, 0))
    if shape == "star":
        inner = 0.38 + 0.06 * squash
        return tuple(
            (radius * math.sin(i * math.pi / 5), -radius * math.cos(i * math.pi / 5))
            for i in range(10)
            for radius in ((inner if i % 2 else 1.0),)
        )
    if shape == "heart":  # the well-known curve 16 sin^3 t, 13 cos t - 5 cos 2t - 2 cos 3t - cos 4t
        steps = [i * math.tau / 48 for i in range(48)]
        return tuple(
            (
                0.95 * math.sin(t) ** 3,
                -(13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)) / 17 - 0.12,
            )
            for t in steps
        )
    if shape == "cross":
        arm = 0.22 + 0.1 * squash
        quarter = ((-arm, -0.95), (arm, -0.95), (arm, -arm))
        return tuple(_turned(corner, 90 * i) for i in range(4) for corner in quarter)
    if shape == "arrow":
        shaft, head, neck = 0.13 + 0.07 * squash, 0.5 + 0.1 * squash, 0.15
        return ((-1, -shaft), (neck, -shaft), (neck, -head), (1, 0), (neck, head), (neck, shaft), (-1, shaft))
    raise ValueError(f"no such shape: {shape}")


def _turned(point: Point, degrees: float) -> Point:
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return point[0] * cosine - point[1] * sine, point[0] * sine + point[1] * cosine


def outline(shape: str, centre: Point, radius: float, rotation: float, squash: float) -> list[Point]:
    """Corners in pixels of a shape within the circle of `radius` about `centre`; `rotation` in degrees, clockwise."""
    cosine, sine = radius * math.cos(math.radians(rotation)), radius * math.sin(math.radians(rotation))
    return [
        (centre[0] + x * cosine - y * sine, centre[1] + x * sine + y * cosine) for x, y in unit_outline(shape, squash)
    ]


def draw_outline(
    draw: ImageDraw.ImageDraw, shape: str, corners: list[Point], radius: float, stroke: float, ink: int, hole: int
) -> None:
    """Fills a shape, or draws its line when `stroke` (part of the radius) is not 0; `hole` is a ring's inside."""
    if stroke:
        width = max(2, round(stroke * radius))
        draw.line([*corners, *corners[:2]], fill=ink, width=width, joint="curve")
        return
    draw.polygon(corners, fill=ink)
    if shape == "ring":
        x = sum(corner[0] for corner in corners) / len(corners)
        y = sum(corner[1] for corner in corners) / len(corners)
        draw.polygon([(x + RING_HOLE * (a - x), y + RING_HOLE * (b - y)) for a, b in corners], fill=hole)


def paint(
    picture: Image.Image,
    shape: str,
    centre: Point,
    radius: float,
    *,
    rotation: float,
    squash: float,
    stroke: float,
    inks: tuple[RGB, RGB],
) -> None:
    """Paints an antialiased shape; the colour runs from the first ink at its top to the second at its bottom."""
    finer = 3 if radius < 90 else 2
    left, top = math.floor(centre[0] - radius * 1.1), math.floor(centre[1] - radius * 1.1)
    side = math.ceil(radius * 2.2) + 2
    mask = Image.new("L", (side * finer, side * finer))
    corners = outline(shape, ((centre[0] - left) * finer, (centre[1] - top) * finer), radius * finer, rotation, squash)
    draw_outline(ImageDraw.Draw(mask), shape, corners, radius * finer, stroke, 255, 0)
    mask = mask.reduce(finer)
    if inks[0] == inks[1]:
        picture.paste(inks[0], (left, top, left + side, top + side), mask)
    else:
        picture.paste(gradient((side, side), *inks), (left, top), mask)


def gradient(size: tuple[int, int], start: RGB, end: RGB, *, sideways: bool = False) -> Image.Image:
    """A picture that runs from one colour to another, downwards or to the right."""
    strip = Image.new("RGB", (2, 1) if sideways else (1, 2), start)
    strip.putpixel((1, 0) if sideways else (0, 1), end)
    box = (0.5, 0.0, 1.5, 1.0) if sideways else (0.0, 0.5, 1.0, 1.5)
    return strip.resize(size, Image.Resampling.BILINEAR, box=box)
