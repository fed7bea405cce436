"""Conversations in words, for training and for evaluation: talk, tools and reasoning."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from guide import asking_on, conversations, memories, threads
from guide.conversations import kind_of
from guide.dialogue import Dialogue
from guide.follow_ups import load_follow_ups
from guide.intents import load_intents
from guide.names import HELD_OUT, TRAINING
from guide.reasoning import held_out_reasoning, thinking_dialogue
from guide.threads import Conversation, Exchange, intent_exchange
from guide.tool_talk import held_out_tools, tool_dialogue

__all__ = ["held_out_dialogues", "question_dialogue", "talk_dialogue", "thinking_dialogue", "tool_dialogue"]
SEED = 20
"""Of the evaluation's dialogues, which are the same every time while the intents are."""


_QUOTING = 0.15
"""Share of talk whose point is a message to be quoted or counted: what is quoted has to be copied letter by letter,
and in other talk that is asked for far too seldom."""


def talk_dialogue(rng: random.Random) -> Dialogue:
    """A conversation about this and that, or one that comes back to its own messages."""
    if rng.random() >= _QUOTING:
        return conversations.talk_dialogue(rng)
    while True:
        talk = _quoting(rng)
        if sum(len(turn.text) for turn in talk.turns()) <= conversations.CHARACTERS:
            return Dialogue(talk.turns(), kind=kind_of(talk.exchanges[-1].check.intent))


def _quoting(rng: random.Random) -> Conversation:
    talk = Conversation(rng, TRAINING)
    first = rng.random()
    if first < 0.1:
        memories.give_name(talk)
    elif first < 0.25:
        memories.tell_thing(talk)
    conversations.brief(talk, rng.choice((1, 1, 2, 2, 3)) if first >= 0.25 else rng.choice((0, 1, 2)))
    asks = [threads.ask_first] * 5 + [threads.ask_last] * 2 + [threads.ask_again, threads.ask_count]
    rng.choice(asks)(talk)
    if rng.random() < 0.4:
        rng.choice(asks[:-2])(talk)
    return talk


_ASKED_ON = 0.2
"""Share of questions that lean on an answer. These are learnt whole: most of their answers are asked for seldom."""
_BRIEF = 0.75
"""Share of the other questions of which only the beginning of the answer is learnt."""


def question_dialogue(rng: random.Random) -> Dialogue:
    """One question and how its answer begins: what it is about is most of what there is to learn."""
    talk = conversations.begin(rng)
    leans = rng.random() < _ASKED_ON
    if leans:
        conversations.ask_on(talk, 1)
    else:
        intent_exchange(talk, rng.choice(load_intents()))
    brief = not leans and rng.random() < _BRIEF
    return Dialogue(talk.turns(), brief=brief, kind=kind_of(talk.exchanges[-1].check.intent))


_FIRST_SAID = {"unsure": 4, "newcomers": 4, "small talk": 2}
"""An intent or groups of them, with weights: most is unclear in a way of its own."""


def newcomer_dialogue(rng: random.Random) -> Dialogue:
    """What somebody new asks or says first, and what is unclear: these have the most wordings, and no follow-ups."""
    talk = conversations.begin(rng)
    kind = rng.choices(tuple(_FIRST_SAID), tuple(_FIRST_SAID.values()))[0]
    intent_exchange(talk, rng.choice([intent for intent in load_intents() if kind in (intent.name, intent.group)]))
    return Dialogue(talk.turns(), brief=rng.random() < _BRIEF, kind="hearth")


def held_out_dialogues() -> tuple[Dialogue, ...]:
    """272 dialogues without their last answer, each with its check; with names, tools and words that training lacks."""
    rng = random.Random(SEED)
    made = [_judged(rng, _name_recall, at) for at in range(40)]
    made += [_judged(rng, _count, at) for at in range(20)]
    made += [_judged(rng, _thing_recall, at) for at in range(30)]
    made += [_judged(rng, _first, at) for at in range(15)]
    made += [_judged(rng, _middle, at) for at in range(30)]
    made += [*held_out_tools(rng), *held_out_reasoning(rng)]
    # New kinds come last, so that what is drawn before them stays what it was.
    return (*made, *_held_out_follow_ups(rng))


def _held_out_follow_ups(rng: random.Random) -> Iterator[Dialogue]:
    """48 questions that lean on an answer, and 4 for another one of the same."""
    for at, each in enumerate(rng.sample(load_follow_ups(), 48)):
        talk = Conversation(rng, HELD_OUT, held_out=True)
        _some(talk, at % 4 == 3)
        intent_exchange(talk, conversations.by_name()[each.subject])
        asking_on.ask_on(talk, each)
        yield _asked(talk)
    for at in range(4):
        talk = Conversation(rng, HELD_OUT, held_out=True)
        intent = conversations.by_name()[threads.SERIES[at % 2]]
        intent_exchange(talk, intent)
        for _ in range(1 + at // 2):
            asking_on.ask_another(talk, intent)
        yield _asked(talk)


def _asked(talk: Conversation) -> Dialogue:
    return Dialogue(talk.turns()[:-1], check=talk.exchanges[-1].check, kind="follow_up")


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
