"""Shortcuts asked one after the other: each intent has one, and the guide is asked for them in turn."""

import random

from guide import conversations, shortcuts
from guide.intents import load_intents
from guide.names import TRAINING
from guide.phrasing import parse, plain
from guide.threads import Conversation, key_of


def test_each_deed_has_one_key() -> None:
    known = conversations.by_name()
    assert all(key_of(known[name]) for name in shortcuts.DEEDS)


def test_no_deed_stands_for_two_shortcuts() -> None:
    said = [plain(text) for line in shortcuts.DEEDS.values() for text in _texts(line)]
    assert len(said) == len(set(said))


def test_a_shortcut_is_asked_for_once_and_answered_with_its_key() -> None:
    known = conversations.by_name()
    held_out = {plain(text) for intent in load_intents() for text in intent.held_out}
    for seed in range(60):
        talk = Conversation(random.Random(seed), TRAINING)
        made = [shortcuts.ask_shortcut(talk) for _ in range(4)]
        assert len({exchange.offers for exchange in made}) == 4
        for exchange in made:
            assert key_of(known[exchange.offers]) in exchange.answer
            assert plain(exchange.ask) not in held_out


def _texts(line: str) -> set[str]:
    choice = parse(line)
    return {choice.draw(random.Random(seed)) for seed in range(60)}
