"""Whether a model could be loaded beside the one that is in memory."""

from pathlib import Path

import psutil

from app.core.fit import Extras, Free, Verdict, verdict
from app.core.fit_shape import shape_of
from app.core.gguf_header import HeaderError, read_header
from app.core.loading import Loading
from app.engine.loading.devices import graphics_cards
from app.engine.preflight.model_file import parts


def fits_beside(path: Path, loading: Loading) -> bool:
    """Reckoned from its header and what is free now. A file that can't be understood fits: it will be refused soon."""
    free = Free(psutil.virtual_memory().available, graphics_cards())
    try:
        shape = shape_of([read_header(each) for each in parts(path)])
    except (HeaderError, OSError):
        return True
    return verdict(shape, loading, free, Extras()) is not Verdict.TOO_LARGE
