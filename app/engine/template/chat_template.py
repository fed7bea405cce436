"""A model's own chat template, rendered so that every character of the prompt has a known origin."""

import json
import traceback
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import NoReturn

from jinja2 import TemplateSyntaxError

from app.core.errors import ModelError, UserError
from app.core.messages import Message, Role
from app.core.reasoning import Efforts
from app.engine.template.efforts import efforts_of
from app.engine.template.limits import Limits, TemplateLimitError
from app.engine.template.marked_text import (
    MEDIA,
    MESSAGE,
    TRUSTED,
    MarkedText,
    TextTooLongError,
    concat,
    marked,
    plain,
)
from app.engine.template.sandbox import TemplateSandbox
from app.engine.template.turns import (
    Turn,
    call_object,
    turns_of,
    with_described_tools,
    with_written_calls,
    without_system,
    without_tool_turns,
)

CHATML = r"""{% for message in messages -%}
{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt -%}
{{ '<|im_start|>assistant\n' }}
{%- endif %}"""
"""Stands in where a model has no chat template of its own."""
CHATML_STOP = "<|im_end|>"
"""Ends an answer under `CHATML`, as a text: a model without a template may lack the token."""

_LONGEST_SOURCE = 1 << 20
_PROBE_LIMITS = Limits(seconds=1.0, steps=100_000, made=1 << 24)
_NEEDLE = "qneedleq"
_MOST_MESSAGES = MEDIA - MESSAGE
"""Each has an origin of its own."""
_ROLES = {role: MarkedText(role.value, TRUSTED) for role in Role}


class TemplateRefusedError(ModelError):
    """The template does not take this conversation, and says why (its own `raise_exception`)."""


