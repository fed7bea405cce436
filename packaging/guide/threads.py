"""Conversations that lean on what was said before: what was asked, how often, once more, shorter, which key."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from guide.dialogue import Check, Turn
from guide.follow_ups import follow_ups_of
from guide.intents import Intent
from guide.names import Pool
from guide.phrasing import Choice, parse
from guide.references import find_references
from guide.topics import topic_of

COUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True)
class Exchange:
    """A question and its answer."""

    ask: str
    answer: str
    thought: str
    """One or two sentences: what is asked, and what the answer must hold."""
    check: Check
    offers: str = ""
    """The intent whose answer this is."""


@dataclass
class Conversation:
    """What was said so far, and what is known from it."""

    rng: random.Random
    pool: Pool
    held_out: bool = False
    """Questions in words that training never sees, where there are any."""
    name: str = ""
    system: str = ""
    told: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Topic to the sentence that answers for it and to the value in it."""
    exchanges: list[Exchange] = field(default_factory=list)

    def add(self, exchange: Exchange) -> Exchange:
        self.exchanges.append(exchange)
        return exchange

    def turns(self) -> tuple[Turn, ...]:
        """Everything said, with the system text if there is one."""
        turns = [Turn("system", self.system)] if self.system else []
        for exchange in self.exchanges:
            turns += [Turn("user", exchange.ask), Turn("assistant", exchange.answer, topic=exchange.offers)]
        return tuple(turns)


def choose(texts: Sequence[str], rng: random.Random) -> str:
    """A text drawn from lines with alternatives `(a|b|)`."""
    return _parsed(tuple(texts))[rng.randrange(len(texts))].draw(rng)


def typed(text: str, rng: random.Random, end: str = "") -> str:
    """The text with or without its capital and the end mark."""
    if rng.random() < 0.5:
        text = re.sub(r"\bi\b", "I", text[:1].upper() + text[1:])
    return text + (end if rng.random() < 0.6 else "")


@cache
def _parsed(texts: tuple[str, ...]) -> tuple[Choice, ...]:
    return tuple(parse(text) for text in texts)


LEADS = (
    "and ", "ok, and ", "okay, ", "ok. ", "thanks. ", "thanks, and ", "thank you. ", "one more thing: ",
    "another question: ", "next question: ", "great. ", "i see. ", "good. ", "now ", "also, ", "and now: ",
    "alright, ", "fine, and ", "got it. ", "no, i meant: ", "no, i meant ", "i mean ", "something else: ",
    "by the way, ",
)  # fmt: skip
_NAMED = {
    "thanks": ("You are welcome, {}!", "You are very welcome, {}!"),
    "goodbye": ("Goodbye, {}, and take care!", "Goodbye, {}!"),
    "greeting": ("Hello, {}! What can I help you with?",),
}


def intent_exchange(talk: Conversation, intent: Intent) -> Exchange:
    """Asks for the intent, in a conversation often led in by a word or two; whoever gave a name is called by it."""
    rng = talk.rng
    ask = rng.choice(intent.held_out) if talk.held_out else intent.phrase(rng)
    if talk.exchanges and not talk.held_out and rng.random() < 0.35:
        ask = rng.choice(LEADS) + ask[:1].lower() + ask[1:]
        if rng.random() < 0.5:
            ask = ask[:1].upper() + ask[1:]
    return talk.add(Exchange(ask, reply(talk, intent), _thought(intent, rng), intent.check(), offers=intent.name))


def reply(talk: Conversation, intent: Intent) -> str:
    """The intent's answer, by name where one is known, and of a series one that was not told yet."""
    if talk.name and intent.name in _NAMED:
        return talk.rng.choice(_NAMED[intent.name]).format(talk.name)
    answer = intent.reply(talk.rng)
    if talk.held_out or intent.name not in SERIES:
        return answer
    return next_of(talk, intent) or answer


SERIES = ("joke", "fun_fact")
"""Intents whose answers are not variants of one another."""


