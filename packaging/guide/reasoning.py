"""Dialogues whose last answer is thought over in a sentence or two first."""

import random
from collections.abc import Mapping
from dataclasses import replace

from guide import memories
from guide.conversations import begin, compose_short
from guide.dialogue import Dialogue
from guide.intents import load_intents
from guide.names import HELD_OUT, TRAINING
from guide.threads import Conversation, intent_exchange
from guide.tool_talk import call_turns, declarations, offer
from guide.tools import Tool, Value

_TOOL_SHARE = 0.12
_QUESTION_SHARE = 0.4
"""Share of single questions of which only the beginning of the thought is learnt: it says what they are about."""


def thinking_dialogue(rng: random.Random) -> Dialogue:
    """As without reasoning, with what the last answer must hold before it."""
    drawn = rng.random()
    if drawn < _TOOL_SHARE:
        return _thinking_call(rng)
    brief = drawn < _TOOL_SHARE + _QUESTION_SHARE
    if brief:
        talk = begin(rng)
        intent_exchange(talk, rng.choice(load_intents()))
    else:
        talk = compose_short(rng)
    last = talk.exchanges[-1]
    turns = talk.turns()
    turns = (*turns[:-1], replace(turns[-1], reasoning=last.thought))
    return Dialogue(turns, thinking=True, brief=brief, kind="thinking")


def _thinking_call(rng: random.Random) -> Dialogue:
    tools = offer(rng, rng.choice((1, 2, 3)))
    wanted = rng.choice(tools)
    turns, _, arguments = call_turns(wanted, TRAINING, rng)
    called = replace(turns[1], reasoning=_call_thought(wanted, arguments))
    return Dialogue((turns[0], called), declarations(tools), thinking=True, kind="thinking")


def _call_thought(tool: Tool, arguments: Mapping[str, Value]) -> str:
    values = ", ".join(f"{name} {value}" for name, value in arguments.items())
    return f"The user needs the tool {tool.name}. It takes {values}."


def held_out_reasoning(rng: random.Random) -> tuple[Dialogue, ...]:
    """20 questions to be thought over: 12 intents in unseen words, 8 names to remember."""
    made = []
    intents = [intent for intent in load_intents() if intent.held_out]
    for at in range(20):
        talk = Conversation(rng, HELD_OUT, held_out=True)
        if at < 12:
            intent_exchange(talk, rng.choice(intents))
        else:
            memories.give_name(talk)
            for _ in range(at % 3):
                intent_exchange(talk, rng.choice(intents))
            memories.ask_name(talk)
        check = replace(talk.exchanges[-1].check, intent="thinking")
        made.append(Dialogue(talk.turns()[:-1], thinking=True, check=check, kind="thinking"))
    return tuple(made)