class ChatTemplate:
    """One compiled template. Used by one thread at a time."""

    def __init__(
        self,
        source: str,
        *,
        bos_token: str = "",
        eos_token: str = "",
        clock: Callable[[], datetime] = datetime.now,
        limits: Limits | None = None,
    ) -> None:
        """Raises ModelError when the template does not compile.

        `clock` tells the time for templates that write the date.
        """
        self.source = source
        self._limits = limits or Limits()
        self._says_thinking = ".thinking" in source
        self._clock = clock
        self._sandbox = TemplateSandbox()
        self._sandbox.globals |= {
            "raise_exception": _refuse,
            "strftime_now": lambda form: clock().strftime(plain(form)),
            "bos_token": MarkedText(bos_token, TRUSTED),
            "eos_token": MarkedText(eos_token, TRUSTED),
        }
        if len(source) > _LONGEST_SOURCE:
            raise ModelError("The model's chat template is too long to be one. Use another file of this model.")
        try:
            self._template = self._sandbox.from_string(source)
        except Exception as error:  # a broken template can fail in Jinja, in Python's compiler, or by its depth
            raise _broken(error) from error

    @cached_property
    def typed_content(self) -> bool:
        """The template takes contents only as a list of parts, not as a text."""
        if _NEEDLE in self._probe((Role.USER, _NEEDLE)):
            return False
        shown = self._probe((Role.USER, [{"type": "text", "text": _NEEDLE}]))
        # In quotes it is the list itself that was printed.
        return _NEEDLE in shown and f"{_NEEDLE}'" not in shown and f'{_NEEDLE}"' not in shown

    @cached_property
    def supports_system(self) -> bool:
        """The template shows a system message; where it does not, the first user message takes its text in."""
        return _NEEDLE in self._probe((Role.SYSTEM, self._content(_NEEDLE)), (Role.USER, self._content("hi")))

    @cached_property
    def supports_tools(self) -> bool:
        """The template tells the model which tools there are; where it does not, a system message does."""
        tool: dict[str, object] = {
            "name": _NEEDLE,
            "description": "",
            "parameters": {"type": "object", "properties": {}},
        }
        told: list[dict[str, object]] = [{"type": "function", "function": tool}]
        return _NEEDLE in self._run_probe([_message(Role.USER, self._content("hi"))], tools=told)

    @cached_property
    def supports_tool_calls(self) -> bool:
        """The template shows an answer's tool calls; where it does not, they go into its text."""
        return self._writes_arguments or _NEEDLE in self._probe_call({"x": _NEEDLE})

    @cached_property
    def supports_tool_role(self) -> bool:
        """The template shows what a tool answered; where it does not, the user says it."""
        asked = self._turns_with_call({"x": "1"}) if self.supports_tool_calls else self._turns_with_call(None)
        answer = {**_message(Role.TOOL, self._content(_NEEDLE)), "tool_call_id": "call00001", "name": "f"}
        return _NEEDLE in self._run_probe([*asked, answer])

    @cached_property
    def efforts(self) -> Efforts:
        """How long the model can be asked to reason."""
        question = [_message(Role.USER, self._content("hi"))]
        return efforts_of(lambda told: self._run_probe(question, None, **told))

    @cached_property
    def _writes_arguments(self) -> bool:
        """The arguments of a tool call may be given as JSON text, and are printed as they stand.

        Not where they stand in braces of the template's own (gemma 4's): it wants an object, and words that otherwise.
        """
        told = f'{{"x":  "{_NEEDLE}"}}'
        shown = self._probe_call(told)
        return told in shown and "{" + told not in shown

    def render(
        self,
        messages: Sequence[Message],
        *,
        add_generation_prompt: bool = True,
        tools: Sequence[Mapping[str, object]] | None = None,
        **extra: object,
    ) -> MarkedText:
        """The prompt as text. `extra` are further variables of the template, such as `enable_thinking`.

        Trusted are the template's own literals, the roles, and the bos and eos tokens. What `messages[k]` says, thinks
        and calls has the origin `MESSAGE + k`, and its pictures stand in it as `PLACEHOLDER`, the conversation's j-th
        with the origin `MEDIA + j`; all else is untrusted.

        Raises TemplateRefusedError when the template does not take the conversation, and ModelError when it
        fails or exceeds its limits.
        """
        if len(messages) > _MOST_MESSAGES:
            raise ModelError(
                "A conversation of more than {most:,} messages can't be told to a model.", most=_MOST_MESSAGES
            )
        turns = turns_of(messages)
        if tools and not self.supports_tools:
            turns = with_described_tools(turns, tools)
        if any(turn.calls for turn in turns) and not self.supports_tool_calls:
            turns = with_written_calls(turns)
        if any(turn.role is Role.TOOL for turn in turns) and not self.supports_tool_role:
            turns = without_tool_turns(turns)
        if not self.supports_system:
            turns = without_system(turns)
        variables = {
            **self._given(tools),
            **extra,
            "messages": [self._told(turn) for turn in turns],
            "add_generation_prompt": add_generation_prompt,
        }
        return self._run(variables, self._limits)

    def _given(self, tools: Sequence[Mapping[str, object]] | None) -> dict[str, object]:
        """What there is besides the messages."""
        now = self._clock()
        return {
            "documents": None,
            "tools": list(tools) if tools else None,
            # Firefunction's word for them, as a text.
            "functions": json.dumps(tools, indent=4) if tools and "functions" in self.source else "",
            # As llama.cpp gives them to every template; Llama 3's would say a day of 2024.
            "date_string": now.strftime("%d %b %Y"),
            "datetime": now.strftime("%b %d %Y"),
        }

    def _told(self, turn: Turn) -> dict[str, object]:
        told = {"role": _ROLES[turn.role], "content": self._content(turn.text), **turn.more}
        if turn.reasoning:
            told["reasoning_content"] = reasoning = MarkedText(turn.reasoning, turn.origin)
            if self._says_thinking and turn.calls:
                # gpt-oss's template wants it under this name, and refuses a text beside it.
                told |= {"thinking": concat(filter(None, (reasoning, turn.text))), "content": ""}
        if turn.calls:
            as_text = self._writes_arguments
            written = {"as_text": as_text, "generated": turn.generated}
            told["tool_calls"] = [call_object(call, turn.origin, **written) for call in turn.calls]
        return told

    def _content(self, text: str) -> str | list[dict[str, str]]:
        return [{"type": "text", "text": text}] if self.typed_content else text

    def _probe(self, *messages: tuple[Role, object]) -> str:
        """What the template makes of these messages, in small letters; nothing where it fails."""
        return self._run_probe([_message(role, content) for role, content in messages])

    def _probe_call(self, arguments: object) -> str:
        return self._run_probe(self._turns_with_call(arguments))

    def _turns_with_call(self, arguments: object) -> list[dict[str, object]]:
        """A question, and an answer that calls a tool; None: that says something instead."""
        question = _message(Role.USER, self._content("hi"))
        if arguments is None:
            return [question, _message(Role.ASSISTANT, self._content("yes"))]
        call = {"id": "call00001", "type": "function", "function": {"name": "f", "arguments": arguments}}
        return [question, {**_message(Role.ASSISTANT, self._content("")), "tool_calls": [call]}]

    def _run_probe(
        self, messages: list[dict[str, object]], tools: list[dict[str, object]] | None = None, **more: object
    ) -> str:
        variables = {**self._given(tools), "messages": messages, "add_generation_prompt": True, **more}
        try:
            return self._run(variables, _PROBE_LIMITS).lower()
        except UserError:
            return ""

    def _run(self, variables: Mapping[str, object], limits: Limits) -> MarkedText:
        self._sandbox.start(limits)
        try:
            return marked(self._template.render(variables))
        except UserError:
            raise
        except (TemplateLimitError, TextTooLongError, MemoryError, RecursionError) as error:
            sentence = "The model's chat template asks for more work than it may. Use another file of this model."
            raise ModelError(sentence, detail=_detail(error)) from error
        except Exception as error:  # whatever a template can do wrong, from a missing name to a wrong type
            raise ModelError(
                "The model's chat template fails on this conversation: {reason}",
                reason=_said(error),
                detail=_detail(error),
            ) from error


def select_template(templates: Mapping[str, str], tools: bool) -> str:
    """The source to use, of a model's templates by name ("" or "default" is the main one).

    With tools the one named "tool_use", where there is one; `CHATML` where there is none at all.
    """
    known = {name: source for name, source in templates.items() if source.strip()}
    names = ("tool_use", "", "default") if tools else ("", "default", "tool_use")
    found = next((known[name] for name in names if name in known), CHATML)
    return CHATML if found.strip() == "chatml" else found


def _message(role: Role, content: object) -> dict[str, object]:
    return {"role": role.value, "content": content}


def _refuse(message: object = "") -> NoReturn:
    raise TemplateRefusedError(
        "The model's chat template does not take this conversation: {reason}", reason=_said(message)
    )


def _broken(error: Exception) -> ModelError:
    line = f" (line {error.lineno})" if isinstance(error, TemplateSyntaxError) else ""
    told = "The model's chat template cannot be used{line}: {reason} Use another file of this model."
    return ModelError(told, line=line, reason=_said(error), detail=_detail(error))


def _said(told: object) -> str:
    """What a template or Jinja said, as the end of a sentence."""
    words = " ".join(plain(str(told)).split())[:300] or type(told).__name__
    return words if words.endswith((".", "!", "?")) else f"{words}."


def _detail(error: Exception) -> str:
    """Where in the template it failed; without values, since those may be what people said."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<template>"]
    where = f" in line {lines[-1]} of the chat template" if lines else ""
    return f"{type(error).__name__}{where}"
