"""How two pictures are compared in words: what each thing is in both, judged at once, and the verdict last.

So what is judged stands beside its judgement, and the verdict can be read off the judgements. A network of this size
that had to say at once whether a thing is the same in both says nearly always that it is.
"""

import random
from collections.abc import Sequence

from guide.dialogue import Dialogue, Turn
from guide.pictures.captions import NUMBERS, listed, place
from guide.pictures.colours import COLOURS, TINTS
from guide.pictures.drawing import SHAPES
from guide.pictures.photos import BRIGHT, DARK
from guide.pictures.questions import ask
from guide.pictures.scenes import CELLS

Look = tuple[str, str, str]
"""A thing, and what it is in the two pictures: Colour, red, blue."""
DECISIVE = r" (?:alike|different|differ in [^.]*|are the same|are about alike|brighter|darker)\b"
"""The judgements. See `Turn.decisive`."""
ABOUT_ALIKE = "They are about alike."
LEVELS = ((0.18, "very dark"), (DARK, "dark"), (BRIGHT, "medium"), (0.82, "bright"), (1.01, "very bright"))
"""Up to which mean luminance a picture is called so."""


def judged(looks: Sequence[Look]) -> str:
    """All things one after the other, and in which of them the pictures differ."""
    each = (f"{what}: {a} and {b}, {'alike' if a == b else 'different'}." for what, a, b in looks)
    change = changed(looks)
    verdict = f"They differ in {change}." if change else "They are the same."
    return " ".join((*each, verdict))


def changed(looks: Sequence[Look]) -> str:
    """In what they differ: "the shape and the place"; empty where everything is the same."""
    things = [f"the {what.lower()}" for what, before, after in looks if before != after]
    return listed(things) if things else ""


def judged_brightness(before: int, after: int) -> str:
    """`before` and `after` are numbers of LEVELS."""
    told = f"Brightness: {LEVELS[before][1]} and {LEVELS[after][1]}."
    if before == after:
        return f"{told} {ABOUT_ALIKE}"
    kinds = ("darker", "brighter") if before < after else ("brighter", "darker")
    return f"{told} The first picture is {kinds[0]}, the second {kinds[1]}."


def judging_dialogue(rng: random.Random) -> Dialogue:
    """Practice in judging, on pictures that nobody has drawn: what they show is given, the judgements alone are learnt.

    Pictures take most of the entries of a comparison, and judgements are few of its words.
    """
    if rng.random() < 0.25:
        levels = rng.randrange(len(LEVELS)), rng.randrange(len(LEVELS))
        question = ask(rng, rng.choice(("compare_darker", "compare_brighter")))
        answer = judged_brightness(*levels)
    else:
        question = ask(rng, rng.choice(("compare_same", "compare_changed")))
        answer = judged(_imagined(rng))
    return Dialogue((Turn("user", question), Turn("assistant", answer, learn=False, decisive=DECISIVE)), kind="picture")


def _imagined(rng: random.Random) -> list[Look]:
    """Everything alike, or one thing different, or any."""
    shown: dict[str, Sequence[str]] = {"Shape": SHAPES}
    several = rng.random() < 0.25
    if several:
        shown["Number"] = NUMBERS[1:]
    shown["Colour"] = COLOURS
    if not several:
        shown["Place"] = [place(cell) for cell in CELLS]
    shown["Background"] = (*COLOURS, *TINTS)
    drawn = rng.random()
    one = rng.choice(list(shown)) if drawn < 0.55 else ""
    looks = []
    for what, values in shown.items():
        before = rng.choice(values)
        differs = drawn >= 0.2 and (what == one if one else rng.random() < 0.5)
        looks.append((what, before, rng.choice([each for each in values if each != before]) if differs else before))
    return looks
