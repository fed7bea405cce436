"""Lines, areas, marks and texts on a picture, in its pixels."""

import io
import itertools
import math
from collections.abc import Iterator, Sequence
from importlib.resources import files

from PIL import Image, ImageDraw, ImageFont

from app.tools.plots.colours import Colour

SHRINK = 2
"""How many pixels are drawn for one of the picture, which smooths its lines."""
UNIT = 1.5 * SHRINK
INCH, POINT = 100 * UNIT, 100 / 72 * UNIT
FRAME: Colour = (38, 38, 38, 255)
_OPAQUE = 255
_BEYOND = 100.0
"""Pixels around a picture in which lines are still drawn."""
_DASHES: dict[str, tuple[float, ...]] = {"-": (), "--": (6, 3), ":": (1.5, 2.5), "-.": (6, 3, 1.5, 3)}
_DASHES |= {"solid": (), "dashed": _DASHES["--"], "dotted": _DASHES[":"], "dashdot": _DASHES["-."]}
_CORNERS = {"s": 4, "D": 4, "d": 4, "^": 3, "v": 3, "<": 3, ">": 3, "p": 5, "h": 6, "*": 10}
_CROSSES = {"x": (((-1, -1), (1, 1)), ((-1, 1), (1, -1))), "+": (((-1, 0), (1, 0)), ((0, -1), (0, 1)))}

Point = tuple[float, float]


class Pen:
    """What one can look through is laid over what is there."""

    def __init__(self, image: Image.Image) -> None:
        """`image` is RGB."""
        self.image = image
        self.draw = ImageDraw.Draw(image, "RGBA")

    def line(self, points: Sequence[Point], colour: Colour, width: float, style: str = "-") -> None:
        """In matplotlib's styles; of any other, nothing."""
        if style not in _DASHES or len(points) < 2:
            return
        dashes = [each * max(width, POINT) for each in _DASHES[style]]
        mask, broad = Image.new("L", self.image.size) if colour[3] < _OPAQUE else None, max(1, round(width))
        # A line that crosses itself would be darker there.
        draw, ink = (ImageDraw.Draw(mask), colour[3]) if mask is not None else (self.draw, colour)
        for seen in _seen(points, self.image.size):
            for run in _dashed(seen, dashes) if dashes else (seen,):
                draw.line([*run], fill=ink, width=broad, joint="curve")
        if mask is not None:
            self.image.paste(colour[:3], (0, 0), mask)

    def area(self, points: Sequence[Point], colour: Colour, edge: Colour | None) -> None:
        if len(points) > 2:
            self.draw.polygon([*points], fill=colour)
            if edge is not None:
                self.line([*points, points[0]], edge, 0.8 * POINT)

    def mark(self, at: Point, marker: str, size: float, colour: Colour) -> None:
        (x, y), half, corners = at, max(size / 2, 1.0), _CORNERS.get(marker)
        if marker in _CROSSES:
            for a, b in _CROSSES[marker]:
                ends = (x + a[0] * half, y + a[1] * half), (x + b[0] * half, y + b[1] * half)
                self.line(ends, colour, 1.5 * POINT)
        elif corners is None:
            half = half / 2 if marker in (".", ",") else half
            self.draw.ellipse((x - half, y - half, x + half, y + half), fill=colour)
        else:
            first = {"s": 45, "v": 90, "<": 180, ">": 0}.get(marker, -90)
            reach = [half * (1.2 if corners < 10 or n % 2 == 0 else 0.5) for n in range(corners)]
            turns = [math.radians(first + 360 * n / corners) for n in range(corners)]
            points = [(x + r * math.cos(a), y + r * math.sin(a)) for r, a in zip(reach, turns, strict=True)]
            self.draw.polygon(points, fill=colour)

    def arrow(self, start: Point, end: Point) -> None:
        turn = math.atan2(end[1] - start[1], end[0] - start[0])
        self.line((start, end), FRAME, POINT)
        sides, reach = (turn + 0.4, turn - 0.4), 6 * POINT
        wings = [(end[0] - reach * math.cos(side), end[1] - reach * math.sin(side)) for side in sides]
        self.draw.polygon([end, *wings], fill=FRAME)

    def width(self, text: str, size: float) -> float:
        return max((_font(size).getlength(line) for line in text.split("\n")), default=0)

    def write(
        self, at: Point, text: str, size: float, *, across: str, along: str, colour: Colour = FRAME, turn: float = 0
    ) -> None:
        """`across` and `along` say which part of the text stands at `at`."""
        font = _font(size)
        _, top, right, bottom = self.draw.multiline_textbbox((0, 0), text, font=font)
        wide, high = math.ceil(right) + 2, math.ceil(bottom) + 2
        made = Image.new("L", (max(1, wide), max(1, high)))
        ImageDraw.Draw(made).multiline_text((0, 0), text, font=font, fill=255, align="center")
        made = made.rotate(turn, expand=True) if turn else made
        x = at[0] - {"left": 0, "middle": made.width / 2, "right": made.width}[across]
        above = 0 if turn else top / 2
        y = at[1] - {"top": above, "middle": made.height / 2 + above, "bottom": made.height}[along]
        self.image.paste(colour[:3], (round(x), round(y)), made)


_fonts: dict[float, ImageFont.FreeTypeFont] = {}


def _font(size: float) -> ImageFont.FreeTypeFont:
    """In points."""
    if size not in _fonts:
        with files("ziafont.fonts").joinpath("DejaVuSans.ttf").open("rb") as file:
            _fonts[size] = ImageFont.truetype(io.BytesIO(file.read()), round(size * POINT))
    return _fonts[size]


def _seen(points: Sequence[Point], size: Point) -> Iterator[list[Point]]:
    """Of a line what is on a picture of that size, or near it: a line to far away would have dashes without end."""
    run: list[Point] = []
    for start, end in itertools.pairwise(points):
        cut = _cut(start, end, size)
        if run and (cut is None or cut[0] != run[-1]):
            yield run
            run = []
        if cut is not None:
            run += cut[1:] if run else cut
    if run:
        yield run


def _cut(start: Point, end: Point, size: Point) -> tuple[Point, Point] | None:
    first, last = 0.0, 1.0
    for begin, stop, most in zip(start, end, size, strict=True):
        if begin == stop:
            if not -_BEYOND <= begin <= most + _BEYOND:
                return None
        else:
            near, far = sorted((edge - begin) / (stop - begin) for edge in (-_BEYOND, most + _BEYOND))
            first, last = max(first, near), min(last, far)
    if first > last:
        return None
    way = end[0] - start[0], end[1] - start[1]
    at = [(start[0] + way[0] * share, start[1] + way[1] * share) for share in (first, last)]
    return start if first == 0 else at[0], end if last == 1 else at[1]


def _dashed(points: Sequence[Point], lengths: Sequence[float]) -> Iterator[list[Point]]:
    place, left, run = 0, lengths[0], [points[0]] if points else []
    for start, end in itertools.pairwise(points):
        whole = rest = math.dist(start, end)
        while rest > left:
            rest -= left
            share = 1 - rest / whole
            at = start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share
            if place % 2 == 0:
                yield [*run, at]
            place, run = place + 1, [at]
            left = lengths[place % len(lengths)]
        left -= rest
        run.append(end)
    if place % 2 == 0 and len(run) > 1:
        yield run
