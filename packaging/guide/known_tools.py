"""Tools that many programs offer."""

import random
from collections.abc import Mapping

from guide.names import Pool, invented
from guide.tools import Draw, Parameter, Tool, Value, number


def _from(*values: str) -> Draw:
    """One of the values; in training often a word that none of them is, so that it has to be copied."""

    def draw(pool: Pool, rng: random.Random) -> str:
        if pool.invents and rng.random() < 0.5:
            return pool.word(rng)
        return rng.choice(values)

    return draw


def _said(*values: str) -> Draw:
    """As `_from`, where what has to be copied may be of several words."""

    def draw(pool: Pool, rng: random.Random) -> str:
        if pool.invents and rng.random() < 0.6:
            return " ".join(pool.word(rng) for _ in range(rng.choice((1, 2, 2, 3))))
        return rng.choice(values)

    return draw


def _weather(arguments: Mapping[str, Value], rng: random.Random) -> tuple[Mapping[str, Value], str]:
    degrees = rng.randrange(-12, 38)
    sky = rng.choice(("sunny", "cloudy", "rainy", "windy", "foggy", "clear", "stormy", "snowy"))
    return {"degrees": degrees, "sky": sky}, f"In {arguments['city']} it is {degrees} degrees and {sky}."


def _time(arguments: Mapping[str, Value], rng: random.Random) -> tuple[Mapping[str, Value], str]:
    clock = f"{rng.randrange(24):02}:{rng.randrange(60):02}"
    return {"time": clock}, f"In {arguments['city']} it is {clock}."


def _add(arguments: Mapping[str, Value], rng: random.Random) -> tuple[Mapping[str, Value], str]:
    total = int(arguments["a"]) + int(arguments["b"])
    return {"result": total}, f"{arguments['a']} plus {arguments['b']} is {total}."


def _multiply(arguments: Mapping[str, Value], rng: random.Random) -> tuple[Mapping[str, Value], str]:
    product = int(arguments["a"]) * int(arguments["b"])
    return {"result": product}, f"{arguments['a']} times {arguments['b']} is {product}."


def _convert(arguments: Mapping[str, Value], rng: random.Random) -> tuple[Mapping[str, Value], str]:
    made = rng.randrange(2, 9000)
    return {"amount": made}, f"{arguments['amount']} {arguments['source']} are {made} {arguments['target']}."


def _files(arguments: Mapping[str, Value], rng: random.Random) -> tuple[Mapping[str, Value], str]:
    stem = rng.choice((str(arguments["query"]), invented(rng).lower()))
    file = stem + rng.choice((".txt", ".pdf", ".md", "_2.odt", ".csv"))
    return {"file": file}, f"I found {file}."


def _timer(arguments: Mapping[str, Value], rng: random.Random) -> tuple[Mapping[str, Value], str]:
    return {"ok": "true"}, f"The timer is set to {arguments['minutes']} minutes."


def _light(arguments: Mapping[str, Value], rng: random.Random) -> tuple[Mapping[str, Value], str]:
    return {"light": "on"}, f"The light in the {arguments['room']} is on."


def _message(arguments: Mapping[str, Value], rng: random.Random) -> tuple[Mapping[str, Value], str]:
    return {"sent": "true"}, f"The message to {arguments['person']} is sent."


def _distance(arguments: Mapping[str, Value], rng: random.Random) -> tuple[Mapping[str, Value], str]:
    km = rng.randrange(20, 9000)
    return {"km": km}, f"From {arguments['start']} to {arguments['goal']} it is {km} km."


