"""From a file's path to a session that can answer, or one sentence that says why not."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import psutil

from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.errors import ModelError
from app.core.events import LoadProgress, LoadStage, ModelInfo
from app.core.files import fingerprint
from app.core.fit_needs import BYTES_PER_ELEMENT
from app.core.loading import UNQUANTISED, CacheType, FlashAttention, Loading
from app.core.loading_range import Bounds, in_range, lockable_bytes
from app.core.model_ref import ModelRef
from app.core.resources import GUIDE_LONGEST
from app.core.sampling import advice_from
from app.core.sentence import Sentence
from app.core.speculation import DraftingInfo
from app.engine.binding import graphics, library
from app.engine.binding.context import Context
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import LoadCancelledError, LoadFailedError, Model, ReadWith
from app.engine.binding.open_context import ContextRefusedError
from app.engine.drafting.drafting import Drafting
from app.engine.drafting.opening import DraftPlan, Target, open_drafting, with_head, with_rows_for
from app.engine.loading.capabilities import capabilities_of
from app.engine.loading.generation_config import advice_beside
from app.engine.loading.room import chosen_flash
from app.engine.loading.weights import Weights
from app.engine.media.projector_loader import Projector, open_media, with_room_for
from app.engine.memory.checkpoints import Checkpoints
from app.engine.memory.reuse import MemoryTraits
from app.engine.memory.slot import Slot
from app.engine.memory.snapshot_disk import ModelSnapshots, SnapshotDisk
from app.engine.memory.snapshot_identity import SnapshotIdentity, identity_of
from app.engine.memory.traits import EMBEDS, NO_WRITER, known_traits
from app.engine.preflight.model_file import check_file, explain, parts
from app.engine.preflight.trials import Trials
from app.engine.prompt.chat_prompt import TEMPLATE_KEY, ChatPrompt
from app.engine.reply.batches import BLOCK
from app.engine.reply.session import Session

_log = logging.getLogger(__name__)

_UNSPECIFIED = "4294967295"
"""The pooling of models that llama.cpp saves itself, chat models among them: llama.h's -1."""

Report = Callable[[LoadProgress], None]

_SMALLEST_FALLBACK = 512


def open_session(
    path: Path,
    loading: Loading,
    *,
    cancel: CancelFlag,
    report: Report = lambda _: None,
    checkpointing: Checkpointing | None = None,
    projector: Projector | None = None,
    snapshots: SnapshotDisk | None = None,
    drafts: DraftPlan | None = None,
    name: str = "",
    weights: Weights | None = None,
    trials: Trials | None = None,
) -> tuple[Session, tuple[str, ...]] | None:
    """Load a model and make its context. Returns the session and notes (sentences), or None when cancelled.

    `weights` of the same file are taken, and not read again where nothing else is wanted of them.

    Without `snapshots` nothing is kept on disk, without `drafts` nothing drafts, and without `trials` the memory is
    tried anew. `name` is what people know the model by; empty is its file's. A projector that can't be used is
    not fatal: the model then takes text alone, and its info says why; the same holds for what drafts. Blocks; `report`
    runs in this thread. Raises ModelError with a sentence.
    """
    check_file(path)
    drafts = with_head(path, drafts) if drafts is not None else None
    if drafts is not None and loading.exact:
        drafts = replace(drafts, asked=replace(drafts.asked, exact=True))
    asked = drafts.asked if drafts is not None else None
    known = weights.known(loading, asked) if weights is not None else None
    seen_with = projector.path if projector is not None else None
    flash = known[0] if known is not None else chosen_flash(parts(path), loading, asked, seen_with)
    wanted = ReadWith.now(path, loading.gpu_layers, loading.load_mode, drafts is not None and drafts.loads_head)
    model = weights.take(wanted) if weights is not None else None
    if model is None:
        model = _read(wanted, cancel, report)
    if model is None:
        return None
    try:
        report(LoadProgress(LoadStage.CONTEXT, 0.0))
        kept = checkpointing or Checkpointing()
        return _prepare(
            model, name, loading, flash, kept, cancel, projector, snapshots, drafts, known[1] if known else None,
            trials or Trials(None),
        )  # fmt: skip
    except BaseException:
        model.close()
        raise


