"""What the guide learns of a dialogue: which entries, and what each question is about.

Comparing two pictures is practised on given words: judgements alone are learnt there, and count more elsewhere.
"""

import random
import re

import numpy as np
from guide.dialogue import Dialogue, Turn
from guide.judging import DECISIVE, LEVELS, judged, judged_brightness, judging_dialogue
from guide.rendering import BRIEF, DECISIVE_WEIGHT, OPENING, OPENING_WEIGHT, USER_WEIGHT, full_text, sample
from guide.talk import question_dialogue

ANSWER = "<|im_start|>assistant\n"
PAIR = re.compile(r"(\w+): ([a-z ]+) and ([a-z ]+), (alike|different)\.")


class Bytes:
    """A vocabulary of bytes."""

    def encode(self, text: str) -> list[int]:
        return list(text.encode())


def dialogue(*, brief: bool = False, last: str = "It lies in the settings, on the page Memory.") -> Dialogue:
    turns = (
        Turn("user", "hello"),
        Turn("assistant", "Good day.", topic="greeting"),
        Turn("user", "where is it"),
        Turn("assistant", last, topic="where"),
    )
    return Dialogue(turns, brief=brief)


def test_a_whole_dialogue_is_learnt_to_the_end_of_its_answers() -> None:
    whole = dialogue()
    made = sample(whole, Bytes())
    text = bytes(made.tokens.astype(np.uint8)).decode()
    assert text == full_text(whole)
    learnt = "".join(letter for letter, weight in zip(text, made.weights, strict=True) if weight >= 1)
    assert learnt == "Good day.<|im_end|>It lies in the settings, on the page Memory.<|im_end|>"
    assert sum(made.weights == OPENING_WEIGHT) == 2 * OPENING


def test_of_a_brief_dialogue_only_the_opening_of_the_last_answer_is_learnt() -> None:
    made = sample(dialogue(brief=True), Bytes())
    text = bytes(made.tokens.astype(np.uint8)).decode()
    learnt = "".join(letter for letter, weight in zip(text, made.weights, strict=True) if weight >= 1)
    assert learnt == "Good day.<|im_end|>" + "It lies in the settings"[:BRIEF]
    assert len(made.tokens) == len(made.weights)


def test_an_answer_shorter_than_an_opening_is_learnt_to_its_end() -> None:
    made = sample(dialogue(brief=True, last="No."), Bytes())
    assert bytes(made.tokens[made.weights >= 1].astype(np.uint8)).decode() == "Good day.<|im_end|>" + "No.<|im_end|>"


def test_the_topic_stands_where_the_answer_begins() -> None:
    made = sample(dialogue(), Bytes())
    text = bytes(made.tokens.astype(np.uint8)).decode()
    assert [name for _, name in made.topics] == ["greeting", "where"]
    for at, _ in made.topics:
        assert text[: at + 1].endswith(ANSWER)


def test_a_question_is_one_intents_or_leans_on_one() -> None:
    rng = random.Random(5)
    leaning = brief = 0
    for _ in range(200):
        asked = question_dialogue(rng)
        first, *others = (turn for turn in asked.turns if turn.speaker == "assistant")
        assert first.topic
        assert not (asked.brief and others)
        brief += asked.brief
        assert asked.turns[-1] is (others[0] if others else first)
        assert not any(turn.topic for turn in others)
        leaning += len(others)
    assert 20 < leaning < 60
    assert 90 < brief < 160, "some answers are learnt to their end"


class Words:
    """A vocabulary of words with the blank before them, and of single other characters."""

    def encode(self, text: str) -> list[int]:
        return [hash(piece) % 60_000 for piece in pieces(text)]


def pieces(text: str) -> list[str]:
    return re.findall(r" ?\w+|.|\n", text)


def test_the_verdict_follows_from_the_judgements() -> None:
    rng = random.Random(4)
    verdicts = set()
    for _ in range(200):
        text = judging_dialogue(rng).turns[-1].text
        looks = PAIR.findall(text)
        assert all((before == after) == (verdict == "alike") for _, before, after, verdict in looks)
        different = [f"the {what.lower()}" for what, _, _, verdict in looks if verdict == "different"]
        if looks:
            verdicts.add(len(different))
            said = re.findall(r"the \w+", text.rpartition("They")[2])
            assert said == (different or ["the same"])
    assert verdicts >= {0, 1, 2, 3}


def test_brightness_is_judged_the_same_whatever_was_asked() -> None:
    assert judged_brightness(0, 3) == (
        "Brightness: very dark and bright. The first picture is darker, the second brighter."
    )
    assert judged_brightness(4, 2).endswith("The first picture is brighter, the second darker.")
    assert all("about alike" in judged_brightness(level, level) for level in range(len(LEVELS)))


def test_of_the_practice_only_judgements_are_learnt() -> None:
    turns = (
        Turn("user", "compare them"),
        Turn(
            "assistant",
            judged([("Shape", "star", "star"), ("Place", "on the left", "in the middle")]),
            learn=False,
            decisive=DECISIVE,
        ),
    )
    made = sample(Dialogue(turns), Words())
    text = "<|im_start|>user\ncompare them<|im_end|>\n<|im_start|>assistant\n" + turns[1].text + "<|im_end|>\n"
    assert list(made.tokens) == Words().encode(text)
    learnt = [piece for piece, weight in zip(pieces(text), made.weights, strict=True) if weight == DECISIVE_WEIGHT]
    assert "".join(learnt) == " alike different differ in the place"
    assert set(np.unique(made.weights)) == {0.0, np.float32(USER_WEIGHT), DECISIVE_WEIGHT}


def test_in_an_answer_that_is_learnt_judgements_count_more() -> None:
    turns = (Turn("user", "darker?"), Turn("assistant", judged_brightness(1, 1), decisive=DECISIVE))
    weights = sample(Dialogue(turns), Words()).weights
    assert sum(weights == DECISIVE_WEIGHT) == 3
    assert sum(weights == 1.0) > 5
