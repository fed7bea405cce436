"""What a loaded model can draft with."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import assert_never

from app.core.cancel import CancelFlag
from app.core.errors import ModelError
from app.core.files import fingerprint
from app.core.loading import Loading
from app.core.speculation import DrafterKind, DraftingInfo, Speculation
from app.engine.binding import library
from app.engine.binding.context import Context
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import Model
from app.engine.drafting.calibration import MEASURED, Calibration, Measure, calibrate, recorded
from app.engine.drafting.controller import Controller
from app.engine.drafting.costs import Costs, clock_for
from app.engine.drafting.draft_loader import Compare, DraftModel, misfit, open_draft_model, try_draft_model
from app.engine.drafting.drafter import Drafter
from app.engine.drafting.drafting import Drafting, exact_deep, rollback_of
from app.engine.drafting.mtp_head import is_head_alone
from app.engine.drafting.mtp_loader import Mtp, find_mtp, open_mtp, try_mtp
from app.engine.drafting.ngram import NgramDrafter
from app.engine.memory.reuse import MemoryTraits
from app.engine.preflight.preflight import Preflight, Report

_log = logging.getLogger(__name__)

_RECORD = "batches.json"
_NO_ROOM = "The batch size is too small to check a guess."


@dataclass(frozen=True, slots=True)
class DraftPlan:
    """What was asked for, and what was found out about it before the model is loaded."""

    asked: Speculation
    model: DraftModel | None = None
    """The draft model; without one that was asked for it is loaded untried."""
    mtp: Mtp | None = None
    """The head that is drafted with; without one that was asked for, what is found is loaded untried."""
    record: Path | None = None
    """Where it is kept what batches cost; None measures each time."""
    measure: Measure = calibrate
    compare: Compare = misfit

    @property
    def loads_head(self) -> bool:
        """The model has to be loaded with its head."""
        return self.mtp is not None and self.mtp.is_own

    def asks_for(self, kind: DrafterKind) -> bool:
        match kind:
            case DrafterKind.NGRAM:
                return self.asked.ngram
            case DrafterKind.MTP:
                return self.mtp is not None
            case DrafterKind.DRAFT_MODEL:
                # One that is nothing but a head drafts as that.
                return bool(self.asked.draft_model) and not is_head_alone(Path(self.asked.draft_model))
            case _:
                assert_never(kind)


@dataclass(frozen=True, slots=True)
class Target:
    """The model that is drafted for, loaded."""

    model: Model
    context: Context
    params: ContextParams
    traits: MemoryTraits
    gpu_layers: int
    cancel: CancelFlag


def plan_drafts(
    preflight: Preflight,
    path: Path,
    asked: Speculation,
    loading: Loading,
    *,
    cancel: CancelFlag,
    report: Report = lambda _: None,
) -> DraftPlan:
    """Try in a child process what has to be loaded to draft for the model at `path`, if this machine never has."""
    model = None
    mtp = try_mtp(preflight, path, loading, asked, cancel=cancel, report=report)
    if asked.draft_model and not is_head_alone(Path(asked.draft_model)):
        model = try_draft_model(preflight, Path(asked.draft_model), loading, cancel=cancel, report=report)
    return DraftPlan(asked, model, mtp, preflight.beside(_RECORD))


def with_head(path: Path, plan: DraftPlan) -> DraftPlan:
    """The plan with the head that is asked for, for the model at `path`."""
    return plan if plan.mtp is not None else replace(plan, mtp=find_mtp(path, plan.asked))


def with_rows_for(plan: DraftPlan, params: ContextParams) -> ContextParams:
    """A context that can check the longest drafts."""
    asked = plan.asked
    # Each takes as much as the recurrent state: not for a head that is not there.
    loads = plan.asks_for(DrafterKind.DRAFT_MODEL) or (plan.mtp is not None and plan.mtp.head is not None)
    n_rs_seq = asked.draft_max if loads else 0
    return replace(params, n_rows=max(MEASURED, asked.rows), n_rs_seq=n_rs_seq)


def open_drafting(target: Target, plan: DraftPlan) -> Drafting:
    """All that was asked for and can be had; the rest is told in sentences. The context must be empty, and stays so."""
    asked, context = plan.asked, target.context
    if context.n_rows < 2:
        no_room = tuple((kind, _NO_ROOM) for kind in DrafterKind if plan.asks_for(kind))
        return Drafting((), Controller(Costs()), DraftingInfo(asked, problems=no_room, no_head=_NO_ROOM))
    drafters: list[Drafter] = []
    problems: list[tuple[DrafterKind, str]] = []
    openers: tuple[tuple[DrafterKind, Callable[[], Drafter]], ...] = (
        (DrafterKind.NGRAM, lambda: NgramDrafter(asked.ngram_max)),
        (DrafterKind.MTP, lambda: _mtp(target, plan)),
        (DrafterKind.DRAFT_MODEL, lambda: _draft_model(target, plan)),
    )
    for kind, opened in openers:
        # What needs no memory of its own is made anyhow: so it can be switched on later.
        if kind is DrafterKind.NGRAM or plan.asks_for(kind):
            try:
                drafters.append(opened())
            except ModelError as error:
                _log.info("%s", error.logged)
                problems.append((kind, error.sentence))
    batches = Calibration() if target.cancel.is_set() else _calibration(target, plan)
    rollback = rollback_of(context, target.traits)
    deep = exact_deep(batches.exact, target.params, on_device=_on_device(target))
    info = DraftingInfo(
        asked,
        tuple(drafter.kind for drafter in drafters if plan.asks_for(drafter.kind)),
        tuple(problems),
        rollback,
        batches.exact,
        deep,
        _no_head(target.model.path, plan),
        target.params.flash_changes,
    )
    return Drafting(drafters, Controller(Costs(batches.seconds)), info, clock_for(on_device=_on_device(target)))


def _no_head(path: Path, plan: DraftPlan) -> str:
    """Why the model's own head could not be used, where it was not asked for."""
    if plan.mtp is not None:
        return ""
    found = find_mtp(path, replace(plan.asked, mtp=True, draft_model=""))
    return found.problem if found is not None else ""


