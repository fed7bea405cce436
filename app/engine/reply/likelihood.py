"""How likely tokens were, as the model gave it: before any sampler, as OpenAI means it and llama-server tells it."""

import numpy as np
from numpy.typing import NDArray

from app.core.events import LikelyToken, TokenLogprob
from app.engine.binding.vocab import Vocab


def token_logprob(vocab: Vocab, logits: NDArray[np.float32], token: int, n_top: int) -> TokenLogprob:
    """Of `token`, by `logits` of shape (n_vocab,), with the `n_top` likeliest in its place."""
    shifted = logits.astype(np.float64) - float(logits.max())
    logprobs = shifted - np.log(np.exp(shifted).sum())
    n_top = min(n_top, len(logprobs))
    top = np.argpartition(-logprobs, n_top - 1)[:n_top] if n_top else np.empty(0, np.intp)
    ranked = top[np.argsort(-logprobs[top], kind="stable")]
    return TokenLogprob(_likely(vocab, logprobs, token), tuple(_likely(vocab, logprobs, int(each)) for each in ranked))


def first_token(vocab: Vocab, token: int) -> TokenLogprob:
    """Of a token that nothing stands before."""
    return TokenLogprob(LikelyToken(token, vocab.piece(token, special=True), 0.0))


def _likely(vocab: Vocab, logprobs: NDArray[np.float64], token: int) -> LikelyToken:
    return LikelyToken(token, vocab.piece(token, special=True), float(logprobs[token]))