def _read(wanted: ReadWith, cancel: CancelFlag, report: Report) -> Model | None:
    """None when cancelled. Raises ModelError."""
    path = wanted.path
    _refuse_too_large(path, wanted.gpu_layers)
    try:
        return Model.load(
            path,
            gpu_layers=wanted.gpu_layers,
            cancel=cancel,
            report=lambda share: report(LoadProgress(LoadStage.LOADING, share)),
            load_mtp=wanted.load_mtp,
            load_mode=wanted.load_mode,
        )
    except LoadCancelledError:
        return None
    except LoadFailedError as error:
        raise explain(path, error.lines) from error


def _prepare(
    model: Model,
    name: str,
    loading: Loading,
    flash: FlashAttention,
    checkpointing: Checkpointing,
    cancel: CancelFlag,
    projector: Projector | None,
    snapshots: SnapshotDisk | None,
    drafts: DraftPlan | None,
    known: MemoryTraits | None,
    trials: Trials,
) -> tuple[Session, tuple[str, ...]] | None:
    _refuse_unfit(model)
    chat = ChatPrompt(model)
    # Where it was left to Hearth, and is not left to llama.cpp; `exact` wants the same bits always.
    changes = FlashAttention.AUTO is loading.flash_attn is not flash and not loading.exact
    wanted = replace(context_params(model, loading), flash_attn=flash, flash_changes=changes)
    if drafts is not None:
        wanted = with_rows_for(drafts, wanted)
    with ExitStack() as undo:
        media, problem = open_media(projector, model, wanted, cancel, use_gpu=loading.gpu_layers != 0)
        if media is not None:
            undo.callback(media.close)
            wanted = with_room_for(media, wanted)
        context, params, note = _make_context(model, wanted, loading.flash_attn, cancel)
        undo.callback(context.close)
        traits = None if cancel.is_set() else known
        if traits is None and not cancel.is_set():
            traits = known_traits(context, params, model, gpu_layers=loading.gpu_layers, trials=trials)
        drafting = None
        if traits is not None and drafts is not None:
            drafting = open_drafting(Target(model, context, params, traits, loading.gpu_layers, cancel), drafts)
            undo.callback(drafting.close)
        if traits is None or cancel.is_set():
            undo.close()
            model.close()
            return None
        undo.pop_all()
    info = replace(
        _describe(model, name, loading, params, context.n_ctx),
        efforts=chat.chat_format().template.efforts,
        template=chat.facts(),
        mmproj=projector.path if projector is not None else None,
        image_max_tokens=projector.image_max_tokens if projector is not None else 0,
        capabilities=capabilities_of(model, traits, chat, drafting, media),
        projector_problem=problem,
        drafting=drafting.info if drafting is not None else DraftingInfo(),
        n_parallel=_n_parallel(loading, context, drafting),
    )
    seen_with = projector if media is not None else None
    identify = partial(_identity, model, params, context.n_ctx, seen_with)
    kept_with = partial(_snapshots_of, model, snapshots, identify)
    block = min(BLOCK, context.n_ubatch) if params.exact else 0
    slot = Slot(
        context,
        traits,
        # On a card a short batch takes as long as a whole one: none is cut for more of them there.
        Checkpoints(checkpointing, 0 if info.n_offloaded else traits.checkpoint_bytes),
        kept_with(""),
        _entry_bytes(model, params),
        block,
        drafting,
    )
    # A head reads the very context that it was made with.
    changes_flash = params.flash_changes and not (drafting is not None and drafting.heads)
    session = Session(
        model, slot, chat, info, cancel, identify, media, drafting, kept_with, changes_flash=changes_flash
    )
    return session, tuple(filter(None, (note, problem, *_remarks(model, chat, loading), *info.drafting.notes)))


def _n_parallel(loading: Loading, context: Context, drafting: Drafting | None) -> int:
    # A head reads the very context that it was made with, and the bits of a batch depend on who is in it.
    alone = loading.exact or (drafting is not None and drafting.heads)
    return 1 if alone else min(loading.parallel, context.n_ubatch)


