"""OpenAI's chat completions as values of ours: what is asked is checked by hand."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.api import draft_fields, sampling_fields
from app.api.chat_messages import messages_from
from app.api.chat_tools import MakeGrammar, grammar_from, tools_from
from app.api.fields import Given, given_of, invalid, refuse_unknown, text, typed, whole
from app.api.limits import Limits
from app.core.requests import ChatRequest
from app.core.sampling import Sampling

_NOT_SUPPORTED: Mapping[str, tuple[object, ...]] = {
    "functions": ([],),
    "function_call": ("none", "auto"),
    "modalities": (["text"],),
    "store": (False,),
    "audio": (),
    "prediction": (),
    "verbosity": (),
    "web_search_options": (),
}
"""What is refused rather than ignored, with the values that ask for nothing."""
BOOKKEEPING = frozenset(
    {
        "user",
        "metadata",
        "service_tier",
        "safety_identifier",
        "prompt_cache_key",
        "prompt_cache_retention",
        "cache_prompt",
        "id_slot",
        "timings_per_token",
    }
)
"""Taken and not used: the answer is the same without them."""
_HANDLED = frozenset(
    {
        "model",
        "messages",
        "stream",
        "stream_options",
        "stop",
        "n",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "response_format",
        "json_schema",
        "grammar",
        "logprobs",
        "top_logprobs",
        "reasoning_effort",
        "chat_template_kwargs",
    }
)
_KNOWN = _HANDLED | BOOKKEEPING | sampling_fields.KNOWN | draft_fields.KNOWN
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
_NO_THOUGHT = ("none", "minimal")
_TEMPLATES_OWN = frozenset({"messages", "tools", "add_generation_prompt", "self", "bos_token", "eos_token"})
"""Variables that a request must not set for the chat template."""
_MAX_STOPS = 16
_MOST_ANSWERS = 16
MOST_LOGPROBS = 20


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


def parse_chat_completion(body: object, checks: Checks) -> ChatCompletion:
    """Check a decoded JSON body. What it leaves out or sets to null is as in the defaults. Raises ApiError."""
    given = given_of(body)
    refuse_unknown(given, _KNOWN, _NOT_SUPPORTED)
    stream = typed(given, "stream", bool) or False
    tools = tools_from(given)
    chat = ChatRequest(
        messages_from(given, checks.limits),
        sampling=sampling_fields.sampling_from(given, checks.defaults),
        stop=stops_from(given),
        template_args=_template_args(given),
        tools=tools.tools,
        tool_choice=tools.choice,
        tool_name=tools.name,
        parallel_tool_calls=tools.parallel,
        grammar=grammar_from(given, checks.make_grammar),
        logit_bias=sampling_fields.logit_bias_from(given, checks.n_vocab),
        top_logprobs=_top_logprobs(given),
        drafts=draft_fields.draft_limits_from(given),
    )
    n = whole(given, "n", 1, 1, _MOST_ANSWERS)
    return ChatCompletion(typed(given, "model", str), chat, stream, include_usage_from(given, stream=stream), n)


def _template_args(given: Given) -> dict[str, object]:
    made: dict[str, object] = {}
    effort = given.get("reasoning_effort")
    if effort is not None:
        if effort not in _EFFORTS:
            raise invalid("reasoning_effort", f"reasoning_effort must be one of {', '.join(_EFFORTS)}.")
        made = {"reasoning_effort": effort, "enable_thinking": effort not in _NO_THOUGHT}
    more = typed(given, "chat_template_kwargs", dict) or {}
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
    return top if wanted else None


def stops_from(given: Given) -> tuple[str, ...]:
    """The field `stop`. Raises ApiError."""
    stop = given.get("stop", [])
    stops = [stop] if isinstance(stop, str) else stop
    if not isinstance(stops, list) or not all(isinstance(each, str) and each for each in stops):
        raise invalid("stop", "stop must be a text, or a list of texts, none of them empty.")
    if len(stops) > _MAX_STOPS:
        raise invalid("stop", f"stop takes up to {_MAX_STOPS} texts.")
    return tuple(text("stop", each) for each in stops)


def include_usage_from(given: Given, *, stream: bool) -> bool:
    """The field `stream_options.include_usage`. Raises ApiError."""
    options = typed(given, "stream_options", dict)
    if options is None:
        return False
    if not stream:
        raise invalid("stream_options", "stream_options are for streams; set stream to true, or leave them out.")
    value = options.get("include_usage")
    if not isinstance(value, bool | None):
        raise invalid("stream_options.include_usage", "stream_options.include_usage must be true or false.")
    return bool(value)
