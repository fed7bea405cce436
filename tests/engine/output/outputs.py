"""Outputs in every format, and what they mean, written by hand."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from app.engine.output.detect import detect
from app.engine.output.format import OutputFormat
from app.engine.output.parser import OutputParser, ParsedOutput, joined
from app.engine.output.pieces import Piece

TEMPLATES = {
    "plain": "{{ messages }}",
    "hermes": "<think> {{ tools }} <tool_call>",
    "qwen3-coder": "<think> {{ tools }} <tool_call> <function= <parameter=",
    "glm": "{{ tools }} <tool_call> <arg_key> <arg_value>",
    "seed": "<seed:think> {{ tools }} <seed:tool_call> <function= <parameter=",
    "minimax": "{{ tools }} <minimax:tool_call> <invoke name=",
    "minicpm": '{{ tools }} <function name="f"><param name="p">',
    "llama": "<|start_header_id|> {{ tools }} <|python_tag|>",
    "mistral": "[AVAILABLE_TOOLS] {{ tools }} [TOOL_CALLS] [THINK]",
    "harmony": "<|start|><|channel|><|message|> {{ tools }}",
    "gemma": "{{ tools }} '<|tool_call>call:' <|channel>thought",
    "deepseek-r1": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜> ```json",
    "deepseek-v3.1": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜><｜tool▁sep｜>",
    "deepseek-v3.2": "{{ tools }} {% set dsml_token = '｜DSML｜' %} function_calls",
    "deepseek-v4": "{{ tools }} {% set dsml_token = '｜DSML｜' %} tool_calls",
    "atem": "{{ tools }} <atem:function_calls><atem:invoke name=",
    "kimi": "{{ tools }} <|tool_calls_section_begin|><|tool_call_begin|>",
    "solar": "{{ tools }} <|tool_call:begin|><|tool_call:name|> <|think|>",
    "command-r": "{{ tools }} <|START_ACTION|> <|START_THINKING|>",
    "command-r-plus": "<|START_OF_TURN_TOKEN|> {{ tools }} Action: ```json tool_name",
    "lfm2": "{{ tools }} List of tools: [",
    "apertus": "{{ tools }} <|tools_prefix|> <|inner_prefix|>",
    "nemotron": "{{ tools }} <TOOLCALL>",
    "tool-calls-array": "{{ tools }} <tool_calls>[ [BEGIN FINAL RESPONSE]",
    "tool-calls": "{{ tools }} <tool_calls>",
    "phi": "{{ tools }} <|tool_call|> <|/tool_call|>",
    "granite": "<|start_of_role|> {{ tools }} <|tool_call|>",
    "functools": "{{ functions }} functools",
    "functionary": "{{ tools }} <function=example>",
    "functionary-v3.2": "{{ tools }} <|start_header_id|> >>>all",
    "kimi-k3": "{{ tools }} <|open|> <|close|> <|sep|>",
    "minimax-m3": "{{ tools }} ]<]minimax[>[ <mm:think>",
    "gigachat": "{{ tools }} <|role_sep|> function call",
    "gigachat-3.1": "{{ tools }} <|role_sep|> <|function_call|>",
}
"""What `detect` looks for in each family, by the name that it gives the family."""

TOOLS: Mapping[str, Mapping[str, Any]] = {
    "weather": {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "exact": {"type": "boolean"},
            "places": {"type": "array", "items": {"type": "string"}},
            "options": {"$ref": "#/$defs/options"},
            "code": {"type": ["string", "null"]},
        },
        "$defs": {"options": {"type": "object"}},
    },
    "now": {"type": "object", "properties": {}},
}


class Output(NamedTuple):
    family: str
    text: str
    reasoning: str = ""
    content: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    """Names and the texts of their arguments."""
    opened: bool = False
    tools: Mapping[str, Mapping[str, Any]] | None = TOOLS


def family(name: str) -> OutputFormat:
    return detect(TEMPLATES[name])


def stream(made: OutputParser, cuts: Sequence[str]) -> list[Piece]:
    return [*(piece for text in cuts for piece in made.feed(text)), *made.finish()]


def counted() -> Callable[[], str]:
    numbers = itertools.count()
    return lambda: f"id{next(numbers)}"


def read(output: Output, cuts: Sequence[str]) -> ParsedOutput:
    made = OutputParser(family(output.family), thinking_open=output.opened, tools=output.tools, new_id=counted())
    return joined(stream(made, cuts))


_OSLO = '{"city": "Oslo"}'
_WEATHER, _NOW = (("weather", _OSLO),), (("now", "{}"),)
_BOTH = (*_WEATHER, *_NOW)
_TRICKY = r'{"city": "a } b \" ] </tool_call", "days": 2, "options": {"x": [1, {"y": "{"}]}}'

OUTPUTS = (
    Output("plain", "Hello, a < b and <thin, `</think>`.\n", content="Hello, a < b and <thin, `</think>`.\n"),
    Output("plain", "\n <think>\nHm.\n\n</think>\n\nYes.\n", reasoning="Hm.", content="Yes.\n"),
    Output("plain", "Hm.</think>Yes.", reasoning="Hm.", content="Yes.", opened=True),
    Output("plain", "<think>Hm.</think>Yes.", reasoning="Hm.", content="Yes.", opened=True),
    Output("plain", "\n\n</think>\n\nYes.", content="Yes.", opened=True),
    Output("plain", "Hm, for ever\n", reasoning="Hm, for ever", opened=True),
    Output("plain", "<think>Say `</think>` last.</think>Yes.", reasoning="Say `</think>` last.", content="Yes."),
    Output("plain", "I <think> so.</think>", content="I <think> so.</think>"),
    Output("plain", '{"name": "weather", "arguments": {"city": "Oslo"}}', calls=_WEATHER),
    Output("plain", '```json\n{"name": "weather", "arguments": {"city": "Oslo"}}\n```', calls=_WEATHER),
    Output("plain", '{"name": "other", "arguments": {}}', content='{"name": "other", "arguments": {}}'),
    Output("plain", '{"name": "weather"}', content='{"name": "weather"}'),
    Output("plain", '{"title": "weather", "name": 1}', content='{"title": "weather", "name": 1}'),
    Output("plain", "[link](x) {", content="[link](x) {"),
    Output("plain", "```json\n[1, 2]\n```", content="```json\n[1, 2]\n```"),
    Output("hermes", "<think>\nHm.\n</think>\n\nYes.", reasoning="Hm.", content="Yes."),
    Output(
        "hermes",
        'I look.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>\n',
        content="I look.",
        calls=_BOTH,
    ),
    Output(
        "hermes",
        '<tool_call>{"arguments": {"city": "Oslo"}, "name": "weather"}</tool_call> Done.',
        content="Done.",
        calls=_WEATHER,
    ),
    Output(
        "hermes", f'<tool_call>{{"name": "weather", "arguments": {_TRICKY}}}</tool_call>', calls=(("weather", _TRICKY),)
    ),
    Output(
        "hermes", '<tool_call>{"name": "weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}</tool_call>', calls=_WEATHER
    ),
    Output("hermes", '<tool_call>{"name": "now", "arguments": null}</tool_call>', calls=_NOW),
    Output("hermes", '<tool_call>{"name": "now"}</tool_call>', calls=_NOW),
    Output("hermes", '<tool_call>[{"name": "now"}, {"name": "now"}]</tool_call>', calls=_NOW * 2),
    Output(
        "hermes",
        '<tool_call>{"type": "function", "function": {"name": "weather", "arguments": {"city": "Oslo"}}}</tool_call>',
        calls=_WEATHER,
    ),
    Output(
        "hermes",
        '<tool_call>{"name": "weather", "arguments": {"city": "a\nb"}}</tool_call>',
        calls=(("weather", '{"city": "a\\nb"}'),),
    ),
    Output("hermes", '<tool_call>{"name": "unknown", "arguments": {}}</tool_call>', calls=(("unknown", "{}"),)),
    Output("hermes", '<tool_call>{"name": "weather", "arguments": {"city": "Os', calls=(("weather", '{"city": "Os'),)),
    Output("hermes", '<tool_call>{"name": "weath', content='<tool_call>{"name": "weath'),
    Output("hermes", "Use `<tool_call>` or <tool_call> so.", content="Use `<tool_call>` or <tool_call> so."),
    Output(
        "hermes", 'So: `<tool_call>{"name": "now"}</tool_call>`', content='So: `<tool_call>{"name": "now"}</tool_call>`'
    ),
    Output("plain", '{"arguments": {}, "name": "other"}', content='{"arguments": {}, "name": "other"}'),
    Output("plain", '{"arguments": {"city": "Oslo"}, "name": "weather"}', calls=_WEATHER),
    Output(
        "hermes",
        '<tool_call>{"name": "now", "arguments": {}, oops}</tool_call>',
        content=", oops}</tool_call>",
        calls=_NOW,
    ),
    Output("hermes", "<tool_call>[]</tool_call>", content="<tool_call>[]</tool_call>"),
    Output("hermes", '<tool_call>{"name": 1}</tool_call>!', content='<tool_call>{"name": 1}</tool_call>!'),
    Output("hermes", '<tool_call>{"name": "now", "arguments": {}</tool_call> so?', content="so?", calls=_NOW),
    Output(
        "hermes", '<tool_call>{"name": "now"}</tool_call>', content='<tool_call>{"name": "now"}</tool_call>', tools={}
    ),
    Output(
        "hermes",
        '<think>I call <tool_call>{"name": "now"}</tool_call> soon</think>ok',
        reasoning='I call <tool_call>{"name": "now"}</tool_call> soon',
        content="ok",
    ),
    Output("hermes", "Grüße 👋🏽 <tool", content="Grüße 👋🏽 <tool"),
    Output(
        "qwen3-coder",
        "I look.\n\n<tool_call>\n<function=weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n2\n"
        "</parameter>\n<parameter=exact>\nTrue\n</parameter>\n<parameter=places>\n['a', \"b\"]\n</parameter>\n"
        "</function>\n</tool_call>\n<tool_call>\n<function=now>\n</function>\n</tool_call>",
        content="I look.",
        calls=(("weather", '{"city": "Oslo", "days": 2, "exact": true, "places": ["a", "b"]}'), ("now", "{}")),
    ),
    Output(
        "qwen3-coder",
        '<function=weather>\n<parameter=city>\n1 < 2 && "q"\n\n</parameter>\n</function>\n</tool_call>',
        calls=(("weather", '{"city": "1 < 2 && \\"q\\"\\n"}'),),
    ),
    Output(
        "qwen3-coder",
        "<tool_call><function=weather><parameter=days>soon</parameter><parameter=code>null</parameter>"
        "<parameter=other>[1]</parameter></function></tool_call>",
        calls=(("weather", '{"days": "soon", "code": null, "other": [1]}'),),
    ),
    Output(
        "qwen3-coder", "<tool_call>\n<function=weather>\n<parameter=city>\nOs", calls=(("weather", '{"city": "Os'),)
    ),
    Output("qwen3-coder", "<tool_call>\n<function=weather>\n<para", content="<para", calls=(("weather", "{}"),)),
    Output("qwen3-coder", "<tool_call> is a tag, <function=f too", content="<tool_call> is a tag, <function=f too"),
    Output("qwen3-coder", f'<tool_call>{{"name": "weather", "arguments": {_OSLO}}}</tool_call>', calls=_WEATHER),
    Output(
        "glm",
        "Hm.</think>\n<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n<arg_key>days</arg_key>\n"
        "<arg_value>2</arg_value>\n</tool_call>\n<tool_call>now</tool_call>",
        reasoning="Hm.",
        calls=(("weather", '{"city": "Oslo", "days": 2}'), ("now", "{}")),
        opened=True,
    ),
    Output(
        "seed",
        "<seed:think>Hm.</seed:think><seed:tool_call>\n<function=weather>\n<parameter=city>Oslo</parameter>\n</function>\n"
        "</seed:tool_call>",
        reasoning="Hm.",
        calls=_WEATHER,
    ),
    Output(
        "minimax",
        '<minimax:tool_call>\n<invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n'
        '<invoke name="now">\n</invoke>\n</minimax:tool_call>',
        calls=_BOTH,
    ),
    Output("minicpm", '<function name="weather"><param name="city">Oslo</param></function>', calls=_WEATHER),
    Output(
        "llama", '{"name": "weather", "parameters": {"city": "Oslo"}}; {"name": "now", "parameters": {}}', calls=_BOTH
    ),
    Output(
        "minicpm",
        '<function name="weather"><param name="city"><![CDATA[a </param> <b]]></param><param name="days">2</param>'
        "</function>",
        calls=(("weather", '{"city": "a </param> <b", "days": 2}'),),
    ),
    Output("llama", '<|python_tag|>{"name": "now", "parameters": {}}', calls=_NOW),
    Output("llama", "<|python_tag|>print(1)", content="<|python_tag|>print(1)"),
    Output(
        "mistral",
        '[THINK]Hm.[/THINK]I look.[TOOL_CALLS]weather[ARGS]{"city": "Oslo"}[TOOL_CALLS]now[ARGS]{}',
        reasoning="Hm.",
        content="I look.",
        calls=_BOTH,
    ),
    Output(
        "mistral",
        '[TOOL_CALLS][{"name": "weather", "arguments": {"city": "Oslo"}, "id": "123456789"}, '
        '{"name": "now", "arguments": {}}]',
        calls=_BOTH,
    ),
    Output("mistral", "[TOOL_CALLS]weather is [it]", content="[TOOL_CALLS]weather is [it]"),
    Output("mistral", "[1] [THINK] [TOOL_", content="[1] [THINK] [TOOL_"),
    Output(
        "harmony",
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.\n\nSo.",
        reasoning="Hm.",
        content="Yes.\n\nSo.",
    ),
    Output(
        "harmony",
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|>I look.<|end|>"
        "<|start|>assistant<|channel|>commentary to=functions.weather <|constrain|>json<|message|>"
        '{"city": "Oslo"}<|call|>',
        reasoning="Hm.",
        content="I look.",
        calls=_WEATHER,
    ),
    Output(
        "harmony",
        ' to=functions.weather<|channel|>commentary json<|message|>{"city": "Oslo"}<|end|>'
        "<|start|>assistant to=functions.now<|channel|>commentary<|message|>",
        calls=_BOTH,
    ),
    Output(
        "harmony",
        "<|channel|>commentary to=assistant<|channel|>analysis<|message|>Hm.<|end|>\n"
        "<|channel|>analysis<|message|>So.<|end|>"
        "<|start|>assistant<|channel|>final<|message|>Yes.<|return|>",
        reasoning="Hm.\nSo.",
        content="Yes.",
    ),
    Output("harmony", "Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.", "Hm.", "Yes.", opened=True),
    Output("harmony", "<|channel|>commentary to=now<|message|>{}<|call|>", calls=_NOW),
    Output("harmony", "<|channel|>commentary to=python<|message|>print(1)<|call|>", content="print(1)"),
    Output("harmony", "Yes, <|just|> so.", content="Yes, <|just|> so."),
    Output(
        "harmony",
        '<|channel|>commentary to=functions.weather<|message|>{"city": "Oslo"}<|call|>',
        content=_OSLO,
        tools=None,
    ),
    Output(
        "gemma",
        '<|channel>thought\nHm.<channel|>I look.<|tool_call>call:weather{city:<|"|>O"s{lo<|"|>,days:-2,exact:true,'
        'places:[<|"|>a<|"|>],options:{x:{},y:1.5}}<tool_call|><|tool_call>call:now{}<tool_call|>',
        reasoning="Hm.",
        content="I look.",
        calls=(
            (
                "weather",
                '{"city": "O\\"s{lo", "days": -2, "exact": true, "places": ["a"], "options": {"x": {}, "y": 1.5}}',
            ),
            ("now", "{}"),
        ),
    ),
    Output(
        "gemma", "<|channel><|channel>thought\n<channel|>Yes.<|channel>thought\n<channel|><channel|>", content="Yes."
    ),
    Output("gemma", '<|tool_call>call:weather{city:<|"|>Os', calls=(("weather", '{"city": "Os'),)),
    Output("gemma", "<|tool_call>call: me", content="<|tool_call>call: me"),
    Output(
        "deepseek-r1",
        "Hm.</think><｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n```json\n"
        '{"city": "Oslo"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```'
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        reasoning="Hm.",
        calls=_BOTH,
        opened=True,
    ),
    Output(
        "deepseek-v3.1",
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜>'
        "<｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        calls=_BOTH,
    ),
    Output(
        "deepseek-v3.2",
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="weather">\n<｜DSML｜parameter name="city" string="true">Oslo'
        '</｜DSML｜parameter>\n<｜DSML｜parameter name="options" string="false">{"x": 1}</｜DSML｜parameter>\n'
        '</｜DSML｜invoke>\n<｜DSML｜invoke name="now">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
        calls=(("weather", '{"city": "Oslo", "options": {"x": 1}}'), ("now", "{}")),
    ),
    Output(
        "deepseek-v4",
        '<think>Hm.</think>I look.\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name="weather">\n'
        '<｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="days" string="false">2</｜DSML｜parameter>\n'
        '</｜DSML｜invoke>\n<｜DSML｜invoke name="now">\n\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        reasoning="Hm.",
        content="I look.",
        calls=(("weather", '{"city": "Oslo", "days": 2}'), ("now", "{}")),
    ),
    Output(
        "deepseek-v4",
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="weather">\n<｜DSML｜parameter name="code" string="true">null'
        "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
        calls=(("weather", '{"code": "null"}'),),
    ),
    Output(
        "atem",
        " to=self<|message|>Hm.<|eom|><|start|>assistant to=user<|message|>Yes.",
        reasoning="Hm.",
        content="Yes.",
    ),
    Output("atem", " to=user<|message|>Yes, to=user it is.", content="Yes, to=user it is."),
    Output(
        "atem",
        " to=self<|message|>Hm.<|eom|><|start|>assistant to=user<|message|>I look.<|eom|><|start|>assistant to=weather"
        '<|message|><atem:function_calls>\n<atem:invoke name="weather">\n<atem:parameter name="city">Oslo'
        "</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|><|start|>assistant to=now<|message|>"
        '<atem:function_calls>\n<atem:invoke name="now">\n</atem:invoke>\n</atem:function_calls>',
        reasoning="Hm.",
        content="I look.",
        calls=_BOTH,
    ),
    Output(
        "atem",
        'I look.<atem:function_calls>\n<atem:invoke name="weather">\n'
        '<atem:parameter name="city">Oslo</atem:parameter>\n<atem:parameter name="days">2</atem:parameter>\n'
        '<atem:parameter name="places">["a", "b"]</atem:parameter>\n</atem:invoke>\n</atem:function_calls>\n'
        '<atem:function_calls>\n<atem:invoke name="now">\n</atem:invoke>\n</atem:function_calls>',
        content="I look.",
        calls=(("weather", '{"city": "Oslo", "days": 2, "places": ["a", "b"]}'), ("now", "{}")),
    ),
    Output(
        "atem",
        '<atem:function_calls>\n<atem:invoke name="weather">\n<atem:parameter name="city">two\n"lines" < 3\n'
        "</atem:parameter>\n</atem:invoke>\n</atem:function_calls>",
        calls=(("weather", '{"city": "two\\n\\"lines\\" < 3"}'),),
    ),
    Output(
        "kimi",
        "<think>Hm.<|tool_calls_section_begin|><|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>"
        '{"city": "Oslo"}<|tool_call_end|><|tool_call_begin|>functions.now:1<|tool_call_argument_begin|>{}'
        "<|tool_call_end|><|tool_calls_section_end|>",
        reasoning="Hm.",
        calls=_BOTH,
    ),
    Output(
        "solar",
        "<|think|>Hm.<|end|><|begin|>assistant<|tool_calls|><|tool_call:begin|>a1b2<|tool_call:name|>weather"
        '<|tool_call:args|>{"city": "Oslo"}<|tool_call:end|><|calls|>',
        reasoning="Hm.",
        calls=_WEATHER,
    ),
    Output("solar", "<|think|>Hm.<|end|><|begin|>assistant<|content|>Yes.<|end|>", reasoning="Hm.", content="Yes."),
    Output(
        "command-r",
        "<|START_THINKING|>Hm.<|END_THINKING|><|START_ACTION|>[\n"
        '    {"tool_call_id": "0", "tool_name": "weather", "parameters": {"city": "Oslo"}},\n'
        '    {"tool_call_id": "1", "tool_name": "now", "parameters": {}}\n]<|END_ACTION|>',
        reasoning="Hm.",
        calls=_BOTH,
    ),
    Output(
        "command-r",
        "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Yes.<|END_RESPONSE|>",
        reasoning="Hm.",
        content="Yes.",
    ),
    Output(
        "command-r-plus",
        'Action: ```json\n[\n{"tool_name": "weather", "parameters": {"city": "Oslo"}}\n]```',
        calls=_WEATHER,
    ),
    Output("command-r-plus", "Action: none.", content="Action: none."),
    Output(
        "lfm2",
        '<think>Hm.</think>I look.<|tool_call_start|>[weather(city="Os\\"l\\no", days=2, exact=True, places=[\'a\'], '
        "options={'x': None}), now()]<|tool_call_end|>",
        reasoning="Hm.",
        content="I look.",
        calls=(
            ("weather", '{"city": "Os\\"l\\no", "days": 2, "exact": true, "places": ["a"], "options": {"x": null}}'),
            ("now", "{}"),
        ),
    ),
    Output("lfm2", '<|tool_call_start|>[{"name": "now", "arguments": {}}]<|tool_call_end|>', calls=_NOW),
    Output("lfm2", '<|tool_call_start|>[weather("Oslo")]', content='<|tool_call_start|>[weather("Oslo")]'),
    Output("lfm2", "<|tool_call_start|>[weather(days=", calls=(("weather", '{"days": '),)),
    Output(
        "apertus",
        "<|inner_prefix|>Hm.<|inner_suffix|>"
        '<|tools_prefix|>[{"weather": {"city": "Oslo"}}, {"now": {}}]<|tools_suffix|>',
        reasoning="Hm.",
        calls=_BOTH,
    ),
    Output("nemotron", '<TOOLCALL>[{"name": "now", "arguments": {}}]</TOOLCALL>\n', calls=_NOW),
    Output(
        "tool-calls-array",
        'Hm.\n[BEGIN FINAL RESPONSE]\n<tool_calls>[{"name": "now", "arguments": {}}]</tool_calls>',
        reasoning="Hm.",
        calls=_NOW,
        opened=True,
    ),
    Output(
        "tool-calls",
        '<tool_calls>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n'
        '{"name": "now", "arguments": {}}\n</tool_calls>',
        calls=_BOTH,
    ),
    Output("phi", '<|tool_call|>[{"name": "now", "arguments": {}}]<|/tool_call|>', calls=_NOW),
    Output("granite", '<|tool_call|>[{"name": "now", "arguments": {}}]', calls=_NOW),
    Output("granite", "<think>Hm.</think><response>Yes.</response>", reasoning="Hm.", content="Yes."),
    Output("granite", "Write <response>x</response>.", content="Write <response>x</response>."),
    Output("functools", ' functools[{"name": "now", "arguments": {}}]', calls=_NOW),
    Output("functools", "functools.partial", content="functools.partial"),
    Output(
        "gigachat-3.1",
        'I look.<|function_call|>{"name": "weather", "arguments": {"city": "Oslo"}}<|message_sep|>\n\n',
        content="I look.",
        calls=_WEATHER,
    ),
    Output("functionary", '<function=weather>{"city": "Oslo"}</function>', calls=_WEATHER),
    Output("functionary-v3.2", 'weather\n{"city": "Oslo"}>>>now\n{}', calls=_BOTH),
    Output("functionary-v3.2", 'all\nI look.\n>>>weather\n{"city": "Oslo"}', "", "I look.", _WEATHER),
    Output("functionary-v3.2", "all\nAll >>> of it, >>>all\n.", content="All >>> of it, ."),
    Output("functionary-v3.2", "python\nprint(1)", content="python\nprint(1)"),
    Output(
        "kimi-k3",
        "<|open|>think<|sep|>Hm.<|close|>think<|sep|><|open|>response<|sep|>I look.<|close|>response<|sep|>"
        '<|open|>tools<|sep|><|open|>call tool="weather" index="1"<|sep|><|open|>argument key="city" type="string"'
        '<|sep|>a <b "c"<|close|>argument<|sep|><|open|>argument key="days" type="number"<|sep|>2'
        '<|close|>argument<|sep|><|open|>argument key="code" type="null"<|sep|>null'
        "<|close|>argument<|sep|><|close|>call<|sep|>"
        '<|open|>call tool="now" index="2"<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>',
        "Hm.",
        "I look.",
        (("weather", '{"city": "a <b \\"c\\"", "days": 2, "code": null}'), ("now", "{}")),
    ),
    Output(
        "kimi-k3",
        'Hm.<|close|>think<|sep|><|open|>tools<|sep|><|open|>call tool="weather" index="1"<|sep|>'
        '<|open|>json type="object"<|sep|>{"city": "Oslo"}<|close|>json<|sep|><|close|>call<|sep|>'
        "<|close|>tools<|sep|>",
        "Hm.",
        calls=_WEATHER,
        opened=True,
    ),
    Output("kimi-k3", "<|open|>response<|sep|>Yes.<|close|>response<|sep|>", content="Yes."),
    Output(
        "minimax-m3",
        "<mm:think>Hm.</mm:think>I look.]<]minimax[>[<tool_call>\n"
        ']<]minimax[>[<invoke name="weather">]<]minimax[>[<city>a <b> "c"]<]minimax[>[</city>]<]minimax[>[<days>2'
        "]<]minimax[>[</days>]<]minimax[>[<places>]<]minimax[>[<item>x]<]minimax[>[</item>]<]minimax[>[<item>1"
        "]<]minimax[>[</item>]<]minimax[>[</places>]<]minimax[>[<options>]<]minimax[>[<deep>]<]minimax[>[<er>1.5"
        "]<]minimax[>[</er>]<]minimax[>[</deep>]<]minimax[>[</options>]<]minimax[>[</invoke>\n"
        ']<]minimax[>[<invoke name="now">]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
        "Hm.",
        "I look.",
        (
            (
                "weather",
                '{"city": "a <b> \\"c\\"", "days": 2, "places": ["x", "1"], "options": {"deep": {"er": 1.5}}}',
            ),
            ("now", "{}"),
        ),
    ),
    Output("minimax-m3", "</mm:think>Yes, ]<] it is.", content="Yes, ]<] it is."),
    Output(
        "minimax-m3",
        ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="weather">]<]minimax[>[<places>]<]minimax[>[</places>'
        "]<]minimax[>[<city>Os",
        calls=(("weather", '{"places": [], "city": "Os'),),
    ),
    Output(
        "gigachat",
        '<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "now", "arguments": {}}',
        calls=_NOW,
    ),
)
