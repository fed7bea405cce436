"""What an `MtpDrafter` knows of a slot's entries, as bytes that are kept with the slot's own states."""

import struct
from dataclasses import dataclass

import numpy as np

from app.engine.binding.nextn import Row
from app.engine.binding.sequence_memory import State

_HEAD = struct.Struct("<16sQQII")
"""Identity, entries, start, number of shifts, floats of the row."""
_SHIFT = struct.Struct("<qq")
IDENTITY = 16
"""Bytes of an identity."""


@dataclass(frozen=True, slots=True, eq=False)
class MtpState:
    identity: bytes
    """Of the head and its context, `IDENTITY` bytes at the most."""
    n: int
    """Entries that the slot held."""
    start: int
    """What the head knows of the entries before it is not in here."""
    shifts: tuple[tuple[int, int], ...]
    """See `Shifts`."""
    row: Row | None
    """Of the last entry."""
    data: State
    """The head's own memory from `start` on. Where that is `n`: what a trim can't bring back, if there is such."""

    def to_bytes(self) -> bytes:
        row = b"" if self.row is None else self.row.astype("<f4").tobytes()
        head = _HEAD.pack(self.identity, self.n, self.start, len(self.shifts), len(row) // 4)
        return b"".join([head, *(_SHIFT.pack(*pair) for pair in self.shifts), row, self.data])

    @classmethod
    def from_bytes(cls, data: bytes, identity: bytes, width: int) -> "MtpState | None":
        """None where it is no state of this head; `width` is the number of floats of its rows."""
        if len(data) < _HEAD.size:
            return None
        whose, n, start, n_shifts, n_floats = _HEAD.unpack_from(data)
        rows = _HEAD.size + n_shifts * _SHIFT.size
        end = rows + 4 * n_floats
        if whose != identity.ljust(IDENTITY, b"\0") or n_floats not in (0, width) or end > len(data) or start > n:
            return None
        shifts = tuple(_SHIFT.iter_unpack(data[_HEAD.size : rows]))
        row = np.frombuffer(data, "<f4", n_floats, rows).astype(np.float32) if n_floats else None
        return cls(identity, n, start, shifts, row, data[end:])
