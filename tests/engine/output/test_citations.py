"""Where citations stand, while a text is written and afterwards."""

import random

import pytest

from app.engine.output.citations import Citation, CitationRule, citations, with_citations

TWELVE = range(1, 13)


def may_write(text: str, numbers: range = TWELVE) -> bool:
    return CitationRule(numbers).follow(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "It rained [1].",
        "[12]",
        "so it is [12, 4] and [4,12].",
        "both [1][2]",
        "an [x], a [link](page.html), a [] and a [ 99 ]",
        "a[0], f(x)[99] and m[3][0]",
        "in code `[99]` and ``a ` [0]``",
        "```python\nx = [0, 99]\n```\nand so [1]",
        "~~~\n[99]\n~~~\n[1]",
        "  ````\n```\n[99]\n````\n[2]",
        r"\[99\] is a formula",
        "字[3]。[4]",
        "[1",
        "nested [[2]]",
    ],
)
def test_what_may_be_written(text: str) -> None:
    assert may_write(text)


@pytest.mark.parametrize(
    "text",
    [
        "[13]",
        "[0]",
        "[99]",
        "[01]",
        "[1,13]",
        "[1-3]",
        "[1, x]",
        "[1,  2]",
        "[1][13]",
        "```\n[99]\n```\n[99]",
        "`code` [99]",
        "a ` alone\n\n[99]",
        "字[13]",
        "2 ~~ 3 [99]",
        "- [99]",
    ],
)
def test_numbers_that_do_not_exist_can_not_be_written(text: str) -> None:
    assert not may_write(text)


def test_a_text_may_come_in_any_pieces() -> None:
    rng = random.Random(5)
    for _ in range(3000):
        text = "".join(rng.choices("[]1239, `~\nax", k=rng.randint(1, 24)))
        whole, cut = CitationRule(TWELVE), CitationRule(TWELVE)
        data, at, allowed = text.encode(), 0, True
        while allowed and at < len(data):
            size = rng.randint(1, 6)
            tried = cut.copy()
            allowed = tried.follow(data[at : at + size])
            cut, at = tried, at + size
        assert allowed == all(whole._step(code) for code in data), text


def test_whatever_may_be_written_holds_no_other_citations() -> None:
    rng = random.Random(7)
    for _ in range(3000):
        rule, text = CitationRule({1, 12}), ""
        for letter in rng.choices("[[[]]1123, `a\n", k=40):
            tried = rule.copy()
            if tried.follow(letter.encode()):
                rule, text = tried, text + letter
        assert {each.numbers for each in citations(text, range(200))} <= {
            each.numbers for each in citations(text, {1, 12})
        }, text


def test_citations_are_found_with_their_places() -> None:
    text = "Ä rain [2, 1]. `[1]` and [9] then [1][2]"
    assert citations(text, {1, 2}) == [Citation(7, 13, (2, 1)), Citation(34, 37, (1,)), Citation(37, 40, (2,))]
    assert [text[each.start : each.end] for each in citations(text, {1, 2})] == ["[2, 1]", "[1]", "[2]"]
    assert citations("[" + "9" * 6000 + "]", {1}) == []


def test_a_text_goes_out_without_its_citations() -> None:
    assert with_citations("It rained [1, 2]. a[1] `[1]` [3]", {1, 2}) == "It rained. a[1] `[1]` [3]"
    assert with_citations("So [2].", {1, 2}, lambda each: f"({each.numbers[0]})") == "So (2)."
