"""Dialogues with tools: the call is read off the declaration and the question, the answer off what the tool said."""

import json
import random
import re
from collections.abc import Mapping

from guide.conversations import begin, by_name
from guide.dialogue import Check, Dialogue, ToolCall, Turn
from guide.intents import load_intents
from guide.known_tools import FILES, KNOWN
from guide.names import HELD_OUT, TRAINING, Pool
from guide.pictures.captions import listed
from guide.threads import choose, intent_exchange, reply, typed
from guide.tools import Tool, Value, invent_tool

CHARACTERS = 1400
"""Of a dialogue's declarations and texts; about 450 tokens with what the template adds."""
NO_TOOL = "I have no tool for that, so I cannot do it."
FAILED = "That did not work: {}."
NEEDS_TOOL = frozenset({"weather", "time_date", "maths"})
"""Intents that a tool might serve, so that they are not asked where tools are offered."""
_INSTEAD = {"get_weather": "weather", "get_time": "time_date", "add": "maths", "multiply": "maths"}
"""The intent that answers for a tool where no tools are offered at all."""
_ERRORS = (
    "not found", "no connection", "the service is busy", "unknown value", "access denied", "timed out",
    "not allowed",
)  # fmt: skip


def tool_dialogue(rng: random.Random) -> Dialogue:
    """One to four tools are offered; one is asked for, or none, or one that is not there."""
    while True:
        made = rng.choices((_called, no_call_dialogue, _not_offered, _listed), (72, 12, 9, 7))[0](rng)
        if written_size(made) <= CHARACTERS:
            return made


def written_size(dialogue: Dialogue) -> int:
    """Characters of the declarations and of all that is said."""
    said = sum(len(turn.text) + 60 * len(turn.calls) for turn in dialogue.turns)
    return said + sum(len(json.dumps(tool)) for tool in dialogue.tools)


def offer(rng: random.Random, n: int, *, held_out: bool = False, invents: float = 0.7, wide: bool = True) -> list[Tool]:
    """`n` tools of different names; `wide` as of `invent_tool`."""
    found: dict[str, Tool] = {}
    while len(found) < n:
        tool = invent_tool(rng, held_out=held_out, wide=wide) if rng.random() < invents else rng.choice(KNOWN)
        found[tool.name] = tool
    return list(found.values())


def call_turns(tool: Tool, pool: Pool, rng: random.Random) -> tuple[list[Turn], tuple[Value, ...], Mapping[str, Value]]:
    """Question, call, the tool's word and the answer; the values that the answer must hold; and the arguments."""
    arguments = tool.arguments(pool, rng)
    result, sentence = tool.result(arguments, rng)
    if rng.random() < 0.06:
        error = rng.choice(_ERRORS)
        result, sentence = {"error": error}, FAILED.format(error)
    said = json.dumps(result) if rng.random() < 0.75 else ", ".join(f"{key}: {value}" for key, value in result.items())
    turns = [
        Turn("user", tool.question(arguments, rng, wide=pool is TRAINING)),
        Turn("assistant", calls=(ToolCall(tool.name, arguments),)),
        Turn("tool", said),
        Turn("assistant", sentence),
    ]
    values = tuple(value for value in result.values() if value not in ("true", "on"))
    return turns, values or tuple(arguments.values())[:1], arguments


def _called(rng: random.Random) -> Dialogue:
    tools = offer(rng, rng.choice((1, 1, 2, 2, 2, 3, 3, 4)))
    talk = begin(rng)
    if rng.random() < 0.12:
        intent_exchange(talk, rng.choice(load_intents()))
    turns = list(talk.turns())
    turns += call_turns(rng.choice(tools), TRAINING, rng)[0]
    # Declarations are long, calls are short: two or three calls of one declaration teach more than one.
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        turns += call_turns(rng.choice(tools), TRAINING, rng)[0]
    if rng.random() < 0.1 and "thanks" in by_name():
        thanks = by_name()["thanks"]
        turns += [Turn("user", thanks.phrase(rng)), Turn("assistant", reply(talk, thanks))]
    return Dialogue(tuple(turns), declarations(tools), kind="tool")


_WHICH_TOOLS = (
    "(which|what) tools (do you have|can you call|are there|can you use|have you got)", "(list|name|show) your tools",
    "your tools(| please)", "what can you (call|do with tools)", "(tell me|what are) the names of your tools",
)  # fmt: skip


