"""Texts and files for the guide: of all kinds, never too long to learn from, and in the form in which they come."""

import random

from guide.conversations import by_name
from guide.pasted import LONGEST, held_out_pasted, pasted_dialogue

from app.core.document_form import document_form
from app.core.messages import DocumentPart

ANSWERS = {name: by_name()[name].replies() for name in ("summarise", "translate", "write_code")}


def test_whatever_is_handed_over_is_too_much_and_a_larger_model_can() -> None:
    rng = random.Random(1)
    given = []
    for _ in range(300):
        made = pasted_dialogue(rng)
        given += [turn for turn in made.turns if turn.topic in ANSWERS]
    assert len(given) >= 300
    for turn in given:
        assert turn.text in ANSWERS[turn.topic]
        assert "larger model" in turn.text
        assert "Get a model" in turn.text
    assert {turn.topic for turn in given} == set(ANSWERS)


def test_files_stand_as_hearth_writes_them() -> None:
    asked = [pasted_dialogue(random.Random(seed)).turns[0].text for seed in range(300)]
    files = [text for text in asked if text.startswith("File: ")]
    assert 60 < len(files) < 180
    for text in files:
        name, _, rest = text.partition("\n```\n")
        body, _, ask = rest.rpartition("\n```\n\n")
        form = document_form(DocumentPart("", name.removeprefix("File: "), body))
        assert text == form + ask


def test_texts_are_short_and_long_but_fit_a_row() -> None:
    lengths = [max(len(turn.text) for turn in pasted_dialogue(random.Random(seed)).turns) for seed in range(300)]
    assert min(lengths) < 250
    assert LONGEST / 2 < max(lengths) < LONGEST + 300


def test_what_is_held_out_is_other_texts_and_wishes() -> None:
    asked = [each.turns[0].text for each in held_out_pasted()]
    taught = {turn.text for seed in range(300) for turn in pasted_dialogue(random.Random(seed)).turns}
    assert len(asked) == len(set(asked)) == 48
    assert not taught & set(asked)
    assert max(map(len, asked)) > 1.5 * LONGEST, "some are longer than all that it was taught"
