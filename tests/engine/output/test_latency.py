"""Text is shown as soon as it can be, and a long answer costs no more per token than a short one."""

import time

import pytest

from app.core.events import DeltaKind, TextDelta, ToolCallDelta
from app.engine.output.parser import OutputParser
from tests.engine.output.outputs import TEMPLATES, TOOLS, family

HEADS = {"functionary-v3.2": "all\n"}
"""What stands before the words of an answer, where a call could begin it as well."""


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_plain_words_are_shown_at_once(name: str) -> None:
    made = OutputParser(family(name), tools=TOOLS)
    made.feed(HEADS.get(name, "") + "Well")
    for word in (", this", " is", "\nit", ": a", "{", "b", " <", " c"):
        shown = "".join(piece.text for piece in made.feed(word) if isinstance(piece, TextDelta))
        assert shown.endswith(word.rstrip(" <")) or word == " <"


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_only_what_may_begin_a_marker_waits(name: str) -> None:
    form = family(name)
    for marker in form.calls.openings:
        made = OutputParser(form, tools=TOOLS)
        made.feed(HEADS.get(name, "") + "x")
        for count in range(1, len(marker)):
            assert made.feed(marker[count - 1]) == []
        assert made.feed("\x00") == [TextDelta(marker[:-1] + "\x00")]


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_reasoning_streams(name: str) -> None:
    made = OutputParser(family(name), thinking_open=True, tools=TOOLS)
    assert made.feed("Hm") == [TextDelta("Hm", kind=DeltaKind.REASONING)]
    assert made.feed(", so") == [TextDelta(", so", kind=DeltaKind.REASONING)]


@pytest.mark.parametrize(
    ("name", "head", "text"),
    [
        ("hermes", '<tool_call>{"name": "weather", "arguments": ', '{"city": "Oslo'),
        ("mistral", "[TOOL_CALLS]weather[ARGS]", '{"city": "Oslo'),
        ("harmony", "<|channel|>commentary to=functions.weather<|message|>", '{"city":"Oslo'),
        ("qwen3-coder", "<tool_call><function=weather><parameter=city>", "Oslo"),
        ("glm", "<tool_call>weather\n<arg_key>city</arg_key><arg_value>", "Oslo"),
        ("gemma", '<|tool_call>call:weather{city:<|"|>', "Oslo"),
        ("lfm2", '<|tool_call_start|>[weather(city="', "Oslo"),
        ("plain", '{"name": "weather", "arguments": ', '{"city": "Oslo'),
    ],
)
def test_arguments_stream(name: str, head: str, text: str) -> None:
    made = OutputParser(family(name), tools=TOOLS)
    made.feed(head)
    for character in text:
        (piece,) = made.feed(character)
        assert isinstance(piece, ToolCallDelta)
        assert piece.arguments.endswith(character)


BODIES = {
    "content": ("hermes", "", "word <b "),
    "reasoning": ("hermes", "<think>", "word `<"),
    "early arguments": ("hermes", '<tool_call>{"arguments": {"a": "', "word { "),
    "JSON string": ("hermes", '<tool_call>{"name": "now", "arguments": {"a": "', 'w\\n\\"[ '),
    "tagged string": ("qwen3-coder", "<tool_call><function=weather><parameter=city>", "word\n</p "),
    "tagged value": ("qwen3-coder", "<tool_call><function=weather><parameter=options>", "word\n</p "),
    "many calls": ("hermes", "", '<tool_call>{"name": "now"}</tool_call>'),
    "false openings": ("hermes", "", '<tool_call> {"name'),
    "blanks": ("hermes", "x", "\n "),
    "Gemma": ("gemma", '<|tool_call>call:now{a:[<|"|>', 'a<|"|>,<|"|>'),
    "harmony": ("harmony", "<|channel|>analysis<|message|>", "word <|"),
    "harmony's head": ("harmony", "<|channel|>", "word <|"),
}


def seconds(name: str, head: str, body: str, count: int, whole: bool) -> float:
    made = OutputParser(family(name), tools=TOOLS)
    start = time.thread_time()
    if whole:
        made.feed(head + body * count)
    else:
        made.feed(head)
        for _ in range(count):
            made.feed(body)
    made.finish()
    return time.thread_time() - start


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("body", sorted(BODIES))
def test_the_time_is_linear_in_the_length(body: str, whole: bool) -> None:
    most = 20_000 if body in ("content", "JSON string") else 4_000
    few = min(seconds(*BODIES[body], most // 8, whole) for _ in range(3))
    # Eight times as much; quadratic would be sixty-four. Whatever else the machine does, one of three shows it.
    assert any(seconds(*BODIES[body], most, whole) < 24 * few + 0.02 for _ in range(3))
