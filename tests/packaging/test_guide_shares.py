"""The guide is asked often enough for what it learns late: numbers, places, its own messages, names of tools."""

import random
import re

import numpy as np
from guide.drawing import SHAPES
from guide.pictures import picture_dialogue
from guide.scenes import Background, Item, render
from guide.talk import talk_dialogue, tool_dialogue

WHITE, RED = (255, 255, 255), (255, 0, 0)
NUMBER = re.compile(r"(One|Two|Three|Four|Five|Six) \w+\.")
PLACE = re.compile(r"(In the middle|(On|At|In) the [a-z ]+)\.")


def test_a_patch_tells_how_many_of_its_shape_there_are() -> None:
    items = [Item("square", "red", (RED, RED), x, 0.2, 0.1) for x in (0.2, 0.8)]
    items.append(Item("star", "red", (RED, RED), 0.5, 0.8, 0.1))
    made = render(random.Random(1), tuple(items), Background("white", (WHITE, WHITE)), (160, 160))
    shapes, _ = made.grid()
    counts = made.counts(shapes)
    assert set(counts[shapes == SHAPES.index("square") + 1]) == {2}
    assert set(counts[shapes == SHAPES.index("star") + 1]) == {1}
    assert set(counts[shapes == 0]) == {3}
    assert set(np.unique(shapes)) == {0, SHAPES.index("square") + 1, SHAPES.index("star") + 1}


def test_numbers_and_places_are_asked_for_often_and_evenly() -> None:
    rng = random.Random(1)
    answers = [turn.text for _ in range(600) for turn in picture_dialogue(rng).turns if turn.speaker == "assistant"]
    numbers = [found[1] for text in answers if (found := NUMBER.fullmatch(text))]
    places = [text for text in answers if PLACE.fullmatch(text)]
    assert len(numbers) > len(answers) / 16
    assert len(places) > len(answers) / 12
    for word in ("One", "Two", "Three", "Four", "Five", "Six"):
        assert numbers.count(word) > len(numbers) / 20, word
    assert places.count("In the middle.") < len(places) / 3


def test_messages_are_quoted_often() -> None:
    rng = random.Random(2)
    said = [turn.text for _ in range(600) for turn in talk_dialogue(rng).turns if turn.speaker == "assistant"]
    assert sum(text.startswith("First you wrote") for text in said) > 40


def test_names_of_tools_are_many() -> None:
    rng = random.Random(3)
    names = [call.name for _ in range(600) for turn in tool_dialogue(rng).turns for call in turn.calls]
    assert len(names) > 750
    assert len(set(names)) > 250
