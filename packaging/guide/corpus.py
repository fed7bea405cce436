"""What the guide is trained on: kinds of dialogues, each with its share."""

import random
from collections.abc import Callable, Iterator

from guide.copying import copy_dialogue
from guide.dialogue import Dialogue
from guide.judging import judging_dialogue
from guide.pasted import pasted_dialogue
from guide.pictures.dialogues import picture_dialogue
from guide.rendering import full_text
from guide.talk import newcomer_dialogue, question_dialogue, talk_dialogue, thinking_dialogue, tool_dialogue

Composer = Callable[[random.Random], Dialogue]
SHARES: tuple[tuple[Composer, float], ...] = (
    (question_dialogue, 0.26),
    (newcomer_dialogue, 0.04),
    (pasted_dialogue, 0.05),
    (talk_dialogue, 0.22),
    (picture_dialogue, 0.21),
    (tool_dialogue, 0.08),
    (judging_dialogue, 0.04),
    (copy_dialogue, 0.02),
    (thinking_dialogue, 0.08),
)
"""Composers, and their shares of all entries."""
GOING_ON: tuple[tuple[Composer, float], ...] = (
    (question_dialogue, 0.41),
    (newcomer_dialogue, 0.14),
    (pasted_dialogue, 0.1),
    (talk_dialogue, 0.22),
    (picture_dialogue, 0.04),
    (tool_dialogue, 0.04),
    (judging_dialogue, 0.01),
    (copy_dialogue, 0.01),
    (thinking_dialogue, 0.03),
)
"""For a network that can do most of this already and has an eye that stays as it is: more of what came last."""


def vocabulary_texts(rng: random.Random, count: int = 12_000) -> Iterator[str]:
    """Texts to learn the vocabulary from, mixed as the corpus is."""
    composers, shares = zip(*SHARES, strict=True)
    for compose in rng.choices(composers, shares, k=count):
        yield full_text(compose(rng)).replace("\ufffc", "")
