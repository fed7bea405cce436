"""Conversations composed at random out of intents and threads."""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from guide import asking_on, memories, shortcuts, threads
from guide.dialogue import Dialogue
from guide.follow_ups import follow_ups_of, load_follow_ups
from guide.intents import Intent, load_intents
from guide.names import TRAINING
from guide.threads import Conversation, intent_exchange

CHARACTERS = 1300
"""Of a conversation at most; about 450 tokens with what the template adds."""
SMALL_TALK = ("small talk", "limits")
_SYSTEMS = (
    "You are a helpful assistant.", "You are a helpful assistant. Answer briefly.", "Answer briefly.",
    "You are the guide of Hearth.", "Be kind and brief.", "You are a friendly assistant.",
    "Answer in one or two sentences.", "Help the user with Hearth.", "You are an assistant.",
    "Answer in plain English.", "Be polite.", "You answer questions.", "Keep your answers short and correct.",
)  # fmt: skip
_SYSTEM_NAMES = (
    "The user's name is {}.", "The user is called {}.", "You talk with {}.", "The name of the user is {}.",
    "You are helping {}.",
)  # fmt: skip
_SINGLE_SHARE = 0.25
_SYSTEM_SHARE = 0.12


@cache
def by_name() -> dict[str, Intent]:
    return {intent.name: intent for intent in load_intents()}


def kind_of(intent_name: str) -> str:
    """The kind of a dialogue whose last question is about this."""
    intent = by_name().get(intent_name)
    return "talk" if intent is None or intent.group in SMALL_TALK else "hearth"


def begin(rng: random.Random) -> Conversation:
    """A conversation without turns, sometimes with a system text, which sometimes names the user."""
    talk = Conversation(rng, TRAINING)
    if rng.random() < _SYSTEM_SHARE:
        talk.system = rng.choice(_SYSTEMS)
        if rng.random() < 0.35:
            talk.name = TRAINING.name(rng)
            named = rng.choice(_SYSTEM_NAMES).format(talk.name)
            talk.system = named if rng.random() < 0.5 else f"{talk.system} {named}"
    return talk


def compose(rng: random.Random) -> Conversation:
    """A conversation of one to six turns; to eight where the messages are counted."""
    talk = begin(rng)
    if rng.random() < _SINGLE_SHARE:
        intent_exchange(talk, rng.choice(load_intents()))
        return talk
    rng.choices(tuple(_STORIES), tuple(_STORIES.values()))[0](talk)
    return talk


def compose_short(rng: random.Random) -> Conversation:
    """As `compose`, never longer than the sequences of the training."""
    while True:
        talk = compose(rng)
        if sum(len(turn.text) for turn in talk.turns()) <= CHARACTERS:
            return talk


def talk_dialogue(rng: random.Random) -> Dialogue:
    talk = compose_short(rng)
    return Dialogue(talk.turns(), kind=kind_of(talk.exchanges[-1].check.intent))


def fill(talk: Conversation, n: int) -> None:
    """`n` turns about this and that, fewer where they would become too long."""
    for _ in range(n):
        if sum(len(exchange.ask) + len(exchange.answer) for exchange in talk.exchanges) > CHARACTERS - 300:
            return
        _next_intent(talk)


def _next_intent(talk: Conversation) -> None:
    rng, intents = talk.rng, by_name()
    last = intents.get(talk.exchanges[-1].offers) if talk.exchanges else None
    following = [name for name in last.follow_up if name in intents] if last else []
    if following and rng.random() < 0.5:
        intent_exchange(talk, intents[rng.choice(following)])
    else:
        intent_exchange(talk, rng.choice(load_intents() if not talk.exchanges else clear_intents()))


def _several(talk: Conversation) -> None:
    fill(talk, talk.rng.choice((2, 2, 3, 3, 4, 5)))


def _name(talk: Conversation) -> None:
    rng = talk.rng
    if rng.random() < 0.25:
        fill(talk, rng.choice((0, 0, 1, 2)))
        if not talk.name and rng.random() < 0.6:
            memories.ask_name(talk)
            if rng.random() < 0.5:
                return
    elif rng.random() < 0.4:
        fill(talk, rng.choice((1, 1, 2)))
    if not talk.name or rng.random() < 0.3:
        memories.give_name(talk)
    if rng.random() < 0.15:
        fill(talk, rng.choice((0, 0, 1)))
        memories.give_name(talk)
    if rng.random() < 0.3:
        memories.tell_thing(talk)
    fill(talk, rng.choice((0, 0, 1, 1, 2, 3, 4)))
    _one_of(talk, (memories.ask_name, memories.ask_name, memories.ask_name, _polite))
    if rng.random() < 0.25:
        fill(talk, rng.choice((0, 1)))
        _one_of(talk, (memories.ask_name, _polite, _some_thing))


def _thing(talk: Conversation) -> None:
    rng = talk.rng
    if rng.random() < 0.2:
        fill(talk, rng.choice((0, 1, 2)))
        memories.ask_thing(talk)
        return
    fill(talk, rng.choice((0, 0, 0, 1)))
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        memories.tell_thing(talk)
    fill(talk, rng.choice((0, 0, 1, 1, 2, 3, 4)))
    memories.ask_thing(talk, rng.choice(memories.told_topics(talk)))
    if rng.random() < 0.3:
        _some_thing(talk)


def _some_thing(talk: Conversation) -> None:
    topics = memories.told_topics(talk)
    memories.ask_thing(talk, talk.rng.choice(topics) if topics and talk.rng.random() < 0.8 else "")


