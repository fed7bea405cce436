"""Turns that stay with what was just said: questions that do not name it, and another one of the same."""

import re

from guide.dialogue import Check
from guide.follow_ups import FollowUp, load_wordings
from guide.intents import Intent
from guide.threads import LEADS, SERIES, Conversation, Exchange, choose, next_of, typed
from guide.topics import topic_of

UNNAMED = "I am not sure what you mean. Name it, please, and I tell you what I know."
"""Said where nothing was talked about before."""
_UNNAMED = (
    "(is|are) (it|that|they|this) (switched |turned |)on by default",
    "where (do|can) i (set|change|find) (that|this|them)",
    "(which|what) (one |)(is best|is the best|do you recommend|is better)",
    "how do i (disable|deactivate|enable|activate) (it|that|them)",
    "(does|do) (it|that|they|this) (take|need|cost) (much |a lot of |)memory",
    "(does|do|will) (it|that|they) make (it|things) faster", "(and |)(what about|how about) (that|it|those|this)",
    "what is (it|that) good for",
    "does (it|that) change the (answers|answer|quality)", "do i (really |)need (it|that|them)",
    "can i (switch|turn) (that|this|them) off",
)  # fmt: skip
"""Never "how do i stop it" or "is it free", which mean something by themselves."""
_ANOTHER = (
    "another one(| please| then|, please)", "one more(| please| of those|, please)", "(and |)(the |)next one(| please)",
    "more of (those|them|that)", "tell me another(| one)", "do you (have|know) (another|another one|more|more of them)",
    "(haha|lol|nice|great|good one|funny|cool|ok), (another one|one more|another|next)",
    "(i know that one|i knew that|that was not good|i heard that), (another one|another|a different one|one more)",
    "a (new|different|better) one(| please)", "(can i|could i|may i) (have|hear|get) (another|another one|one more)",
    "(and |)(another|a second|a different one)(| please)",
    "(give me|i want|i'd like|let me hear) (another one|one more|another|more)",
    "(any|got any|are there) more(| of them| of those)",
)  # fmt: skip
_ANOTHER_HELD_OUT = ("got one more for me", "and a further one", "what other ones do you know", "keep them coming")
_ALL_TOLD = {
    "joke": "Those were all the jokes that I know. Ask me something about Hearth.",
    "fun_fact": "Those were all the facts that I know. Ask me something about Hearth.",
    "poem": "That is the only poem that I know. Ask me something about Hearth.",
}
GOES_ON = tuple(_ALL_TOLD)
"""Intents of which another one may be wanted."""


def ask_on(talk: Conversation, follow_up: FollowUp) -> Exchange:
    """A question about the subject of the last answer, without its name."""
    rng, wordings = talk.rng, load_wordings()[follow_up.asks]
    ask = rng.choice(wordings.held_out) if talk.held_out else wordings.phrase(rng)
    if not talk.held_out and rng.random() < 0.15:
        ask = rng.choice(LEADS) + ask[:1].lower() + ask[1:]
    topic, asks = topic_of(follow_up.subject), follow_up.asks.replace("_", " ")
    thought = f"{topic[:1].upper()}{topic[1:]}, {asks}: the user asks on about it."
    return talk.add(Exchange(ask, follow_up.reply, thought, follow_up.check()))


def ask_another(talk: Conversation, intent: Intent) -> Exchange:
    """Another joke, fact or poem than those told; needs one that was."""
    rng = talk.rng
    ask = typed(choose(_ANOTHER_HELD_OUT if talk.held_out else _ANOTHER, rng), rng, "?")
    answer = next_of(talk, intent) if intent.name in SERIES else ""
    topic = intent.name.replace("_", " ").capitalize()
    thought = f"{topic}: the user wants another one. " + ("Here is one." if answer else "I told all that I know.")
    told = [exchange.answer for exchange in talk.exchanges]
    untold = [each for each in intent.replies() if each not in told] if answer else [_ALL_TOLD[intent.name]]
    check = Check("follow_up", (tuple(map(_beginning, untold)),), tuple(map(_beginning, told)))
    offers = intent.name if answer else ""
    answer = answer or _ALL_TOLD[intent.name]
    return talk.add(Exchange(ask, answer, thought, check, offers=offers))


def ask_unnamed(talk: Conversation) -> Exchange:
    """A question about "it" before anything was talked about."""
    ask = typed(choose(_UNNAMED, talk.rng), talk.rng, "?")
    thought = "The user asks about something, but does not name it."
    return talk.add(Exchange(ask, UNNAMED, thought, Check("unnamed", (("name it",),))))


def _beginning(text: str) -> str:
    return re.escape(" ".join(text.split()[:8]).rstrip(".,;:?"))