def next_of(talk: Conversation, intent: Intent) -> str:
    """Of a series, the answer that comes after the one told last; empty where none was told, or all were."""
    replies = intent.replies()
    told = [exchange.answer for exchange in talk.exchanges if exchange.answer in replies]
    if not told:
        return ""
    last = replies.index(told[-1])
    return next((each for each in (*replies[last + 1 :], *replies[:last]) if each not in told), "")


def _thought(intent: Intent, rng: random.Random) -> str:
    topic = topic_of(intent.name)
    first = rng.choice((f"The user writes about: {topic}.", f"This is about: {topic}."))
    return first + rng.choice((" A short and true answer is enough.", " I say what I know about it, in a few words."))


_COUNT = (
    "how many (questions|messages|things) have i (asked|sent|written)",
    "how many (questions|messages) did i (ask|send|write)",
    "how many (questions|messages) (was that|is that|are there) so far", "how many (questions|messages) so far",
    "count my (questions|messages)", "how often did i (ask|write) (you|something)",
    "can you count my (questions|messages)", "how many times did i (ask|write to) you",
    "do you know how many (questions|messages) i (asked|sent)", "the number of my (questions|messages)",
    "how many (questions|messages) have i (asked|sent) (you|so far|up to now|in this chat)",
    "which number is this (question|message)",
)  # fmt: skip
_COUNT_HELD_OUT = (
    "how many msgs did i send you", "whats the number of questions i asked", "how much questions were that till now",
)  # fmt: skip
_COUNT_MORE = (
    (
        "how many (questions|messages|things) (was it|were it|have there been|were there) (so far|up to now|"
        "by now|in total)"
    ),
    "how much (messages|things) (did i write|have i sent|did i send|have i written)(| so far| by now)",
    "how much (questions|messages) (have i asked|did i ask)(| so far| up to now)",
    "(the |)(number|count|amount|total) of (my |)(messages|questions)(| so far| up to now| please)",
    (
        "(tell me|say|give me) (the (number|count) of my (messages|questions)|how many (messages|questions) i "
        "(sent|wrote|asked))"
    ),
    "(my |)(questions|messages) so far, how many(| are they| were they| in all)",
    "how many (questions|messages|times) (is|are|was) (this|it|they)(| now| altogether| until here)",
    "(questions|messages) (counted|in total|in all|until now), how many",
)  # fmt: skip
"""Never in the evaluation, which draws from _COUNT too and stays as it is."""
_FIRST = (
    "what did i ask first", "what was my first (question|message)", "what was the first thing i (asked|said|wrote)",
    "what did i (say|write) first", "my first question", "do you remember my first (question|message)",
    "what did i ask at the (start|beginning)", "how did (this chat|i|we) (start|begin)",
    "repeat my first (question|message)", "tell me my first (question|message)",
    "what did i ask you (first|in the beginning|at first)", "which question did i ask first",
)  # fmt: skip
_FIRST_HELD_OUT = (
    "with what question did i begin", "whats the very first thing i wrote", "first question of mine, what was it",
)  # fmt: skip
_FIRST_MORE = (
    (
        "(which|what) (was|is) the (first|very first|opening) (question|message|sentence|line) (of mine|i "
        "wrote|i asked|i sent|in this chat|here)"
    ),
    "(with|by) (what|which) (message|sentence|words|line) did (i|we|this chat) (begin|start|open)",
    (
        "(quote|show|say|give me|write|read) (my|the) (very |)first (question|message|sentence|line)(| again| "
        "of mine| please)"
    ),
    "(first|very first|opening) (message|line|sentence)(| of mine| please| again), what was it",
    "(my|the) (very |)first (message|line|sentence|words)(| please| again| of mine)",
    "what (did i|i did) (start|begin|open) (with|this chat with)",
    "how did i (open|start) (this|our|the) (chat|talk|conversation)",
    (
        "(i forgot|i forget|remind me|tell me|do you know|can you say) (what|which question) i (asked|wrote|"
        "said|typed|sent) (first|at first|at the beginning|at the start)"
    ),
    "what (were|was) (my|the) first (words|line|thing) (here|to you|in this chat|that i typed)",
    "before (everything|all) else, what did i (ask|say|write)",
)  # fmt: skip
_LAST = (
    "what was my last (question|message)",
    "what did i (just ask|just say|ask before|ask last|say last|ask you just now)",
    "what was my question before (this|this one)", "repeat my last (question|message)", "my last question",
    "what did i ask a moment ago", "what was the last thing i (asked|said|wrote)",
    "do you remember my last (question|message)",
)  # fmt: skip


