"""What models write, in every format: understood whole, and however it is cut."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.events import TextDelta, ToolCallDelta
from app.engine.output.parser import OutputParser, joined, parse
from tests.engine.output.outputs import OUTPUTS, TEMPLATES, TOOLS, Output, family, read, stream

IDS = [f"{number}-{output.family}" for number, output in enumerate(OUTPUTS)]


@pytest.mark.parametrize("output", OUTPUTS, ids=IDS)
def test_a_whole_output_is_understood(output: Output) -> None:
    reasoning, content, calls = read(output, [output.text])
    assert (reasoning, content) == (output.reasoning, output.content)
    assert tuple((call.name, call.arguments) for call in calls) == output.calls


@pytest.mark.parametrize("output", OUTPUTS, ids=IDS)
def test_it_does_not_matter_where_it_is_cut(output: Output) -> None:
    text, whole = output.text, read(output, [output.text])
    assert read(output, list(text)) == whole
    for cut in range(len(text) + 1):
        assert read(output, [text[:cut], text[cut:]]) == whole


FRAGMENTS = sorted(
    {text for name in TEMPLATES for text in (*family(name).preserved, *family(name).calls.openings)}
    | set(' \n`,:;{}[]()="\\<>|')
    | {"weather", "now", "name", "arguments", '{"name": "now", "arguments": ', "city", "ü", "to=functions.now"}
)


@settings(deadline=None)
@given(st.data())
def test_any_text_comes_out_the_same_however_it_is_cut(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(TEMPLATES)))
    made = st.sampled_from([output.text for output in OUTPUTS if output.family == name]) | st.text(max_size=5)
    text = "".join(data.draw(st.lists(st.sampled_from(FRAGMENTS) | made, max_size=12)))
    output = Output(name, text, opened=data.draw(st.booleans()), tools=data.draw(st.sampled_from([TOOLS, {}])))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    whole = read(output, [text])
    assert read(output, [text[start:stop] for start, stop in pairwise([0, *cuts, len(text)])]) == whole
    assert read(output, list(text)) == whole


@settings(deadline=None)
@given(st.sampled_from(sorted(TEMPLATES)), st.text("abc <>{}[]|`\n\"'=,:", max_size=60))
def test_nothing_is_lost_of_text_that_only_looks_like_something(name: str, text: str) -> None:
    content = read(Output(name, "x" + text, tools=TOOLS), list("x" + text)).content
    assert content == "x" + text


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_without_tools_calls_are_text(name: str) -> None:
    for output in OUTPUTS:
        if output.family == name:
            assert read(output._replace(tools=None), list(output.text)).tool_calls == ()


def test_the_pieces_of_a_call_come_in_order() -> None:
    made = OutputParser(family("hermes"), tools=TOOLS)
    assert made.feed('Hi <tool_call>{"name": "weather", "argu') == [TextDelta("Hi")]
    (first,) = made.feed('ments": {"city')
    assert isinstance(first, ToolCallDelta)
    assert (first.index, first.name, first.arguments) == (0, "weather", '{"city')
    assert len(first.id) == 9
    assert first.id.isalnum()
    assert made.feed('": "Oslo"}}') == [ToolCallDelta(0, arguments='": "Oslo"}')]
    (second,) = made.feed('</tool_call><tool_call>{"name": "now", "arguments": {}}')
    assert isinstance(second, ToolCallDelta)
    assert (second.index, second.name, second.arguments) == (1, "now", "{}")
    assert made.finish() == []


@pytest.mark.parametrize("output", [each for each in OUTPUTS if each.calls], ids=lambda output: output.family)
def test_the_beginning_of_another_call_that_was_cut_off_is_no_content(output: Output) -> None:
    for cut in range(len(output.text)):
        made = OutputParser(family(output.family), thinking_open=output.opened, tools=output.tools)
        told = joined([*made.feed(output.text[:cut]), *made.finish(cut=True)])
        if told.tool_calls:
            assert output.content.startswith(told.content), output.text[:cut]


def test_ids_are_the_models_own_where_it_writes_them_first() -> None:
    for name, text, known in (
        ("mistral", "[TOOL_CALLS]now[CALL_ID]abc123def[ARGS]{}", "abc123def"),
        ("kimi", "<|tool_call_begin|>functions.now:3<|tool_call_argument_begin|>{}", "functions.now:3"),
        ("command-r", '<|START_ACTION|>[{"tool_call_id": "7", "tool_name": "now", "parameters": {}}]', "7"),
        ("solar", "<|tool_call:begin|>a1b2<|tool_call:name|>now<|tool_call:args|>{}", "a1b2"),
    ):
        assert [call.id for call in parse(family(name), text, tools=TOOLS).tool_calls] == [known]


def test_ids_that_are_made_up_differ() -> None:
    calls = parse(family("hermes"), '<tool_call>{"name": "now"}</tool_call>' * 5, tools=TOOLS).tool_calls
    assert len({call.id for call in calls}) == 5


@pytest.mark.parametrize("output", [each for each in OUTPUTS if each.family == "gemma"][:1])
def test_arguments_of_other_notations_are_json(output: Output) -> None:
    assert json.loads(read(output, [output.text]).tool_calls[0].arguments)["options"] == {"x": {}, "y": 1.5}


def test_a_deep_nest_of_brackets_is_no_end_of_the_program() -> None:
    for name, text in (
        ("hermes", '<tool_call>{"name": "now", "arguments": ' + '{"a":' * 5000),
        ("hermes", "<tool_call>" + '{"function":' * 5000),
        ("gemma", "<|tool_call>call:now{a:" + "[" * 5000),
        ("lfm2", "<|tool_call_start|>[now(a=" + "{'a':" * 5000),
        ("qwen3-coder", "<tool_call><function=now><parameter=a>" + "[" * 5000 + "</parameter>"),
    ):
        made = OutputParser(family(name), tools=TOOLS)
        assert joined(stream(made, [text]))
