"""A talk with tools, the same on every model: its answers are given, and only how much is read for them is asked."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from app.core.events import Finished
from app.core.messages import Message, Role, TextPart
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.output.gbnf import literal
from app.engine.reply.session import Session
from tests import tiny_models
from tests.counted import counted

TEMPLATE = (
    "{%- set seen = namespace(question=-1) -%}"
    "{%- for m in messages -%}{%- if m.role == 'user' -%}{%- set seen.question = loop.index0 -%}{%- endif -%}"
    "{%- endfor -%}"
    "{{- '<|im_start|>system\\n' -}}{%- for tool in tools or [] -%}{{- tool | tojson + '\\n' -}}{%- endfor -%}"
    "{{- '<|im_end|>\\n' -}}"
    "{%- for m in messages -%}{{- '<|im_start|>' + m.role + '\\n' -}}"
    "{%- if m.reasoning_content and loop.index0 > seen.question -%}"
    "{{- '<think>\\n' + m.reasoning_content + '\\n</think>\\n\\n' -}}{%- endif -%}"
    "{{- m.content or '' -}}"
    "{%- for call in m.tool_calls or [] -%}"
    '{{- \'<tool_call>\\n{"name": "\' + call.function.name + \'", "arguments": \' -}}'
    "{{- call.function.arguments | tojson + '}\\n</tool_call>' -}}{%- endfor -%}"
    "{{- '<|im_end|>\\n' -}}{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}"
)
"""Thoughts are shown up to the last question, as many templates have it."""
KINDS = {
    "attention": partial(tiny_models.llama, template=TEMPLATE),
    "window": partial(tiny_models.gemma3, n_swa=512, template=TEMPLATE),
    "hybrid": partial(tiny_models.qwen35, template=TEMPLATE),
    "recurrent": partial(tiny_models.mamba, template=TEMPLATE),
}
QUESTION = Message.of(Role.USER, "How high is the water at each of the stations, and where does it rise?")
FOLLOW_UP = Message.of(Role.USER, "And which of them is nearest to the bridge?")
RESULT = "Level 37 cm, no rain since the third, and the wind from the hills. " * 5
THOUGHT = "<think>\nThe station will know.\n</think>\n\n"
SAYS = "It rises."


def tool_call(n: int) -> str:
    """As a model writes it."""
    return f'<tool_call>\n{{"name": "station_000", "arguments": {{"station": {n}}}}}\n</tool_call>'


def tools(characters: int) -> tuple[dict[str, object], ...]:
    """Declarations that take so many characters in all."""
    text = "Asks one of the stations on the river for what it has measured, and for nothing else."
    names = {"type": "object", "properties": {"station": {"type": "integer", "description": ""}}}
    one = {"name": "station_000", "description": text, "parameters": names}
    count = max(1, characters // len(json.dumps({"type": "function", "function": one})))
    return tuple({"type": "function", "function": {**one, "name": f"station_{n:03}"}} for n in range(count))


TOOLS = tools(1000)


@dataclass(frozen=True)
class Round:
    read: int
    new: int
    """Entries of the prompt that nobody has read or written before: the result, and the template's own words."""


def ask(session: Session, messages: Sequence[Message], says: str, **more: Any) -> Finished:
    """`says` is the answer, letter by letter; `more` are other fields of the request."""
    request = ChatRequest(
        tuple(messages),
        sampling=Sampling(temperature=0.0, max_tokens=200),
        grammar=f"root ::= {literal(says)}",
        tools=TOOLS,
        conversation="1",
    )
    *_, last = session.reply(replace(request, **more))
    assert isinstance(last, Finished)
    return last


def answered(finished: Finished) -> Message:
    text = (TextPart(finished.text),) if finished.text else ()
    return Message(
        Role.ASSISTANT, text, finished.generation, reasoning=finished.reasoning, tool_calls=finished.tool_calls
    )


def loop(session: Session, rounds: int, *, thinks: bool, result: str = RESULT) -> tuple[list[Message], list[Round]]:
    """So many rounds of calls and an answer: all messages, and what was read after each call."""
    thought = THOUGHT if thinks else ""
    messages, read = [QUESTION], list[Round]()
    for n in range(rounds + 1):
        held = len(session.slot)
        done = ask(session, messages, thought + (tool_call(n) if n < rounds else SAYS))
        if n:
            read.append(
                Round(
                    counted(done.timings.prompt_n),
                    counted(done.timings.cache_n) + counted(done.timings.prompt_n) - held,
                )
            )
        messages.append(answered(done))
        messages += [
            Message(Role.TOOL, (TextPart(f"{n}: {result}"),), tool_call_id=each.id, name=each.name)
            for each in done.tool_calls
        ]
    return messages, read


def to_read(session: Session, messages: Sequence[Message]) -> int:
    """Entries that the question at their end would read now."""
    told = session.peek(ChatRequest(tuple(messages), tools=TOOLS, conversation="1"))
    return told.total - told.keep


def read_ahead(session: Session, messages: Sequence[Message]) -> None:
    """As the window does it after the last of them."""
    question = Message.of(Role.USER, "?")
    list(session.reply(replace(ChatRequest((*messages, question), tools=TOOLS, conversation="1"), only_read=True)))


def write_model(kind: str, path: Path, context: int = tiny_models.CONTEXT) -> Path:
    trained, tiny_models.CONTEXT = tiny_models.CONTEXT, context
    try:
        return KINDS[kind](path)
    finally:
        tiny_models.CONTEXT = trained