def _wordings(talk: Conversation, usual: Sequence[str], held_out: Sequence[str], more: Sequence[str]) -> Sequence[str]:
    if talk.held_out:
        return held_out if talk.rng.random() < 0.4 else usual
    return (*usual, *more)


def ask_count(talk: Conversation) -> Exchange:
    """How many messages the user sent, this one among them."""
    rng, count = talk.rng, len(talk.exchanges) + 1
    ask = typed(choose(_wordings(talk, _COUNT, _COUNT_HELD_OUT, _COUNT_MORE), rng), rng, "?")
    answer = f"With this one, {count} ({COUNTS[count]})."
    thought = f"The user asks how many messages they sent. I count: {', '.join(COUNTS[1 : count + 1])}."
    return talk.add(Exchange(ask, answer, thought, Check("count", ((rf"\b{count}\b", rf"\b{COUNTS[count]}\b"),))))


def ask_first(talk: Conversation) -> Exchange:
    """What the first message was; needs one."""
    rng, first = talk.rng, talk.exchanges[0].ask
    ask = typed(choose(_wordings(talk, _FIRST, _FIRST_HELD_OUT, _FIRST_MORE), rng), rng, "?")
    thought = "The user asks for their first message. I quote it."
    return talk.add(Exchange(ask, f'First you wrote: "{first}".', thought, _quote("first_question", first)))


def ask_last(talk: Conversation) -> Exchange:
    """What the message before was; needs one."""
    rng, last = talk.rng, talk.exchanges[-1].ask
    thought = "The user asks for their last message. I quote it."
    ask = typed(choose(_LAST, rng), rng, "?")
    return talk.add(Exchange(ask, f'Before this you wrote: "{last}".', thought, _quote("last_question", last)))


def _quote(intent: str, text: str) -> Check:
    # A wrong letter at the end of a long message is no wrong memory.
    return Check(intent, ((re.escape(" ".join(text.split()[:5]).rstrip("?!. ")),),))


_AGAIN = (
    "repeat that", "(say|tell me) that again", "again", "again please",
    "(please|) repeat (that|it|your answer|your last answer)", "what did you (say|just say)", "(come|say) again",
    "once more", "can you (repeat|say) that (again|)", "i did not (get|read) that, say it again", "one more time",
    "pardon, what was that",
)  # fmt: skip
_SHORTER = (
    "(say it|make it|answer) shorter", "shorter", "shorter please", "in short",
    "can you say (it|that) (shorter|more briefly)", "too long", "that is too long", "briefly", "more briefly please",
    "in one sentence", "say that in one sentence", "make that shorter", "short version please", "the short version",
)  # fmt: skip
_MORE = (
    "tell me more", "more", "more please", "(and|) why", "why is that", "go on", "continue",
    "can you say more (about it|about that|)", "more details", "more about (it|that)", "explain that",
    "explain (it|that) (better|more|again in other words)", "what do you mean", "i don't understand",
    "i do not get it", "what does that mean", "and then", "anything else", "is that all", "what else",
)  # fmt: skip
_NOTHING_SAID = "I have not said anything yet. Ask me about Hearth."
_NO_MORE = "That is all I know about it. Ask me something else about Hearth."


def ask_again(talk: Conversation) -> Exchange:
    """The last answer once more."""
    rng = talk.rng
    answer = talk.exchanges[-1].answer if talk.exchanges else _NOTHING_SAID
    ask = typed(choose(_AGAIN, rng), rng, ".")
    return talk.add(Exchange(ask, answer, "The user wants my last answer once more.", _quote("again", answer)))


