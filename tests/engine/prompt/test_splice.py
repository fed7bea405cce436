"""Where an answer's own tokens stand in a rendered chat."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.prompt.splice import Splice, Spoken, find_splices
from app.engine.template.marked_text import MESSAGE, TRUSTED, UNTRUSTED, MarkedText, concat

ANSWER = MESSAGE + 1


def spoken(*pieces: str) -> Spoken:
    """One token for each piece, numbered from 100."""
    ends, length = [], 0
    for piece in pieces:
        length += len(piece)
        ends.append(length)
    return Spoken(tuple(range(100, 100 + len(pieces))), "".join(pieces), tuple(ends))


def splices(said: Spoken, *runs: tuple[str, int]) -> list[tuple[str, tuple[int, ...]]]:
    """The texts that were replaced, and the tokens."""
    text = concat(MarkedText(each, origin) for each, origin in runs)
    found = find_splices(text, lambda index: said if index == 1 else None)
    return [(str(text)[each.start : each.stop], each.tokens) for each in found]


def test_a_whole_answer() -> None:
    said = spoken("Hel", "lo")
    assert splices(said, ("assistant\n", TRUSTED), ("Hello", ANSWER), ("<end>", TRUSTED)) == [("Hello", (100, 101))]


def test_blanks_that_the_template_trims_stay() -> None:
    said = spoken("\n", "Hello", " ")
    assert splices(said, ("a\n", TRUSTED), ("Hello", ANSWER), ("<end>", TRUSTED)) == [("Hello", (100, 101, 102))]


def test_reasoning_content_and_call_as_the_template_writes_them() -> None:
    said = spoken("Hm", "</think>", "\n\n", "Hi", "<call>", '{"a": 1}', "</call>")
    runs = (
        ("<think>\n", TRUSTED),
        ("Hm", ANSWER),
        ("</think>\n\n", TRUSTED),
        ("Hi", ANSWER),
        ("<call>", TRUSTED),
        ('{"a": 1}', UNTRUSTED),
        ("</call><end>", TRUSTED),
    )
    assert splices(said, *runs) == [('Hm</think>\n\nHi<call>{"a": 1}</call>', said.tokens)]


def test_what_the_model_opened_itself() -> None:
    said = spoken("<think>", "\n", "Hm", "\n</think>", "Hi")
    runs = (("assistant\n<think>\n", TRUSTED), ("Hm", ANSWER), ("\n</think>", TRUSTED), ("Hi", ANSWER))
    assert splices(said, *runs) == [("<think>\nHm\n</think>Hi", said.tokens)]


def test_reasoning_that_was_dropped() -> None:
    said = spoken("Hm", "</think>", "\n\n", "Hi", " you")
    assert splices(said, ("assistant\n", TRUSTED), ("Hi you", ANSWER), ("<end>", TRUSTED)) == [("Hi you", (103, 104))]


def test_up_to_where_they_differ_on_whole_tokens() -> None:
    said = spoken("<call>", '{"name": "', "f", '", "arg', 'uments":{"a":1}}', "</call>")
    runs = (('<call>{"name": "', TRUSTED), ("f", ANSWER), ('", "arguments": ', TRUSTED), ('{"a": 1}', UNTRUSTED))
    assert splices(said, *runs) == [('<call>{"name": "f", "arg', (100, 101, 102, 103))]


def test_a_name_that_it_also_thought_about_is_found_where_most_agrees() -> None:
    said = spoken("f", "?</think>", "<call>", "f", "(1)")
    runs = (("<call>", TRUSTED), ("f", ANSWER), ("(1)", UNTRUSTED), ("<end>", TRUSTED))
    assert splices(said, *runs) == [("f(1)", (103, 104))]


def test_content_after_reasoning_that_was_said_otherwise() -> None:
    said = spoken("Hm.", "</think>", "Hi")
    runs = (("<thought>", TRUSTED), ("Hm.", ANSWER), ("</thought>", TRUSTED), ("Hi", ANSWER))
    assert splices(said, *runs) == [("Hm.", (100,)), ("Hi", (102,))]


def test_other_messages_are_never_replaced() -> None:
    said = spoken("Hi", "<end>", "you")
    runs = (("Hi", ANSWER), ("<end>", TRUSTED), ("you", MESSAGE + 2))
    assert splices(said, *runs) == [("Hi<end>", (100, 101))]
    assert splices(said, ("Hi", MESSAGE + 2), ("<end>", TRUSTED)) == []


def test_a_token_that_was_cut_is_not_used() -> None:
    assert splices(spoken("Hell", "o you"), ("Hello", ANSWER)) == [("Hell", (100,))]
    assert splices(spoken("Hello"), ("He", ANSWER)) == []


@pytest.mark.parametrize("blank", ["", " ", "\n\n"])
def test_nothing_to_find(blank: str) -> None:
    assert splices(spoken("Hi"), (blank, ANSWER)) == []
    assert splices(spoken(blank), ("Hi", ANSWER)) == []


pieces = st.lists(st.text("ab<>\n", min_size=0, max_size=3), min_size=1, max_size=6)


@given(pieces, st.lists(st.tuples(st.text("ab<>\n", max_size=4), st.sampled_from([0, 1, 2, 3, 4])), max_size=6))
def test_text_and_tokens_always_say_the_same(said: list[str], runs: list[tuple[str, int]]) -> None:
    """But for blanks at the ends of an answer."""
    made = spoken(*said)
    text = concat(MarkedText(each, origin) for each, origin in runs)
    end = 0
    for splice in find_splices(text, lambda index: made if index == 1 else None):
        assert isinstance(splice, Splice)
        assert end <= splice.start <= splice.stop <= len(text)
        end = splice.stop
        written = "".join(said[token - 100] for token in splice.tokens)
        assert written.strip() == str(text)[splice.start : splice.stop].strip()
