"""The chain is llama.cpp's: every parameter reaches its sampler."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.core.loading import CacheType, FlashAttention
from app.core.sampling import MAX_SEED, Sampling
from app.engine.binding.context import Context
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import Model
from app.engine.binding.sampler import SamplerChain

DRAWS = 300
N_CTX = 64


@pytest.fixture(scope="module")
def context(tiny_models: dict[str, Path]) -> Iterator[tuple[Model, Context]]:
    """A context with logits after one token, to draw from again and again."""
    model = Model.load(tiny_models["llama"], gpu_layers=0, cancel=CancelFlag())
    params = ContextParams(N_CTX, 32, 32, 1, FlashAttention.OFF, CacheType.F32, CacheType.F32)
    made = Context(model, params, CancelFlag())
    made.decode([5, 6, 7], 0)
    yield model, made
    made.close()
    model.close()


def draws(context: tuple[Model, Context], **params: object) -> list[int]:
    model, made = context
    values = {"seed": 7, "temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0, **params}
    with SamplerChain(model.vocab, Sampling(**values), N_CTX) as chain:  # type: ignore[arg-type]  # each test names its own
        return [token for _ in range(DRAWS) if (token := chain.sample(made)) is not None]


def ranked(context: tuple[Model, Context]) -> list[int]:
    return [int(token) for token in np.argsort(-context[1].logits())]


def probabilities(context: tuple[Model, Context]) -> NDArray[np.float64]:
    logits = context[1].logits().astype(np.float64)
    weights: NDArray[np.float64] = np.exp(logits - logits.max())
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares


def test_temperature_zero_takes_the_likeliest(context: tuple[Model, Context]) -> None:
    assert set(draws(context, temperature=0.0)) == {ranked(context)[0]}


def test_unfiltered_draws_follow_the_probabilities(context: tuple[Model, Context]) -> None:
    drawn = np.bincount(draws(context), minlength=context[0].vocab.n_tokens) / DRAWS
    assert np.abs(drawn - probabilities(context)).max() < 0.1
    assert np.count_nonzero(drawn) > 10


def test_top_k_keeps_that_many(context: tuple[Model, Context]) -> None:
    assert set(draws(context, top_k=3, temperature=2.0)) <= set(ranked(context)[:3])


def test_top_p_keeps_the_likeliest_that_reach_it(context: tuple[Model, Context]) -> None:
    p = probabilities(context)
    order = ranked(context)
    needed = int(np.searchsorted(np.cumsum(p[order]), 0.5)) + 1
    assert set(draws(context, top_p=0.5)) <= set(order[:needed])


def test_min_p_drops_the_unlikely(context: tuple[Model, Context]) -> None:
    p = probabilities(context)
    assert all(p[token] >= 0.3 * p.max() for token in draws(context, min_p=0.3))


def test_penalties_push_repeats_away(context: tuple[Model, Context]) -> None:
    repeated = draws(context, temperature=0.0, penalty_present=2.0, penalty_freq=2.0, penalty_last_n=-1)
    assert len(set(repeated)) > 3, "each draw makes itself less likely"


def test_dry_breaks_a_loop(context: tuple[Model, Context]) -> None:
    assert len(set(draws(context, temperature=0.0, dry_multiplier=5.0, dry_penalty_last_n=-1))) > 1


@pytest.mark.parametrize(
    "changed",
    [
        {"xtc_probability": 1.0, "xtc_threshold": 0.01},
        {"typical_p": 0.2},
        {"top_n_sigma": 0.5},
        {"dynatemp_range": 0.9},
        {"mirostat": 1, "mirostat_tau": 0.5},
        {"mirostat": 2, "mirostat_tau": 0.5},
        {"temperature": 0.3},
        {"seed": 8},
    ],
)
def test_every_other_parameter_changes_the_draws(context: tuple[Model, Context], changed: dict[str, object]) -> None:
    assert draws(context, **changed) != draws(context)


def test_a_seed_repeats_its_draws_and_none_is_told(context: tuple[Model, Context]) -> None:
    assert draws(context, seed=3) == draws(context, seed=3)
    with (
        SamplerChain(context[0].vocab, Sampling(), N_CTX) as one,
        SamplerChain(context[0].vocab, Sampling(), N_CTX) as other,
    ):
        assert 0 <= one.seed <= MAX_SEED
        assert one.seed != other.seed


def test_the_chain_tells_how_far_back_it_looks(context: tuple[Model, Context]) -> None:
    def window(**params: object) -> int:
        with SamplerChain(context[0].vocab, Sampling(**params), N_CTX) as chain:  # type: ignore[arg-type]  # as above
            return chain.window

    assert window() == 0
    assert window(penalty_repeat=1.1, penalty_last_n=12) == 12
    assert window(penalty_repeat=1.1, penalty_last_n=8, dry_multiplier=1.0, dry_penalty_last_n=60) == 60
    assert window(penalty_freq=0.5, penalty_last_n=-1) == N_CTX