def _identity(
    model: Model, params: ContextParams, n_ctx: int, projector: Projector | None, adapters: str
) -> SnapshotIdentity:
    """Of the model with this context, this projector and adapters of that identity. Raises OSError."""
    sight = f"{fingerprint(projector.path)} {projector.image_max_tokens}" if projector is not None else ""
    return identity_of(model, parts(model.path), params, n_ctx, sight, adapters)


def _snapshots_of(
    model: Model, snapshots: SnapshotDisk | None, identify: Callable[[str], SnapshotIdentity], adapters: str
) -> ModelSnapshots | None:
    """What is on disk for the model with adapters of that identity."""
    if snapshots is None:
        return None
    try:
        return snapshots.of_model(identify(adapters))
    except OSError as error:
        _log.warning("%s can't be read again (%s); conversations with it are not kept on disk.", model.path, error)
        return None


def _remarks(model: Model, chat: ChatPrompt, loading: Loading) -> Iterator[str]:
    if loading.gpu_layers:
        yield graphics.missing_card()
    if model.is_unlocked:
        yield Sentence("Not all of {name} could be locked in memory: the system may swap it out.", name=model.path.name)
        if (limit := lockable_bytes()) is not None:
            told = "It lets Hearth lock {limit:,} MiB (RLIMIT_MEMLOCK, as ulimit -l tells)."
            yield Sentence(told, limit=limit >> 20)
    if not chat.is_own:
        yield "This model has no chat template of its own; ChatML stands in."


def context_params(model: Model, loading: Loading) -> ContextParams:
    """The settings with every "as the model says" resolved, within what model and machine have."""
    loading = in_range(loading, Bounds(model.n_ctx_train, threads=os.cpu_count() or 0))
    return ContextParams(
        n_ctx=loading.ctx_size,
        n_batch=loading.batch_size,
        n_ubatch=loading.ubatch_size,
        n_threads=loading.threads or default_threads(),
        flash_attn=loading.flash_attn,
        type_k=loading.cache_type_k,
        type_v=loading.cache_type_v,
        swa_full=loading.keeps_all_cells,
        exact=loading.exact,
    )


def default_threads() -> int:
    """Real cores, less one for the window: a computing thread that must wait for a core stalls all the others."""
    return max(1, (psutil.cpu_count(logical=False) or 2) - 1)


def _refuse_too_large(path: Path, gpu_layers: int) -> None:
    weights = sum(part.stat().st_size for part in parts(path))
    free = psutil.virtual_memory().available + (library.device_memory() if gpu_layers else 0)
    if weights > free:
        raise ModelError(
            "{name} needs {need} of memory for its weights alone, and {free} is free. "
            "Close other programs, or choose a smaller model or quantisation.",
            name=path.name,
            need=_gib(weights),
            free=_gib(free),
        )


def _gib(size: float) -> str:
    return f"{size / 2**30:.1f} GiB"


def _refuse_unfit(model: Model) -> None:
    name = model.path.name
    if model.vocab.kind == 0:
        raise ModelError("{name} has no vocabulary, so it can't read or write text. Choose another model.", name=name)
    if model.has_encoder or not model.has_decoder:
        raise ModelError(NO_WRITER, name=name)
    if model.metadata(f"{model.metadata('general.architecture')}.pooling_type") not in (None, _UNSPECIFIED):
        raise ModelError(EMBEDS, name=name)
    if model.is_diffusion:
        raise ModelError(
            "{name} is a diffusion model, which fills in a whole text at once; Hearth writes word by word. "
            "Choose another model.",
            name=name,
        )


def _make_context(
    model: Model, wanted: ContextParams, flash: FlashAttention, cancel: CancelFlag
) -> tuple[Context, ContextParams, str]:
    """The context as wanted, or the nearest that llama.cpp makes, with a note that says so. `flash`: as asked."""
    _refuse_large_cache(model, wanted)
    lines: list[str] = []
    for params, note in _attempts(wanted, flash):
        try:
            return Context(model, params, cancel), params, note
        except ContextRefusedError as error:
            lines += error.lines
            _log.info("No context with %s: %s", params, " / ".join(error.lines))  # a sentence tells what came of it
    raise ModelError(
        "No context could be made for {name}. Try a smaller context size.",
        name=model.path.name,
        detail="\n".join(lines),
    )


