"""OpenAI's plain completions: how they are declared, and what they are as values of ours."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from msgspec import Meta

from app.api.asked import MOST_IGNORED, Checks
from app.api.errors import Places
from app.api.openai.chat_request import USUAL_LOGPROBS, CompletionFields, check_logprobs, unknown_options
from app.api.openai.chat_tools import grammar_from, grammar_place
from app.api.sampling_fields import TOKENS, Limit, biases_from, only_reads, sampling_from, tokens_from, with_sampling
from app.api.unknown_fields import RELIED_ON, unknown_in
from app.api.validation import given_of, invalid, names_of, text, validated
from app.core.requests import ChatRequest

_MOST_PROMPTS = 64
_PROMPT = {
    "anyOf": [
        {"type": "string"},
        TOKENS,
        {
            "type": "array",
            "maxItems": _MOST_PROMPTS,
            "items": {"anyOf": [{"type": "string"}, TOKENS]},
        },
    ]
}


@with_sampling
class TextFields(CompletionFields, kw_only=True, frozen=True):
    prompt: Annotated[
        Any,
        Meta(
            title=f"a text, a list of tokens, or a list of up to {_MOST_PROMPTS} such",
            extra_json_schema=_PROMPT,
        ),
    ]
    suffix: Annotated[str, Meta(description="What the answer leads to, for models that fill gaps (FIM).")] = ""
    echo: bool = False
    logprobs: Annotated[int, Meta(ge=0, le=USUAL_LOGPROBS)] | None = None
    max_tokens: Limit | None = None
    n_predict: Limit | None = None


_REFUSED: Mapping[str, tuple[object, ...]] = {
    **RELIED_ON,
    "best_of": (1,),
    "messages": (),
    "add_special_tokens": (True,),
    "add_bos_token": (True,),
}
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
    progress: bool = False
    """A stream tells how far the prompt has been read."""
    ignored: tuple[str, ...] = ()
    """Names of what the client sent and Hearth does nothing with."""
    places: Places = Places("prompt")


def parse_text_completion(body: object, checks: Checks) -> TextCompletion:
    """Check a decoded JSON body. Raises ApiError."""
    given = given_of(body)
    ignored = unknown_in(given, names_of(TextFields), _REFUSED)
    asked = validated(TextFields, given)
    logprobs = asked.n_probs or None if asked.logprobs is None else asked.logprobs
    common = ChatRequest(
        (),
        sampling=sampling_from(asked, checks.defaults),
        stop=asked.stops,
        suffix=asked.suffix,
        grammar=grammar_from(asked, checks.make_grammar),
        logit_bias=biases_from(asked.logit_bias, checks.n_vocab),
        ignore_eos=asked.ignore_eos,
        top_logprobs=logprobs,
        prompt_logprobs=asked.echo and logprobs is not None,
        stop_tokens=tokens_from("stop_token_ids", asked.stop_token_ids, checks.n_vocab),
        only_read=only_reads(asked),
        drafts=asked.drafts,
    )
    check_logprobs(logprobs, common.sampling.max_tokens, asked.n, checks)
    if common.prompt_logprobs and (logprobs or 0) > USUAL_LOGPROBS:
        raise invalid("n_probs", f"With echo, n_probs may be up to {USUAL_LOGPROBS}.")
    return TextCompletion(
        asked.model,
        tuple(replace(common, prompt=each) for each in _prompts(asked.prompt, asked.suffix, checks)),
        asked.n,
        asked.echo,
        logprobs,
        asked.stream,
        asked.include_usage,
        asked.return_progress,
        (*ignored, *unknown_options(given))[:MOST_IGNORED],
        Places("prompt", grammar_place(asked)),
    )


def _prompts(told: object, suffix: str, checks: Checks) -> tuple[Prompt, ...]:
    match told:
        case []:
            prompts: tuple[Prompt, ...] = ("",)
        case str():
            prompts = (text("prompt", told),)
        case [int() | float(), *_]:
            prompts = (tokens_from("prompt", told, checks.n_vocab),)
        case [str() | list(), *_] if len(told) <= _MOST_PROMPTS:
            prompts = tuple(_prompt(f"prompt[{index}]", each, checks) for index, each in enumerate(told))
        case _:
            raise invalid(
                "prompt", f"prompt must be a text, a list of tokens, or a list of up to {_MOST_PROMPTS} such."
            )
    if sum(map(len, prompts)) + len(suffix) > checks.limits.prompt:
        raise invalid("prompt", "The prompt is too long for any context.", code="context_length_exceeded")
    return prompts


def _prompt(where: str, told: object, checks: Checks) -> Prompt:
    """None is as an empty text: with what begins every text, where the model has that."""
    return text(where, told or "") if isinstance(told, str) or not told else tokens_from(where, told, checks.n_vocab)
