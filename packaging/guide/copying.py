"""Practice in copying: what people say, given back as they said it.

Names, things and the arguments of tools are answered by copying, which a small network learns late: in ordinary
dialogues a copied word is a small part of an answer. Here it is all of it.
"""

import random
from collections.abc import Callable

from guide.dialogue import Dialogue, Turn
from guide.names import TRAINING

_REPEAT = (
    "Repeat after me: {text}",
    "Please repeat: {text}",
    "Say this back to me: {text}",
    "Say: {text}",
    "Copy this: {text}",
    "repeat this please: {text}",
    "Write exactly this: {text}",
)
_FIRST = ("Which was the first word?", "What was the first word of that?", "And the first of them?")
_LAST = ("Which was the last word?", "What was the last word of that?", "And the last of them?")
_LONGEST = 9


def copy_dialogue(rng: random.Random) -> Dialogue:
    """One to three texts to give back, some with a question about their words."""
    turns: list[Turn] = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        words = _words(rng)
        text = " ".join(words)
        turns += [Turn("user", rng.choice(_REPEAT).format(text=text)), Turn("assistant", text)]
        if rng.random() < 0.35:
            asked, word = rng.choice(((_FIRST, words[0]), (_LAST, words[-1])))
            turns += [Turn("user", rng.choice(asked)), Turn("assistant", word)]
    return Dialogue(tuple(turns), kind="talk")


def _words(rng: random.Random) -> list[str]:
    draws: tuple[Callable[[], str], ...] = (
        lambda: TRAINING.name(rng),
        lambda: TRAINING.place(rng),
        lambda: TRAINING.word(rng),
        lambda: str(rng.randrange(1, 10 ** rng.randint(1, 4))),
        lambda: "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 6))),
    )
    return [rng.choice(draws)() for _ in range(rng.randint(1, _LONGEST))]