def _attempts(wanted: ContextParams, asked: FlashAttention) -> Iterator[tuple[ContextParams, str]]:
    """As wanted first, then ever further from it, each with the sentence that says so. `asked`: of flash attention."""
    yield wanted, ""
    if asked is not wanted.flash_attn:
        wanted = replace(wanted, flash_attn=asked, flash_changes=False)
        yield wanted, ""
    types = f"{wanted.type_k}/{wanted.type_v}"
    if wanted.flash_attn is FlashAttention.OFF and wanted.type_v not in UNQUANTISED:
        flash = replace(wanted, flash_attn=FlashAttention.AUTO)
        note = Sentence("A V cache of type {type} needs flash attention, so it was switched on.", type=wanted.type_v)
        yield flash, note
    plain = replace(wanted, type_k=CacheType.F16, type_v=CacheType.F16)
    if plain != wanted:
        yield plain, Sentence("This model does not work with KV cache types {types}; f16 is used instead.", types=types)
    n_ctx = wanted.n_ctx // 2
    while n_ctx >= _SMALLEST_FALLBACK:
        n_batch = min(plain.n_batch, n_ctx)
        smaller = replace(plain, n_ctx=n_ctx, n_batch=n_batch, n_ubatch=min(plain.n_ubatch, n_batch))
        told = "There was no room for a context of {asked:,} tokens; it holds {n_ctx:,} instead."
        yield smaller, Sentence(told, asked=wanted.n_ctx, n_ctx=n_ctx)
        n_ctx //= 2


def _refuse_large_cache(model: Model, wanted: ContextParams) -> None:
    """Refuse a KV cache that is larger than free memory, where its size is known for sure."""
    if not model.kv_is_plain():
        return
    need = _entry_bytes(model, wanted) * wanted.n_ctx
    free = psutil.virtual_memory().available + library.device_memory()
    if need > free:
        raise ModelError(
            "A context of {n_ctx:,} tokens needs {need} of memory, and {free} is free. "
            "Choose a smaller context size, or q8_0 as KV cache type.",
            n_ctx=wanted.n_ctx,
            need=_gib(need),
            free=_gib(free),
        )


def _entry_bytes(model: Model, params: ContextParams) -> float:
    """Of one entry in a plain KV cache; 0 for other memories."""
    if not model.kv_is_plain():
        return 0.0
    each = BYTES_PER_ELEMENT[params.type_k] + BYTES_PER_ELEMENT[params.type_v]
    return model.kv_elements_per_token() / 2 * each


def _describe(model: Model, name: str, loading: Loading, params: ContextParams, n_ctx: int) -> ModelInfo:
    n_offloaded, n_offloadable = model.offloaded(loading.gpu_layers)
    ref = ModelRef.of_file(model.path)
    return ModelInfo(
        ref=ref,
        name=name or ref.title,
        architecture=model.metadata("general.architecture") or "",
        size=model.size,
        n_params=model.n_params,
        n_ctx=n_ctx,
        n_ctx_train=model.n_ctx_train,
        vocab=model.vocab.fingerprint,
        has_template=any(key.startswith(TEMPLATE_KEY) for key in model.metadata_keys()),
        loading=loading,
        cache_type_k=params.type_k,
        cache_type_v=params.type_v,
        flash_attn=params.flash_attn,
        n_layer=model.n_layer,
        n_offloadable=n_offloadable,
        n_offloaded=n_offloaded,
        n_embd=model.n_embd,
        n_vocab=model.vocab.n_tokens,
        ends=model.vocab.ends,
        longest_message=GUIDE_LONGEST if ref.is_guide else 0,
        sampling={**advice_beside(model.path), **advice_from(model.metadata)},
        load_ms=model.read_seconds * 1000,
    )
