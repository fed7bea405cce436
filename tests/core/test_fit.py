"""Verdicts and proposals, on shapes whose numbers can be reckoned by hand."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.fit import (
    Change,
    Extras,
    Fit,
    Free,
    Gpu,
    Proposal,
    Verdict,
    fit,
    larger_context,
    needs,
    settled,
    verdict,
    ways,
)
from app.core.fit_needs import checkpoint_size, compute, context_of, layer_kv
from app.core.fit_shape import FitShape, LayerShape
from app.core.loading import CacheType, FlashAttention, Loading

GIB = 1 << 30
LAYERS = 32
BIG = FitShape(
    "llama", (LayerShape(weights=125 << 20, k=1024, v=1024, n=LAYERS),), input_weights=256 << 20,
    output_weights=256 << 20, n_ctx_train=131_072, n_embd=4096, n_vocab=128_000, n_head=32, head_k=128, n_ff=14_336,
)  # fmt: skip
"""A model of eight billion parameters at four bits: 4.4 GiB, and 4 GiB of cells for a context of 32,768."""
LONG = Loading(ctx_size=32_768, flash_attn=FlashAttention.ON)


def test_the_numbers_of_a_plain_model() -> None:
    (need,) = needs(BIG, LONG, Free(64 * GIB), Extras(projector=7, draft=6, checkpoints=5))
    assert need.weights == LAYERS * (125 << 20) + (512 << 20)
    assert need.kv == 32_768 * 2 * 1024 * LAYERS * 2
    assert (need.projector, need.draft, need.checkpoints) == (7, 6, 5)
    assert need.total == need.weights + need.kv + need.compute + 18


def test_q8_0_takes_a_little_more_than_half() -> None:
    half = replace(LONG, cache_type_k=CacheType.Q8_0, cache_type_v=CacheType.Q8_0)
    assert layer_kv(BIG, BIG.layers[0], half) * 32 * 2 == layer_kv(BIG, BIG.layers[0], LONG) * 34


def test_windows_take_the_cells_of_the_window() -> None:
    shape = replace(BIG, layers=(LayerShape(0, 64, 64, window=True),), n_swa=1024)
    assert layer_kv(shape, shape.layers[0], LONG) == 64 * 2 * 2 * 1536
    assert layer_kv(shape, shape.layers[0], replace(LONG, swa_full=True)) == 64 * 2 * 2 * 32_768
    assert layer_kv(shape, shape.layers[0], replace(LONG, ctx_size=1024)) == 64 * 2 * 2 * 1024


def test_further_answers_take_states_and_windows_of_their_own() -> None:
    window, attends = LayerShape(0, 64, 64, window=True), LayerShape(0, 64, 64)
    shape = replace(BIG, layers=(window, attends, LayerShape(0, state=100)), n_swa=1024)
    free = Free(1 << 40)
    each = 1024 * 64 * 2 * 2 + 400
    assert fit(shape, replace(LONG, parallel=4), free).more_answers == 3 * each
    assert fit(shape, replace(LONG, parallel=1), free).more_answers == 0
    assert fit(shape, replace(LONG, parallel=2, swa_full=True), free).more_answers == 400


def test_without_flash_attention_v_is_as_wide_as_the_widest() -> None:
    shape = replace(BIG, layers=(LayerShape(0, 64, 64), LayerShape(0, 64, 256)))
    plain = replace(LONG, flash_attn=FlashAttention.OFF)
    assert layer_kv(shape, shape.layers[0], plain) == (64 + 256) * 2 * 32_768


def test_verdicts() -> None:
    total = fit(BIG, LONG, Free(64 * GIB)).total
    assert fit(BIG, LONG, Free(64 * GIB)).verdict is Verdict.FITS
    assert fit(BIG, LONG, Free(total + 1)).verdict is Verdict.TIGHT
    assert fit(BIG, LONG, Free(total - 1)).verdict is Verdict.TOO_LARGE


def proposed(found: Fit) -> Loading:
    assert found.proposal
    return found.proposal.loading


def test_smaller_elements_are_proposed_first() -> None:
    found = fit(BIG, LONG, Free(8 * GIB))
    assert found.proposal
    assert found.proposal.changes == (Change.KV_TYPES,)
    assert fit(BIG, proposed(found), Free(8 * GIB)).verdict is Verdict.FITS


def test_then_a_smaller_context() -> None:
    found = fit(BIG, LONG, Free(6 * GIB))
    assert found.proposal
    assert Change.CONTEXT in found.proposal.changes
    assert found.proposal.n_ctx < 32_768
    assert fit(BIG, proposed(found), Free(6 * GIB)).verdict is Verdict.FITS


def test_nothing_is_proposed_where_nothing_helps() -> None:
    assert fit(BIG, LONG, Free(2 * GIB)).proposal is None


def test_quantised_cells_are_not_proposed_where_they_cannot_be() -> None:
    found = fit(replace(BIG, head_k=80), LONG, Free(8 * GIB))
    assert proposed(found).cache_type_k is CacheType.F16
    off = fit(BIG, replace(LONG, flash_attn=FlashAttention.OFF), Free(8 * GIB))
    assert off.proposal is None or proposed(off).cache_type_k is CacheType.F16


def test_a_card_takes_the_last_layers_and_the_output() -> None:
    free = Free(64 * GIB, (Gpu("card", 64 * GIB),))
    ram, card = needs(BIG, replace(LONG, gpu_layers=11), free, Extras())
    assert card.weights == 10 * (125 << 20) + (256 << 20)
    assert ram.weights == 22 * (125 << 20) + (256 << 20)
    assert card.kv == 10 * layer_kv(BIG, BIG.layers[0], LONG)


def test_all_layers_on_a_card_leave_the_embeddings_behind() -> None:
    free = Free(64 * GIB, (Gpu("card", 64 * GIB),))
    ram, card = needs(replace(BIG, tied=True), LONG, free, Extras(projector=9))
    assert ram.weights == 256 << 20
    assert card.weights == LAYERS * (125 << 20) + (512 << 20), "tied embeddings are there twice"
    assert (ram.projector, card.projector) == (0, 9)


def test_two_cards_share_by_what_they_have_free() -> None:
    free = Free(64 * GIB, (Gpu("a", 30 * GIB), Gpu("b", 10 * GIB)))
    _, first, second = needs(BIG, LONG, free, Extras())
    assert (first.kv, second.kv) == (25 * layer_kv(BIG, BIG.layers[0], LONG), 7 * layer_kv(BIG, BIG.layers[0], LONG))


def test_fewer_layers_are_proposed_where_the_card_is_small() -> None:
    small = Free(32 * GIB, (Gpu("card", 4 * GIB),))
    found = fit(BIG, Loading(ctx_size=4096), small)
    assert found.proposal
    assert found.proposal.changes == (Change.LAYERS,)
    more = replace(proposed(found), gpu_layers=proposed(found).gpu_layers + 1)
    assert fit(BIG, more, small).verdict is not Verdict.FITS, "no fewer than it takes"


@settings(deadline=None)
@given(
    ram=st.integers(0, 64 * GIB),
    card=st.integers(0, 64 * GIB),
    n_ctx=st.integers(0, 200_000),
    layers=st.integers(-1, 40),
)
def test_what_is_proposed_fits(ram: int, card: int, n_ctx: int, layers: int) -> None:
    free = Free(ram, (Gpu("card", card),) if card else ())
    found = fit(BIG, Loading(ctx_size=n_ctx, gpu_layers=layers), free)
    if found.proposal:
        assert fit(BIG, found.proposal.loading, free).verdict is Verdict.FITS
        assert found.proposal.n_ctx == context_of(BIG, found.proposal.loading) <= found.n_ctx
        assert found.proposal.changes


def by_kind(free: Free, loading: Loading = LONG) -> dict[tuple[Change, ...], Proposal]:
    return {way.changes: way for way in ways(BIG, loading, free)}


def test_each_kind_is_offered_once_with_the_least_change() -> None:
    (need,) = needs(BIG, LONG, Free(64 * GIB), Extras())
    found = by_kind(Free(need.total - GIB))
    assert set(found) == {(Change.KV_TYPES,), (Change.CONTEXT,)}
    assert found[Change.KV_TYPES,].n_ctx == 32_768
    assert found[Change.CONTEXT,].n_ctx == 16_384
    for way in found.values():
        assert fit(BIG, way.loading, Free(need.total - GIB)).verdict is Verdict.FITS


def test_two_changes_are_offered_where_they_leave_a_larger_context() -> None:
    (need,) = needs(BIG, LONG, Free(64 * GIB), Extras())
    # Room for three eighths of the cells: a quarter of them as they are, or half of them as q8_0.
    found = by_kind(Free(need.total - need.kv * 5 // 8 + (300 << 20)))
    both = found[Change.CONTEXT, Change.KV_TYPES]
    assert both.n_ctx == 2 * found[Change.CONTEXT,].n_ctx
    assert both.loading.cache_type_k is CacheType.Q8_0
    assert (Change.KV_TYPES,) not in found


def test_layers_are_taken_off_a_card_that_is_too_small() -> None:
    found = by_kind(Free(64 * GIB, (Gpu("card", 4 * GIB),)))
    assert 0 < found[Change.LAYERS,].loading.gpu_layers < 33
    assert found[Change.LAYERS,].n_ctx == 32_768


def test_where_nothing_helps_nothing_is_offered() -> None:
    assert ways(BIG, LONG, Free(GIB)) == ()


def test_the_verdict_alone_is_the_same() -> None:
    for gib in (1, 4, 8, 9, 64):
        assert verdict(BIG, LONG, Free(gib * GIB), Extras()) is fit(BIG, LONG, Free(gib * GIB)).verdict


def test_checkpoints_hold_states_and_windows_alone() -> None:
    assert checkpoint_size(BIG, LONG) == 0
    mixed = replace(BIG, layers=(LayerShape(0, 64, 64), LayerShape(0, 64, 64, window=True, n=5)), n_swa=1024)
    assert checkpoint_size(mixed, LONG) == 5 * layer_kv(mixed, mixed.layers[1], LONG)
    assert checkpoint_size(mixed, replace(LONG, swa_full=True)) == 0
    hybrid = replace(BIG, layers=(LayerShape(0, 64, 64), LayerShape(0, state=1000, n=3)))
    assert checkpoint_size(hybrid, LONG) == 3 * 1000 * 4


def test_a_larger_context_has_its_price() -> None:
    plenty = Free(64 * GIB)
    larger = larger_context(BIG, LONG, 50_000, plenty)
    assert larger is not None
    assert larger.n_ctx == 65_536
    cells = 32_768 * 2 * 1024 * LAYERS * 2
    assert cells <= larger.more <= cells * 1.1
    assert fit(BIG, replace(LONG, ctx_size=65_536), plenty).total == fit(BIG, LONG, plenty).total + larger.more


def test_no_larger_context_where_it_is_none_or_can_not_be_had() -> None:
    assert larger_context(BIG, LONG, 30_000, Free(64 * GIB)) is None, "it is large enough"
    assert larger_context(BIG, LONG, 317_649, Free(64 * GIB)) is None, "the model was made for 131,072"
    assert larger_context(BIG, LONG, 100_000, Free(9 * GIB)) is None, "it would take 20 GiB"


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
