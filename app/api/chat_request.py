"""OpenAI's chat completions as values of ours: what is asked is checked by hand."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.api import draft_fields, sampling_fields
from app.api.chat_messages import messages_from, unknown_in_messages
from app.api.chat_tools import MakeGrammar, grammar_from, grammar_place, tools_from
from app.api.errors import Places
from app.api.fields import Given, check_free, given_of, invalid, text, typed, whole
from app.api.limits import Limits
from app.api.unknown_fields import RELIED_ON, unknown_in
from app.core.messages import Message, Role
from app.core.requests import ChatRequest
from app.core.sampling import Sampling

_REFUSED: Mapping[str, tuple[object, ...]] = {
    **RELIED_ON,
    "functions": ([],),
    "function_call": ("none", "auto"),
    "modalities": (["text"],),
    "audio": (),
    "web_search_options": (),
    "documents": ([],),
    "chat_template": ("",),
    "echo": (False,),
    "add_special_tokens": (False,),
}
"""With the values that ask for nothing."""
_HANDLED = frozenset(
    {
        "model",
        "messages",
        "stream",
        "stream_options",
        "stop",
        "ignore_eos",
        "n",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "response_format",
        "json_schema",
        "grammar",
        "logprobs",
        "top_logprobs",
        "n_probs",
        "reasoning_effort",
        "enable_thinking",
        "chat_template_kwargs",
        "continue_final_message",
        "add_generation_prompt",
    }
)
_KNOWN = _HANDLED | sampling_fields.KNOWN | draft_fields.KNOWN
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
_NO_THOUGHT = ("none", "minimal")
_TEMPLATES_OWN = frozenset({"messages", "tools", "add_generation_prompt", "self", "bos_token", "eos_token"})
"""Variables that a request must not set for the chat template."""
_MAX_STOPS = 64
_MOST_ANSWERS = 16
MOST_LOGPROBS = 20
MOST_IGNORED = 2048
"""Names that are told; an attacker knows many."""


@dataclass(frozen=True, slots=True)
class Checks:
    """What a request is checked against."""

    defaults: Sampling
    """Stand in for what it leaves out."""
    n_vocab: int
    make_grammar: MakeGrammar
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class ChatCompletion:
    """A checked request."""

    model: str | None
    """As the client names it; None for whichever is loaded."""
    chat: ChatRequest
    stream: bool
    include_usage: bool
    n: int = 1
    """Answers that are wanted."""
    ignored: tuple[str, ...] = ()
    """Names of what the client sent and Hearth does nothing with."""
    places: Places = Places()


def parse_chat_completion(body: object, checks: Checks) -> ChatCompletion:
    """Check a decoded JSON body. What it leaves out or sets to null is as in the defaults. Raises ApiError."""
    given = given_of(body)
    ignored = unknown_in(given, _KNOWN, _REFUSED)
    stream = typed(given, "stream", bool) or False
    tools = tools_from(given)
    messages = messages_from(given, checks.limits)
    chat = ChatRequest(
        messages,
        continues=_continues(given, messages),
        sampling=sampling_fields.sampling_from(given, checks.defaults),
        stop=stops_from(given),
        template_args=_template_args(given),
        tools=tools.tools,
        tool_choice=tools.choice,
        tool_name=tools.name,
        parallel_tool_calls=tools.parallel,
        grammar=grammar_from(given, checks.make_grammar),
        logit_bias=sampling_fields.logit_bias_from(given, checks.n_vocab),
        ignore_eos=typed(given, "ignore_eos", bool) or False,
        top_logprobs=_top_logprobs(given),
        drafts=draft_fields.draft_limits_from(given),
    )
    n = whole(given, "n", 1, 1, _MOST_ANSWERS)
    include_usage, more = usage_from(given)
    ignored = (*ignored, *unknown_in_messages(given), *more)[:MOST_IGNORED]
    places = Places("messages", grammar_place(given, tools.choice))
    return ChatCompletion(typed(given, "model", str), chat, stream, include_usage, n, ignored, places)


def _continues(given: Given, messages: tuple[Message, ...]) -> bool:
    """Whether the last message is the beginning of the answer, as vLLM and llama-server take it."""
    wanted = typed(given, "continue_final_message", bool) or False
    opens = typed(given, "add_generation_prompt", bool)
    if wanted and (messages[-1].role is not Role.ASSISTANT or messages[-1].tool_calls):
        told = "continue_final_message needs a last message of the assistant's, without tool calls."
        raise invalid("continue_final_message", told)
    if opens is wanted:
        told = "add_generation_prompt must be false where continue_final_message is true, and nowhere else."
        raise invalid("add_generation_prompt", told)
    return wanted


def _template_args(given: Given) -> dict[str, object]:
    made: dict[str, object] = {}
    effort = given.get("reasoning_effort")
    if effort is not None:
        if effort not in _EFFORTS:
            raise invalid("reasoning_effort", f"reasoning_effort must be one of {', '.join(_EFFORTS)}.")
        made = {"reasoning_effort": effort, "enable_thinking": effort not in _NO_THOUGHT}
    if (thinks := typed(given, "enable_thinking", bool)) is not None:
        made["enable_thinking"] = thinks
    more = typed(given, "chat_template_kwargs", dict) or {}
    check_free("chat_template_kwargs", more)
    for name in more:
        if name in _TEMPLATES_OWN:
            told = f"chat_template_kwargs must not set {name}, which has a parameter of its own."
            raise invalid("chat_template_kwargs", told)
    return made | more


def _top_logprobs(given: Given) -> int | None:
    wanted = typed(given, "logprobs", bool) or False
    top = whole(given, "top_logprobs", 0, 0, MOST_LOGPROBS)
    if top and not wanted:
        raise invalid("top_logprobs", "top_logprobs needs logprobs to be true.")
    return top if wanted else n_probs_from(given)


def n_probs_from(given: Given) -> int | None:
    """llama-server's name for how many probabilities to tell; 0 tells none."""
    return whole(given, "n_probs", 0, 0, MOST_LOGPROBS) or None


def stops_from(given: Given) -> tuple[str, ...]:
    """The field `stop`; empty texts stop nothing. Raises ApiError."""
    stop = given.get("stop", [])
    stops = [stop] if isinstance(stop, str) else stop
    if not isinstance(stops, list) or not all(isinstance(each, str) for each in stops):
        raise invalid("stop", "stop must be a text, or a list of texts.")
    stops = [each for each in stops if each]
    if len(stops) > _MAX_STOPS:
        raise invalid("stop", f"stop takes up to {_MAX_STOPS} texts.")
    return tuple(text("stop", each) for each in stops)


def usage_from(given: Given) -> tuple[bool, tuple[str, ...]]:
    """The field `stream_options.include_usage`, and the names of the other options. Without a stream it changes
    nothing: whole answers tell the usage. Raises ApiError.
    """
    options = given_of(typed(given, "stream_options", dict) or {})
    where = "stream_options."
    ignored = unknown_in(options, frozenset({"include_usage"}), {}, where)
    return typed(options, "include_usage", bool, where) or False, ignored
