"""Pixtral's row ends, which llama.cpp makes from memory that nobody has written.

Its graph (tools/mtmd/models/pixtral.cpp) multiplies an uninitialised tensor by zero and adds the embedding of
[IMG_BREAK]. Where that memory happens to hold a NaN or an infinity, so does the row end, in every run.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.core.gguf_header import HeaderError, read_header

_NAME = "v.token_embd.img_break"
_F32 = 0


def read_row_end(path: Path) -> NDArray[np.float32] | None:
    """The embedding that ends each row of a picture but the last, float32 of shape (n_embd,); None without one."""
    try:
        header = read_header(path)
        info = header.tensors.get(_NAME)
        if info is None or info.type != _F32 or header.text("clip.projector_type") != "pixtral":
            return None
        return np.fromfile(path, np.float32, count=info.shape[0], offset=header.data + info.offset)
    except (HeaderError, OSError):
        return None


def repair_row_ends(embedding: NDArray[np.float32], row_end: NDArray[np.float32] | None) -> bool:
    """Put the row ends right, in place; False where anything else is not finite."""
    broken = ~np.isfinite(embedding).all(axis=1)
    if not broken.any():
        return True
    if row_end is None:
        return False
    ends = np.flatnonzero(broken | (embedding == row_end).all(axis=1))
    row = int(ends[0]) + 1
    if not np.array_equal(ends, np.arange(row - 1, len(embedding), row)) or (len(embedding) + 1) % row:
        return False
    embedding[ends] = row_end
    return True