_WEATHER = Tool(
    "get_weather",
    "The weather in a city",
    (Parameter("city", Pool.place),),
    (
        "what is the weather in {city}", "how is the weather in {city}", "weather in {city}", "weather {city}",
        "is it raining in {city}", "how (warm|cold|hot) is it in {city}",
        "(tell me|get|show me|check) the weather in {city}", "do i need an umbrella in {city}",
        "what is the weather like in {city} today", "i am going to {city}, how is the weather",
        "will it rain in {city}",
    ),
    _weather,
    (
        "(is|will) it (snow|rain|be sunny|be windy|get cold|freeze) in {city} (today|tomorrow|now|)",
        "(should|must) i take (a coat|an umbrella|sunglasses|a jacket) (in|to|for) {city}",
        "{city} weather",
        "{city}, how is the (weather|sky|temperature)",
        "(temperature|forecast|degrees) (in|for) {city}",
        "how many degrees (has|does it have in|is it in) {city}",
        "what weather (is it|do they have) in {city}",
        "(can you|could you|please) (look up|check|find out|tell me) the weather (in|for|of) {city}",
        "do people need an umbrella in {city}",
    ),
)  # fmt: skip
_TIME = Tool(
    "get_time",
    "The local time in a city",
    (Parameter("city", Pool.place),),
    (
        "what time is it in {city}", "what is the time in {city}", "time in {city}",
        "(tell me|get) the time in {city}", "how late is it in {city}", "current time in {city}",
        "is it late in {city}", "do you know what time it is in {city}",
    ),
    _time,
    (
        "{city} time",
        "(clock|hour|local time) in {city}",
        "what does the clock say in {city}",
        "(is it|will it be) (morning|night|evening|noon) in {city}",
        "(please|can you|could you) (look up|check|find out) the time in {city}",
        "in {city}, what time is it",
        "which hour is it (now in|in) {city}",
    ),
)  # fmt: skip
_ADD = Tool(
    "add",
    "Add two numbers",
    (Parameter("a", number(1, 1000), "integer"), Parameter("b", number(1, 1000), "integer")),
    (
        "what is {a} plus {b}", "add {a} and {b}", "{a} + {b}", "what is {a} + {b}", "how much is {a} plus {b}",
        "(please|) add {a} to {b}", "the sum of {a} and {b}",
    ),
    _add,
    (
        "{a} and {b} (together|added up|in sum)",
        "(sum|total) of {a} and {b}",
        "(calculate|compute|work out|count) {a} + {b}",
        "(how much|what) (do|does) {a} and {b} make",
        "put {a} and {b} together",
        "{a} plus {b}",
        "increase {a} by {b}",
    ),
)  # fmt: skip
_MULTIPLY = Tool(
    "multiply",
    "Multiply two numbers",
    (Parameter("a", number(2, 100), "integer"), Parameter("b", number(2, 100), "integer")),
    (
        "what is {a} times {b}", "multiply {a} by {b}", "{a} * {b}", "{a} x {b}", "how much is {a} times {b}",
        "multiply {a} and {b}", "the product of {a} and {b}",
    ),
    _multiply,
    (
        "{a} times {b}",
        "(calculate|compute|work out) {a} (times|x) {b}",
        "(how much|what) is {a} multiplied by {b}",
        "take {a} {b} times",
        "(product|multiplication) of {a} and {b}",
    ),
)  # fmt: skip
_MONEY = ("euros", "dollars", "pounds", "francs", "yen", "crowns", "pesos", "rupees")
_CONVERT = Tool(
    "convert_currency",
    "Convert money",
    (
        Parameter("amount", number(1, 5000), "integer"), Parameter("source", _from(*_MONEY)),
        Parameter("target", _from(*_MONEY)),
    ),
    (
        "convert {amount} {source} to {target}", "how many {target} are {amount} {source}",
        "{amount} {source} in {target}", "change {amount} {source} into {target}",
        "what are {amount} {source} in {target}", "how much is {amount} {source} in {target}",
    ),
    _convert,
    (
        "(turn|exchange|swap) {amount} {source} (to|into|for) {target}",
        "i have {amount} {source}, (how many|what is that in) {target}",
        "(what|how much) do i get in {target} for {amount} {source}",
        "{amount} {source} to {target}",
        "for {amount} {source}, how many {target} do i get",
        "in {target}, how much is {amount} {source}",
        "give me {target} for {amount} {source}",
        "how many {target} is {amount} {source}",
    ),
)  # fmt: skip
FILES = Tool(
    "search_files",
    "Search files by a word",
    (Parameter("query", Pool.word),),
    (
        "find (files|my files|the file) about {query}", "search (my files|files) for {query}",
        "look for {query} in my files", "is there a file about {query}", "where is my file about {query}",
        "find the document with {query}", "which file has {query} in it", "search for {query}",
    ),
    _files,
    (
        "(show|list|open|give me|get) (files|my files|documents|the file) (with|about|on|named) {query}",
        "{query} (files|file|document)",
        "(where|which) (document|paper|file) (is about|mentions|names) {query}",
        "i (lost|need|want) (my|the) file (about|with|on) {query}",
        "do i have (a file|files|documents) (about|on|with) {query}",
        "(any|some) files about {query}",
    ),
)  # fmt: skip
_TIMER = Tool(
    "set_timer",
    "Start a timer",
    (Parameter("minutes", number(1, 120), "integer"),),
    (
        "set a timer (to|for) {minutes} minutes", "start a timer of {minutes} minutes", "timer {minutes} minutes",
        "remind me in {minutes} minutes", "wake me in {minutes} minutes", "a timer for {minutes} minutes please",
        "count down {minutes} minutes", "tell me when {minutes} minutes are over",
    ),
    _timer,
    (
        "{minutes} minutes timer",
        "(ring|alarm|beep|call me|stop me) (in|after) {minutes} minutes",
        "(please|can you|could you) (set|start) (a|the) timer (for|of|to) {minutes} (minutes|min)",
        "(let me know|tell me) (in|after) {minutes} minutes",
        "i need {minutes} minutes on the timer",
        "my (eggs|noodles|cake) (need|needs) {minutes} minutes",
    ),
)  # fmt: skip
_LIGHT = Tool(
    "turn_on_light",
    "Turn on the light in a room",
    (
        Parameter(
            "room",
            _from(
                "kitchen", "bathroom", "hall", "bedroom", "office", "cellar", "attic", "garage", "living room", "garden"
            ),
        ),
    ),
    (
        "turn on the light in the {room}", "switch on the {room} light", "light in the {room} please",
        "it is dark in the {room}", "make it bright in the {room}", "turn the {room} light on",
        "i need light in the {room}", "lights on in the {room}",
    ),
    _light,
    (
        "{room} light (on|please|on please)",
        "(please|can you|could you) (turn|switch) on the (light|lamp) in the {room}",
        "(light up|brighten) the {room}",
        "i (can not|can't) see (anything|a thing) in the {room}",
        "the {room} is (too |so |)dark",
        "put the light on in the {room}",
    ),
)  # fmt: skip
_MESSAGE = Tool(
    "send_message",
    "Send a message to a person",
    (
        Parameter("person", Pool.name),
        Parameter(
            "text",
            _said(
                "hello", "see you soon", "i am late", "call me", "dinner is ready", "good luck", "thank you",
                "i am home", "where are you", "happy birthday",
            ),
        ),
    ),
    (
        "tell {person}: {text}", "send {person} the message {text}", "write {text} to {person}",
        "message {person}: {text}", "send {text} to {person}", "let {person} know: {text}",
    ),
    _message,
    (
        "(please|can you|could you) (write|send|tell) {person}: {text}",
        "(text|ping|mail) {person} {text}",
        "(say|give) {text} to {person}",
        "{person} should (know|read|hear): {text}",
        "(send|write) to {person}: {text}",
        "a message (for|to) {person}: {text}",
    ),
)  # fmt: skip
_DISTANCE = Tool(
    "get_distance",
    "How far it is between two places",
    (Parameter("start", Pool.place), Parameter("goal", Pool.place)),
    (
        "how far is it from {start} to {goal}", "distance from {start} to {goal}",
        "how many km from {start} to {goal}", "how far is {goal} from {start}",
        "the way from {start} to {goal}, how long is it",
    ),
    _distance,
    (
        "{start} to {goal}, how (far|long|many km)",
        "(kilometres|km|way|distance) between {start} and {goal}",
        "how (long|far) is the (way|road|trip|drive) from {start} to {goal}",
        "(measure|tell me|find out|check) (the distance|how far it is) from {start} to {goal}",
        "i (drive|go|travel|walk) from {start} to {goal}, how far is it",
        "is it far from {start} to {goal}",
    ),
)  # fmt: skip
KNOWN = (_WEATHER, _TIME, _ADD, _MULTIPLY, _CONVERT, FILES, _TIMER, _LIGHT, _MESSAGE, _DISTANCE)
