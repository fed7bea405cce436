"""OpenAI's chat completions: how they are declared, and what they are as values of ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from app.api.asked import MOST_IGNORED, MOST_TOOLS, Asked, Checks
from app.api.errors import Places
from app.api.openai.chat_messages import ChatMessage, messages_from, sorted_out
from app.api.openai.chat_tools import Choice, Constraints, Tool, customs_of, grammar_from, grammar_place, tools_from
from app.api.remembered import call_ids
from app.api.sampling_fields import (
    TOKENS,
    Limit,
    LogitBias,
    biases_from,
    only_reads,
    sampling_from,
    tokens_from,
    with_sampling,
)
from app.api.unknown_fields import RELIED_ON, unknown_in
from app.api.validation import given_of, invalid, names_of, validated
from app.core.messages import Message, Role
from app.core.requests import ChatRequest
from app.core.speculation import DraftLimits

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
_NO_THOUGHT = ("none", "minimal")
_TEMPLATES_OWN = frozenset({"messages", "tools", "add_generation_prompt", "self", "bos_token", "eos_token"})
"""Variables that a request must not set for the chat template."""
_MAX_STOPS = 64
USUAL_LOGPROBS = 20
"""What OpenAI allows."""
LogprobCount = Annotated[
    int,
    Meta(
        ge=0,
        le=1_000_000,
        description="Likely tokens to tell at each place, up to the whole vocabulary; beyond 20 max_tokens is needed.",
    ),
]
_DraftTokens = Annotated[
    int,
    # A client may ask for longer drafts than the model was loaded for, and gets as long ones as it was.
    Meta(
        ge=0,
        le=1024,
        description="Tokens of a draft: the most of them, where 0 drafts none, or the fewest that are checked.",
    ),
]


class _StreamOptions(Struct, kw_only=True, frozen=True):
    include_usage: bool | None = None


class CompletionFields(Constraints, kw_only=True, frozen=True):
    """What both kinds of completion take."""

    model: str | None = None
    stream: bool = False
    stream_options: _StreamOptions | None = None
    return_progress: Annotated[bool, Meta(description="A stream tells how far the prompt has been read.")] = False
    stop: Annotated[
        str | Annotated[list[str], Meta(extra_json_schema={"maxItems": _MAX_STOPS})],
        Meta(title="a text, or a list of texts"),
    ] = ""
    ignore_eos: Annotated[bool, Meta(description="The model can't end the answer.")] = False
    n: Annotated[int, Meta(ge=1, le=16, description="How many answers.")] = 1
    max_completion_tokens: Limit | None = None
    stop_token_ids: Annotated[Any, Meta(title="a list of tokens", extra_json_schema=TOKENS)] = field(
        default_factory=list
    )
    logit_bias: LogitBias = field(default_factory=dict)
    n_probs: LogprobCount = 0
    draft_max: _DraftTokens | None = field(default=None, name="speculative.n_max")
    draft_min: _DraftTokens | None = field(default=None, name="speculative.n_min")
    draft_p_min: (
        Annotated[
            float,
            Meta(ge=0, le=1, description="A draft ends before a token that the drafter finds less likely than this."),
        ]
        | None
    ) = field(default=None, name="speculative.p_min")

    @property
    def stops(self) -> tuple[str, ...]:
        """Empty texts stop nothing. Raises ApiError."""
        stops = [self.stop] if isinstance(self.stop, str) else self.stop
        stops = [each for each in stops if each]
        if len(stops) > _MAX_STOPS:
            raise invalid("stop", f"stop takes up to {_MAX_STOPS} texts.")
        return tuple(stops)

    @property
    def drafts(self) -> DraftLimits:
        return DraftLimits(self.draft_max, self.draft_min, self.draft_p_min)

    @property
    def include_usage(self) -> bool:
        """Without a stream it changes nothing: whole answers tell the usage."""
        return self.stream_options is not None and bool(self.stream_options.include_usage)


@with_sampling
class ChatFields(CompletionFields, kw_only=True, frozen=True):
    messages: Annotated[list[ChatMessage], Meta(min_length=1)]
    tools: Annotated[list[Tool], Meta(max_length=MOST_TOOLS)] = field(default_factory=list)
    tool_choice: Choice = "auto"
    parallel_tool_calls: bool = True
    logprobs: bool = False
    top_logprobs: LogprobCount = 0
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    enable_thinking: bool | None = None
    chat_template_kwargs: dict[str, Any] = field(default_factory=dict)
    continue_final_message: Annotated[
        bool, Meta(description="The last message, the assistant's, is the beginning of the answer.")
    ] = False
    add_generation_prompt: (
        Annotated[
            bool,
            Meta(description="The prompt ends as an answer begins; false where it shall end after the last message."),
        ]
        | None
    ) = None
    verbose: Annotated[bool, Meta(description="A whole answer tells its prompt, in __verbose.")] = False
    max_tokens: Limit | None = None
    n_predict: Limit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatCompletion(Asked):
    include_usage: bool
    customs: frozenset[str] = frozenset()
    """Names of tools that take a plain text."""


def parse_chat_completion(body: object, checks: Checks) -> ChatCompletion:
    """Check a decoded JSON body. What it leaves out or sets to null is as in the defaults. Raises ApiError."""
    given = given_of(body)
    ignored = unknown_in(given, names_of(ChatFields), _REFUSED)
    given["messages"], more = sorted_out(given, checks.limits)
    asked = validated(ChatFields, given)
    tools = tools_from(asked.tools, asked.tool_choice)
    messages = messages_from(asked.messages, checks.limits)
    chat = ChatRequest(
        messages,
        continues=_continues(asked, messages, checks),
        sampling=sampling_from(asked, checks.defaults),
        stop=asked.stops,
        template_args=_template_args(asked),
        tools=tools.tools,
        tool_choice=tools.choice,
        tool_name=tools.name,
        parallel_tool_calls=asked.parallel_tool_calls,
        grammar=grammar_from(asked, checks.make_grammar),
        logit_bias=biases_from(asked.logit_bias, checks.n_vocab),
        ignore_eos=asked.ignore_eos,
        stop_tokens=tokens_from("stop_token_ids", asked.stop_token_ids, checks.n_vocab),
        only_read=only_reads(asked),
        top_logprobs=_top_logprobs(asked),
        drafts=asked.drafts,
    )
    ignored = (*ignored, *more, *unknown_options(given))[:MOST_IGNORED]
    places = Places("messages", grammar_place(asked, tools.choice))
    check_logprobs(chat.top_logprobs, chat.sampling.max_tokens, asked.n, checks)
    return ChatCompletion(
        model=asked.model,
        chat=chat,
        stream=asked.stream,
        include_usage=asked.include_usage,
        n=asked.n,
        progress=asked.return_progress,
        tells_prompt=asked.verbose,
        ignored=ignored,
        places=places,
        ids=call_ids(messages),
        customs=customs_of(asked.tools),
    )


def unknown_options(given: Mapping[str, Any]) -> tuple[str, ...]:
    """Names in a checked request's `stream_options` that nothing is done with."""
    options = {name: value for name, value in given.get("stream_options", {}).items() if value is not None}
    return tuple(f"stream_options.{name}" for name in unknown_in(options, names_of(_StreamOptions), {}))


