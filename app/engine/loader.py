"""From a file's path to a session that can answer, or one sentence that says why not."""

import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil

from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.errors import ModelError
from app.core.events import LoadProgress, LoadStage, ModelInfo
from app.core.loading import CacheType, Loading
from app.engine.binding import library
from app.engine.binding.context import Context, ContextParams, ContextRefusedError, DecodeOutcome, byte_size
from app.engine.binding.model import LoadCancelledError, LoadFailedError, Model
from app.engine.chat_prompt import ChatPrompt
from app.engine.checkpoints import Checkpoints
from app.engine.model_file import check_file, explain
from app.engine.reuse import MemoryTraits
from app.engine.session import Session
from app.engine.slot import Slot

_log = logging.getLogger(__name__)

Report = Callable[[LoadProgress], None]

_SMALLEST_CTX = 64


def open_session(
    path: Path,
    loading: Loading,
    *,
    cancel: CancelFlag,
    report: Report = lambda _: None,
    checkpointing: Checkpointing | None = None,
) -> tuple[Session, tuple[str, ...]] | None:
    """Load a model and make its context. Returns the session and notes (sentences), or None when cancelled.

    Blocks; `report` runs in this thread. Raises ModelError with a sentence.
    """
    check_file(path)
    _refuse_too_large(path, loading)
    try:
        model = Model.load(
            path,
            gpu_layers=loading.gpu_layers,
            cancel=cancel,
            report=lambda share: report(LoadProgress(LoadStage.LOADING, share)),
        )
    except LoadCancelledError:
        return None
    except LoadFailedError as error:
        raise explain(path, error.lines) from error
    try:
        report(LoadProgress(LoadStage.CONTEXT, 0.0))
        return _prepare(model, loading, checkpointing or Checkpointing(), cancel)
    except BaseException:
        model.close()
        raise


def _prepare(
    model: Model, loading: Loading, checkpointing: Checkpointing, cancel: CancelFlag
) -> tuple[Session, tuple[str, ...]] | None:
    _refuse_unfit(model)
    chat = ChatPrompt(model)
    wanted = context_params(model, loading)
    context, notes = _make_context(model, wanted, cancel)
    try:
        traits = _find_traits(context, model, swa_full=loading.swa_full)
    except BaseException:
        context.close()
        raise
    if traits is None:
        context.close()
        model.close()
        return None
    if not chat.is_own:
        notes = (*notes, "This model has no chat template of its own; ChatML stands in.")
    info = _describe(model, context, chat)
    slot = Slot(context, traits, Checkpoints(checkpointing))
    return Session(model, slot, chat, info, cancel), notes


def context_params(model: Model, loading: Loading) -> ContextParams:
    """The settings with every "as the model says" resolved, within what the model was trained for."""
    trained = model.n_ctx_train or loading.ctx_size or 4096
    n_ctx = max(_SMALLEST_CTX, min(loading.ctx_size or trained, trained))
    n_batch = min(loading.batch_size, n_ctx)
    return ContextParams(
        n_ctx=n_ctx,
        n_batch=n_batch,
        n_ubatch=min(loading.ubatch_size, n_batch),
        n_threads=loading.threads or default_threads(),
        flash_attn=loading.flash_attn,
        type_k=loading.cache_type_k,
        type_v=loading.cache_type_v,
        swa_full=loading.swa_full,
    )


def default_threads() -> int:
    """Real cores, less one for the window: a computing thread that must wait for a core stalls all the others."""
    return max(1, (psutil.cpu_count(logical=False) or 2) - 1)


def _refuse_too_large(path: Path, loading: Loading) -> None:
    weights = sum(part.stat().st_size for part in _parts(path))
    free = psutil.virtual_memory().available + (library.device_memory() if loading.gpu_layers else 0)
    if weights > free:
        raise ModelError(
            f"{path.name} needs {_gib(weights)} of memory for its weights alone, and {_gib(free)} is free. "
            "Close other programs, or choose a smaller model or quantisation."
        )


