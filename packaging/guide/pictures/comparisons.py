"""A scene and another that differs from it in one thing, in several or in none, and the sentence that says in what."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from guide.judging import ABOUT_ALIKE, LEVELS, Look, changed, judged, judged_brightness
from guide.pictures.captions import NUMBERS, Saying, other_colours, place, word
from guide.pictures.colours import COLOURS, base_colour, contrasts, shade
from guide.pictures.drawing import SHAPES, random_rotation
from guide.pictures.photos import impression
from guide.pictures.scenes import CELLS, Background, Item, Scene, compose, random_background, render

CLEAR = 0.15
"""Difference in mean luminance from which one picture is called darker."""


@dataclass(frozen=True)
class Pair:
    first: Scene
    second: Scene
    change: str
    """In what they differ: "the colour", "the shape and the place"; empty when nothing has changed."""
    facts: tuple[tuple[str, ...], ...]
    never: tuple[str, ...] = ()


def random_pair(rng: random.Random, *, held_out: bool = False) -> Pair:
    drawn = rng.random()
    if drawn < 0.15:
        return _recounted(rng, held_out)
    if drawn < 0.4:
        return _unlike(rng, held_out)
    changes: tuple[Callable[[random.Random, Scene, bool], Pair], ...] = (
        _unchanged,
        _recoloured,
        _reshaped,
        _moved,
        _on_other_background,
    )
    first = compose(rng, 1, held_out=held_out)
    return rng.choices(changes, (4, 3, 3, 2, 4))[0](rng, first, held_out)


def pair_sayings(pair: Pair) -> list[Saying]:
    """What can be asked when both pictures have been seen."""
    answer = (judged(_looks(pair)),)
    if pair.change:
        changed_to = ((rf"\bdiffer in {pair.change}\.",), *pair.facts)
        found = [
            Saying("compare_same", answer, ((r"\bdiffer in\b",),), ("the same",)),
            Saying("compare_changed", answer, changed_to, pair.never),
        ]
    else:
        topics = ("compare_same", "compare_changed")
        found = [Saying(topic, answer, (("the same",),), (r"\bdiffer in\b",)) for topic in topics]
    return [*found, *_brightness(pair)]


def _brightness(pair: Pair) -> list[Saying]:
    """Which is darker, where that is clear or where they are alike; between the two nobody should be asked."""
    luminances = [impression(scene.image).luminance for scene in (pair.first, pair.second)]
    before, after = (next(at for at, (most, _) in enumerate(LEVELS) if level <= most) for level in luminances)
    clear = abs(luminances[1] - luminances[0]) >= CLEAR
    if clear == (before == after):
        return []
    answer = judged_brightness(before, after)
    fact = answer.partition(". ")[2].removesuffix(".")
    return [Saying(topic, (answer,), ((rf"\b{fact}\b",),)) for topic in ("compare_darker", "compare_brighter")]


def is_alike(saying: Saying) -> bool:
    """Whether the answer is that both pictures are about as bright."""
    return saying.answers[0].endswith(ABOUT_ALIKE)


def _looks(pair: Pair) -> list[Look]:
    scenes = (pair.first, pair.second)
    items = [scene.objects[0] for scene in scenes]
    numbers = [len(scene.objects) for scene in scenes]
    found = [("Shape", items[0].shape, items[1].shape)]
    if max(numbers) > 1:
        found.append(("Number", NUMBERS[numbers[0]], NUMBERS[numbers[1]]))
    found.append(("Colour", items[0].colour, items[1].colour))
    if max(numbers) == 1:
        found.append(("Place", place(items[0].cell), place(items[1].cell)))
    return [*found, ("Background", scenes[0].background.name, scenes[1].background.name)]


def _unlike(rng: random.Random, held_out: bool) -> Pair:
    """Two scenes that have nothing to do with each other, as people mostly send them."""
    numbers = (1, 1) if rng.random() < 0.7 else (rng.randint(1, 6), rng.randint(1, 6))
    while True:
        first, second = (compose(rng, number, equal=True, held_out=held_out) for number in numbers)
        pair = Pair(first, second, "", ())
        if change := changed(_looks(pair)):
            return replace(pair, change=change)


def _again(rng: random.Random, first: Scene, objects: tuple[Item, ...], background: Background) -> Scene:
    return render(rng, objects, background, first.image.size)


def _unchanged(rng: random.Random, first: Scene, held_out: bool) -> Pair:
    return Pair(first, Scene(first.image.copy(), first.objects, first.background), "", ())


def _recoloured(rng: random.Random, first: Scene, held_out: bool) -> Pair:
    (item,) = first.objects
    while True:
        name = rng.choice([c for c in COLOURS if c not in (item.colour, base_colour(first.background.name))])
        ink = shade(rng, name, held_out=held_out)
        if contrasts(ink, first.background.inks, 190):
            break
    other = _again(rng, first, (replace(item, colour=name, inks=(ink, ink)),), first.background)
    allowed = other_colours(item.colour, name, first.background.name)
    return Pair(first, other, "the colour", ((word(item.colour),), (word(name),)), allowed)


def _reshaped(rng: random.Random, first: Scene, held_out: bool) -> Pair:
    (item,) = first.objects
    shape = rng.choice([shape for shape in SHAPES if shape not in (item.shape, "line")])
    new = replace(item, shape=shape, rotation=random_rotation(rng, shape), stroke=0)
    other = _again(rng, first, (new,), first.background)
    return Pair(first, other, "the shape", ((word(shape),),))


def _moved(rng: random.Random, first: Scene, held_out: bool) -> Pair:
    """A smaller copy in another third; the size of the first is kept when that fits."""
    (item,) = first.objects
    width, height = first.image.size
    reach = (item.radius * max(width, height) / width, item.radius * max(width, height) / height)
    cells = [
        (row, column)
        for row, column in CELLS
        if (row, column) != item.cell and (not column or reach[0] < 0.3) and (not row or reach[1] < 0.3)
    ]
    if not cells:
        return _recoloured(rng, first, held_out)
    row, column = rng.choice(cells)
    x = 0.5 if not column else max(0.2, reach[0]) if column == "left" else min(0.8, 1 - reach[0])
    y = 0.5 if not row else max(0.2, reach[1]) if row == "top" else min(0.8, 1 - reach[1])
    new = replace(item, x=x, y=y)
    words = tuple((rf"\b{part}\b",) for part in new.cell if part) or (("middle", "cent(?:re|er)"),)
    return Pair(first, _again(rng, first, (new,), first.background), "the place", words)


def _on_other_background(rng: random.Random, first: Scene, held_out: bool) -> Pair:
    (item,) = first.objects
    while True:
        ground = random_background(rng, avoid=item.colour, held_out=held_out)
        clear = contrasts(item.inks[0], ground.inks, 190) and contrasts(item.inks[1], ground.inks, 190)
        if clear and base_colour(ground.name) != base_colour(first.background.name):
            break
    other = _again(rng, first, first.objects, ground)
    return Pair(first, other, "the background", ((word(first.background.name),), (word(ground.name),)))


def _recounted(rng: random.Random, held_out: bool) -> Pair:
    before, after = rng.sample(range(2, 7), 2)
    first = compose(rng, before, equal=True, held_out=held_out)
    item = first.objects[0]
    spread = compose(rng, after, equal=True, shape=item.shape, colour=item.colour, held_out=held_out)
    objects = tuple(replace(other, colour=item.colour, inks=item.inks) for other in spread.objects)
    second = render(rng, objects, first.background, spread.image.size)
    return Pair(first, second, "the number", ((rf"\b{NUMBERS[before]}\b",), (rf"\b{NUMBERS[after]}\b",)))