def _continues(asked: ChatFields, messages: tuple[Message, ...], checks: Checks) -> bool:
    """Whether the last message is the beginning of the answer, as vLLM and llama-server take it."""
    wanted = asked.continue_final_message
    ends_with_answer = messages[-1].role is Role.ASSISTANT and not messages[-1].tool_calls
    if checks.continues and ends_with_answer and not asked.add_generation_prompt:
        if len(messages) > 1 and messages[-2].role is Role.ASSISTANT:
            told = "Which of the two answers at the end shall be gone on with can't be told: send one."
            raise invalid("messages", told)
        return True
    if wanted and not ends_with_answer:
        told = "continue_final_message needs a last message of the assistant's, without tool calls."
        raise invalid("continue_final_message", told)
    if wanted and asked.add_generation_prompt:
        told = "add_generation_prompt and continue_final_message must not both be true."
        raise invalid("add_generation_prompt", told)
    return wanted


def _template_args(asked: ChatFields) -> dict[str, object]:
    made: dict[str, object] = {}
    if (effort := asked.reasoning_effort) is not None:
        made = {"reasoning_effort": effort, "enable_thinking": effort not in _NO_THOUGHT}
    if asked.enable_thinking is not None:
        made["enable_thinking"] = asked.enable_thinking
    if asked.add_generation_prompt is False and not asked.continue_final_message:
        made["add_generation_prompt"] = False
    for name in asked.chat_template_kwargs:
        if name in _TEMPLATES_OWN:
            told = f"chat_template_kwargs must not set {name}, which has a parameter of its own."
            raise invalid("chat_template_kwargs", told)
    return made | asked.chat_template_kwargs


def _top_logprobs(asked: ChatFields) -> int | None:
    if asked.top_logprobs and not asked.logprobs:
        raise invalid("top_logprobs", "top_logprobs needs logprobs to be true.")
    return asked.top_logprobs if asked.logprobs else asked.n_probs or None


def check_logprobs(n_top: int | None, max_tokens: int, n: int, checks: Checks) -> None:
    """Raises ApiError where so many likely tokens at each place are too much to send; `max_tokens` 0 is no limit."""
    if (n_top or 0) > USUAL_LOGPROBS:
        told = min(n_top or 0, checks.n_vocab) * max_tokens * n
        if not 0 < told <= checks.limits.likely:
            most = f"With more than {USUAL_LOGPROBS} likely tokens at each place, set max_tokens so that all of them "
            raise invalid("max_tokens", f"{most}together are up to {checks.limits.likely:,}.")
