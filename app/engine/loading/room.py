"""What a model finds of memory that is about to be loaded."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psutil

from app.core.fit import Extras, Free, Verdict, settled, verdict
from app.core.fit_needs import draft_model_size, head_size
from app.core.fit_shape import FitShape, shape_of
from app.core.gguf_header import HeaderError, read_header
from app.core.loading import FlashAttention, Loading
from app.core.speculation import Speculation
from app.engine.binding import library
from app.engine.loading.devices import graphics_cards
from app.engine.preflight.model_file import parts


def fits_beside(path: Path, loading: Loading) -> bool:
    """Whether a model could lie beside the one in memory, by its header and what is free now. A file that can't be
    understood fits: it will be refused soon."""
    free = Free(psutil.virtual_memory().available, graphics_cards())
    try:
        shape = shape_of([read_header(each) for each in parts(path)])
    except (HeaderError, OSError):
        return True
    return verdict(shape, loading, free, Extras()) is not Verdict.TOO_LARGE


def chosen_flash(
    files: Sequence[Path], loading: Loading, asked: Speculation | None = None, projector: Path | None = None
) -> FlashAttention:
    """What flash attention is to be at first for a model of these files, with what drafts for it and its projector.

    Automatic, where that is left to llama.cpp. It is also where drafts must give the bits of single tokens: those of
    flash attention do with more kinds of weights. On where there is memory to do without: so it is quicker for some
    hundred entries, and `FlashChoice` sees to the rest; off where the context can't be changed later, or something
    is loaded beside it, which can't.
    """
    on_card = loading.gpu_layers != 0 and library.device_memory() > 0
    if loading.flash_attn is not FlashAttention.AUTO or on_card or (asked is not None and asked.exact):
        return loading.flash_attn
    free = Free(psutil.virtual_memory().available)
    try:
        shape = shape_of([read_header(each) for each in files])
        beside = Extras(
            projector=projector.stat().st_size if projector is not None else 0,
            draft=_draft_size(shape, loading, asked) if asked is not None else 0,
        )
    except (HeaderError, OSError):
        return loading.flash_attn
    chosen = settled(shape, loading, free, beside).flash_attn
    stays = loading.exact or (asked is not None and asked.loads_model)
    return FlashAttention.ON if chosen is FlashAttention.OFF and not stays else chosen


def _draft_size(shape: FitShape, loading: Loading, asked: Speculation) -> int:
    """Bytes, if it does without flash attention as well."""
    off = replace(loading, flash_attn=FlashAttention.OFF)
    if asked.draft_model:
        return draft_model_size(shape, shape_of([read_header(Path(asked.draft_model))]), off, asked)
    return head_size(shape, off, asked) if asked.mtp else 0
