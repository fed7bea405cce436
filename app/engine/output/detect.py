"""Which format a model writes, from its chat template."""

import re
from dataclasses import dataclass, replace

from app.engine.output.bare_calls import BareCalls
from app.engine.output.call_syntax import CallSyntax
from app.engine.output.channel_reader import ANALYSIS, CHANNEL, CONSTRAIN, ENDS, MESSAGE, START
from app.engine.output.format import OutputFormat, Reasoning
from app.engine.output.gemma_calls import GemmaCalls
from app.engine.output.json_calls import JsonCalls
from app.engine.output.named_calls import NAME, NamedCalls
from app.engine.output.nested_calls import NestedCalls
from app.engine.output.python_calls import PythonCalls
from app.engine.output.tagged_calls import TaggedCalls

_THINK = Reasoning()
_DSML = "｜DSML｜"


def detect(template: str) -> OutputFormat:
    """The format of the family whose texts the template has; plain where it has none that is known.

    Never fails, whatever the template. Models are named in no rule: families share templates, and files are renamed.
    """
    found = next((rule.format for rule in _RULES if rule.fits(template)), OutputFormat())
    if found.reasoning == _THINK:
        found = replace(found, reasoning=_reasoning(template))
    return found


def _reasoning(template: str) -> Reasoning:
    """<think> is known even where the template does not have it: many models write it that were only trained to."""
    return next((reasoning for text, reasoning in _REASONINGS if text in template), _THINK)


@dataclass(frozen=True, slots=True)
class _Rule:
    format: OutputFormat
    texts: tuple[str, ...]
    """All of them stand in the template."""
    absent: tuple[str, ...] = ()

    def fits(self, template: str) -> bool:
        return all(text in template for text in self.texts) and not any(text in template for text in self.absent)


def _rule(
    name: str,
    calls: CallSyntax,
    *texts: str,
    absent: tuple[str, ...] = (),
    reasoning: Reasoning = _THINK,
    hidden: tuple[str, ...] = (),
    heads: tuple[str, ...] = (),
    wrapper: tuple[str, str] = ("", ""),
) -> _Rule:
    return _Rule(OutputFormat(name, reasoning, calls, hidden, heads, wrapper), texts, absent)


def _invokes(block: str, space: str = "", quote: str = '">', *, typed: str = "") -> TaggedCalls:
    """As XML, in a block: the names of its tags begin with `space`."""
    return TaggedCalls(
        section=(f"<{block}>", f"</{block}>"),
        call=(f'<{space}invoke name="', '">'),
        call_end=f"</{space}invoke>",
        parameter=(f'<{space}parameter name="', quote),
        parameter_end=f"</{space}parameter>",
        typed=typed,
    )


def _glm(space: str = "", name_end: str = "") -> TaggedCalls:
    """The names of its tags end with `space`."""
    return TaggedCalls(
        section=(f"<tool_call{space}>", f"</tool_call{space}>"),
        call=("", name_end),
        call_end="",
        parameter=(f"<arg_key{space}>", f"</arg_key{space}>"),
        value=f"<arg_value{space}>",
        parameter_end=f"</arg_value{space}>",
    )


_REASONINGS = (
    ("[THINK]", Reasoning(("[THINK]",), ("[/THINK]",))),
    ("<seed:think>", Reasoning(("<seed:think>",), ("</seed:think>",))),
    ("<mm:think>", Reasoning(("<mm:think>",), ("</mm:think>",))),
    ("<|inner_prefix|>", Reasoning(("<|inner_prefix|>",), ("<|inner_suffix|>",), anywhere=True)),
    ("[BEGIN FINAL RESPONSE]", Reasoning(("Here are my reasoning steps:",), ("[BEGIN FINAL RESPONSE]",))),
    ("◁think▷", Reasoning(("◁think▷",), ("◁/think▷",))),
    ("<think>", _THINK),
    ("<thinking>", Reasoning(("<thinking>",), ("</thinking>",))),
    ("<thought>", Reasoning(("<thought>",), ("</thought>",))),
    ("<reasoning>", Reasoning(("<reasoning>",), ("</reasoning>",))),
)

