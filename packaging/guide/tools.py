"""Tools as they are declared, asked for and answered by; some well known, some that nobody has heard of."""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from guide.names import Pool, invented
from guide.threads import choose, typed

Value = str | int
Draw = Callable[[Pool, random.Random], Value]


@dataclass(frozen=True)
class Parameter:
    name: str
    draw: Draw
    type: str = "string"


@dataclass(frozen=True)
class Tool:
    """A tool, how it is asked for, and what comes of it."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    asks: tuple[str, ...]
    """With {parameter} for the values."""
    result: Callable[[Mapping[str, Value], random.Random], tuple[Mapping[str, Value], str]]
    """What the tool says, and the sentence that says it to the user."""

    def declaration(self) -> dict[str, object]:
        """In OpenAI's form."""
        properties = {each.name: {"type": each.type} for each in self.parameters}
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": {
                    "type": "object",
                    "properties": properties,
                    "required": [each.name for each in self.parameters],
                },
            },
        }

    def arguments(self, pool: Pool, rng: random.Random) -> dict[str, Value]:
        return {each.name: each.draw(pool, rng) for each in self.parameters}

    def question(self, arguments: Mapping[str, Value], rng: random.Random) -> str:
        text = typed(choose(self.asks, rng), rng)
        for name, value in arguments.items():
            text = re.sub(rf"\{{{name}\}}", str(value), text, flags=re.IGNORECASE)
        return text + rng.choice(("", "", ".", "?") if text.lower().startswith(_QUESTIONS) else ("", "."))


_QUESTIONS = ("what", "how", "where", "when", "is", "can", "could", "do ", "does")


def number(low: int, high: int) -> Draw:
    return lambda pool, rng: rng.randrange(low, high)


# Invented tools: verb, noun and parameter stand in the name, the description and the question alike, in other forms.

_READ_VERBS = (
    "get", "check", "read", "find", "measure", "show", "look_up", "query", "fetch", "list", "track", "inspect",
)  # fmt: skip
_ACT_VERBS = (
    "open", "close", "start", "stop", "book", "order", "delete", "cancel", "lock", "move", "clean", "repair",
    "paint", "print", "play", "call", "save", "create", "reset", "pay", "rename", "water", "feed",
)  # fmt: skip
_NOUNS = (
    "door", "gate", "invoice", "train", "ticket", "sensor", "engine", "printer", "robot", "garden", "song", "recipe",
    "book", "room", "flight", "parcel", "customer", "note", "tank", "pump", "window", "camera", "account", "meeting",
    "report", "server", "oven", "car", "bike", "lamp", "heater", "stock", "film", "team", "plant", "ship", "battery",
    "order_form",
)  # fmt: skip
_PARAMETERS: tuple[Parameter, ...] = (
    Parameter("id", number(1, 9999), "integer"), Parameter("number", number(1, 999), "integer"),
    Parameter("code", lambda pool, rng: f"{rng.choice('ABCDEFGHKLMNPRSTWXZ')}{rng.randrange(10, 999)}"),
    Parameter("name", Pool.name), Parameter("title", Pool.word), Parameter("place", Pool.place),
    Parameter("owner", Pool.name), Parameter("city", Pool.place), Parameter("label", Pool.word),
    Parameter("level", number(1, 100), "integer"), Parameter("colour", lambda pool, rng: rng.choice(pool.colours)),
    Parameter("key", Pool.word), Parameter("person", Pool.name), Parameter("size", number(1, 60), "integer"),
)  # fmt: skip
_HELD_OUT_VERBS = ("scan", "polish", "deliver", "freeze", "weigh", "archive")
_HELD_OUT_NOUNS = ("bakery", "fountain", "elevator", "vault", "telescope", "tractor", "museum", "cabin")
_STATES = (
    "open", "closed", "ready", "empty", "full", "late", "on time", "broken", "busy", "free", "warm", "cold",
    "active", "paused", "lost", "new", "old", "clean",
)  # fmt: skip
_KEYS = ("status", "state", "price", "weight", "level", "place", "owner", "answer", "value", "length", "date")


def invent_tool(rng: random.Random, *, held_out: bool = False) -> Tool:
    """A tool that nobody has heard of; its declaration says how it is called."""
    reads = rng.random() < 0.5
    verb = rng.choice(_HELD_OUT_VERBS if held_out else _READ_VERBS if reads else _ACT_VERBS)
    noun = (
        rng.choice(_HELD_OUT_NOUNS) if held_out else rng.choice(_NOUNS) if rng.random() < 0.6 else invented(rng).lower()
    )
    wanted = rng.choice(_PARAMETERS)
    said_verb, said_noun = verb.replace("_", " "), noun.replace("_", " ")
    thing = f"{said_verb} the {said_noun}"
    asks = [
        f"{thing} with {wanted.name} {{{wanted.name}}}", f"{thing} {{{wanted.name}}}",
        f"(please|can you|could you|i want to) {thing} {{{wanted.name}}}",
        f"{thing}, {wanted.name} {{{wanted.name}}}",
    ]  # fmt: skip
    if reads and not held_out:
        asks += [
            f"what about the {said_noun} {{{wanted.name}}}, {said_verb} it",
            f"i need the {said_noun} with {wanted.name} {{{wanted.name}}}",
        ]

    def result(arguments: Mapping[str, Value], rng: random.Random) -> tuple[Mapping[str, Value], str]:
        if not reads:
            return {"done": "true"}, f"Done: {said_verb} the {said_noun} {arguments[wanted.name]}."
        key = rng.choice(_KEYS)
        value = rng.choice((rng.choice(_STATES), str(rng.randrange(1, 5000)), invented(rng).lower()))
        return {key: value}, f"The {key} of the {said_noun} is {value}."

    name = rng.choice((f"{verb}_{noun}", f"{verb}_{noun}", f"{noun}_{verb}"))
    return Tool(name, f"{said_verb.capitalize()} the {said_noun}", (wanted,), tuple(asks), result)
