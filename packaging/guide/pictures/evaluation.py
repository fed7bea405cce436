"""A fixed set of dialogues about pictures with shades and wordings that training never shows."""

import random
from collections.abc import Iterator

from PIL.Image import Image

from guide.dialogue import Check, Dialogue, Turn
from guide.pictures.captions import Saying, scene_sayings
from guide.pictures.colours import COLOURS
from guide.pictures.comparisons import is_alike, pair_sayings, random_pair
from guide.pictures.drawing import SHAPES
from guide.pictures.photo_captions import photo_sayings
from guide.pictures.photos import impression, photo
from guide.pictures.questions import HELD_OUT, ask_held_out
from guide.pictures.scenes import CELLS, Scene, compose

SEED = 20260411


def held_out_pictures() -> tuple[Dialogue, ...]:
    """320 dialogues whose last turn is a question with a check; always the same."""
    rng = random.Random(SEED)
    return (
        *_shapes_and_colours(rng, 60),
        *_counts(rng, 40),
        *_places(rng, 40),
        *_light_and_background(rng, 30),
        *_photos(rng, 30),
        *_comparisons(rng, 40),
        *_without_picture(rng, 20),
    )


def _dialogue(
    rng: random.Random, intent: str, saying: Saying, pictures: tuple[Image, ...], wording: str | None = None
) -> Dialogue:
    text = ask_held_out(rng, wording or saying.topic, saying.slots)
    return _judged(text, pictures, Check(intent, saying.facts, saying.never))


def _judged(text: str, pictures: tuple[Image, ...], check: Check) -> Dialogue:
    return Dialogue((Turn("user", text, pictures),), check=check, kind="picture")


def _saying(drawn: Scene, topic: str) -> Saying:
    return next(saying for saying in scene_sayings(drawn) if saying.topic == topic)


def _shapes_and_colours(rng: random.Random, number: int) -> Iterator[Dialogue]:
    for index in range(number):
        colour = COLOURS[(index * 7 + index // len(SHAPES) * 3) % len(COLOURS)]
        drawn = compose(rng, 1, shape=SHAPES[index % len(SHAPES)], colour=colour, held_out=True)
        for topic in ("colour", "shape"):
            yield _dialogue(rng, f"picture_{topic}", _saying(drawn, topic), (drawn.image,))


def _counts(rng: random.Random, number: int) -> Iterator[Dialogue]:
    for index in range(number):
        drawn = compose(rng, 1 + index % 6, equal=True, held_out=True)
        yield _dialogue(rng, "picture_count", _saying(drawn, "count"), (drawn.image,))


def _places(rng: random.Random, number: int) -> Iterator[Dialogue]:
    for index in range(number):
        if index % 3:
            drawn = compose(rng, 1, cell=CELLS[index % len(CELLS)], held_out=True)
        else:
            drawn = compose(rng, 2, equal=False, held_out=True)
        yield _dialogue(rng, "picture_where", _saying(drawn, "where"), (drawn.image,))


def _light_and_background(rng: random.Random, number: int) -> Iterator[Dialogue]:
    for index in range(number):
        topic = ("light", "background")[index % 2]
        while True:
            drawn = compose(rng, rng.randint(1, 3), held_out=True)
            level = impression(drawn.image).luminance
            if topic == "background" or level < 0.27 or level > 0.68:
                break
        yield _dialogue(rng, "picture_light", _saying(drawn, topic), (drawn.image,))


def _photos(rng: random.Random, number: int) -> Iterator[Dialogue]:
    for index in range(number):
        while True:
            taken = photo(rng)
            if not taken.page and impression(taken.image).sure > 0.85:
                break
        colour = next(saying for saying in photo_sayings(taken) if saying.topic == "colour")
        wording = ("photo_colour", "describe")[index % 2]
        yield _dialogue(rng, "picture_photo", colour, (taken.image,), wording)


def _comparisons(rng: random.Random, number: int) -> Iterator[Dialogue]:
    topics = ("compare_same", "compare_changed", "compare_darker", "compare_brighter")
    for index in range(number):
        topic = topics[index % len(topics)]
        while True:
            pair = random_pair(rng, held_out=True)
            found = [saying for saying in pair_sayings(pair) if saying.topic == topic]
            # Most pairs are as bright as each other: few questions may be easy in that way.
            if found and is_alike(found[0]) == (index % 16 > 13):
                break
        pictures = (pair.first.image, pair.second.image)
        if index % 8 < 4:
            yield _dialogue(rng, "picture_compare", found[0], pictures)
            continue
        asked = _dialogue(rng, "picture_compare", found[0], pictures[1:])
        described = Turn("assistant", _saying(pair.first, "describe").answers[0])
        opening = Turn("user", ask_held_out(rng, "describe"), pictures[:1])
        yield Dialogue((opening, described, *asked.turns), check=asked.check, kind="picture")


def _without_picture(rng: random.Random, number: int) -> Iterator[Dialogue]:
    lines = HELD_OUT["none"]
    check = Check("picture_none", (("no picture", "not see", "don't see"), (r"\bdrop\b",)))
    for index in range(number):
        asked = _judged(lines[index % len(lines)], (), check)
        if index < len(lines):
            yield asked
            continue
        before = (Turn("user", "hello"), Turn("assistant", "Hello. What can I do for you?"))
        yield Dialogue((*before, *asked.turns), check=check, kind="picture")
