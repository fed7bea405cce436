"""Drawings of a few simple shapes before a plain background, with all that can be said about them."""

import io
import math
import random
from collections import Counter
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from guide.pictures.colours import COLOURS, RGB, TINTS, base_colour, contrasts, shade
from guide.pictures.drawing import SHAPES, THIN, draw_outline, gradient, outline, paint, random_rotation

__all__ = ["COLOURS", "INPUT", "PATCHES", "SHAPES", "Background", "Item", "Scene", "compose", "render", "scene"]

INPUT = 128
"""Pixels of a side of the network's square input."""
PATCHES = 8
Row = Literal["top", "", "bottom"]
Column = Literal["left", "", "right"]
Cell = tuple[Row, Column]

CELLS: tuple[Cell, ...] = tuple((row, column) for row in ("top", "", "bottom") for column in ("left", "", "right"))


@dataclass(frozen=True)
class Item:
    shape: str
    colour: str
    inks: tuple[RGB, RGB]
    """At the top and at the bottom; mostly equal."""
    x: float
    y: float
    """The centre, as parts of the picture's width and height."""
    radius: float
    """As a part of the picture's longer side."""
    rotation: float = 0
    squash: float = 0.5
    stroke: float = 0
    """Width of an outline as a part of the radius; 0 when filled."""

    @property
    def cell(self) -> Cell:
        """Where it is, in thirds of the picture; an empty word is the middle."""
        row: Row = "top" if self.y < 0.375 else "bottom" if self.y > 0.625 else ""
        column: Column = "left" if self.x < 0.375 else "right" if self.x > 0.625 else ""
        return row, column


@dataclass(frozen=True)
class Background:
    name: str
    """One of COLOURS or TINTS."""
    inks: tuple[RGB, RGB]
    sideways: bool = False
    noise: float = 0
    """Standard deviation, in steps of 255."""


