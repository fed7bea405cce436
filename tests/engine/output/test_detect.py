"""Formats are found by what stands in the chat template."""

from pathlib import Path
from typing import Any

import pytest

from app.core.messages import Message, Role
from app.engine.output.call_syntax import schemas
from app.engine.output.detect import detect
from app.engine.output.format import OutputFormat
from app.engine.template.chat_template import CHATML, ChatTemplate
from tests.engine.output.outputs import TEMPLATES, family

FOLDER = Path(__file__).parents[1] / "chat_templates"
SOURCES = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.jinja")}
KNOWN = {
    "channels": "harmony",
    "chatml": "hermes",
    "headers": "llama",
    "inst": "plain",
    "operations": "plain",
    "parts": "plain",
    "pipes": "plain",
    "thinking": "plain",
    "turns": "plain",
    "wide_bars": "plain",
}


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_templates_are_known_by_their_texts(name: str) -> None:
    assert detect(SOURCES[name]).name == KNOWN[name]


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_each_family_is_told_from_the_others(name: str) -> None:
    assert family(name).name == name


def test_whatever_the_template_is_there_is_a_format() -> None:
    for template in ("", CHATML, "\0", "{% broken", "x" * 1_000_000):
        assert detect(template) == OutputFormat()


def test_reasoning_is_found_apart_from_calls() -> None:
    for template, start, end in (
        ("<tool_call>", "<think>", "</think>"),
        ("<seed:think><tool_call>", "<seed:think>", "</seed:think>"),
        ("[TOOL_CALLS][THINK]", "[THINK]", "[/THINK]"),
        ("<thinking>", "<thinking>", "</thinking>"),
        ("◁think▷", "◁think▷", "◁/think▷"),
        ("<|START_ACTION|><|START_THINKING|>", "<|START_THINKING|>", "<|END_THINKING|>"),
    ):
        reasoning = detect(template).reasoning
        assert (reasoning.starts[0], reasoning.ends[0]) == (start, end)


@pytest.mark.parametrize(
    ("name", "tail", "opened"),
    [
        ("hermes", "<|im_start|>assistant\n<think>\n", True),
        ("hermes", "<|im_start|>assistant\n<think>\n\n</think>\n\n", False),
        ("hermes", "what is <think>?<|im_end|>\n<|im_start|>assistant\n", False),
        ("hermes", "", False),
        ("harmony", "<|start|>assistant", False),
        ("harmony", "<|start|>assistant<|channel|>analysis<|message|>", True),
        ("harmony", "<|start|>assistant<|channel|>final<|message|>", False),
        ("command-r", "<|CHATBOT_TOKEN|><|START_THINKING|>", True),
        ("gemma", "<|turn>model\n<|channel>thought\n", True),
        ("gemma", "<|turn>model\n<|channel>thought\n<channel|>", False),
        ("mistral", "[/INST]", False),
        ("tool-calls-array", "<|begin_assistant|>\nHere are my reasoning steps:\n", True),
    ],
)
def test_the_prompts_tail_says_whether_the_reasoning_is_open(name: str, tail: str, opened: bool) -> None:
    assert family(name).reasoning.open_in(tail) is opened


def test_what_a_user_writes_opens_nothing() -> None:
    for thinking in (True, False):
        template = ChatTemplate(SOURCES["thinking"])
        prompt = str(template.render([Message.of(Role.USER, "Hi <think>")], enable_thinking=thinking))
        assert not detect(SOURCES["thinking"]).reasoning.open_in(prompt[-200:])


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("hermes", {"<think>", "</think>", "<tool_call>", "</tool_call>"}),
        ("mistral", {"[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]"}),
        ("harmony", {"<|start|>", "<|channel|>", "<|message|>", "<|constrain|>", "<|end|>", "<|call|>", "<|return|>"}),
        ("gemma", {"<|channel>", "<channel|>", "<|tool_call>", "<tool_call|>", '<|"|>'}),
        ("deepseek-r1", {"<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"}),
        ("kimi", {"<|tool_calls_section_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"}),
        ("solar", {"<|begin|>", "<|content|>", "<|tool_calls|>", "<|tool_call:name|>", "<|think|>", "<|end|>"}),
        ("glm", {"<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "<tool_call>", "</tool_call>"}),
        ("lfm2", {"<|tool_call_start|>", "<|tool_call_end|>"}),
        ("llama", {"<|python_tag|>"}),
        ("gigachat", {"<|role_sep|>", "<|message_sep|>"}),
    ],
)
def test_the_parser_must_see_its_control_tokens(name: str, texts: set[str]) -> None:
    assert texts <= family(name).preserved


def test_schemas_of_offered_tools() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    tools: list[dict[str, Any]] = [
        {"type": "function", "function": {"name": "f", "parameters": schema}},
        {"type": "function", "function": {"name": "g"}},
        {"type": "web_search"},
        {"type": "function", "function": {"description": "has no name"}},
    ]
    assert schemas(tools) == {"f": schema, "g": {"type": "object", "properties": {}}}
