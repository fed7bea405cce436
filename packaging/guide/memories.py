"""What people tell about themselves, and ask for later: names and other things."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from guide.dialogue import Check
from guide.names import Pool
from guide.threads import Conversation, Exchange, choose, typed

_GIVE = (
    "(i am|i'm|im) {}", "(my|my first) name is {}", "my name's {}", "call me {}", "(please|you can) call me {}",
    "(hi|hello|hey), (i am|i'm|my name is) {}", "(hi|hello) there, {} here", "{} here", "this is {}",
    "i am called {}", "people call me {}", "they call me {}", "i go by {}", "my friends call me {}",
    "(good morning|good evening), (i am|i'm|my name is) {}", "nice to meet you, (i am|my name is) {}",
    "(by the way|btw), (i am|my name is) {}", "remember that my name is {}", "for you to know: my name is {}",
    "the name is {}", "i am {}, nice to meet you", "just so you know, i am {}",
)  # fmt: skip
_GIVE_HELD_OUT = (
    "hey guide, im {}", "you should know that my name is {}", "they named me {}", "everyone just calls me {}",
)  # fmt: skip
_CHANGE = (
    "no, (my name is|i am|i'm) {}", "(actually|sorry), my name is {}", "i changed my mind, call me {}",
    "(please|) call me {} (instead|from now on|now)", "that was wrong, i am {}", "not quite, my name is {}",
    "now call me {}", "i meant {}, that is my name", "my real name is {}",
)  # fmt: skip
_WHO = (
    "what is my name", "what's my name", "whats my name", "do you (remember|know|recall) my name", "who am i",
    "do you (know|remember) who i am", "(and|so) what is my name", "tell me my name", "say my name",
    "what am i called", "what did i say my name was", "how am i called", "can you (remember|tell me|say) my name",
    "did i tell you my name", "have you forgotten my name", "my name", "do you still know my name",
    "what was my name", "what was my name again", "who are you talking to", "which name did i give you",
    "(ok|thanks|great), (and|now) what is my name", "do you know what i am called", "i forgot my name, what is it",
    "you know my name, right",
)  # fmt: skip
_WHO_HELD_OUT = (
    "u still remember my name?", "so who am i then", "could you tell me what my name is",
    "whats the name i told you",
)  # fmt: skip


def give_name(talk: Conversation) -> Exchange:
    """Somebody says their name, or another than before."""
    rng, changed = talk.rng, bool(talk.name)
    name = talk.pool.name(rng)
    while name == talk.name:
        name = talk.pool.name(rng)
    talk.name = name
    shown = name.lower() if not talk.held_out and rng.random() < 0.2 else name
    texts = _CHANGE if changed else _GIVE_HELD_OUT if talk.held_out and rng.random() < 0.5 else _GIVE
    ask = _told(choose(texts, rng), shown, rng)
    answer = (
        rng.choice(("All right, {}. I will call you that.", "All right, {}. I call you {} now."))
        if changed
        else rng.choice(("Hello, {}! What can I help you with?", "Nice to meet you, {}! What can I help you with?"))
    )
    answer = answer.replace("{}", name)
    return talk.add(
        Exchange(ask, answer, f"The user gives a name: {name}. I greet them by it.", _fact("name_given", name))
    )


def ask_name(talk: Conversation) -> Exchange:
    """Asks for the name, known or not."""
    rng = talk.rng
    ask = typed(choose(_WHO_HELD_OUT if talk.held_out and rng.random() < 0.3 else _WHO, rng), rng, "?")
    if not talk.name:
        thought = "The user asks for their name. No name was given."
        return talk.add(Exchange(ask, UNKNOWN_NAME, thought, Check("name_unknown", (("not told me",),))))
    answer = rng.choice(("Your name is {}.", "You are {}.", "You told me that your name is {}.")).format(talk.name)
    thought = f"The user asks for their name. It was given: {talk.name}."
    return talk.add(Exchange(ask, answer, thought, _fact("name_recall", talk.name)))


UNKNOWN_NAME = "You have not told me your name yet."
UNKNOWN_THING = "You have not told me that yet."


def _told(line: str, value: str, rng: random.Random) -> str:
    """The line, typed by somebody, with a value in it that keeps its letters."""
    return typed(line, rng, ".").replace("{}", value)


def _fact(intent: str, value: str) -> Check:
    return Check(intent, ((rf"\b{re.escape(value)}\b",),))


@dataclass(frozen=True)
class _Thing:
    tell: tuple[str, ...]
    """With {} for the value and {k} for what it belongs to."""
    ask: tuple[str, ...]
    answer: str
    value: Callable[[Pool, random.Random], str]
    kinds: Callable[[Pool], Sequence[str]] = lambda pool: ("",)


_PEOPLE = (
    "sister", "brother", "mother", "father", "friend", "daughter", "son", "boss", "wife", "husband", "neighbour",
    "teacher", "aunt", "uncle",
)  # fmt: skip
_MACHINES = ("laptop", "computer", "pc", "machine", "notebook")
_MEMORY = ("4", "6", "8", "12", "16", "24", "32", "48", "64", "96", "128")
_THINGS = {
    "pet": _Thing(
        (
            "my {k} is called {}", "my {k}'s name is {}", "i have a {k} called {}", "i have a {k} named {}",
            "the name of my {k} is {}", "my {k} is named {}",
        ),
        (
            "what is my {k} called", "what is the name of my {k}", "what is my {k}'s name",
            "do you remember my {k}'s name", "how is my {k} called", "and my {k}, what is it called",
        ),
        "Your {k} is called {}.",
        Pool.name,
        lambda pool: pool.animals,
    ),
    "person": _Thing(
        (
            "my {k} is called {}", "my {k}'s name is {}", "i have a {k} called {}", "the name of my {k} is {}",
            "{} is my {k}", "{} is the name of my {k}",
        ),
        (
            "what is my {k} called", "what is the name of my {k}", "what is my {k}'s name",
            "do you know my {k}'s name", "who is my {k}", "tell me the name of my {k}",
        ),
        "Your {k} is called {}.",
        Pool.name,
        lambda pool: _PEOPLE,
    ),
    "home": _Thing(
        (
            "i live in {}", "i am living in {}", "my home is in {}", "i have a flat in {}", "i live in {} now",
            "my town is {}",
        ),
        (
            "where do i live", "which town do i live in", "do you know where i live", "what town am i living in",
            "where is my home", "in which place do i live",
        ),
        "You live in {}.",
        Pool.place,
    ),
    "origin": _Thing(
        ("i come from {}", "i am from {}", "i was born in {}", "i grew up in {}"),
        ("where do i come from", "where am i from", "do you remember where i come from", "where was i born"),
        "You come from {}.",
        Pool.place,
    ),
    "trip": _Thing(
        ("i am going to {} tomorrow", "i will travel to {}", "my next trip goes to {}", "i am on my way to {}"),
        ("where am i going", "where will i travel", "where does my trip go", "do you know where i am going"),
        "You are going to {}.",
        Pool.place,
    ),
    "colour": _Thing(
        (
            "my favourite colour is {}", "my favorite color is {}", "i like {} best of all colours",
            "{} is my favourite colour",
        ),
        (
            "what is my favourite colour", "what is my favorite color", "which colour do i like best",
            "do you remember my favourite colour", "what colour did i say i like",
        ),
        "Your favourite colour is {}.",
        lambda pool, rng: rng.choice(pool.colours),
    ),
    "memory": _Thing(
        (
            "i have a {k} with {} gb", "my {k} has {} gb of memory", "my {k} has {} gb of ram",
            "i use a {k} with {} gb of ram", "there are {} gb in my {k}",
        ),
        (
            "how much memory does my {k} have", "how many gb does my {k} have", "how much ram has my {k}",
            "how much memory did i say my {k} has", "what memory do i have in my {k}",
        ),
        "Your {k} has {} GB of memory.",
        lambda pool, rng: rng.choice(_MEMORY),
        lambda pool: _MACHINES,
    ),
    "job": _Thing(
        ("i work as a {}", "i am a {}", "my job is {}", "i earn my money as a {}"),
        ("what is my job", "what do i do for work", "what do i work as", "do you remember my job"),
        "You work as a {}.",
        lambda pool, rng: rng.choice(pool.jobs),
    ),
    "food": _Thing(
        ("my favourite food is {}", "i like to eat {}", "i love {} for dinner", "{} is my favourite food"),
        (
            "what is my favourite food", "what do i like to eat", "what food do i like",
            "do you remember my favourite food",
        ),
        "You like to eat {}.",
        lambda pool, rng: rng.choice(pool.foods),
    ),
    "hobby": _Thing(
        ("my hobby is {}", "in my free time i enjoy {}", "{} is my hobby", "i spend my weekends with {}"),
        ("what is my hobby", "what do i do in my free time", "do you remember my hobby", "which hobby do i have"),
        "Your hobby is {}.",
        lambda pool, rng: rng.choice(pool.hobbies),
    ),
    "age": _Thing(
        ("i am {} years old", "my age is {}", "i turned {} this year", "i am {} years of age"),
        ("how old am i", "what is my age", "do you remember how old i am", "what age did i tell you"),
        "You are {} years old.",
        lambda pool, rng: str(rng.randrange(8, 98)),
    ),
    "word": _Thing(
        (
            "remember the word {}", "please remember this word: {}", "the code word is {}",
            "keep the word {} in mind", "the secret word is {}",
        ),
        (
            "what is the code word", "which word should you remember", "what was the word",
            "what word did i give you", "what was the secret word",
        ),
        "The word is {}.",
        Pool.word,
    ),
    "number": _Thing(
        (
            "remember the number {}", "my lucky number is {}", "the number is {}",
            "please keep the number {} in mind", "my number is {}",
        ),
        (
            "what is my number", "what was the number", "which number should you remember",
            "what is my lucky number", "what number did i tell you",
        ),
        "The number is {}.",
        lambda pool, rng: str(rng.randrange(2, 10 ** rng.choice((1, 2, 3, 4)) + 2)),
    ),
}  # fmt: skip


def tell_thing(talk: Conversation, topic: str = "") -> Exchange:
    """Somebody tells something of theirs."""
    rng = talk.rng
    topic = topic or rng.choice([topic for topic in _THINGS if topic not in talk.told] or list(_THINGS))
    thing = _THINGS[topic]
    kind, value = rng.choice(list(thing.kinds(talk.pool))), thing.value(talk.pool, rng)
    sentence = thing.answer.replace("{k}", kind).replace("{}", value)
    talk.told[topic] = (sentence, value)
    talk.told[f"{topic}:kind"] = (kind, kind)
    ask = _told(rng.choice(thing.tell).replace("{k}", kind), value, rng)
    answer = f"{rng.choice(('Noted', 'Good to know'))}: {sentence[:1].lower()}{sentence[1:]}"
    return talk.add(Exchange(ask, answer, f"The user tells me something. {sentence}", _fact("thing_told", value)))


def told_topics(talk: Conversation) -> list[str]:
    return [topic for topic in talk.told if topic in _THINGS]


def ask_thing(talk: Conversation, topic: str = "") -> Exchange:
    """Asks for something told; without a topic, for something that was not."""
    rng = talk.rng
    known = topic in talk.told
    topic = topic or rng.choice([each for each in _THINGS if each not in talk.told])
    thing = _THINGS[topic]
    kind = talk.told[f"{topic}:kind"][0] if known else rng.choice(list(thing.kinds(talk.pool)))
    ask = typed(rng.choice(thing.ask).replace("{k}", kind), rng, "?")
    if not known:
        thought = "The user asks for something of theirs. It was not told."
        return talk.add(Exchange(ask, UNKNOWN_THING, thought, Check("thing_unknown", (("not told me",),))))
    sentence, value = talk.told[topic]
    thought = f"The user asks for something told before: {value}."
    return talk.add(Exchange(ask, sentence, thought, _fact("thing_recall", value)))
