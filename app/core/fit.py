"""Whether a model fits into the memory that is free now, and what to change where it does not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from app.core.fit_needs import Needs, compute, context_of, has_flash, layer_kv, layer_state, sequence_size
from app.core.fit_shape import FitShape, LayerShape
from app.core.loading import UNQUANTISED, CacheType, FlashAttention, Loading

_MIB = 1 << 20
_RESERVE = 256 * _MIB
"""What else the program needs while it answers: sampling, pictures, the window."""
_RESERVED_SHARE = 0.05
_SCORES_SHARE = 1 / 8
"""Of what is free: what the scores of attention may take, so that it is quicker; see `settled`."""
_GPU_RESERVE = 300 * _MIB
"""What a graphics driver keeps for itself once it is used."""
_SMALLEST_CONTEXT = 2048
_WIDE_HEAD = 96
"""Elements."""
_ROW = 32
"""A quantised cache needs heads of a multiple of this many elements."""


class Verdict(StrEnum):
    FITS = "fits"
    TIGHT = "tight"
    """It fits if nothing else wants memory."""
    TOO_LARGE = "too large"


class Change(StrEnum):
    CONTEXT = "context"
    KV_TYPES = "KV types"
    LAYERS = "layers"


@dataclass(frozen=True, slots=True)
class Gpu:
    name: str
    free: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class Free:
    """What is free now."""

    ram: int
    gpus: tuple[Gpu, ...] = ()


@dataclass(frozen=True, slots=True)
class Extras:
    """Bytes of what comes along with a model."""

    projector: int = 0
    draft: int = 0
    """Its weights, cells and buffers together."""
    checkpoints: int = 0


@dataclass(frozen=True, slots=True)
class Room:
    """One memory: what is wanted of it and what is free."""

    name: str
    """Empty for the processor's."""
    needs: Needs
    free: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Proposal:
    loading: Loading
    changes: tuple[Change, ...]
    n_ctx: int
    """Entries that the context then holds."""


@dataclass(frozen=True, slots=True)
class Fit:
    verdict: Verdict
    rooms: tuple[Room, ...]
    """The processor's first, then each graphics card's."""
    n_ctx: int
    exact: bool
    """False where parts of the memory are not known to the byte; see `FitShape.exact`."""
    flash_attn: FlashAttention = FlashAttention.AUTO
    """What was reckoned with, and what a model is loaded with: see `settled`."""
    more_answers: int = 0
    """Bytes that come to it when as many answers are written at once as may be; they are in none of the rooms."""
    proposal: Proposal | None = field(default=None)
    """What would fit; None where it fits already, or where nothing helps."""

    @property
    def total(self) -> int:
        return sum(room.needs.total for room in self.rooms)


@dataclass(frozen=True, slots=True)
class LargerContext:
    n_ctx: int
    """Entries."""
    more: int
    """Bytes beyond what the model takes now."""


def fit(shape: FitShape, loading: Loading, free: Free, extras: Extras | None = None) -> Fit:
    """The verdict for `loading`, and the least change that makes it fit."""
    extras = extras or Extras()
    found = _fit(shape, loading, free, extras)
    if found.verdict is Verdict.FITS:
        return found
    for changed in _gentler(shape, loading, free, extras):
        if _fit(shape, changed, free, extras).verdict is Verdict.FITS:
            proposal = Proposal(changed, _changes(loading, changed), context_of(shape, changed))
            return replace(found, proposal=proposal)
    return found


def ways(shape: FitShape, loading: Loading, free: Free, extras: Extras | None = None) -> tuple[Proposal, ...]:
    """The least change of each kind that makes it fit: smaller elements, fewer layers on a card, a smaller context,
    and these together where that leaves a larger context than fewer changes do."""
    extras = extras or Extras()
    found: dict[tuple[Change, ...], Proposal] = {}
    for changed in _gentler(shape, loading, free, extras):
        kinds, n_ctx = _changes(loading, changed), context_of(shape, changed)
        is_less = any(set(each.changes) <= set(kinds) and each.n_ctx >= n_ctx for each in found.values())
        if not is_less and _fit(shape, changed, free, extras).verdict is Verdict.FITS:
            found[kinds] = Proposal(changed, kinds, n_ctx)
    return tuple(found.values())


