"""What the guide learns of a dialogue: which entries, and what each question is about."""

import random

import numpy as np
from guide.dialogue import Dialogue, Turn
from guide.rendering import BRIEF, OPENING, OPENING_WEIGHT, full_text, sample
from guide.talk import question_dialogue

ANSWER = "<|im_start|>assistant\n"


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
