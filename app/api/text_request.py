"""OpenAI's plain completions as values of ours."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.api import draft_fields, sampling_fields
from app.api.chat_request import MOST_IGNORED, MOST_LOGPROBS, Checks, n_probs_from, stops_from, usage_from
from app.api.chat_tools import grammar_from, grammar_place
from app.api.errors import Places
from app.api.fields import Given, as_whole, given_of, invalid, text, typed, whole
from app.api.unknown_fields import RELIED_ON, unknown_in
from app.core.requests import ChatRequest

_HANDLED = frozenset(
    {
        "model",
        "prompt",
        "stream",
        "stream_options",
        "stop",
        "ignore_eos",
        "n",
        "echo",
        "logprobs",
        "n_probs",
        "grammar",
        "json_schema",
        "response_format",
    }
)
_KNOWN = _HANDLED | sampling_fields.KNOWN | draft_fields.KNOWN
_REFUSED: Mapping[str, tuple[object, ...]] = {
    **RELIED_ON,
    "suffix": ("",),
    "best_of": (1,),
    "messages": (),
    "add_special_tokens": (True,),
    "add_bos_token": (True,),
}
_MOST_PROMPTS = 64
_MOST_ANSWERS = 16
Prompt = str | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TextCompletion:
    """A checked request."""

    model: str | None
    requests: tuple[ChatRequest, ...]
    """One for each prompt."""
    n: int
    """Answers to each."""
    echo: bool
    """The prompt is told with the answer."""
    logprobs: int | None
    """Likely tokens to tell at each place; None tells nothing."""
    stream: bool
    include_usage: bool
    ignored: tuple[str, ...] = ()
    """Names of what the client sent and Hearth does nothing with."""
    places: Places = Places("prompt")


def parse_text_completion(body: object, checks: Checks) -> TextCompletion:
    """Check a decoded JSON body. Raises ApiError."""
    given = dict(given_of(body))
    only_read = _takes_zero(given)
    ignored = unknown_in(given, _KNOWN, _REFUSED)
    stream = typed(given, "stream", bool) or False
    echo = typed(given, "echo", bool) or False
    logprobs = whole(given, "logprobs", 0, 0, MOST_LOGPROBS) if "logprobs" in given else n_probs_from(given)
    if only_read and not echo:
        raise invalid("max_tokens", "max_tokens must be at least 1 where the prompt is not told either (echo).")
    include_usage, more = usage_from(given)
    common = ChatRequest(
        (),
        sampling=sampling_fields.sampling_from(given, checks.defaults),
        stop=stops_from(given),
        grammar=grammar_from(given, checks.make_grammar),
        logit_bias=sampling_fields.logit_bias_from(given, checks.n_vocab),
        ignore_eos=typed(given, "ignore_eos", bool) or False,
        top_logprobs=logprobs,
        prompt_logprobs=echo and logprobs is not None,
        only_read=only_read,
        drafts=draft_fields.draft_limits_from(given),
    )
    return TextCompletion(
        typed(given, "model", str),
        tuple(replace(common, prompt=each) for each in _prompts(given, checks)),
        whole(given, "n", 1, 1, _MOST_ANSWERS),
        echo,
        logprobs,
        stream,
        include_usage,
        (*ignored, *more)[:MOST_IGNORED],
        Places("prompt", grammar_place(given)),
    )


def _takes_zero(given: dict[str, object]) -> bool:
    """Takes the limits of 0 out, which ask for the reading alone."""
    zeros = [name for name in ("max_tokens", "n_predict") if given.get(name) == 0 and given[name] is not False]
    for name in zeros:
        del given[name]
    return bool(zeros)


def _prompts(given: Given, checks: Checks) -> tuple[Prompt, ...]:
    told = given.get("prompt")
    match told:
        case str():
            prompts: tuple[Prompt, ...] = (text("prompt", told),)
        case [int() | float(), *_]:
            prompts = (tokens_from("prompt", told, checks),)
        case [str() | list(), *_] if len(told) <= _MOST_PROMPTS:
            prompts = tuple(_prompt(f"prompt[{index}]", each, checks) for index, each in enumerate(told))
        case _:
            raise invalid(
                "prompt", f"prompt must be a text, a list of tokens, or a list of up to {_MOST_PROMPTS} such."
            )
    if sum(map(len, prompts)) > checks.limits.prompt:
        raise invalid("prompt", "The prompt is too long for any context.", code="context_length_exceeded")
    return prompts


def _prompt(where: str, told: object, checks: Checks) -> Prompt:
    if told == []:
        raise invalid(where, f"{where} must hold at least one token.")
    return text(where, told) if isinstance(told, str) else tokens_from(where, told, checks)


def tokens_from(where: str, told: object, checks: Checks) -> tuple[int, ...]:
    """A list of tokens of the model. Raises ApiError."""
    if not isinstance(told, list):
        raise invalid(where, f"{where} must be a list of tokens.")
    tokens = tuple(map(as_whole, told))
    for token in tokens:
        if not isinstance(token, int) or isinstance(token, bool) or not 0 <= token < checks.n_vocab:
            raise invalid(where, f"{where} must hold numbers of tokens, from 0 to {checks.n_vocab - 1}.")
    return tokens
