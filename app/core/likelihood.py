"""How likely a model finds a text or an answer: what is asked, and what comes of it."""

import math
from dataclasses import dataclass
from functools import cached_property

from app.core.events import Looking, PromptProgress
from app.core.requests import ChatRequest
from app.core.setting import setting

LEAST_WINDOW = 4
MOST_WINDOW = 1 << 20


@dataclass(frozen=True, slots=True)
class Windows:
    """How a text is cut that is scored; see `app.engine.reply.perplexity`."""

    window: int = setting(
        512,
        "Window",
        "Tokens that are read together, from an empty context; no more than the context holds.",
        flags=("--window",),
        within=(LEAST_WINDOW, MOST_WINDOW),
        unit="tokens",
    )
    stride: int = setting(
        0,
        "Stride",
        "Tokens from one window's start to the next one's, each scored with what came before it in the window. "
        "0 scores the second half of windows that follow each other.",
        flags=("--ppl-stride", "--stride"),
        within=(0, MOST_WINDOW),
        unit="tokens",
    )


@dataclass(frozen=True, slots=True)
class TextToScore:
    """A text by itself, or tokens, which must be the model's. Control tokens that are written in it stay text."""

    text: str | tuple[int, ...]
    windows: Windows = Windows()


@dataclass(frozen=True, slots=True)
class AnswerToScore:
    """The last message of a conversation, after all that stands before it."""

    chat: ChatRequest
    """With `continues`: its last message is the answer."""


LikelihoodRequest = TextToScore | AnswerToScore


@dataclass(frozen=True, slots=True)
class ScoredToken:
    id: int
    piece: bytes
    """Its text, which may be a part of a character; control tokens are spelled out."""
    logprob: float | None
    """Natural logarithm of its probability after what stood before it in its window; None where it was not scored."""


@dataclass(frozen=True)
class Likelihood:
    """The last that is said of one request."""

    tokens: tuple[ScoredToken, ...]
    """All of them, in order."""
    n_windows: int = 1
    window: int = 0
    """Tokens of each, by which the text was cut; 0 where it was read as one."""
    stride: int = 0

    @cached_property
    def n_scored(self) -> int:
        return len(self._losses)

    @cached_property
    def n_left_out(self) -> int:
        """Tokens at the end that were not scored, because the context had no room for them."""
        scored = [index for index, each in enumerate(self.tokens) if each.logprob is not None]
        return len(self.tokens) - 1 - scored[-1] if scored and not self.window else 0

    @cached_property
    def loss(self) -> float:
        """Mean negative log-likelihood of a scored token, in nats."""
        return math.fsum(self._losses) / len(self._losses)

    @cached_property
    def perplexity(self) -> float:
        return _exp(self.loss)

    @cached_property
    def error(self) -> float:
        """Standard error of the perplexity, as llama-perplexity tells it; 0 where there is too little to tell."""
        n, mean = self.n_scored, self.loss
        spread = math.fsum(each * each for each in self._losses) / n - mean * mean
        return math.sqrt(spread / (n - 1)) * self.perplexity if n > 1 and spread > 0 else 0.0

    @cached_property
    def _losses(self) -> tuple[float, ...]:
        return tuple(-each.logprob for each in self.tokens if each.logprob is not None)


LikelihoodEvent = PromptProgress | Looking | Likelihood


def _exp(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def likelihood_json(found: Likelihood, *, per_token: bool) -> dict[str, object]:
    """For programs. What is no finite number, of a damaged model, is null."""
    told: dict[str, object] = {
        "perplexity": _finite(found.perplexity),
        "error": _finite(found.error),
        "loss": _finite(found.loss),
        "n_tokens": len(found.tokens),
        "n_scored": found.n_scored,
        "n_windows": found.n_windows,
        "window": found.window,
        "stride": found.stride,
    }
    if per_token:
        told["tokens"] = [_token_json(each) for each in found.tokens]
    return told


def _token_json(scored: ScoredToken) -> dict[str, object]:
    """As OpenAI tells a token's probability, with its number; null where it was not scored."""
    return {
        "id": scored.id,
        "token": scored.piece.decode("utf-8", "replace"),
        "bytes": list(scored.piece),
        "logprob": None if scored.logprob is None else _finite(scored.logprob),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
