"""Verdicts and proposals, on shapes whose numbers can be reckoned by hand."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.fit import Change, Extras, Fit, Free, Gpu, Verdict, fit, needs
from app.core.fit_needs import context_of, layer_kv
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
    (need,) = needs(BIG, LONG, Free(64 * GIB), Extras(projector=7, draft=6, checkpoints=5, snapshots=4))
    assert need.weights == LAYERS * (125 << 20) + (512 << 20)
    assert need.kv == 32_768 * 2 * 1024 * LAYERS * 2
    assert (need.projector, need.draft, need.checkpoints, need.snapshots) == (7, 6, 5, 4)
    assert need.total == need.weights + need.kv + need.compute + 22


def test_q8_0_takes_a_little_more_than_half() -> None:
    half = replace(LONG, cache_type_k=CacheType.Q8_0, cache_type_v=CacheType.Q8_0)
    assert layer_kv(BIG, BIG.layers[0], half) * 32 * 2 == layer_kv(BIG, BIG.layers[0], LONG) * 34


def test_windows_take_the_cells_of_the_window() -> None:
    shape = replace(BIG, layers=(LayerShape(0, 64, 64, window=True),), n_swa=1024)
    assert layer_kv(shape, shape.layers[0], LONG) == 64 * 2 * 2 * 1536
    assert layer_kv(shape, shape.layers[0], replace(LONG, swa_full=True)) == 64 * 2 * 2 * 32_768
    assert layer_kv(shape, shape.layers[0], replace(LONG, ctx_size=1024)) == 64 * 2 * 2 * 1024


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
