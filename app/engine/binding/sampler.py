"""llama.cpp's sampler chain, owned."""

import ctypes
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Protocol

import numpy as np
from llama_cpp import llama_cpp as api
from numpy.typing import NDArray

from app.core.sampling import MAX_SEED, RANDOM_SEED, Sampling
from app.engine.binding.context import Context
from app.engine.binding.vocab import Vocab

_MIROSTAT_M = 100


class Candidates:
    """A `llama_token_data_array` over memory of ours."""

    def __init__(self, n_vocab: int) -> None:
        self._cells = np.zeros(n_vocab, dtype=[("id", np.int32), ("logit", np.float32), ("p", np.float32)])
        self._ids = np.arange(n_vocab, dtype=np.int32)
        pointer = self._cells.ctypes.data_as(api.llama_token_data_p)
        self._array = api.llama_token_data_array(pointer, n_vocab, -1, False)

    def fill(self, logits: NDArray[np.float32]) -> None:
        """All tokens, with `logits` float32 of shape (n_vocab,)."""
        self._cells["id"], self._cells["logit"], self._cells["p"] = self._ids, logits, 0.0
        self._array.size, self._array.selected, self._array.sorted = len(self._ids), -1, False

    def keep(self, allowed: NDArray[np.bool_]) -> None:
        """Make all others impossible; `allowed` of shape (n_vocab,), while nothing but `fill` has happened."""
        self._cells["logit"][~allowed] = -np.inf

    def apply(self, sampler: object) -> None:
        api.llama_sampler_apply(sampler, ctypes.byref(self._array))

    @property
    def selected(self) -> int:
        """The token that the last sampler chose; -1 where it chose none."""
        at = int(self._array.selected)
        return int(self._cells["id"][at]) if at >= 0 else -1


class TokenFilter(Protocol):
    """Says which tokens may come next: `app.engine.grammar.grammar.Grammar`."""

    def allows(self, token: int) -> bool: ...

    def allowed(self) -> NDArray[np.bool_]:
        """Of every token; of shape (n_vocab,)."""

    def accept(self, token: int) -> None: ...


