"""What the guide is trained on: kinds of dialogues, each with its share."""

import random
from collections.abc import Callable, Iterator

from guide.copying import copy_dialogue
from guide.dialogue import Dialogue
from guide.judging import judging_dialogue
from guide.pictures import picture_dialogue
from guide.rendering import full_text
from guide.talk import question_dialogue, talk_dialogue, thinking_dialogue, tool_dialogue

Composer = Callable[[random.Random], Dialogue]
SHARES: tuple[tuple[Composer, float], ...] = (
    (question_dialogue, 0.29),
    (talk_dialogue, 0.24),
    (picture_dialogue, 0.22),
    (tool_dialogue, 0.09),
    (judging_dialogue, 0.04),
    (copy_dialogue, 0.03),
    (thinking_dialogue, 0.09),
)
"""Composers, and their shares of all entries."""


def vocabulary_texts(rng: random.Random, count: int = 12_000) -> Iterator[str]:
    """Texts to learn the vocabulary from, mixed as the corpus is."""
    composers, shares = zip(*SHARES, strict=True)
    for compose in rng.choices(composers, shares, k=count):
        yield full_text(compose(rng)).replace("\ufffc", "")
