"""From a draft model's path to a drafter, or one sentence that says why it can't be one."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.errors import ModelError
from app.core.loading import Loading
from app.core.sentence import Sentence
from app.core.speculation import Speculation
from app.engine.binding import library
from app.engine.binding.context import Context
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import LoadCancelledError, LoadFailedError, Model
from app.engine.binding.open_context import ContextRefusedError
from app.engine.binding.vocab import Vocab
from app.engine.drafting.draft_model import ModelDrafter
from app.engine.memory.checkpoints import Checkpoints
from app.engine.memory.slot import Slot
from app.engine.memory.traits import find_traits
from app.engine.preflight.model_file import check_file, explain
from app.engine.preflight.preflight import Preflight, Report

_log = logging.getLogger(__name__)

_SIZES_DIFFER = 128
_COMPARED_FROM = 5
"""llama.cpp's own allowances (common/speculative.cpp): families pad their vocabularies, and rename the first tokens."""
Compare = Callable[[Vocab, Model], str]
"""Says why a model can't draft for one with that vocabulary; empty where it can."""
_LOOKED_AT = 16
"""Tokens by which a draft model is judged at once. In one batch they cost as much as five of its guesses."""
_CHECKPOINTING = Checkpointing(ctx_checkpoints=6, every=0, budget=512, cache_ram=0)


@dataclass(frozen=True, slots=True)
class DraftModel:
    """The file of a draft model, tried."""

    path: Path
    problem: str = ""
    """One sentence: why it must not be loaded, as found out beforehand."""


def try_draft_model(
    preflight: Preflight, path: Path, loading: Loading, *, cancel: CancelFlag, report: Report = lambda _: None
) -> DraftModel:
    """The draft model, after a child process has tried it. One that fails costs the drafts, not the model."""
    try:
        preflight.ensure(path, loading, cancel=cancel, report=report)
    except ModelError as error:
        _log.info("%s", error.logged)
        return DraftModel(path, error.sentence)
    return DraftModel(path)


def open_draft_model(
    path: Path,
    target: Vocab,
    params: ContextParams,
    asked: Speculation,
    *,
    gpu_layers: int,
    cancel: CancelFlag,
    compare: Compare,
) -> ModelDrafter:
    """Load a draft model; `params` are the target's. Raises ModelError with a sentence, also when cancelled."""
    check_file(path)
    size, free = path.stat().st_size, psutil.virtual_memory().available
    if size > free + (library.device_memory() if gpu_layers else 0):
        raise ModelError("There is not enough memory for the draft model {name} beside the model.", name=path.name)
    try:
        model = Model.load(path, gpu_layers=gpu_layers, cancel=cancel)
    except LoadCancelledError:
        raise ModelError("Loading the draft model was cancelled.") from None
    except LoadFailedError as error:
        raise explain(path, error.lines) from error
    try:
        problem = compare(target, model)
        if problem:
            raise ModelError("{name} can't draft for this model: {problem}.", name=path.name, problem=problem)
        slot = _slot(model, params, asked, cancel)
    except BaseException:
        model.close()
        raise
    return ModelDrafter(model, slot, n_max=asked.draft_max, n_vocab=target.n_tokens, p_min=asked.draft_p_min)


def misfit(target: Vocab, draft: Model) -> str:
    """Why a model can't draft for one with the vocabulary `target`; empty where it can."""
    vocab = draft.vocab
    if draft.has_encoder or not draft.has_decoder or draft.is_diffusion or vocab.kind == 0:
        return Sentence("it does not write text word by word")
    if vocab.kind != target.kind:
        return Sentence("its vocabulary is of another kind")
    if (vocab.add_bos, vocab.add_eos) != (target.add_bos, target.add_eos):
        return Sentence("it begins or ends its texts in another way")
    if (target.add_bos and vocab.bos != target.bos) or (target.add_eos and vocab.eos != target.eos):
        return Sentence("it begins or ends its texts with another token")
    if abs(vocab.n_tokens - target.n_tokens) > _SIZES_DIFFER:
        return Sentence(
            "its vocabulary has {found:,} tokens instead of {wanted:,}", found=vocab.n_tokens, wanted=target.n_tokens
        )
    token = target.first_difference(vocab, _COMPARED_FROM)
    return "" if token is None else Sentence("token {token:,} of its vocabulary is another one", token=token)


def _slot(model: Model, params: ContextParams, asked: Speculation, cancel: CancelFlag) -> Slot:
    n_ctx = min(params.n_ctx, model.n_ctx_train or params.n_ctx)
    wanted = replace(
        params,
        n_ctx=n_ctx,
        n_batch=min(params.n_batch, n_ctx),
        n_ubatch=min(params.n_ubatch, n_ctx),
        n_rows=_LOOKED_AT,
        n_rs_seq=0,
    ).with_types(asked.cache_type_k_draft, asked.cache_type_v_draft)
    try:
        context = Context(model, wanted, cancel)
    except ContextRefusedError as error:
        _log.info("No context with %s: %s", wanted, " / ".join(error.lines))
        raise ModelError(
            "No context could be made for the draft model {name}. Try other KV types for it.",
            name=model.path.name,
            detail="\n".join(error.lines),
        ) from error
    try:
        traits = None if cancel.is_set() else find_traits(context, model, swa_full=params.swa_full)
    except BaseException:
        context.close()
        raise
    if traits is None:
        context.close()
        raise ModelError("Loading the draft model was cancelled.")
    return Slot(context, traits, Checkpoints(_CHECKPOINTING))
