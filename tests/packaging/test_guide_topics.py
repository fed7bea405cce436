"""A thought names the intent at once: no two topics begin alike, and each is an intent's."""

from collections import Counter

from guide.intents import load_intents
from guide.topics import _TELLING, topic_of


def test_no_two_topics_begin_with_the_same_word() -> None:
    first = Counter(topic_of(intent.name).split()[0].rstrip(",") for intent in load_intents())
    assert not [word for word, number in first.items() if number > 1]


def test_what_is_told_belongs_to_an_intent() -> None:
    assert not set(_TELLING) - {intent.name for intent in load_intents()}
    assert not [topic for topic in _TELLING.values() if "." in topic or not topic.isascii()]