def larger_context(shape: FitShape, loading: Loading, entries: int, free: Free) -> LargerContext | None:
    """The context doubled until it holds `entries`; None where the model was not made for it, or memory is short."""
    now = n_ctx = context_of(shape, loading)
    while 0 < n_ctx < entries:
        n_ctx *= 2
    n_ctx = context_of(shape, replace(loading, ctx_size=n_ctx))
    if n_ctx < entries or n_ctx <= now:
        return None
    wider = _fit(shape, replace(loading, ctx_size=n_ctx), free, Extras())
    if wider.verdict is Verdict.TOO_LARGE:
        return None
    return LargerContext(n_ctx, wider.total - _fit(shape, loading, free, Extras()).total)


def verdict(shape: FitShape, loading: Loading, free: Free, extras: Extras) -> Verdict:
    """The verdict alone, for long lists."""
    return _fit(shape, loading, free, extras).verdict


def settled(shape: FitShape, loading: Loading, free: Free, extras: Extras | None = None) -> Loading:
    """`loading` with what automatic flash attention means with this much memory: off where that is faster.

    llama.cpp turns it on wherever it can. Its code for processors reads the cells anew for each query and each head,
    where products of matrices share them: from some 500 entries on a token's attention takes longer with it, at 4,000
    twice as long, and that of the small batches which check drafts up to seven times as long. But without it a
    micro-batch needs room for a score for each head and each cell. Graphics cards, quantised V, narrow heads (with
    which it is a draw, and prompts are read slower) and memories that are not known exactly are left to llama.cpp.
    """
    return replace(loading, flash_attn=_fit(shape, loading, free, extras or Extras()).flash_attn)


def needs(shape: FitShape, loading: Loading, free: Free, extras: Extras) -> tuple[Needs, ...]:
    """The processor's, then each graphics card's. Layers go to the cards as in `llama_model::load_tensors`: the last
    ones first chosen, then shared out by what each card has free."""
    wanted = [Needs() for _ in range(1 + len(free.gpus))]
    wanted[0] = Needs(weights=shape.input_weights, checkpoints=extras.checkpoints)
    n_layer = shape.n_layer
    n_on_gpu = 0 if not free.gpus else n_layer + 1 if loading.gpu_layers < 0 else min(loading.gpu_layers, n_layer + 1)
    first = n_layer + 1 - n_on_gpu
    for at, count, layer in _runs(shape, first, n_on_gpu, free.gpus):
        wanted[at] = wanted[at].plus(
            weights=layer.weights * count,
            kv=layer_kv(shape, layer, loading) * count,
            state=layer_state(layer) * count,
        )
    output = _gpu_of(n_layer, first, n_on_gpu, free.gpus) if n_on_gpu else 0
    copied = shape.input_weights if shape.tied and output else 0
    wanted[output] = wanted[output].plus(weights=shape.output_weights + copied)
    buffer = compute(shape, loading)
    for at in range(len(wanted)):
        if at == 0 or wanted[at].weights:
            wanted[at] = wanted[at].plus(compute=buffer)
    # mtmd puts the encoder, and llama.cpp the draft, on the first card.
    beside = 1 if n_on_gpu else 0
    wanted[beside] = wanted[beside].plus(projector=extras.projector, draft=extras.draft)
    return tuple(wanted)


def _runs(shape: FitShape, first: int, n_on_gpu: int, gpus: Sequence[Gpu]) -> Iterator[tuple[int, int, LayerShape]]:
    """Which memory how many layers of a kind go to."""
    index = 0
    for layer in shape.layers:
        counts: dict[int, int] = {}
        for _ in range(layer.n):
            at = _gpu_of(index, first, n_on_gpu, gpus) if index >= first else 0
            counts[at] = counts.get(at, 0) + 1
            index += 1
        yield from ((at, count, layer) for at, count in counts.items())


def _gpu_of(index: int, first: int, n_on_gpu: int, gpus: Sequence[Gpu]) -> int:
    """The number of the card, from 1, that layer `index` goes to."""
    total = sum(gpu.free for gpu in gpus) or 1
    share, reached = (index - first) / max(1, n_on_gpu), 0.0
    for number, gpu in enumerate(gpus, 1):
        reached += gpu.free / total
        if share < reached:
            return number
    return len(gpus)