def _mtp(target: Target, plan: DraftPlan) -> Drafter:
    if plan.mtp is None:
        raise ValueError("no head was asked for")
    return open_mtp(
        plan.mtp,
        target.model,
        target.context,
        target.params,
        plan.asked,
        gpu_layers=target.gpu_layers,
        cancel=target.cancel,
    )


def _draft_model(target: Target, plan: DraftPlan) -> Drafter:
    asked = plan.asked
    if plan.model is not None and plan.model.problem:
        raise ModelError(plan.model.problem)
    path = plan.model.path if plan.model is not None else Path(asked.draft_model)
    vocab, params = target.model.vocab, target.params
    return open_draft_model(
        path, vocab, params, asked, gpu_layers=target.gpu_layers, cancel=target.cancel, compare=plan.compare
    )


def _on_device(target: Target) -> bool:
    return target.gpu_layers != 0 and library.device_memory() > 0


def _calibration(target: Target, plan: DraftPlan) -> Calibration:
    clock, key = clock_for(on_device=_on_device(target)), _key_of(target)
    measure = partial(plan.measure, target.context, clock)
    return recorded(plan.record, key, measure) if plan.record is not None and key else measure()


def _key_of(target: Target) -> str:
    """What measurements hold for: this file, this build, and a context like this; empty where the file is gone."""
    try:
        file = fingerprint(target.model.path)
    except OSError:
        return ""
    params = target.params
    facts = (
        library.version(), file, params.n_threads, params.n_rows, params.flash_attn, params.type_k, params.type_v,
        params.n_rs_seq, target.gpu_layers,
    )  # fmt: skip
    return " ".join(map(str, facts))