def _listed(rng: random.Random) -> Dialogue:
    """The names of the tools, word for word."""
    tools = offer(rng, rng.choice((1, 2, 3, 4)))
    ask = typed(choose(_WHICH_TOOLS, rng), rng, "?")
    answer = f"I can call {listed([tool.name for tool in tools])}."
    turns = [Turn("user", ask), Turn("assistant", answer)]
    if rng.random() < 0.5:
        turns += call_turns(rng.choice(tools), TRAINING, rng)[0]
    return Dialogue(tuple(turns), declarations(tools), kind="tool")


def declarations(tools: list[Tool]) -> tuple[Mapping[str, object], ...]:
    return tuple(tool.declaration() for tool in tools)


def no_call_dialogue(rng: random.Random) -> Dialogue:
    """Tools are there, but the question needs none."""
    tools = offer(rng, rng.choice((1, 2, 3)))
    talk = begin(rng)
    for _ in range(rng.choice((1, 1, 2))):
        intent_exchange(talk, rng.choice([intent for intent in load_intents() if intent.name not in NEEDS_TOOL]))
    return Dialogue(talk.turns(), declarations(tools), kind="tool")


def _not_offered(rng: random.Random) -> Dialogue:
    """What is asked for is not among the tools, of which there may be none."""
    if rng.random() < 0.3:
        missing = rng.choice([tool for tool in KNOWN if tool is not FILES])
        intent = by_name().get(_INSTEAD.get(missing.name, ""))
        answer = intent.reply(rng) if intent else NO_TOOL
        ask = missing.question(missing.arguments(TRAINING, rng), rng)
        return Dialogue((Turn("user", ask), Turn("assistant", answer)), kind="tool")
    missing = offer(rng, 1, invents=0.3)[0]
    tools = [tool for tool in offer(rng, rng.choice((1, 2, 3))) if tool.name != missing.name]
    turns = [Turn("user", missing.question(missing.arguments(TRAINING, rng), rng)), Turn("assistant", NO_TOOL)]
    return Dialogue(tuple(turns), declarations(tools), kind="tool")


def argument_facts(tool: Tool, arguments: Mapping[str, Value]) -> tuple[tuple[str, ...], ...]:
    """That the raw text of an answer calls this tool with these arguments."""
    written = (rf'"{name}":\s*{re.escape(json.dumps(value))}(?!\d)' for name, value in arguments.items())
    return ((rf'"name":\s*"{re.escape(tool.name)}"',), *((each,) for each in written))


def _exam_offer(rng: random.Random, n: int) -> list[Tool]:
    return offer(rng, n, invents=0.55, wide=False)


def held_out_tools(rng: random.Random) -> tuple[Dialogue, ...]:
    """30 calls, 20 uses of what a tool said, 15 questions that need no tool."""
    made = []
    for at in range(30):
        known = at % 2 == 0
        wanted = KNOWN[at // 2 % len(KNOWN)] if known else invent_tool(rng, held_out=True)
        tools = [tool for tool in _exam_offer(rng, at % 4) if tool.name != wanted.name]
        tools.insert(rng.randrange(len(tools) + 1), wanted)
        turns, _, arguments = call_turns(wanted, HELD_OUT, rng)
        check = Check("tool_call", argument_facts(wanted, arguments))
        made.append(Dialogue((turns[0],), declarations(tools), check=check, kind="tool"))
    while len(made) < 50:
        at = len(made)
        wanted = KNOWN[at % len(KNOWN)] if at % 2 else invent_tool(rng, held_out=at % 4 == 0, wide=False)
        tools = [tool for tool in _exam_offer(rng, at % 3) if tool.name != wanted.name]
        tools.insert(rng.randrange(len(tools) + 1), wanted)
        turns, values, _ = call_turns(wanted, HELD_OUT, rng)
        facts = tuple((rf"(?<!\w){re.escape(str(value))}(?!\w)",) for value in values)
        check = Check("tool_answer", facts, ("tool_call",))
        made.append(Dialogue(tuple(turns[:3]), declarations(tools), check=check, kind="tool"))
    intents = [intent for intent in load_intents() if intent.held_out and intent.name not in NEEDS_TOOL]
    for intent in rng.sample(intents, 15):
        check = Check("tool_not_needed", intent.facts, ("tool_call",))
        ask = Turn("user", rng.choice(intent.held_out))
        made.append(Dialogue((ask,), declarations(_exam_offer(rng, rng.choice((1, 2)))), check=check, kind="tool"))
    return tuple(made)