class SamplerChain:
    """The chain of `common_sampler_init` (common/sampling.cpp): same samplers, same order, same defaults.

    logit bias and suppressed tokens, penalties, DRY, top-n-sigma, top-k, typical-p, top-p, min-p, XTC,
    temperature, then the draw; Mirostat replaces everything after the bias by temperature and itself.
    A grammar stands beside the chain: see `sample`.
    """

    def __init__(
        self, vocab: Vocab, sampling: Sampling, n_ctx: int, logit_bias: Sequence[tuple[int, float]] = ()
    ) -> None:
        """`logit_bias`: tokens of the vocabulary, and what is added to their logits."""
        # llama.cpp takes -1 for 0 here, so "the whole context" has to be said as a number.
        sampling = replace(
            sampling,
            penalty_last_n=_resolved(sampling.penalty_last_n, n_ctx),
            dry_penalty_last_n=_resolved(sampling.dry_penalty_last_n, n_ctx),
        )
        self.seed = secrets.randbelow(MAX_SEED) if sampling.seed == RANDOM_SEED else sampling.seed
        """The seed in use, drawn here when a fresh one was asked for."""
        params = api.llama_sampler_chain_default_params()
        params.no_perf = True
        self.window = _window(sampling)
        """How many of the last tokens before the answer can matter to any sampler of the chain."""
        self._chain: api.llama_sampler_p | None = api.llama_sampler_chain_init(params)
        self._n_vocab = vocab.n_tokens
        self._add_bias(vocab, logit_bias)
        if sampling.mirostat:
            self._add_mirostat(vocab, sampling)
        else:
            self._add_filters(vocab, sampling)
            self._add(api.llama_sampler_init_dist(self.seed))

    def _add(self, sampler: object) -> None:
        api.llama_sampler_chain_add(self._chain, sampler)

    def _add_bias(self, vocab: Vocab, logit_bias: Sequence[tuple[int, float]]) -> None:
        count = ctypes.c_int32()
        tokens = api.llama_vocab_get_suppress_tokens(vocab.handle, ctypes.byref(count))
        wanted = [*logit_bias, *((tokens[index], float("-inf")) for index in range(count.value))]
        if wanted:
            bias = (api.llama_logit_bias * len(wanted))(*(api.llama_logit_bias(*each) for each in wanted))
            self._add(api.llama_sampler_init_logit_bias(vocab.n_tokens, len(wanted), bias))

    def _add_filters(self, vocab: Vocab, sampling: Sampling) -> None:
        keep = sampling.min_keep
        self._add(
            api.llama_sampler_init_penalties(
                vocab.n_tokens,
                sampling.penalty_last_n,
                sampling.penalty_repeat,
                sampling.penalty_freq,
                sampling.penalty_present,
            )
        )
        breakers = [each.encode() for each in sampling.dry_sequence_breakers]
        self._add(
            api.llama_sampler_init_dry(
                vocab.handle,
                sampling.dry_multiplier,
                sampling.dry_base,
                sampling.dry_allowed_length,
                sampling.dry_penalty_last_n,
                (ctypes.c_char_p * len(breakers))(*breakers),
                len(breakers),
            )
        )
        self._add(api.llama_sampler_init_top_n_sigma(sampling.top_n_sigma))
        self._add(api.llama_sampler_init_top_k(sampling.top_k))
        self._add(api.llama_sampler_init_typical(sampling.typical_p, keep))
        self._add(api.llama_sampler_init_top_p(sampling.top_p, keep))
        self._add(api.llama_sampler_init_min_p(sampling.min_p, keep))
        self._add(api.llama_sampler_init_xtc(sampling.xtc_probability, sampling.xtc_threshold, keep, self.seed))
        self._add(
            api.llama_sampler_init_temp_ext(sampling.temperature, sampling.dynatemp_range, sampling.dynatemp_exponent)
        )

    def _add_mirostat(self, vocab: Vocab, sampling: Sampling) -> None:
        tau, eta = sampling.mirostat_tau, sampling.mirostat_eta
        self._add(api.llama_sampler_init_temp(sampling.temperature))
        if sampling.mirostat == 1:
            self._add(api.llama_sampler_init_mirostat(vocab.n_tokens, self.seed, tau, eta, _MIROSTAT_M))
        else:
            self._add(api.llama_sampler_init_mirostat_v2(self.seed, tau, eta))

    def sample(self, context: Context, grammar: TokenFilter | None = None, index: int = -1) -> int | None:
        """Draw from the logits after a token of the last batch, the last one or that with `index` among those that have
        logits, and let chain and grammar remember the choice.

        The grammar is asked about the drawn token alone; only where it refuses that one, it goes through all of them
        and another one is drawn (`common_sampler_sample`). None where it allows no token at all.
        """
        if grammar is None:
            return int(api.llama_sampler_sample(self._chain, context.handle, index))
        # llama.cpp's own draw takes half the time of one from here, and what it remembers is undone by a copy.
        before = api.llama_sampler_clone(self._chain)
        try:
            token = int(api.llama_sampler_sample(self._chain, context.handle, index))
            if grammar.allows(token):
                grammar.accept(token)
                return token
            self._chain, before = before, self._chain
        finally:
            api.llama_sampler_free(before)
        self._draw(context, None, index)  # so that the next one has other random numbers
        token = self._draw(context, grammar, index)
        if token < 0 or not grammar.allows(token):
            return None
        grammar.accept(token)
        self.remember((token,))
        return token

    def _draw(self, context: Context, grammar: TokenFilter | None, index: int) -> int:
        self._candidates.fill(context.logits(index))
        if grammar is not None:
            self._candidates.keep(grammar.allowed())
        self._candidates.apply(self._chain)
        return self._candidates.selected

    @cached_property
    def _candidates(self) -> Candidates:
        return Candidates(self._n_vocab)

    def remember(self, tokens: Iterable[int]) -> None:
        """Tell the chain of tokens that it did not draw, so that the penalties see them."""
        for token in tokens:
            api.llama_sampler_accept(self._chain, token)

    def close(self) -> None:
        if self._chain is not None:
            api.llama_sampler_free(self._chain)
            self._chain = None

    def __enter__(self) -> "SamplerChain":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _window(sampling: Sampling) -> int:
    penalizes = sampling.penalty_repeat != 1 or sampling.penalty_freq != 0 or sampling.penalty_present != 0
    sizes = [sampling.penalty_last_n] if penalizes else []
    if sampling.dry_multiplier != 0:
        sizes.append(sampling.dry_penalty_last_n)
    return max(sizes, default=0)


def _resolved(last_n: int, n_ctx: int) -> int:
    return n_ctx if last_n < 0 else min(last_n, n_ctx)
