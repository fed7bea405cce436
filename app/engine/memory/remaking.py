"""A context made anew, for more sequences or with flash attention or without, that holds what it held."""

import sys
from collections.abc import Sequence

import psutil

from app.engine.binding.context import DecodeFailedError
from app.engine.memory.slot import Slot


def remake(slots: Sequence[Slot], n_seq: int, *, flash: bool) -> bool:
    """Let the context of these slots, the only ones that hold anything, have so many sequences, or as many as there is
    memory for, and flash attention or none. They keep what they hold. False where that can't be; all is as before.

    Raises what making a context raises, with all forgotten.
    """
    context = slots[0].context
    n_seq = max(context.n_seq, min(n_seq, _most_sequences(slots[0])))
    if (n_seq, flash) == (context.n_seq, context.has_flash):
        return False
    held = [(slot, slot.copied()) for slot in slots if len(slot)]
    if not all(data for _, data in held):
        return False
    before = context.n_seq, context.has_flash
    try:
        done = context.remake(n_seq, flash=flash)
        if not all(slot.put_back(data) for slot, data in held):
            # Some memories can't be taken over by a context of several sequences (DeepSeek 4).
            done = False
            context.remake(before[0], flash=before[1])
            if not all(slot.put_back(data) for slot, data in held):
                raise DecodeFailedError("llama.cpp refused what it had just saved")
    except Exception:
        for slot in slots:
            slot.forget()
        raise
    return done


def _most_sequences(slot: Slot) -> int:
    """How many half of the free memory has room for: recurrent layers have a state for each, and windows cells."""
    if not slot.traits.needs_checkpoints:
        return sys.maxsize  # they share the cells that are there
    context = slot.context
    each = (1 + context.n_rs_seq) * len(context.save_partial())
    return context.n_seq + psutil.virtual_memory().available // 2 // max(1, each)
