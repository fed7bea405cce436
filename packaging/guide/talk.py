"""Conversations in words, for training and for evaluation: talk, tools and reasoning."""

import random
from collections.abc import Callable
from dataclasses import replace

from guide import memories, threads
from guide.conversations import talk_dialogue
from guide.dialogue import Dialogue
from guide.intents import load_intents
from guide.names import HELD_OUT
from guide.reasoning import held_out_reasoning, thinking_dialogue
from guide.threads import Conversation, Exchange, intent_exchange
from guide.tool_talk import held_out_tools, tool_dialogue

__all__ = ["held_out_dialogues", "talk_dialogue", "thinking_dialogue", "tool_dialogue"]
SEED = 20
"""Of the evaluation's dialogues, which are the same every time while the intents are."""


def held_out_dialogues() -> tuple[Dialogue, ...]:
    """220 dialogues without their last answer, each with its check; with names, tools and words that training lacks."""
    rng = random.Random(SEED)
    made = [_judged(rng, _name_recall, at) for at in range(40)]
    made += [_judged(rng, _count, at) for at in range(20)]
    made += [_judged(rng, _thing_recall, at) for at in range(30)]
    made += [_judged(rng, _first, at) for at in range(15)]
    made += [_judged(rng, _middle, at) for at in range(30)]
    return (*made, *held_out_tools(rng), *held_out_reasoning(rng))


def _judged(rng: random.Random, compose: Callable[[Conversation, int], Exchange], at: int) -> Dialogue:
    talk = Conversation(rng, HELD_OUT, held_out=True)
    last = compose(talk, at)
    check = replace(last.check, intent="in_conversation") if last.offers else last.check
    return Dialogue(talk.turns()[:-1], check=check, kind="talk")


def _some(talk: Conversation, n: int) -> None:
    intents = [intent for intent in load_intents() if intent.held_out]
    for _ in range(n):
        intent_exchange(talk, talk.rng.choice(intents))


def _name_recall(talk: Conversation, at: int) -> Exchange:
    if at % 8 == 7:
        _some(talk, at % 3)
        return memories.ask_name(talk)
    memories.give_name(talk)
    if at % 8 == 6:
        memories.give_name(talk)
    _some(talk, at % 5)
    return memories.ask_name(talk)


def _count(talk: Conversation, at: int) -> Exchange:
    brief = [intent for intent in load_intents() if intent.held_out and max(map(len, intent.answer)) < 100]
    for _ in range(at % 8):
        intent_exchange(talk, talk.rng.choice(brief))
    return threads.ask_count(talk)


def _thing_recall(talk: Conversation, at: int) -> Exchange:
    if at % 10 == 9:
        _some(talk, 1)
        return memories.ask_thing(talk)
    for _ in range(1 + at % 3):
        memories.tell_thing(talk)
    _some(talk, at % 4)
    topics = memories.told_topics(talk)
    return memories.ask_thing(talk, topics[at % len(topics)])


def _first(talk: Conversation, at: int) -> Exchange:
    _some(talk, 1 + at % 4)
    return threads.ask_first(talk)


def _middle(talk: Conversation, at: int) -> Exchange:
    _some(talk, 1 + at % 3)
    return intent_exchange(talk, talk.rng.choice([intent for intent in load_intents() if intent.held_out]))