def _fit(shape: FitShape, loading: Loading, free: Free, extras: Extras) -> Fit:
    if _may_do_without_flash(shape, loading, free):
        found = _reckoned(shape, replace(loading, flash_attn=FlashAttention.OFF), free, extras)
        if found.verdict is Verdict.FITS:
            return found
    return _reckoned(shape, loading, free, extras)


def _may_do_without_flash(shape: FitShape, loading: Loading, free: Free) -> bool:
    on_card = free.gpus and loading.gpu_layers != 0
    if loading.flash_attn is not FlashAttention.AUTO or on_card or loading.cache_type_v not in UNQUANTISED:
        return False
    if not shape.exact or shape.head_k < _WIDE_HEAD or not any(layer.k for layer in shape.layers):
        return False
    more = compute(shape, replace(loading, flash_attn=FlashAttention.OFF)) - compute(shape, loading)
    return more <= free.ram * _SCORES_SHARE


def _reckoned(shape: FitShape, loading: Loading, free: Free, extras: Extras) -> Fit:
    wanted = needs(shape, loading, free, extras)
    names = ("", *(gpu.name for gpu in free.gpus))
    frees = (free.ram, *(gpu.free for gpu in free.gpus))
    rooms = tuple(
        Room(name, need, room, _verdict(need.total, room, _GPU_RESERVE if name else _RESERVE))
        for name, need, room in zip(names, wanted, frees, strict=True)
    )
    worst = max((room.verdict for room in rooms), key=list(Verdict).index)
    more = (loading.parallel - 1) * sequence_size(shape, loading)
    return Fit(worst, rooms, context_of(shape, loading), shape.exact, loading.flash_attn, more)


def _verdict(total: int, free: int, reserve: int) -> Verdict:
    if total == 0 or total + max(reserve, total * _RESERVED_SHARE) <= free:
        return Verdict.FITS
    return Verdict.TIGHT if total <= free else Verdict.TOO_LARGE


def _gentler(shape: FitShape, loading: Loading, free: Free, extras: Extras) -> Iterator[Loading]:
    """Settings that take less, the least change first: smaller elements, fewer layers on the card, smaller context,
    and these together."""
    kinds = [loading]
    if _can_quantise(shape, loading):
        kinds.append(replace(loading, cache_type_k=CacheType.Q8_0, cache_type_v=CacheType.Q8_0))
    for size in (loading.ctx_size, *_contexts(context_of(shape, loading))):
        for kind in kinds:
            smaller = replace(kind, ctx_size=size)
            if smaller != loading:
                yield smaller
        if free.gpus:
            for kind in kinds:
                yield _fewer_layers(shape, replace(kind, ctx_size=size), free, extras)


def _contexts(n_ctx: int) -> Iterator[int]:
    while n_ctx > _SMALLEST_CONTEXT:
        n_ctx = max(_SMALLEST_CONTEXT, n_ctx // 2)
        yield n_ctx


def _fewer_layers(shape: FitShape, loading: Loading, free: Free, extras: Extras) -> Loading:
    """With as many layers on the cards as they can take: what they need only grows with that number."""
    most = shape.n_layer + 1
    low, high = 0, most if loading.gpu_layers < 0 else min(loading.gpu_layers, most)
    while low < high:
        middle = (low + high + 1) // 2
        rooms = _fit(shape, replace(loading, gpu_layers=middle), free, extras).rooms[1:]
        if all(room.verdict is Verdict.FITS for room in rooms):
            low = middle
        else:
            high = middle - 1
    return replace(loading, gpu_layers=low)


def _can_quantise(shape: FitShape, loading: Loading) -> bool:
    small = {CacheType.F32, CacheType.F16, CacheType.BF16}
    return (
        has_flash(loading)
        and {loading.cache_type_k, loading.cache_type_v} <= small
        and shape.head_k > 0
        and shape.head_k % _ROW == 0
        and all(layer.v % _ROW == 0 for layer in shape.layers)
    )


def _changes(before: Loading, after: Loading) -> tuple[Change, ...]:
    made = {
        Change.CONTEXT: before.ctx_size != after.ctx_size,
        Change.KV_TYPES: before.cache_type_k != after.cache_type_k,
        Change.LAYERS: before.gpu_layers != after.gpu_layers,
    }
    return tuple(change for change, is_made in made.items() if is_made)