_HARMONY = OutputFormat(
    "harmony",
    Reasoning((ANALYSIS,), ("<|end|>",)),
    BareCalls(),
    channels=True,
    control=(START, CHANNEL, MESSAGE, CONSTRAIN, *ENDS),
)
_KIMI = OutputFormat(
    "kimi",
    _THINK,
    NamedCalls(
        "<|tool_call_begin|>",
        separator="<|tool_call_argument_begin|>",
        closing="<|tool_call_end|>",
        section=("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
        head=re.compile(rf"(?P<id>(?:functions\.)?{NAME}(?::\d+)?)"),
        written=('"functions."', '":" [0-9]{1,3}'),
    ),
    calls_end_reasoning=True,
)
_XTML = TaggedCalls(
    section=("<|open|>tools<|sep|>", "<|close|>tools<|sep|>"),
    call=('<|open|>call tool="', '"'),
    call_end="<|close|>call<|sep|>",
    parameter=('<|open|>argument key="', '"'),
    parameter_end="<|close|>argument<|sep|>",
    typed='type="string"',
    tag_end="<|sep|>",
    numbered=True,
    whole=('<|open|>json type="object"<|sep|>', "<|close|>json<|sep|>"),
)
_MISTRAL = NamedCalls(
    "[TOOL_CALLS]",
    separator="[ARGS]",
    head=re.compile(rf"{NAME}(?:\[CALL_ID\](?P<id>\w+))?"),
    head_marker="[CALL_ID]",
    objects=True,
)
_TO_SELF = Reasoning(("to=self<|message|>", "<|start|>assistant to=self<|message|>"), ("<|eom|>",), anywhere=True)
_DEEPSEEK_SECTION = ("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>")
_RULES = (
    _Rule(_HARMONY, (CHANNEL, MESSAGE)),
    _rule(
        "gemma",
        GemmaCalls(),
        "<|tool_call>call:",
        reasoning=Reasoning(("<|channel>thought", "<|channel>"), ("<channel|>",), anywhere=True),
    ),
    _rule("mistral", replace(_MISTRAL, written=("", '"[CALL_ID]" [a-zA-Z0-9]{9}')), "[TOOL_CALLS]", "[CALL_ID]"),
    _rule("mistral", _MISTRAL, "[TOOL_CALLS]", "[ARGS]"),
    _rule("mistral", replace(_MISTRAL, writes_objects=True), "[TOOL_CALLS]"),
    _rule(
        "deepseek-r1",
        NamedCalls(
            "<｜tool▁call▁begin｜>",
            prefix="function<｜tool▁sep｜>",
            separator="\n",
            closing="<｜tool▁call▁end｜>",
            section=_DEEPSEEK_SECTION,
            fenced=True,
        ),
        "<｜tool▁call▁begin｜>",
        "```json",
    ),
    _rule(
        "deepseek-v3.1",
        NamedCalls(
            "<｜tool▁call▁begin｜>",
            separator="<｜tool▁sep｜>",
            closing="<｜tool▁call▁end｜>",
            section=_DEEPSEEK_SECTION,
        ),
        "<｜tool▁call▁begin｜>",
    ),
    *(
        _rule(name, _invokes(_DSML + block, _DSML, '"', typed='string="true"'), "DSML", block)
        for name, block in (("deepseek-v3.2", "function_calls"), ("deepseek-v4", "tool_calls"))
    ),
    _Rule(_KIMI, ("<|tool_calls_section_begin|>", "<|tool_call_begin|>")),
    _rule(
        "solar",
        NamedCalls(
            "<|tool_call:begin|>",
            separator="<|tool_call:args|>",
            closing="<|tool_call:end|>",
            head=re.compile(rf"(?P<id>[\w\-]+)<\|tool_call:name\|>{NAME}"),
            head_marker="<|tool_call:name|>",
            written=('[a-z0-9]{10} "<|tool_call:name|>"', ""),
        ),
        "<|tool_call:begin|>",
        "<|tool_call:name|>",
        reasoning=Reasoning(("<|think|>",), ("<|end|>",), anywhere=True),
        hidden=("<|begin|>assistant<|content|>", "<|begin|>assistant<|tool_calls|>", "<|content|>", "<|calls|>"),
    ),
    _rule(
        "kimi-k3",
        _XTML,
        "<|open|>",
        "<|close|>",
        "<|sep|>",
        reasoning=Reasoning(("<|open|>think<|sep|>",), ("<|close|>think<|sep|>",)),
        hidden=("<|open|>response<|sep|>", "<|close|>response<|sep|>", "<|close|>message<|sep|>", "<|end_of_msg|>"),
    ),
    _rule("minimax", _invokes("minimax:tool_call"), "<minimax:tool_call>"),
    _rule("minimax-m3", NestedCalls(), "]<]minimax[>[", hidden=("</mm:think>",)),
    _rule(
        "atem",
        _invokes("atem:function_calls", "atem:"),
        "<atem:function_calls>",
        reasoning=_TO_SELF,
        hidden=("<|eom|>",),
        heads=("<|start|>assistant to={}<|message|>", " to={}<|message|>"),
    ),
    _rule(
        "minicpm",
        TaggedCalls(
            section=("", ""),
            call=('<function name="', '">'),
            parameter=('<param name="', '">'),
            parameter_end="</param>",
            raw=("<![CDATA[", "]]>"),
        ),
        '<function name="',
        '<param name="',
    ),
    _rule("glm", _glm(), "<arg_key>", "<tool_call>"),
    _rule(
        "glm",
        _glm(":opensource", "<tool_sep:opensource>"),
        ":opensource",
        "<arg_key{}>",
        reasoning=Reasoning(("<think:opensource>",), ("</think:opensource>",)),
        hidden=("<tool_calls:opensource>", "</tool_calls:opensource>"),
    ),
    _rule("seed", TaggedCalls(section=("<seed:tool_call>", "</seed:tool_call>")), "<seed:tool_call>"),
    _rule("qwen3-coder", TaggedCalls(lines=True), "<function=", "<parameter="),
    _rule(
        "command-r",
        JsonCalls("<|START_ACTION|>", "<|END_ACTION|>", "tool_name", "parameters", array=True),
        "<|START_ACTION|>",
        reasoning=Reasoning(("<|START_THINKING|>",), ("<|END_THINKING|>",), anywhere=True),
        hidden=("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"),
    ),
    _rule(
        "command-r-plus",
        JsonCalls("Action:", "", "tool_name", "parameters", array=True),
        "Action:",
        "tool_name",
        "<|START_OF_TURN_TOKEN|>",
    ),
    _rule("lfm2", PythonCalls(), "<|tool_call_start|>"),
    _rule("lfm2", PythonCalls(), "<|tool_list_start|>"),
    _rule("lfm2", PythonCalls(), "List of tools: ["),
    _rule(
        "apertus", JsonCalls("<|tools_prefix|>", "<|tools_suffix|>", array=True, name_is_key=True), "<|tools_prefix|>"
    ),
    _rule("nemotron", JsonCalls("<TOOLCALL>", "</TOOLCALL>", array=True), "<TOOLCALL>"),
    _rule("tool-calls-array", JsonCalls("<tool_calls>", "</tool_calls>", array=True), "<tool_calls>["),
    _rule("tool-calls", JsonCalls("<tool_calls>", "</tool_calls>"), "<tool_calls>", absent=("<tool_call>",)),
    _rule(
        "gigachat-3.1",
        JsonCalls("<|function_call|>", ""),
        "<|function_call|>",
        "<|role_sep|>",
        hidden=("<|message_sep|>",),
    ),
    _rule(
        "gigachat",
        JsonCalls("function call<|role_sep|>\n", "", also=("function call<|role_sep|>",)),
        "function call",
        "<|role_sep|>",
        hidden=("<|message_sep|>",),
    ),
    _rule("functionary", NamedCalls("<function=", separator=">", closing="</function>"), "<function="),
    _Rule(
        OutputFormat("functionary-v3.2", _THINK, NamedCalls(">>>", separator="\n"), (">>>all\n",), opened=">>>"),
        (">>>all",),
    ),
    _rule("hermes", JsonCalls(), "<tool_call>", absent=("]<]",)),
    _rule("phi", JsonCalls("<|tool_call|>", "<|/tool_call|>", array=True), "<|/tool_call|>"),
    _rule(
        "granite",
        JsonCalls("<|tool_call|>", "", array=True),
        "<|tool_call|>",
        wrapper=("<response>", "</response>"),
    ),
    _rule(
        "granite",
        JsonCalls("<|tool_call|>", "", array=True, also=("<tool_call>",)),
        "<|start_of_role|>",
        wrapper=("<response>", "</response>"),
    ),
    _rule("functools", JsonCalls("functools", "", array=True), "functools"),
    _rule("llama", BareCalls(("<|python_tag|>",), arguments_key="parameters"), "<|python_tag|>"),
    _rule("llama", BareCalls(("<|python_tag|>",), arguments_key="parameters"), "<|start_header_id|>", "tools"),
)
