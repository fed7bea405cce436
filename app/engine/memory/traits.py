"""What a context's memory can do, found out by trying."""

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.core.errors import ModelError
from app.core.files import fingerprint
from app.engine.binding import library
from app.engine.binding.context import Context, DecodeOutcome
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import Model
from app.engine.memory.reuse import MemoryTraits
from app.engine.preflight.trials import Trials

NO_WRITER = "{name} does not write text (it translates it). Choose a chat model."
EMBEDS = (
    "{name} makes vectors of texts, or ranks them, and can't chat. Choose a chat model. Other programs can use it: "
    "hearth serve --embedding-model, or --reranking-model."
)


def known_traits(
    context: Context, params: ContextParams, model: Model, *, gpu_layers: int, trials: Trials
) -> MemoryTraits | None:
    """As `find_traits`, or what that found in such a context of the same file and build before."""
    try:
        key = f"{library.version()} {fingerprint(model.path)} {gpu_layers} {params}"
    except OSError:  # the file is gone since it was loaded
        return find_traits(context, model, swa_full=params.swa_full)
    if (known := trials.found(key, _traits_from)) is not None:
        return known
    if (found := find_traits(context, model, swa_full=params.swa_full)) is not None:
        trials.keep(key, asdict(found), "What the memory can do")
    return found


def _traits_from(told: Any) -> MemoryTraits:
    return MemoryTraits(
        bool(told["trims"]),
        int(told["n_swa"]),
        bool(told["splits"]),
        bool(told["last_alone"]),
        int(told["checkpoint_bytes"]),
    )


def find_traits(context: Context, model: Model, *, swa_full: bool) -> MemoryTraits | None:
    """Try on the empty context what the memory can do. None when cancelled.

    Raises ModelError where there is no memory: such a model reads texts as a whole, and makes vectors of them.
    """
    if not context.has_memory:
        raise ModelError(EMBEDS, name=model.path.name)
    first = max(model.vocab.bos, 0)
    second = (first + 1) % model.vocab.n_tokens
    if context.decode([first, second], 0) is DecodeOutcome.ABORTED:
        return None
    together = context.logits()
    n_swa = 0 if swa_full else model.n_swa
    of_two = len(context.save_partial())
    # A recurrent memory that can take back its last entries says yes to whatever is asked, and may then be wrong.
    trims = context.remove_from(1) and not context.n_rs_seq
    context.clear()
    last_alone = gives_other_logits(context, first, second, together)
    if last_alone is None:
        return None
    return MemoryTraits(
        trims=trims,
        n_swa=n_swa,
        splits=trims and not model.n_swa and keeps_ends(context, first, second),
        last_alone=last_alone,
        checkpoint_bytes=0 if trims and not n_swa else of_two * max(2, n_swa) // 2,
    )


def gives_other_logits(context: Context, first: int, second: int, together: NDArray[np.float32]) -> bool | None:
    """Whether the logits of both entries in one batch are the first one's; None when cancelled."""
    seen = []
    for position, token in enumerate((first, second)):
        if context.decode_one(token, position) is DecodeOutcome.ABORTED:
            return None
        seen.append(context.logits())
    context.clear()
    # A damaged model may give infinities; it is the answer then that says nothing.
    with np.errstate(invalid="ignore"):
        of_first, of_second = (float(np.abs(together - logits).max()) for logits in seen)
    return of_first < of_second


def keeps_ends(context: Context, first: int, second: int) -> bool:
    """Whether the second of two entries can be saved and put back by itself, to the same state to the bit."""
    if context.decode([first, second], 0) is DecodeOutcome.ABORTED:
        return False
    whole, tail = context.save(), context.save_from(1)
    back = len(tail) < len(whole) and context.remove_from(1) and context.restore_from(1, tail, range(1, 2))
    splits = back and context.save() == whole
    context.clear()
    return splits
