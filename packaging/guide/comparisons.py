"""A scene and another that differs from it in one thing, and the sentence that says in which."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from guide.captions import NUMBERS, Saying, an, other_colours, place, plural, word
from guide.colours import COLOURS, base_colour, contrasts, shade
from guide.drawing import SHAPES, random_rotation
from guide.photos import impression
from guide.scenes import CELLS, Background, Item, Scene, compose, random_background, render

CLEAR = 0.15
"""Difference in mean luminance from which one picture is called darker."""


@dataclass(frozen=True)
class Pair:
    first: Scene
    second: Scene
    change: str
    """In what they differ: "the colour"; empty when nothing has changed."""
    facts: tuple[tuple[str, ...], ...]
    never: tuple[str, ...] = ()


def random_pair(rng: random.Random, *, held_out: bool = False) -> Pair:
    if rng.random() < 0.15:
        return _recounted(rng, held_out)
    changes: tuple[Callable[[random.Random, Scene, bool], Pair], ...] = (
        _unchanged,
        _recoloured,
        _reshaped,
        _moved,
        _on_other_background,
    )
    first = compose(rng, 1, held_out=held_out)
    weights = (4, 3, 3, 2, 4) if held_out else (7, 3, 3, 3, 9)
    return rng.choices(changes, weights)[0](rng, first, held_out)


def pair_sayings(pair: Pair) -> list[Saying]:
    """What can be asked when both pictures have been seen."""
    # One thing after the other is looked at in both, and the verdict comes last: it can be read off the words then.
    told = " ".join(_side_by_side(pair))
    if pair.change:
        differ = (f"{told} They differ in {pair.change}.",)
        found = [
            Saying("compare_same", differ, ((r"\bdiffer",),), ("the same",)),
            Saying("compare_changed", differ, ((r"\bdiffer",), *pair.facts), ("the same", *pair.never)),
        ]
    else:
        same = (f"{told} They are the same.",)
        found = [
            Saying("compare_same", same, (("the same",),), (r"\bdiffer",)),
            Saying("compare_changed", same, (("nothing", "the same"),), (r"\bdiffer",)),
        ]
    levels = [impression(scene.image).luminance for scene in (pair.first, pair.second)]
    step = levels[1] - levels[0]
    if abs(step) >= CLEAR:
        before, after = (f"{round(level * 10) * 10} %" for level in levels)
        for topic, kind, second in (("compare_darker", "darker", step < 0), ("compare_brighter", "brighter", step > 0)):
            order = ("second", "first") if second else ("first", "second")
            answer = f"Brightness: {before}, then {after}. The {order[0]} picture is {kind}."
            found.append(Saying(topic, (answer,), ((rf"\b{order[0]} picture is {kind}\b",),), (rf"\b{order[1]}\b",)))
    return found


def _side_by_side(pair: Pair) -> list[str]:
    """A sentence for each thing that can differ."""
    scenes = (pair.first, pair.second)
    items = [scene.objects[0] for scene in scenes]
    if len(pair.first.objects) == 1:
        found = [_in_both("Shape", *(an(item.shape) for item in items))]
    else:
        found = [
            _in_both("Shapes", *(plural(item.shape) for item in items)),
            _in_both("Number", *(NUMBERS[len(scene.objects)] for scene in scenes)),
        ]
    found.append(_in_both("Colour", *(item.colour for item in items)))
    if len(pair.first.objects) == 1:
        found.append(_in_both("Place", *(place(item.cell) for item in items)))
    return [*found, _in_both("Background", *(scene.background.name for scene in scenes))]


def _in_both(what: str, before: str, after: str) -> str:
    return f"{what}: {before} in both." if before == after else f"{what}: {before}, then {after}."


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
