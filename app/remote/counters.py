"""What a server counts for all who ask it, from which one answer's share is told where nothing of it is."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass

from app.core.errors import UserError
from app.remote.asking import Asker
from app.remote.exchange import Patience
from app.remote.server import Server
from app.remote.stop_signal import StopSignal

_PATIENCE = Patience(connect=2.0, write=2.0, first=2.0, between=2.0)
"""It is worth no wait."""
_LONGEST = 1 << 16
"""Lines."""
_telling: set[str] = set()
"""Servers that told of an answer by itself in this run, and of which nothing is counted then."""
_telling_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Counted:
    """Prompt tokens, since the server began."""

    looked_up: int
    found: int


def count(server: Server, names: tuple[str, str] | None, stop: StopSignal) -> Counted | None:
    """By Prometheus' text at `/metrics`; `names` are those of the counters. None where nothing is told there, and where
    nothing has to be counted. Raises StoppedError.
    """
    with _telling_lock:
        if names is None or server.address.base in _telling:
            return None
    try:
        told = Asker(server.address, server.key, stop, _PATIENCE).ask("/metrics")
    except UserError:
        return None
    sums = _sums(told.raw.decode("utf-8", "replace"), names) if told.ok else {}
    looked_up, found = (sums.get(each) for each in names)
    return Counted(looked_up, found) if looked_up is not None and found is not None else None


def tells_itself(server: Server) -> None:
    with _telling_lock:
        _telling.add(server.address.base)


def reused(before: Counted | None, after: Counted | None, prompt_total: int) -> int | None:
    """Tokens of one prompt; None where somebody else asked meanwhile, so that nobody can tell whose they are."""
    if before is None or after is None or after.looked_up - before.looked_up != prompt_total:
        return None
    found = after.found - before.found
    return found if 0 <= found <= prompt_total else None


def _sums(text: str, names: tuple[str, str]) -> Mapping[str, int]:
    """Over all labels."""
    sums: dict[str, int] = {}
    for line in text.split("\n", _LONGEST)[:_LONGEST]:
        name, _, value = line.rpartition(" ")
        name = name.partition("{")[0].strip()
        if name in names:
            try:
                sums[name] = sums.get(name, 0) + int(float(value))
            except (ValueError, OverflowError):
                return {}
    return sums
