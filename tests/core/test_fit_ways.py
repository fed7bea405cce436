"""What could be changed to make a model fit: the least of each kind, and nothing that less would do as well."""

from dataclasses import replace

from app.core.fit import Change, Extras, Free, Gpu, Proposal, Verdict, fit, larger_context, needs, verdict, ways
from app.core.fit_needs import checkpoint_size, layer_kv
from app.core.fit_shape import LayerShape
from app.core.loading import CacheType, Loading
from tests.core.test_fit import BIG, GIB, LAYERS, LONG


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