def ask_shorter(talk: Conversation) -> Exchange:
    """The first sentence of the last answer."""
    rng = talk.rng
    answer = re.split(r"(?<=[.!?]) ", talk.exchanges[-1].answer)[0] if talk.exchanges else _NOTHING_SAID
    thought = "The user wants my last answer shorter. Its first sentence is enough."
    return talk.add(Exchange(typed(choose(_SHORTER, rng), rng, "."), answer, thought, _quote("shorter", answer)))


def ask_more(talk: Conversation) -> Exchange:
    """More than there is to say."""
    thought = "The user wants more. I said all that I know."
    has_reason = "why" in follow_ups_of(talk.exchanges[-1].offers)
    lines = [line for line in _MORE if not (has_reason and "why" in line)]
    ask = typed(choose(lines, talk.rng), talk.rng, "?")
    return talk.add(Exchange(ask, _NO_MORE, thought, Check("more", (("all i know",),))))


_KEY = (
    "and the (shortcut|key|keys|hotkey)", "the (shortcut|key|hotkey)",
    "is there a (shortcut|key|hotkey) for (it|that)", "which (key|keys|shortcut) is (it|that)",
    "what is the (shortcut|key|hotkey) for (it|that)", "and with the keyboard",
    "can i do (it|that) with (a key|the keyboard)", "(and|) how with the keyboard", "which keys",
    "the keys for (it|that) please", "and its (shortcut|key)", "what is its (shortcut|key|hotkey)",
    "(does it have|has it|is there) a (shortcut|key|hotkey)(| of its own| too)",
)  # fmt: skip


def key_of(intent: Intent) -> str:
    """The one key that every answer names and that its facts ask for; empty where there is no such key."""
    named = [
        {each.shown for each in find_references(text, intent.name) if each.kind == "key"} for text in intent.answer
    ]
    if len(named[0]) != 1 or any(keys != named[0] for keys in named):
        return ""
    (key,) = named[0]
    return key if any(re.search(fact, key, re.IGNORECASE) for group in intent.facts for fact in group) else ""


def ask_key(talk: Conversation, intent: Intent) -> Exchange:
    """The key of what was just asked for, which has one."""
    key = key_of(intent)
    ask = typed(choose(_KEY, talk.rng), talk.rng, "?")
    thought = f"The user asks for the key of {topic_of(intent.name)}. It is {key}."
    return talk.add(Exchange(ask, f"The shortcut is {key}.", thought, Check("key", ((re.escape(key),),))))


_WHICH = {
    "joke": (
        "the joke", "a joke", "joke please", "the joke please", "yes, a joke", "i take the joke", "the first one",
        "a joke would be nice",
    ),
    "fun_fact": (
        "the fact", "the fun fact", "a fun fact", "fact please", "yes, the fun fact", "i take the fact",
        "the second one",
    ),
    "poem": (
        "the poem", "a poem", "poem please", "the short poem", "yes, a poem", "i take the poem", "the last one",
        "the third one",
    ),
    "happy_news": (
        "fine", "i am fine", "good, thanks", "very well", "fine, thank you", "great", "i am good", "not bad at all",
        "well, thanks",
    ),
    "feeling_sad": (
        "not so good", "not good", "bad", "not well", "terrible", "i am not fine", "sad, to be honest",
        "could be better",
    ),
}  # fmt: skip
_ASKED_BACK = {"bored": ("joke", "fun_fact", "poem"), "how_are_you": ("happy_news", "feeling_sad")}


def answer_back(talk: Conversation, intents: dict[str, Intent]) -> Exchange | None:
    """The user's word to what the guide asked; None where it asked nothing."""
    rng = talk.rng
    back = _ASKED_BACK.get(talk.exchanges[-1].offers, ()) if talk.exchanges else ()
    wanted = [name for name in back if name in intents]
    if not wanted:
        return None
    intent = intents[rng.choice(wanted)]
    ask = typed(rng.choice(_WHICH[intent.name]), rng, ".")
    thought = f"I asked the user, and they say: {topic_of(intent.name)}."
    return talk.add(Exchange(ask, intent.reply(rng), thought, intent.check(), offers=intent.name))