def _parts(path: Path) -> list[Path]:
    """All files of a split model, or the one."""
    stem, marker, count = path.stem.rpartition("-of-")
    if not marker or not count.isdigit():
        return [path]
    return sorted(path.parent.glob(f"{stem[:-5]}?????-of-{count}{path.suffix}")) or [path]


def _gib(size: float) -> str:
    return f"{size / 2**30:.1f} GiB"


def _refuse_unfit(model: Model) -> None:
    name = model.path.name
    if model.vocab.kind == 0:
        raise ModelError(f"{name} has no vocabulary, so it can't read or write text. Choose another model.")
    if model.has_encoder or not model.has_decoder:
        raise ModelError(f"{name} does not write text (it translates or embeds it). Choose a chat model.")
    if model.is_diffusion:
        raise ModelError(f"{name} is a diffusion model, which Hearth can't run yet. Choose another model.")


def _make_context(model: Model, wanted: ContextParams, cancel: CancelFlag) -> tuple[Context, tuple[str, ...]]:
    """The context as wanted, or the nearest that llama.cpp makes, with a note that says so."""
    _refuse_large_cache(model, wanted)
    lines: list[str] = []
    for params, note in _attempts(wanted):
        try:
            return Context(model, params, cancel), (note,) if note else ()
        except ContextRefusedError as error:
            lines += error.lines
            _log.warning("No context with %s: %s", params, " / ".join(error.lines))
    raise ModelError(
        f"No context could be made for {model.path.name}. Try a smaller context size.", detail="\n".join(lines)
    )


def _attempts(wanted: ContextParams) -> Iterator[tuple[ContextParams, str]]:
    yield wanted, ""
    if CacheType.F16 not in (wanted.type_k, wanted.type_v) or wanted.type_k != wanted.type_v:
        plain = replace(wanted, type_k=CacheType.F16, type_v=CacheType.F16)
        yield (
            plain,
            f"This model does not work with KV cache types {wanted.type_k}/{wanted.type_v}; f16 is used instead.",
        )


def _refuse_large_cache(model: Model, wanted: ContextParams) -> None:
    """Refuse a KV cache that is larger than free memory, where its size is known for sure."""
    size = model.kv_elements_per_token() * wanted.n_ctx
    need = size / 2 * (byte_size(wanted.type_k) + byte_size(wanted.type_v))
    free = psutil.virtual_memory().available + library.device_memory()
    if need > free:
        raise ModelError(
            f"A context of {wanted.n_ctx:,} tokens needs {_gib(need)} of memory, and {_gib(free)} is free. "
            "Choose a smaller context size, or q8_0 as KV cache type."
        )


def _find_traits(context: Context, model: Model, *, swa_full: bool) -> MemoryTraits | None:
    """Try what the memory can do, on the empty context. None when cancelled."""
    if not context.has_memory:
        return MemoryTraits(keeps=False, trims=False)
    probe = max(model.vocab.bos, 0)
    outcome = context.decode([probe, probe], 0)
    if outcome is DecodeOutcome.ABORTED:
        return None
    trims = context.remove_from(1)
    context.clear()
    return MemoryTraits(keeps=True, trims=trims, n_swa=0 if swa_full else model.n_swa)


def _name(path: Path) -> str:
    """What people know a model by: its file's name, which tells the quantisation too."""
    return re.sub(r"-\d{5}-of-\d{5}$", "", path.stem)


def _describe(model: Model, context: Context, chat: ChatPrompt) -> ModelInfo:
    return ModelInfo(
        path=model.path,
        name=_name(model.path),
        architecture=model.metadata("general.architecture") or "",
        size=model.size,
        n_params=model.n_params,
        n_ctx=context.n_ctx,
        n_ctx_train=model.n_ctx_train,
        vocab=model.vocab.fingerprint,
        has_template=chat.is_own,
    )
