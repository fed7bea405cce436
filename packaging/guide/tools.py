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
    more: tuple[str, ...] = ()
    """As `asks`, for training alone: the evaluation asks in words of `asks`, and stays as it is."""

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

    def question(self, arguments: Mapping[str, Value], rng: random.Random, *, wide: bool = True) -> str:
        """How somebody asks for it; `wide`: with the wordings for training alone."""
        text = typed(choose((*self.asks, *self.more) if wide else self.asks, rng), rng)
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
_MORE_VERBS = (
    "add", "adjust", "approve", "assign", "block", "boil", "build", "carry", "charge", "compare", "compress", "copy",
    "count", "cut", "download", "draw", "edit", "email", "empty", "enable", "encode", "export", "fill", "filter",
    "fold", "follow", "format", "forward", "greet", "guard", "heat", "hide", "import", "install", "invite", "join",
    "label", "launch", "lend", "light", "load", "log", "mark", "merge", "mix", "mute", "notify", "pack", "park",
    "pause", "pick", "plan", "post", "publish", "pull", "push", "record", "refund", "register", "release", "remove",
    "rent", "replace", "restart", "return", "rotate", "route", "schedule", "sell", "send", "share", "ship", "sign",
    "sort", "split", "stamp", "store", "subscribe", "swap", "sync", "tag", "test", "tidy", "toggle", "translate",
    "trim", "turn_off", "unlock", "unpack", "update", "upload", "validate", "verify", "visit", "wash", "wrap",
)  # fmt: skip
_MORE_NOUNS = (
    "airport", "alarm", "album", "apartment", "article", "badge", "balance", "balloon", "banner", "barn", "barrel",
    "beach", "toolbox", "boat", "boiler", "branch", "bucket", "budget", "bus", "button", "cable", "calendar",
    "canal", "canoe", "carpet", "chair", "channel", "chapter", "church", "cinema", "clock", "coffee", "comment",
    "contract", "cottage", "coupon", "course", "crane", "curtain", "delivery", "desk", "device", "diary", "dish",
    "driver", "drone", "email", "event", "factory", "farm", "fence", "ferry", "field", "folder", "fridge", "game",
    "glacier", "guitar", "hotel", "image", "igloo", "item", "journal", "kettle", "kiosk", "laboratory", "ladder",
    "lesson", "letter", "library", "license", "locker", "machine", "magazine", "market", "medal", "menu", "mill",
    "mixer", "monitor", "motor", "network", "newspaper", "office", "package", "palace", "passport", "patient",
    "piano", "picture_frame", "player", "playlist", "pool", "post", "profile", "project", "quarry", "radio", "record",
    "reminder", "restaurant", "route", "satellite", "scooter", "shelf", "shop", "signal", "station", "statue",
    "storage", "street", "student", "studio", "submarine", "table", "task", "taxi", "tent", "theatre", "tower",
    "tram", "truck", "user", "valve", "vehicle", "video", "village", "visitor", "voucher", "wallet", "warehouse",
    "website", "wheel", "workshop", "yacht", "zoo",
)  # fmt: skip
_HELD_OUT_VERBS = ("scan", "polish", "deliver", "freeze", "weigh", "archive")
_HELD_OUT_NOUNS = ("bakery", "fountain", "elevator", "vault", "telescope", "tractor", "museum", "cabin")
_STATES = (
    "open", "closed", "ready", "empty", "full", "late", "on time", "broken", "busy", "free", "warm", "cold",
    "active", "paused", "lost", "new", "old", "clean",
)  # fmt: skip
_KEYS = ("status", "state", "price", "weight", "level", "place", "owner", "answer", "value", "length", "date")


def invent_tool(rng: random.Random, *, held_out: bool = False, wide: bool = True) -> Tool:
    """A tool that nobody has heard of; its declaration says how it is called.

    `wide` draws from the many words for training, so that a name has to be copied and is never guessed.
    """
    if wide and not held_out:
        return _wide_tool(rng)
    reads = rng.random() < 0.5
    verb = rng.choice(_HELD_OUT_VERBS if held_out else _READ_VERBS if reads else _ACT_VERBS)
    noun = (
        rng.choice(_HELD_OUT_NOUNS) if held_out else rng.choice(_NOUNS) if rng.random() < 0.6 else invented(rng).lower()
    )
    return _made_tool(rng, verb, noun, reads=reads, held_out=held_out)


def _wide_tool(rng: random.Random) -> Tool:
    verb = rng.choice((*_READ_VERBS, *_ACT_VERBS, *_MORE_VERBS)) if rng.random() < 0.8 else invented(rng).lower()
    noun = rng.choice((*_NOUNS, *_MORE_NOUNS)) if rng.random() < 0.65 else invented(rng).lower()
    return _made_tool(rng, verb, noun, reads=verb in _READ_VERBS, wide=True)


def _made_tool(
    rng: random.Random, verb: str, noun: str, *, reads: bool, held_out: bool = False, wide: bool = False
) -> Tool:
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
    more = _more_asks(thing, said_noun, wanted.name) if wide else ()
    return Tool(name, f"{said_verb.capitalize()} the {said_noun}", (wanted,), tuple(asks), result, more)


def _more_asks(thing: str, noun: str, parameter: str) -> tuple[str, ...]:
    value = f"{{{parameter}}}"
    return (
        f"(hi|hello|hey|ok|now|so|well), {thing} {value}", f"{thing} {value} (please|for me|now|pls|thanks|at once)",
        f"(would you|will you|i would like you to|i need you to|let us|you should) {thing} {value}",
        f"{thing}, (the|its) {parameter} is {value}", f"{thing} whose {parameter} is {value}",
        f"{thing}: {value}", f"{value}: {thing}", f"for {parameter} {value}, {thing}",
        f"the {parameter} is {value}. {thing}", f"(use|take) the {parameter} {value} and {thing}",
        f"{thing} (by|using|of|for|at|called|named) {value}", f"{thing} ({parameter} = {value}|{parameter}: {value})",
        f"(i want|it is time|i have) to {thing} with the {parameter} {value}",
        f"there is a {noun} with {parameter} {value}, {thing}",
    )  # fmt: skip
