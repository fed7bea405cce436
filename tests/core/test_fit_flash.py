"""What automatic flash attention means: off on processors, where there is room for its scores."""

from dataclasses import replace

import pytest

from app.core.fit import Extras, Free, Gpu, Verdict, fit, needs, settled
from app.core.fit_needs import compute
from app.core.fit_shape import LayerShape
from app.core.loading import CacheType, FlashAttention, Loading
from tests.core.test_fit import BIG, GIB

AUTO = Loading(ctx_size=8192)
ON, OFF = replace(AUTO, flash_attn=FlashAttention.ON), replace(AUTO, flash_attn=FlashAttention.OFF)


def test_a_processor_with_memory_enough_does_without() -> None:
    assert settled(BIG, AUTO, Free(16 * GIB)) == OFF
    found = fit(BIG, AUTO, Free(16 * GIB))
    assert found.flash_attn is FlashAttention.OFF
    assert found.total == needs(BIG, OFF, Free(16 * GIB), Extras())[0].total
    assert found.total - fit(BIG, ON, Free(16 * GIB)).total > 400 << 20, "a score for each head and cell"


@pytest.mark.parametrize("asked", [ON, OFF])
def test_what_was_said_holds(asked: Loading) -> None:
    assert settled(BIG, asked, Free(16 * GIB)) == asked
    assert fit(BIG, asked, Free(16 * GIB)).flash_attn is asked.flash_attn


def test_it_stays_where_the_scores_would_make_it_tight() -> None:
    most = fit(BIG, OFF, Free(64 * GIB)).total
    free = Free(round(most * 1.05) - 1)
    assert settled(BIG, AUTO, free) == AUTO
    found = fit(BIG, AUTO, free)
    assert (found.verdict, found.flash_attn) == (Verdict.FITS, FlashAttention.AUTO)
    assert found.total == fit(BIG, ON, free).total
    assert settled(BIG, AUTO, Free(round(most * 1.05) + 1)) == OFF
    assert settled(BIG, AUTO, Free(round(most * 1.05) + 1), Extras(draft=1 << 20)) == AUTO, "what comes along counts"


def test_scores_take_an_eighth_of_what_is_free_at_the_most() -> None:
    long = replace(AUTO, ctx_size=65_536)
    more = compute(BIG, replace(long, flash_attn=FlashAttention.OFF)) - compute(BIG, long)
    assert more >= 4 * GIB
    assert settled(BIG, long, Free(8 * more)).flash_attn is FlashAttention.OFF
    assert settled(BIG, long, Free(8 * more - 8)) == long
    assert settled(BIG, replace(long, ubatch_size=64), Free(8 * more - 8)).flash_attn is FlashAttention.OFF


def test_cards_are_left_to_llama_cpp() -> None:
    free = Free(64 * GIB, (Gpu("card", GIB),))
    assert settled(BIG, replace(AUTO, gpu_layers=1), free).flash_attn is FlashAttention.AUTO
    assert settled(BIG, replace(AUTO, gpu_layers=0), free).flash_attn is FlashAttention.OFF


def test_quantised_values_need_it() -> None:
    assert settled(BIG, replace(AUTO, cache_type_v=CacheType.Q8_0), Free(64 * GIB)).flash_attn is FlashAttention.AUTO
    assert settled(BIG, replace(AUTO, cache_type_k=CacheType.Q8_0), Free(64 * GIB)).flash_attn is FlashAttention.OFF


def test_so_are_memories_that_gain_nothing_or_are_not_known() -> None:
    narrow = replace(BIG, head_k=64)
    recurrent = replace(BIG, layers=(LayerShape(weights=1, state=1000, n=4),))
    for shape in (narrow, recurrent, replace(BIG, exact=False)):
        assert settled(shape, AUTO, Free(64 * GIB)) == AUTO


def test_a_proposal_is_reckoned_as_it_will_be_loaded() -> None:
    free = Free(6 * GIB)
    found = fit(BIG, replace(AUTO, ctx_size=32_768), free)
    assert found.proposal
    proposed = found.proposal.loading
    assert proposed.flash_attn is FlashAttention.AUTO, "what people set stays as they set it"
    assert fit(BIG, proposed, free).verdict is Verdict.FITS
