"""From the file of a multi-token-prediction head to a drafter, or one sentence that says why it can't be one."""

import hashlib
import logging
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.cancel import CancelFlag
from app.core.errors import ModelError
from app.core.files import fingerprint
from app.core.gguf_header import HeaderError, read_header
from app.core.loading import CacheType, Loading
from app.core.sentence import Sentence
from app.core.speculation import Speculation
from app.engine.binding import nextn
from app.engine.binding.context import Context, DecodeFailedError
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import LoadCancelledError, LoadFailedError, Model
from app.engine.binding.nextn import NextnContext
from app.engine.binding.open_context import ContextRefusedError
from app.engine.drafting.mtp import MtpDrafter
from app.engine.drafting.mtp_head import SHARED, MtpHead, find_head, is_head_alone, unfit
from app.engine.drafting.mtp_state import IDENTITY
from app.engine.preflight.model_file import check_file, crashed, explain
from app.engine.preflight.preflight import Preflight, Report

_log = logging.getLogger(__name__)

_OLD = "This build of llama.cpp can't run the heads of models that guess tokens (MTP)."
_FAILS = Sentence("llama.cpp fails when it is tried")


@dataclass(frozen=True, slots=True)
class Mtp:
    """The head to draft with, as far as it is known before the model is loaded."""

    head: MtpHead | None = None
    problem: str = ""
    """One sentence: why there is none to draft with."""

    @property
    def is_own(self) -> bool:
        """It has to be loaded with the model."""
        return self.head is not None and not self.head.alone and not self.problem


def find_mtp(path: Path, asked: Speculation) -> Mtp | None:
    """The head that is asked for, for the model at `path`; None where none is.

    A draft model that is nothing but a head is one.
    """
    drafter = Path(asked.draft_model) if asked.draft_model else None
    alone = drafter is not None and is_head_alone(drafter)
    if not (alone or asked.mtp):
        return None
    if not nextn.is_available():
        return Mtp(problem=_OLD)
    try:
        head = find_head(drafter if drafter is not None and alone else path)
        if not alone and head.alone:
            raise ModelError("{name} is nothing but a head that guesses tokens for another model.", name=path.name)
        if alone:
            _check_pair(path, head)
    except ModelError as error:
        return Mtp(problem=error.sentence)
    return Mtp(head)


def _check_pair(path: Path, head: MtpHead) -> None:
    try:
        found = read_header(path).text("general.architecture")
    except (HeaderError, OSError) as error:
        raise ModelError("{name} can't be read. It may be damaged.", name=path.name, detail=str(error)) from error
    wanted = SHARED.get(head.architecture, head.architecture)
    if found != wanted:
        raise ModelError(
            "{drafter} drafts for models of the architecture “{wanted}”, and {name} is “{found}”.",
            drafter=head.path.name,
            wanted=wanted,
            name=path.name,
            found=found,
        )


def try_mtp(
    preflight: Preflight,
    path: Path,
    loading: Loading,
    asked: Speculation,
    *,
    cancel: CancelFlag,
    report: Report = lambda _: None,
) -> Mtp | None:
    """The head that is asked for, after a child process has drafted with it. One that fails costs the drafts alone."""
    found = find_mtp(path, asked)
    if found is None or found.head is None:
        return found
    try:
        preflight.ensure(path, loading, head=found.head.path, cancel=cancel, report=report)
    except ModelError as error:
        if error.sentence == crashed(found.head.path, "").sentence:
            error = unfit(found.head.path, _FAILS, error.detail)
        _log.info("%s", error.logged)
        return Mtp(problem=error.sentence)
    return found


def open_mtp(
    mtp: Mtp,
    model: Model,
    target: Context,
    params: ContextParams,
    asked: Speculation,
    *,
    gpu_layers: int,
    cancel: CancelFlag,
) -> MtpDrafter:
    """A drafter for the loaded `model` and its context, made with `params`. Raises ModelError with a sentence."""
    head = mtp.head
    if head is None:
        raise ModelError(mtp.problem)
    own = _load(head, gpu_layers, cancel) if head.alone else None
    try:
        _check_widths(head, own or model, model)
        context, made_with = _context(head, own or model, target, params, asked)
    except BaseException:
        if own is not None:
            own.close()
        raise
    return MtpDrafter(
        context,
        target,
        n_max=asked.draft_max,
        heads=head.heads,
        allows_gaps=model.allows_gaps,
        has_window=bool((own or model).n_swa) and not params.swa_full,
        identity=_identity(head, made_with),
        p_min=asked.draft_p_min,
        model=own,
    )


def _load(head: MtpHead, gpu_layers: int, cancel: CancelFlag) -> Model:
    check_file(head.path)
    try:
        return Model.load(head.path, gpu_layers=gpu_layers, cancel=cancel, load_mtp=True)
    except LoadCancelledError:
        raise ModelError("Loading the head that guesses tokens was cancelled.") from None
    except LoadFailedError as error:
        raise explain(head.path, error.lines) from error


def _check_widths(head: MtpHead, own: Model, model: Model) -> None:
    if own.n_embd_out != model.n_embd_out or own.vocab.n_tokens != model.vocab.n_tokens:
        raise ModelError(
            "{name} was made for another model: its layers or its vocabulary have other sizes.", name=head.path.name
        )


def _context(
    head: MtpHead, model: Model, target: Context, params: ContextParams, asked: Speculation
) -> tuple[NextnContext, ContextParams]:
    """As wanted, or with plain KV types where llama.cpp refuses others; and what it was made with.

    Nothing cancels it: it computes a layer or two at a time, and what it had not read would be lost to it.
    """
    n_ctx, n_batch = target.n_ctx, target.n_ubatch
    plain = replace(params, n_ctx=n_ctx, n_batch=n_batch, n_ubatch=n_batch, n_rs_seq=0, n_rows=1)
    wanted = plain.with_types(asked.cache_type_k_draft, asked.cache_type_v_draft)
    attempts = [wanted, replace(wanted, type_k=CacheType.F16, type_v=CacheType.F16)]
    if head.architecture in SHARED:
        attempts = [plain]
    lines: list[str] = []
    for each in attempts:
        try:
            context = NextnContext(model, each, CancelFlag(), target)
        except ContextRefusedError as error:
            _log.info("No context for the head with %s: %s", each, " / ".join(error.lines))
            lines += error.lines
            continue
        try:
            if head.heads == 1 and not context.shares_memory:
                context.find_rows()
        except DecodeFailedError as error:
            context.close()
            raise unfit(head.path, _FAILS, str(error)) from error
        return context, each
    raise unfit(head.path, Sentence("llama.cpp makes no context for it"), "\n".join(lines))


def _identity(head: MtpHead, params: ContextParams) -> bytes:
    """Of the states of a head's context: others are never put into it."""
    try:
        file = fingerprint(head.path)
    except OSError:
        file = str(head.path)
    facts = file, params.type_k, params.type_v, params.flash_attn, str(params.swa_full)
    return hashlib.sha256("\n".join(facts).encode()).digest()[:IDENTITY]
