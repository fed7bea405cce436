"""The guide's intents: how they are loaded, and that each is well made and apart from all others."""

import random
import re
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import pytest
from guide.intents import Intent, load_intents, references
from guide.phrasing import matcher, parse, plain, vary
from guide.topics import _TELLING, topic_of

MOST_WORDS = 45
WORLD = ("knowledge", "sport", "geography", "history", "famous_people", "science", "films_and_music")
KINDRED: frozenset[frozenset[str]] = frozenset(map(frozenset, combinations(WORLD, 2)))
"""Pairs whose answers may pass for each other's, because a reader would take either."""

INTENT = """
[[intent]]
name = "{name}"
group = "try"
ask = ["what (is|does) (a|the|(one|an old)) kettle (do|)", "how do i boil water"]
held_out = ["how is water boiled"]
answer = ["Press {{key:Ctrl+N=New chat}} or use {{menu:Model/Unload the model}}."]
facts = [['ctrl\\+n'], ['unload']]
"""


@pytest.fixture
def kettle(tmp_path: Path) -> Intent:
    (tmp_path / "a.toml").write_text(INTENT.format(name="kettle"), encoding="utf-8")
    return load_intents(tmp_path)[0]


def test_alternatives_may_be_nested_and_empty() -> None:
    choice = parse("a (b|c (d|e)|) f")
    drawn = {" ".join(choice.draw(random.Random(seed)).split()) for seed in range(100)}
    assert drawn == {"a b f", "a c d f", "a c e f", "a f"}
    assert choice.size() == 4
    matches = matcher(["a (b|c (d|e)|) f", "no"])
    assert all(matches(text) for text in drawn)
    assert matches("A c  e f?")
    assert not matches("a c f")


@pytest.mark.parametrize("line", ["a (b|c", "a b) c", "(a (b)"])
def test_brackets_that_do_not_match_are_refused(line: str) -> None:
    with pytest.raises(ValueError, match="bracket"):
        parse(line)


def test_phrasings_vary_and_follow_the_seed_and_are_never_held_out(tmp_path: Path) -> None:
    text = INTENT.format(name="kettle").replace("how is water boiled", "how can I boil water")
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    intent = load_intents(tmp_path)[0]
    drawn = [intent.phrase(random.Random(seed)) for seed in range(3000)]
    assert drawn == [intent.phrase(random.Random(seed)) for seed in range(3000)]
    assert len(set(drawn)) > 500
    assert "how could i boil water" in {plain(each) for each in drawn}, "openings are exchanged"
    assert "how can i boil water" not in {plain(each) for each in drawn}, "but not for what is held out"


def test_a_line_is_mostly_left_readable() -> None:
    line = "how do i boil water for the tea of my aunt"
    words = set(line.split())
    drawn = [vary(line, random.Random(seed)) for seed in range(1000)]
    whole = sum(words - {"how", "do", "i"} <= set(plain(each).split()) for each in drawn)
    assert 700 < whole < 930
    assert all(each.strip() == each and each for each in drawn)


def test_markings_are_shown_as_a_reader_sees_them(kettle: Intent) -> None:
    assert kettle.reply(random.Random(0)) == "Press Ctrl+N or use Model > Unload the model."
    check = kettle.check()
    assert (check.intent, check.facts) == ("kettle", (("ctrl\\+n",), ("unload",)))


def test_references_tell_the_target_and_where_it_stands(kettle: Intent, tmp_path: Path) -> None:
    assert [(each.kind, each.shown, each.target, each.where) for each in references(tmp_path)] == [
        ("key", "Ctrl+N", "New chat", "kettle"),
        ("menu", "Model > Unload the model", "Model/Unload the model", "kettle"),
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (INTENT.format(name="b") * 2, r"a\.toml: b is there twice"),
        (INTENT.format(name="b") + "colour = 3\n", r"a\.toml: b has colour"),
        (INTENT.format(name="b").replace("(one|", "one|"), r"a\.toml: A bracket"),
        (INTENT.format(name="b").replace("=New chat", ""), r"a\.toml: .*names no action"),
        (INTENT.format(name="b").replace("held_out", "kept"), r"a\.toml: "),
        ("[[intent", r"a\.toml: "),
    ],
)
def test_what_is_wrong_is_told_with_the_file(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=sentence):
        load_intents(tmp_path)


@pytest.mark.parametrize("intent", load_intents(), ids=lambda intent: intent.name)
def test_an_intent_is_well_made(intent: Intent) -> None:
    assert re.fullmatch(r"[a-z0-9_]+", intent.name)
    assert len(set(intent.ask)) == len(intent.ask) >= 30
    assert 5 <= len(set(intent.held_out)) == len(intent.held_out) <= 6
    assert 2 <= len(set(intent.answer)) == len(intent.answer) <= 3
    assert intent.facts
    asked = () if intent.name == "foreign_language" else (*intent.ask, *intent.held_out)
    for text in (*asked, *intent.answer):
        assert text.isascii(), text
    for reply in intent.replies():
        assert len(reply.split()) <= MOST_WORDS, reply
        assert reply[-1] in ".?!", reply
        assert not re.search(r"[{}]|  ", reply), reply
        assert not _missing(intent, reply), reply


def test_follow_ups_are_intents() -> None:
    intents = load_intents()
    names = {intent.name for intent in intents}
    assert not {(intent.name, each) for intent in intents for each in intent.follow_up if each not in names}


def test_nothing_that_is_held_out_can_be_drawn() -> None:
    asked = {intent.name: matcher(intent.ask) for intent in load_intents()}
    found = [
        f"{text!r} of {intent.name} is asked in {name}"
        for intent in load_intents()
        for text in intent.held_out
        for name, matches in asked.items()
        if matches(text)
    ]
    assert not found, "\n".join(found)


def test_no_question_belongs_to_two_intents() -> None:
    owners: dict[str, set[str]] = defaultdict(set)
    for intent in load_intents():
        for line in intent.ask:
            choice = parse(line)
            rng = random.Random(line)
            for _ in range(min(3 * choice.size(), 60)):
                owners[plain(choice.draw(rng))].add(intent.name)
    found = [
        f"{' / '.join(sorted(names))}: {text}"
        for text, names in owners.items()
        if len(names) > 1 and not names <= set(WORLD)
    ]
    assert not found, "\n".join(sorted(found))


def test_no_answer_passes_for_another_intents() -> None:
    intents = load_intents()
    replies = [(intent.name, reply) for intent in intents for reply in intent.replies()]
    found = {
        frozenset((intent.name, name)): f"{name} passes for {intent.name}: {reply}"
        for intent in intents
        for name, reply in replies
        if name != intent.name and not _missing(intent, reply)
    }
    wrong = [text for pair, text in found.items() if pair not in KINDRED]
    assert not wrong, "\n".join(wrong)
    assert not KINDRED - set(found), "no longer kindred"


def _missing(intent: Intent, reply: str) -> list[tuple[str, ...]]:
    return [group for group in intent.facts if not any(re.search(pattern, reply, re.IGNORECASE) for pattern in group)]


def test_no_two_topics_begin_with_the_same_word() -> None:
    first = Counter(topic_of(intent.name).split()[0].rstrip(",") for intent in load_intents())
    assert not [word for word, number in first.items() if number > 1]


def test_what_is_told_belongs_to_an_intent() -> None:
    assert not set(_TELLING) - {intent.name for intent in load_intents()}
    assert not [topic for topic in _TELLING.values() if "." in topic or not topic.isascii()]