def _polite(talk: Conversation) -> None:
    intents = by_name()
    wanted = [name for name in ("thanks", "goodbye", "greeting") if name in intents]
    intent_exchange(talk, intents[talk.rng.choice(wanted)])


def _count(talk: Conversation) -> None:
    rng = talk.rng
    if rng.random() < 0.3:
        memories.give_name(talk)
    brief(talk, rng.randrange(8) - len(talk.exchanges))
    threads.ask_count(talk)
    if len(talk.exchanges) < 8 and rng.random() < 0.2:
        threads.ask_count(talk)


def brief(talk: Conversation, n: int) -> None:
    """`n` turns of which few are long."""
    brief_ones = _brief_intents()
    for _ in range(n):
        intent_exchange(talk, talk.rng.choice(brief_ones if talk.rng.random() < 0.75 else clear_intents()))


@cache
def clear_intents() -> tuple[Intent, ...]:
    """Those whose questions are the same wherever they are asked; "what about the other one" is clear in its place."""
    return tuple(intent for intent in load_intents() if intent.name != "unsure")


@cache
def _brief_intents() -> tuple[Intent, ...]:
    """Those with short answers."""
    return tuple(intent for intent in load_intents() if max(map(len, intent.answer)) < 100)


def _first(talk: Conversation) -> None:
    rng = talk.rng
    fill(talk, rng.choice((1, 1, 2, 2, 3, 4)))
    (threads.ask_first if rng.random() < 0.65 else threads.ask_last)(talk)


def _once_more(talk: Conversation) -> None:
    rng = talk.rng
    fill(talk, rng.choice((0, 1, 1, 1, 2, 3)))
    if talk.exchanges and talk.exchanges[-1].offers in asking_on.GOES_ON:
        asking_on.ask_another(talk, by_name()[talk.exchanges[-1].offers])
        return
    _one_of(
        talk, (threads.ask_again, threads.ask_shorter, threads.ask_more) if talk.exchanges else (threads.ask_again,)
    )


def _back(talk: Conversation) -> None:
    intents = by_name()
    wanted = [name for name in ("bored", "how_are_you") if name in intents]
    fill(talk, talk.rng.choice((0, 0, 1)))
    intent_exchange(talk, intents[talk.rng.choice(wanted)])
    threads.answer_back(talk, intents)
    fill(talk, talk.rng.choice((0, 0, 1)))


def _key(talk: Conversation) -> None:
    fill(talk, talk.rng.choice((0, 0, 1)))
    intent = talk.rng.choice(_with_a_key())
    intent_exchange(talk, intent)
    threads.ask_key(talk, intent)
    fill(talk, talk.rng.choice((0, 0, 1)))


def _keys(talk: Conversation) -> None:
    """Shortcuts one after the other, of which the first may be asked for as a deed."""
    rng = talk.rng
    fill(talk, rng.choice((0, 0, 0, 1)))
    if rng.random() < 0.6:
        intent_exchange(talk, by_name()[rng.choice(tuple(shortcuts.DEEDS))])
    for _ in range(rng.choice((1, 2, 2, 3))):
        shortcuts.ask_shortcut(talk)


def _asked_on(talk: Conversation) -> None:
    rng = talk.rng
    fill(talk, rng.choice((0, 0, 0, 1)))
    for _ in range(rng.choice((1, 1, 1, 2))):
        ask_on(talk, rng.choice((1, 2, 3, 4)))
    fill(talk, rng.choice((0, 0, 0, 1)))


def ask_on(talk: Conversation, n: int) -> None:
    """Something in Hearth, and then up to `n` questions about it that do not name it."""
    rng = talk.rng
    # By what can be asked, so that a subject with many questions is not learnt worst.
    asked = {rng.choice(load_follow_ups())}
    subject = next(iter(asked)).subject
    intent_exchange(talk, by_name()[subject])
    left = [each for each in follow_ups_of(subject).values() if each not in asked]
    for each in (*asked, *rng.sample(left, min(n - 1, len(left)))):
        asking_on.ask_on(talk, each)


def _another(talk: Conversation) -> None:
    rng = talk.rng
    fill(talk, rng.choice((0, 0, 1)))
    intent = by_name()[rng.choice(("joke", "joke", "joke", "fun_fact", "fun_fact", "poem"))]
    intent_exchange(talk, intent)
    for _ in range(rng.choice((1, 1, 2, 3)) if intent.name in threads.SERIES else 1):
        asking_on.ask_another(talk, intent)


def _unnamed(talk: Conversation) -> None:
    if talk.rng.random() < 0.3:
        _polite(talk)
    asking_on.ask_unnamed(talk)


@cache
def _with_a_key() -> tuple[Intent, ...]:
    """Those about something in Hearth that has one key."""
    own = [intent for intent in load_intents() if intent.group not in SMALL_TALK]
    return tuple(intent for intent in own if threads.key_of(intent))


def _one_of(talk: Conversation, steps: Sequence[Callable[[Conversation], object]]) -> None:
    talk.rng.choice(steps)(talk)


_STORIES: Mapping[Callable[[Conversation], None], int] = {
    _several: 30,
    _name: 38,
    _thing: 31,
    _count: 15,
    _first: 14,
    _once_more: 6,
    _back: 5,
    _key: 5,
    _keys: 16,
    _asked_on: 115,
    _another: 6,
    _unnamed: 2,
}
"""What a conversation of several turns is about, with weights."""
