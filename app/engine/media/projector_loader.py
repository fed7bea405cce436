"""From a projector's path (mmproj) to what a model sees and hears with it, or one sentence that says why it can't."""

import logging
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.cancel import CancelFlag
from app.core.errors import ModelError, UserError
from app.core.files import fingerprint
from app.core.loading import Loading
from app.core.sentence import Sentence
from app.engine.binding import library
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import LoadCancelledError, Model
from app.engine.binding.mtmd_chunks import MtmdRefusedError
from app.engine.binding.mtmd_context import MtmdContext, MtmdParams
from app.engine.media.media import Media, MediaStores
from app.engine.media.projector import check_projector, most_seconds
from app.engine.preflight.preflight import Preflight, Report

_log = logging.getLogger(__name__)

_SMALLEST = 64
"""Entries that a picture may always take."""


@dataclass(frozen=True, slots=True)
class Projector:
    """The mmproj file to load with a model, and where its media lie."""

    path: Path
    stores: MediaStores
    image_max_tokens: int = 0
    """Entries; 0 leaves it to the model."""
    problem: str = ""
    """One sentence: why it must not be loaded, as found out beforehand."""


def try_projector(
    preflight: Preflight,
    model: Path,
    mmproj: Path,
    loading: Loading,
    stores: MediaStores,
    image_max_tokens: int,
    *,
    cancel: CancelFlag,
    report: Report = lambda _: None,
) -> Projector:
    """The projector, after a child process has tried it. One that fails costs the media, not the model."""
    problem = ""
    try:
        preflight.ensure(model, loading, mmproj=mmproj, cancel=cancel, report=report)
    except ModelError as error:
        _log.info("%s", error.logged)
        problem = error.sentence
    return Projector(mmproj, stores, image_max_tokens, problem)


def open_media(
    projector: Projector | None, model: Model, params: ContextParams, cancel: CancelFlag, *, use_gpu: bool
) -> tuple[Media | None, str]:
    """What the model sees and hears, or None and why it doesn't (empty where there is nothing to say)."""
    if projector is None or projector.problem:
        return None, "" if projector is None else projector.problem
    path, room = projector.path, max(_SMALLEST, params.n_ctx // 2)
    tokens = min(projector.image_max_tokens, room) if projector.image_max_tokens else 0
    wanted = MtmdParams(n_threads=params.n_threads, use_gpu=use_gpu, image_max_tokens=tokens)
    try:
        check_projector(path, n_embd=model.n_embd_inp, architecture=model.metadata("general.architecture") or "")
        seconds = most_seconds(path)
        mtmd = MtmdContext(path, model, wanted, cancel)
    except UserError as error:
        _log.info("%s", error.logged)
        return None, error.sentence
    except MtmdRefusedError as error:
        _log.info("%s was refused: %s", path, " / ".join(error.lines))
        return None, Sentence(
            "{name} can't be used: llama.cpp refuses it. It may be damaged, or belong to another model.", name=path.name
        )
    except LoadCancelledError:
        return None, ""
    if mtmd.non_causal_tokens > params.n_ctx:
        mtmd.close()
        return None, (
            Sentence(
                "A picture takes {n_tokens:,} tokens of this model, and the context holds "
                "{n_ctx:,}. Load it with a larger context to show it pictures.",
                n_tokens=mtmd.non_causal_tokens,
                n_ctx=params.n_ctx,
            )
        )
    identity = f"{library.version()} {fingerprint(path)} {tokens} {use_gpu}"
    return Media(mtmd, projector.stores, identity, seconds), ""


def with_room_for(media: Media, params: ContextParams) -> ContextParams:
    """Micro-batches that take a whole picture, where its cells must see each other."""
    needed = media.mtmd.non_causal_tokens
    n_batch = max(params.n_batch, needed)
    return replace(params, n_batch=n_batch, n_ubatch=max(params.n_ubatch, needed))