@dataclass(frozen=True)
class Scene:
    image: Image.Image
    """RGB."""
    objects: tuple[Item, ...]
    background: Background

    def owners(self) -> NDArray[np.int64]:
        """What the patches [8, 8] of the input show, the picture centred in a square of padding: 0 is padding, 1 the
        background, k + 2 object k.

        A patch is the object that covers most of it, from 35 % on (15 % for outlines, rings, lines and arrows);
        an object has the patch that it covers most in any case.
        """
        width, height = self.image.size
        scale = INPUT / max(width, height)
        left, top = (INPUT - width * scale) / 2, (INPUT - height * scale) / 2
        canvas = Image.new("L", (INPUT, INPUT))
        draw = ImageDraw.Draw(canvas)
        draw.rectangle((left, top, INPUT - left - 1, INPUT - top - 1), fill=1)
        for number, item in enumerate(self.objects, 2):
            centre, radius = (left + item.x * width * scale, top + item.y * height * scale), item.radius * INPUT
            corners = outline(item.shape, centre, radius, item.rotation, item.squash)
            draw_outline(draw, item.shape, corners, radius, item.stroke, number, 1)
        size = INPUT // PATCHES
        cells = np.asarray(canvas).reshape(PATCHES, size, PATCHES, size).transpose(0, 2, 1, 3).reshape(-1, size * size)
        shares = np.stack([(cells == number).mean(1) for number in range(len(self.objects) + 2)])
        needed = [0.15 if item.stroke or item.shape in THIN else 0.35 for item in self.objects]
        enough = shares[2:] >= np.array(needed).reshape(-1, 1)
        enough[np.arange(len(self.objects)), shares[2:].argmax(1)] = True
        shares[2:][~enough] = 0
        owner: NDArray[np.int64] = shares[:2].argmax(0)
        if self.objects:
            owner = np.where(shares[2:].max(0) > 0, shares[2:].argmax(0) + 2, owner)
        return owner.reshape(PATCHES, PATCHES)

    def grid(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Shape ids and colour ids [8, 8] of the patches of the input."""
        owner = self.owners()
        shapes = np.array([0, 0, *(SHAPES.index(item.shape) + 1 for item in self.objects)])
        ground = COLOURS.index(base_colour(self.background.name)) + 1
        colours = np.array([0, ground, *(COLOURS.index(item.colour) + 1 for item in self.objects)])
        return shapes[owner], colours[owner]

    def cells(self) -> NDArray[np.int64]:
        """In which third of the picture each patch [8, 8] has its object's centre: an index of CELLS and one, or 0."""
        return np.array([0, 0, *(CELLS.index(item.cell) + 1 for item in self.objects)])[self.owners()]

    def counts(self, shapes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of each patch of `grid`'s shapes, how many of its shape there are; elsewhere, how many objects in all."""
        found = Counter(item.shape for item in self.objects)
        return np.array([len(self.objects), *(found[shape] for shape in SHAPES)])[shapes]


def scene(rng: random.Random, *, held_out: bool = False) -> Scene:
    """A random scene of none to six shapes; `held_out` takes the shades that training never shows."""
    count = rng.choices(range(7), (3, 34, 23, 14, 10, 8, 8))[0]
    cell = rng.choice(CELLS) if count == 1 and rng.random() < 0.6 else None
    return compose(rng, count, cell=cell, held_out=held_out)


def compose(
    rng: random.Random,
    count: int,
    *,
    equal: bool | None = None,
    cell: Cell | None = None,
    shape: str | None = None,
    colour: str | None = None,
    background: str | None = None,
    held_out: bool = False,
) -> Scene:
    """A scene of `count` shapes: all alike with `equal`, the first with the shape, colour and cell asked for.

    `colour` and the base of `background` must differ.
    """
    size = random_size(rng)
    ground = random_background(rng, background, avoid=colour, held_out=held_out)
    if equal is None:
        equal = rng.random() < (0.2 if count == 2 else 0.65)
    kinds = _kinds(rng, count, equal, shape, colour, ground, held_out)
    spots = _spots(rng, count, cell, size)
    items = []
    for (kind, name, inks), (x, y, radius) in zip(kinds, spots, strict=True):
        outlined = rng.random() < 0.15 and kind not in THIN and radius > 0.12
        # A circle's line stays far thinner than a ring.
        stroke = (rng.uniform(0.1, 0.14) if kind == "circle" else rng.uniform(0.12, 0.24)) if outlined else 0
        turn = random_rotation(rng, kind)
        items.append(Item(kind, name, inks, x, y, radius, turn, round(rng.random(), 1), stroke))
    return render(rng, tuple(items), ground, size)


def render(rng: random.Random, objects: tuple[Item, ...], background: Background, size: tuple[int, int]) -> Scene:
    """Paints a scene of the given size (width, height) in pixels; `rng` decides on noise and compression."""
    width, height = size
    start, end = background.inks
    if start == end:
        picture = Image.new("RGB", size, start)
    else:
        picture = gradient(size, start, end, sideways=background.sideways)
    if background.noise:
        picture = add_noise(rng, picture, background.noise)
    side = max(size)
    for item in objects:
        paint(
            picture,
            item.shape,
            (item.x * width, item.y * height),
            item.radius * side,
            rotation=item.rotation,
            squash=item.squash,
            stroke=item.stroke,
            inks=item.inks,
        )
    if rng.random() < 0.2:
        picture = compressed(picture, rng.randint(60, 95))
    return Scene(picture, objects, background)


def random_size(rng: random.Random) -> tuple[int, int]:
    """Width and height in pixels, from 64 to 1200, mostly 128 to 300, no side more than twice the other."""
    draw = rng.random()
    side = rng.randint(128, 300) if draw < 0.9 else rng.randint(64, 128) if draw < 0.965 else rng.randint(300, 1200)
    if rng.random() < 0.4:
        return side, side
    other = max(round(side * rng.uniform(0.5, 1)), 64)
    return (side, other) if rng.random() < 0.6 else (other, side)


def random_background(
    rng: random.Random, name: str | None = None, *, avoid: str | None = None, held_out: bool = False
) -> Background:
    while name is None:
        draw = rng.random()
        chosen = "white" if draw < 0.3 else "black" if draw < 0.45 else rng.choice(COLOURS if draw < 0.8 else TINTS)
        if avoid is None or base_colour(chosen) != avoid:
            name = chosen
    start = shade(rng, name, held_out=held_out)
    end = shade(rng, name, held_out=held_out) if rng.random() < 0.3 else start
    noise = rng.uniform(1.5, 7) if rng.random() < 0.2 else 0.0
    return Background(name, (start, end), rng.random() < 0.4, noise)


def add_noise(rng: random.Random, picture: Image.Image, deviation: float) -> Image.Image:
    """The picture with grain in every pixel; a coarse tile of it is repeated, which is fast and not seen."""
    width, height = picture.size
    grain = np.random.default_rng(rng.getrandbits(32)).normal(0, deviation, (64, 64, 3)).astype(np.int16)
    tiled = np.tile(grain, (height // 64 + 1, width // 64 + 1, 1))[:height, :width]
    return Image.fromarray(np.clip(np.asarray(picture).astype(np.int16) + tiled, 0, 255).astype(np.uint8))


def compressed(picture: Image.Image, quality: int) -> Image.Image:
    """The picture after a turn as a JPEG file."""
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=quality)
    return Image.open(file).convert("RGB")


Kind = tuple[str, str, tuple[RGB, RGB]]


def _kinds(
    rng: random.Random,
    count: int,
    equal: bool,
    shape: str | None,
    colour: str | None,
    ground: Background,
    held_out: bool,
) -> list[Kind]:
    first = _kind(rng, ground, [], shape, colour, held_out, thin=count <= 3)
    if equal:
        return [first] * count
    if count <= 3:
        kinds: list[Kind] = [first]
        while len(kinds) < count:
            kinds.append(_kind(rng, ground, kinds, None, None, held_out))
        return kinds[:count]
    second = _kind(rng, ground, [first], None, None, held_out, thin=False)
    share = rng.randint(1, count - 1)
    return [first] * share + [second] * (count - share)


def _kind(
    rng: random.Random,
    ground: Background,
    taken: list[Kind],
    shape: str | None,
    colour: str | None,
    held_out: bool,
    *,
    thin: bool = True,
) -> Kind:
    """A shape that no other has, in a colour that is seen before the background and differs from the others'."""
    if shape is None:
        free = [name for name in SHAPES if name not in {kind[0] for kind in taken}]
        shape = rng.choices(free, [0.5 * thin if name in ("line", "arrow") else 1 for name in free])[0]
    least = 330.0 if shape == "line" else 190.0
    known = {kind[1] for kind in taken}
    while True:
        name = colour or rng.choice(COLOURS)
        ink = shade(rng, name, held_out=held_out)
        apart = all(name == kind[1] or contrasts(ink, kind[2], 120) for kind in taken)
        seen = name != base_colour(ground.name) and contrasts(ink, ground.inks, least)
        if apart and seen and (name not in known or rng.random() < 0.25):
            break
        least *= 0.997  # a colour that was asked for may have little contrast
    other = shade(rng, name, held_out=held_out) if rng.random() < 0.12 else ink
    return shape, name, (ink, other if contrasts(other, ground.inks, least) else ink)


Spot = tuple[float, float, float]


def _spots(rng: random.Random, count: int, cell: Cell | None, size: tuple[int, int]) -> list[Spot]:
    width, height = size[0] / max(size), size[1] / max(size)
    short = min(width, height)
    if count == 0:
        return []
    if count == 1:
        where = cell or (("", "") if rng.random() < 0.35 else rng.choice(CELLS))
        most = 0.46 * short if where == ("", "") else 0.27 * short
        return [_spot(rng, where, rng.uniform(max(0.1, 0.14 * short), max(most, 0.11)), width, height)]
    if count <= 3:
        cells = _few_cells(rng, count, cell, width, height)
        most = (0.21 if count == 2 else 0.13) * short
        radius = rng.uniform(0.085, max(most, 0.095)) if count == 2 else rng.uniform(0.075, max(most, 0.085))
        spots = [_spot(rng, where, radius * rng.uniform(0.92, 1.08), width, height, 0.22) for where in cells]
        gap = min(
            math.hypot((one[0] - other[0]) * width, (one[1] - other[1]) * height)
            for number, one in enumerate(spots)
            for other in spots[:number]
        )
        return [(x, y, min(radius, 0.48 * gap)) for x, y, radius in spots]
    return _many_spots(rng, count, width, height)


def _few_cells(rng: random.Random, count: int, cell: Cell | None, width: float, height: float) -> list[Cell]:
    side_by_side: list[Cell] = [("", "left"), ("", ""), ("", "right")]
    stacked: list[Cell] = [("top", ""), ("", ""), ("bottom", "")]
    narrow = min(width, height) < 0.75
    row = side_by_side if (width > height if narrow else rng.random() < 0.6) else stacked
    if cell is not None:
        others = [other for other in CELLS if other != cell]
        if narrow:  # apart along the longer side
            others = [other for other in others if other[width > height] != cell[width > height]]
        if not narrow or count == 2:
            return [cell, *rng.sample(others, count - 1)]
    if narrow or rng.random() < 0.7:
        return row if count == 3 else [row[0], row[2]]
    return rng.sample(CELLS, count)


def _spot(rng: random.Random, cell: Cell, radius: float, width: float, height: float, furthest: float = 0.27) -> Spot:
    """A place well inside its third, where the whole shape is in the picture."""

    def along(word: str, length: float) -> float:
        if not word:
            return 0.5 + rng.uniform(-0.05, 0.05) * (radius < 0.4 * length)
        least = min(max(0.14, radius / length * 1.02), 0.3)
        near = rng.uniform(least, max(least, furthest))
        return near if word in ("top", "left") else 1 - near

    radius = min(radius, 0.3 * width if cell[1] else 0.47 * width, 0.3 * height if cell[0] else 0.47 * height)
    return along(cell[1], width), along(cell[0], height), radius


def _many_spots(rng: random.Random, count: int, width: float, height: float) -> list[Spot]:
    columns, rows = rng.choice([(c, r) for c in (2, 3, 4, 5, 6) for r in (1, 2, 3) if 0 <= c * r - count <= 3])
    if height > width:
        columns, rows = rows, columns
    across, down = width / columns, height / rows
    most = min(across, down) / 2
    if most < 0.085:
        return _many_spots(rng, count, width, height)
    radius = rng.uniform(max(0.072, 0.62 * most), 0.88 * most)
    chosen = sorted(rng.sample(range(columns * rows), count))
    spots = []
    for place in chosen:
        loose_x, loose_y = (across / 2 - radius), (down / 2 - radius)
        x = (place % columns + 0.5) * across + rng.uniform(-0.9, 0.9) * loose_x
        y = (place // columns + 0.5) * down + rng.uniform(-0.9, 0.9) * loose_y
        spots.append((x / width, y / height, radius))
    rng.shuffle(spots)
    return spots
