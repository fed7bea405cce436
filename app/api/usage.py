"""What answers cost, and how likely their tokens were, as OpenAI and llama-server tell it."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace

import app
from app.api.errors import Json
from app.core.events import (
    Finished,
    LikelyToken,
    PromptProgress,
    ReplyEvent,
    TextDelta,
    Timings,
    TokenLogprob,
    ToolCallDelta,
)

FINGERPRINT = f"build-{app.__version__}"
"""OpenAI's `system_fingerprint`: what may change answers to the same request."""


def figures_of(answers: Sequence[Finished]) -> dict[str, Json]:
    """`usage` and `timings` over the answers to one request. The prompt counts once for all that share it."""
    timings = total_timings(answers)
    return {"usage": usage_of(timings, total(each.reasoning_n for each in answers)), "timings": timings_of(timings)}


def usage_of(timings: Timings, reasoning_n: int | None) -> Json:
    """What is not told is left out."""
    prompt = timings.prompt_total
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": timings.predicted_n,
        "total_tokens": total((prompt, timings.predicted_n)),
        "prompt_tokens_details": without_none({"cached_tokens": timings.cache_n}),
        "completion_tokens_details": without_none({"reasoning_tokens": reasoning_n}),
    }
    return {name: value for name, value in usage.items() if value not in (None, {})}


def timings_of(timings: Timings) -> Json:
    """As llama-server tells them. The first token is drawn from what the prompt gave, and costs no step of its own."""
    steps = None if timings.predicted_n is None else max(0, timings.predicted_n - 1)
    return {
        **without_none(asdict(timings)),
        **_rates("prompt", timings.prompt_n, timings.prompt_ms),
        **_rates("predicted", steps, timings.predicted_ms if steps else 0.0),
    }


def total(told: Iterable[int | None]) -> int | None:
    """The sum; None where one of them is not told."""
    sums = 0
    for each in told:
        if each is None:
            return None
        sums += each
    return sums


def without_none(told: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in told.items() if value is not None}


def _rates(name: str, n: int | None, ms: float) -> dict[str, object]:
    if n is None:
        return {}
    return {f"{name}_per_token_ms": ms / n if n else 0.0, f"{name}_per_second": n / ms * 1000 if ms > 0 else 0.0}


def progress_of(event: PromptProgress) -> Json:
    """How far the prompt has been read, as llama-server tells it."""
    done = event.reused + event.read
    return {"total": event.total, "cache": event.reused, "processed": done, "time_ms": event.elapsed * 1000}


class TimingsSoFar:
    """Of an answer that is being written, as its reader sees them."""

    def __init__(self) -> None:
        self._prompt = PromptProgress(0, 0, 0, 0.0)
        self._read_at = time.perf_counter()

    def at(self, event: ReplyEvent) -> Json:
        """With what an event tells."""
        written = 0
        match event:
            case PromptProgress():
                self._prompt, self._read_at = event, time.perf_counter()
            case TextDelta() | ToolCallDelta():
                written = event.predicted_n or 0
        prompt, ms = self._prompt, (time.perf_counter() - self._read_at) * 1000
        return timings_of(Timings(prompt.reused, prompt.read, prompt.elapsed * 1000, written, ms))


def total_timings(answers: Sequence[Finished]) -> Timings:
    """The first answer's reading, and all of the writing."""
    first, *others = (each.timings for each in answers)
    for timings in others:
        first = replace(
            first,
            predicted_n=total((first.predicted_n, timings.predicted_n)),
            predicted_ms=first.predicted_ms + timings.predicted_ms,
            draft_n=total((first.draft_n, timings.draft_n)),
            draft_n_accepted=total((first.draft_n_accepted, timings.draft_n_accepted)),
        )
    return first


def together(shares: Sequence[Finished]) -> Finished:
    """One answer that stands for the answers to several prompts, whose reading adds up."""
    first = shares[0]
    read = [each.timings for each in shares]
    timings = replace(
        total_timings(shares),
        cache_n=total(each.cache_n for each in read),
        prompt_n=total(each.prompt_n for each in read),
        prompt_ms=sum(each.prompt_ms for each in read),
    )
    return replace(first, timings=timings)


def chat_logprobs(logprobs: Sequence[TokenLogprob]) -> Json:
    """As chat completions tell them."""
    content = [{**_token(each.chosen), "top_logprobs": [_token(top) for top in each.top]} for each in logprobs]
    return {"content": content, "refusal": None}


def _token(likely: LikelyToken) -> dict[str, object]:
    return {"token": spelled(likely), "logprob": finite(likely.logprob), "bytes": list(likely.piece)}


def spelled(likely: LikelyToken) -> str:
    """A token's text; U+FFFD for half a character."""
    return likely.piece.decode("utf-8", "replace")


def finite(logprob: float) -> float:
    """JSON has no infinity; OpenAI tells this number for what is beyond reckoning."""
    return max(logprob, -9999.0)
