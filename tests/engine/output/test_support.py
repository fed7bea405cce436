"""How much of a sentence stands in what it cites: the trial of which the thresholds come, and single cases."""

import random
from collections import Counter

from app.engine.output.support import FOUND, Support, Weights, checked, lines_of, stems_of

RAIN = "The gauge at Elm Bridge measured 37 cm on the third of May, after two days of rain from the northern hills."
WIND = "In autumn the wind comes from the sea, and ships wait in the harbour until it turns."
FROST = "Frost ends in March. Gardeners cover young plants at night, and water them in the morning."
PASSAGES = {1: RAIN, 2: WIND, 3: FROST}


def one(answer: str) -> tuple[Support, tuple[str, ...], int]:
    (found,) = checked(answer, PASSAGES)
    return found.support, found.lacks, found.rather


def test_words_that_stand_there_are_found() -> None:
    assert one("It measured 37 cm at Elm Bridge after the rain [1].") == (Support.FOUND, (), 0)
    assert one("Rainy days. Gardeners cover plants at night. [3]") == (Support.FOUND, (), 0)


def test_a_number_or_a_name_that_does_not_stand_there_is_told() -> None:
    assert one("The gauge at Elm Bridge measured 73 cm after two days of rain [1].") == (Support.PARTLY, ("73",), 0)
    support, lacks, _ = one("The gauge at Oak Bridge measured 37 cm after rain [1].")
    assert (support, lacks) == (Support.PARTLY, ("Oak",))


def test_words_of_another_passage_are_not_found_and_that_one_is_named() -> None:
    assert one("Ships wait in the harbour until the wind turns [1].") == (Support.NOT_FOUND, (), 2)


def test_a_citation_is_for_its_own_sentence_and_each_number_is_checked() -> None:
    answer = "Ships wait in the harbour [2]. Frost ends in March [1, 3]."
    assert [(each.number, each.support) for each in checked(answer, PASSAGES)] == [
        (2, Support.FOUND),
        (1, Support.NOT_FOUND),
        (3, Support.FOUND),
    ]
    assert [each.sentence for each in checked("- **Frost** ends [3].\n- In March [3][1].", PASSAGES)] == [
        "Frost ends",
        "In March",
        "In March",
    ]


def test_scripts_without_blanks_are_compared_by_pairs_of_signs() -> None:
    passages = {1: "水位は橋で三十七センチだった。", 2: "船は港で待つ。"}
    (found,) = checked("水位は三十七センチだった[1]。", passages)
    assert found.support is Support.FOUND and found.sentence == "水位は三十七センチだった"


def test_nothing_is_looked_at_where_nothing_is_cited() -> None:
    assert checked("No [9], and `[1]` neither.", PASSAGES) == []


def test_the_trial_of_which_the_threshold_comes() -> None:
    """Sentences of made-up passages, of which a third of the words were replaced, against their own passage and the
    best of the others: the shape that the trial on real documents had.
    """
    rng = random.Random(32)
    common = [f"{a}{b}{c}" for a in "bdfglm" for b in "aeiou" for c in ("nt", "rk", "st", "lp", "mb")]
    texts = []
    for topic in range(40):
        own = [
            f"{a}{b}{topic}x"[:-1].translate(str.maketrans("0123456789", "zvwqjkhycp")) for a in "prst" for b in "aeiou"
        ]
        texts.append([rng.choice(own if rng.random() < 0.4 else common) for _ in range(120)])
    stems = [Counter(stems_of(" ".join(each))) for each in texts]
    weights = Weights(stems)
    changed, others = [], []
    for number, words in enumerate(texts):
        at = rng.randrange(100)
        sentence = [each if rng.random() > 1 / 3 else rng.choice(common[:5]) for each in words[at : at + 16]]
        shares = [weights.share(" ".join(sentence), known) for known in stems]
        changed.append(shares[number])
        others.append(max(share for at, share in enumerate(shares) if at != number))
    assert sum(share >= FOUND for share in changed) > 0.75 * len(changed)
    assert sum(share >= FOUND for share in others) < 0.3 * len(others)


PAGE = "Weather of the year\nThe gauge at Elm Bridge\nmeasured 37 cm of rain.\nShips wait in the harbour.\n"


def test_the_lines_of_a_sentence_are_found() -> None:
    assert lines_of("Elm Bridge had 37 cm of rain.", PAGE) == "The gauge at Elm Bridge\nmeasured 37 cm of rain."
    assert lines_of("Ships wait.", PAGE) == "Ships wait in the harbour."
    assert lines_of("Unknown words altogether.", PAGE) == ""
    assert lines_of("", "") == ""


def test_of_very_many_pages_those_about_a_citation_are_compared() -> None:
    pages = {number: f"On page {number} nothing is said." for number in range(1, 301)}
    pages |= {17: "The gauge measured 37 cm.", 18: "Ships wait in the harbour.", 250: "Ships wait in the harbour."}
    gauge, ships = checked("The gauge measured 37 cm [17]. Ships wait in the harbour [19].", pages)
    assert (gauge.support, ships.support, ships.rather) == (Support.FOUND, Support.NOT_FOUND, 18)


def test_a_citation_within_a_sentence_is_for_what_follows_the_one_before() -> None:
    passages = {1: "The crane lifts 40 tonnes.", 2: "The harbour freezes in January."}
    crane, harbour = checked("The crane lifts 40 tonnes [1], and the harbour freezes in January [2].", passages)
    assert (crane.sentence, crane.support) == ("The crane lifts 40 tonnes", Support.FOUND)
    assert (harbour.sentence, harbour.support) == ("and the harbour freezes in January", Support.FOUND)
    both = checked("The crane lifts 40 tonnes [1] daily [2].", passages)
    assert both[1].sentence == "The crane lifts 40 tonnes  daily", "one word says nothing by itself"
