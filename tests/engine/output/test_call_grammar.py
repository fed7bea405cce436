"""Calls that a model is made to make: in its own format, of the right function, with valid arguments."""

import json
from typing import Any

import jsonschema_rs
import pytest

from app.core.errors import UserError
from app.engine.binding.vocab import Vocab
from app.engine.output.call_grammar import grammar_for
from app.engine.output.parser import ParsedOutput, parse
from tests.engine.output.outputs import TEMPLATES, family
from tests.engine.output.walks import fits, walk

TOOLS: dict[str, dict[str, Any]] = {
    "weather": {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 1, "maximum": 16},
            "unit": {"enum": ["C", "F"]},
            "code": {"type": "string", "pattern": "^[A-Z]{2}$"},
            "where": {"$ref": "#/$defs/place"},
            "note": {"type": ["string", "null"]},
        },
        "required": ["city", "unit"],
        "additionalProperties": False,
        "$defs": {
            "place": {
                "type": "object",
                "properties": {"lat": {"type": "number"}, "names": {"type": "array", "items": {"type": "string"}}},
                "required": ["lat"],
            }
        },
    },
    "now": {"type": "object", "properties": {}},
}
HINTS = (
    '"',
    "}",
    "]",
    "C",
    '<|"|>',
    "\n</parameter>",
    "</parameter>",
    "</arg_value>",
    "</param>",
    "</｜DSML｜parameter>",
    "</atem:parameter>",
    "<|close|>argument<|sep|>",
    "]<]minimax[>[</",
)
VALIDATORS = {name: jsonschema_rs.validator_for(schema) for name, schema in TOOLS.items()}
PLAIN_CALLS = {
    "plain": '{"name": "now", "arguments": {}}',
    "hermes": '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo", "unit": "C"}}\n</tool_call>',
    "llama": '{"name": "weather", "parameters": {"city": "Oslo", "unit": "F"}}',
    "qwen3-coder": "<tool_call>\n<function=weather>\n<parameter=city>\nOslo <\n</parameter>\n<parameter=days>\n2\n"
    "</parameter>\n<parameter=unit>\nC\n</parameter>\n</function>\n</tool_call>",
    "glm": "<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n<arg_key>unit</arg_key>\n"
    "<arg_value>C</arg_value>\n</tool_call>",
    "minimax": '<minimax:tool_call>\n<invoke name="weather">\n<parameter name="city">Oslo</parameter>\n'
    '<parameter name="unit">C</parameter>\n</invoke>\n</minimax:tool_call>',
    "mistral": '[TOOL_CALLS][{"name": "now", "arguments": {}}]',
    "harmony": '<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{"city": "Oslo", "unit": "C"}',
    "gemma": '<|tool_call>call:weather{city:<|"|>Oslo<|"|>,unit:<|"|>C<|"|>,where:{lat:1.5}}<tool_call|>',
    "deepseek-r1": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```"
    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek-v3.1": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}"
    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek-v3.2": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="weather">\n<｜DSML｜parameter name="city" '
    'string="true">Oslo</｜DSML｜parameter>\n<｜DSML｜parameter name="days" string="false">2</｜DSML｜parameter>\n'
    '<｜DSML｜parameter name="unit" string="true">C</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    "kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>{}"
    "<|tool_call_end|><|tool_calls_section_end|>",
    "command-r": '<|START_ACTION|>[\n{"tool_name": "now", "parameters": {}}\n]<|END_ACTION|>',
    "lfm2": '<|tool_call_start|>[weather(city="Oslo", unit="C")]<|tool_call_end|>',
    "apertus": '<|tools_prefix|>[{"now": {}}]<|tools_suffix|>',
    "phi": '<|tool_call|>[{"name": "now", "arguments": {}}]<|/tool_call|>',
    "functools": 'functools[{"name": "now", "arguments": {}}]',
    "functionary": "<function=now>{}</function>",
    "functionary-v3.2": 'weather\n{"city": "Oslo", "unit": "C"}',
    "atem": ' to=weather<|message|><atem:function_calls>\n<atem:invoke name="weather">\n<atem:parameter name="city">'
    'Oslo</atem:parameter>\n<atem:parameter name="unit">C</atem:parameter>\n</atem:invoke>\n</atem:function_calls>',
    "kimi-k3": '<|open|>tools<|sep|><|open|>call tool="weather" index="1"<|sep|><|open|>argument key="city" '
    'type="string"<|sep|>Oslo<|close|>argument<|sep|><|open|>argument key="days" type="number"<|sep|>'
    '2<|close|>argument<|sep|><|open|>argument key="unit" type="string"<|sep|>C'
    "<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>",
    "minimax-m3": ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="weather">]<]minimax[>[<city>Oslo <'
    "]<]minimax[>[</city>]<]minimax[>[<unit>C]<]minimax[>[</unit>]<]minimax[>[<where>]<]minimax[>[<lat>1.5"
    "]<]minimax[>[</lat>]<]minimax[>[<names>]<]minimax[>[<item>a]<]minimax[>[</item>]<]minimax[>[</names>"
    "]<]minimax[>[</where>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
}


def understood(name: str, text: str) -> ParsedOutput:
    return parse(family(name), text, tools=TOOLS)


@pytest.mark.parametrize("name", sorted(PLAIN_CALLS))
def test_calls_as_models_write_them_are_let_through(name: str, vocab: Vocab) -> None:
    grammar = grammar_for(family(name), TOOLS)
    assert grammar.after == ()
    assert fits(vocab, grammar.text, PLAIN_CALLS[name])
    assert understood(name, PLAIN_CALLS[name]).content == ""
    assert not fits(vocab, grammar.text, PLAIN_CALLS[name] + " and more")
    assert not fits(vocab, grammar.text, "Hello")


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_whatever_is_let_through_is_a_valid_call(name: str, vocab: Vocab) -> None:
    grammar = grammar_for(family(name), TOOLS, parallel=True)
    hints = (*HINTS, *family(name).reasoning.ends)
    found = [text for seed in range(6) if (text := walk(vocab, grammar.text, seed, hints)) is not None]
    assert len(found) > 1
    for text in found:
        _, content, calls = understood(name, text)
        assert content == "", text
        assert calls, text
        for call in calls:
            VALIDATORS[call.name].validate(json.loads(call.arguments))


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_a_named_tool_is_the_only_one(name: str, vocab: Vocab) -> None:
    grammar = grammar_for(family(name), TOOLS, name="now")
    texts = [walk(vocab, grammar.text, seed, [*HINTS, *family(name).reasoning.ends]) for seed in range(3)]
    for text in filter(None, texts):
        assert [call.name for call in understood(name, text).tool_calls] == ["now"]
    assert any(texts)


def test_thoughts_may_come_first(vocab: Vocab) -> None:
    call = PLAIN_CALLS["hermes"]
    grammar = grammar_for(family("hermes"), TOOLS)
    assert fits(vocab, grammar.text, "<think>\nHm < </thin, so.\n</think>\n\n" + call)
    assert not fits(vocab, grammar.text, "<think>Hm.</think> I say" + call)
    opened = grammar_for(family("hermes"), TOOLS, thinking_open=True)
    assert opened.after == ("</think>",)
    assert fits(vocab, opened.text, "\n\n" + call)
    atem = grammar_for(family("atem"), TOOLS)
    assert fits(vocab, atem.text, " to=self<|message|>Hm.<|eom|><|start|>assistant" + PLAIN_CALLS["atem"])
    harmony = grammar_for(family("harmony"), TOOLS)
    thought = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant"
    assert fits(vocab, harmony.text, thought + PLAIN_CALLS["harmony"])


def test_several_calls_only_where_they_are_wanted(vocab: Vocab) -> None:
    between = {"gemma": "", "functionary-v3.2": ">>>", "atem": "<|eom|><|start|>assistant"}
    for name in ("hermes", "qwen3-coder", "glm", *between):
        two = PLAIN_CALLS[name] + between.get(name, "\n") + PLAIN_CALLS[name]
        assert fits(vocab, grammar_for(family(name), TOOLS, parallel=True).text, two)
        assert not fits(vocab, grammar_for(family(name), TOOLS).text, two)


def test_a_tool_that_is_not_offered_cannot_be_demanded() -> None:
    for tools in ({}, TOOLS):
        with pytest.raises(UserError, match="doesn't offer"):
            grammar_for(family("hermes"), tools, name="other")


def test_what_a_format_cannot_write_is_refused() -> None:
    for name, tools in (
        ("gemma", {"a tool": {}}),
        ("qwen3-coder", {"f": {"properties": {"a>b": {"type": "string"}}}}),
        ("qwen3-coder", {"f": {"anyOf": [{"type": "object"}]}}),
        ("hermes", {"f": {"properties": {"a": {"type": "integer", "multipleOf": 2}}}}),
        ("hermes", {"f": {"properties": 7}}),
    ):
        with pytest.raises(UserError):
            grammar_for(family(name), tools)
