"""What was found out about drafts at other times, and is kept for the next."""

from collections.abc import Callable
from pathlib import Path

from app.core.files import fingerprint
from app.engine.binding import library
from app.engine.binding.context import ContextParams
from app.engine.drafting.calibration import Calibration, CalibrationRecord
from app.engine.drafting.controller import Controller
from app.engine.drafting.experience import ExperienceRecord

_EXPERIENCE = "drafts.json"


def key_of(params: ContextParams, gpu_layers: int, *files: Path) -> str:
    """What measurements hold for: these files, this build, and a context like this; empty where a file is gone."""
    try:
        models = [fingerprint(each) for each in files]
    except OSError:
        return ""
    facts = (
        library.version(), *models, params.n_threads, params.n_rows, params.flash_attn, params.type_k, params.type_v,
        params.n_rs_seq, gpu_layers,
    )  # fmt: skip
    return " ".join(map(str, facts))


def measured(record: Path | None, key: str, measure: Callable[[], Calibration]) -> Calibration:
    """What batches cost, as measured before, or else as measured now. Without a record, or a key, always now."""
    if record is None or not key:
        return measure()
    kept = CalibrationRecord(record)
    known = kept.find(key)
    if known is None or known.quick:
        known = measure()
        if known.seconds:
            kept.remember(key, known)
    return known


def remembering(controller: Controller, record: Path | None, key: str) -> Callable[[], None]:
    """Let it begin with what was learned before. Returns what keeps what it will have learned.

    That lies beside `record`. Nothing is kept without it, or without a key.
    """
    if record is None or not key:
        return lambda: None
    kept = ExperienceRecord(record.with_name(_EXPERIENCE))
    known = kept.find(key)
    controller.remember(known)

    def keep() -> None:
        learned = controller.experience
        if learned.stats and learned != known:
            kept.remember(key, learned)

    return keep
