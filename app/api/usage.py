"""What answers cost, and how likely their tokens were, as OpenAI and llama-server tell it."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from app.api.errors import Json
from app.core.events import Finished, LikelyToken, Timings, TokenLogprob


def figures_of(answers: Sequence[Finished]) -> dict[str, Json]:
    """`usage` and `timings` over the answers to one request. The prompt counts once for all that share it."""
    timings = total_timings(answers)
    prompt = timings.cache_n + timings.prompt_n
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": timings.predicted_n,
        "total_tokens": prompt + timings.predicted_n,
        "prompt_tokens_details": {"cached_tokens": timings.cache_n},
        "completion_tokens_details": {"reasoning_tokens": sum(each.reasoning_n for each in answers)},
    }
    return {"usage": usage, "timings": asdict(timings)}


def total_timings(answers: Sequence[Finished]) -> Timings:
    """The first answer's reading, and all of the writing."""
    first, *others = (each.timings for each in answers)
    for timings in others:
        first = replace(
            first,
            predicted_n=first.predicted_n + timings.predicted_n,
            predicted_ms=first.predicted_ms + timings.predicted_ms,
            draft_n=first.draft_n + timings.draft_n,
            draft_n_accepted=first.draft_n_accepted + timings.draft_n_accepted,
        )
    return first


def together(shares: Sequence[Finished]) -> Finished:
    """One answer that stands for the answers to several prompts, whose reading adds up."""
    first = shares[0]
    read = [each.timings for each in shares]
    timings = replace(
        total_timings(shares),
        cache_n=sum(each.cache_n for each in read),
        prompt_n=sum(each.prompt_n for each in read),
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
