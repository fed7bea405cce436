"""States of conversations between paired Hearths: what the other one holds, brought here, and sent there."""

import json
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from app.core.errors import UserError
from app.core.events import HeldState
from app.core.requests import SESSION
from app.remote.asking import Asker
from app.remote.exchange import Exchange, Outgoing, Patience
from app.remote.failures import LONGEST_ERROR, BrokenError, of_status
from app.remote.server import Server
from app.remote.stop_signal import StopSignal

HELD = "/hearth/held"
STATE = "/hearth/state"
_PATIENCE = Patience(connect=6.0, write=30.0, first=60.0, between=30.0)
_SHORTEST = 1e-3
"""Seconds: of what is quicker no rate can be told."""


def pays(n_entries: int, n_bytes: int, *, link: float, reading: float, trying: float = 0.0) -> bool:
    """Whether a state is moved sooner, at `link` bytes a second and `trying` seconds, than its entries are read, at
    `reading` a second.
    """
    return n_entries > 0 and n_bytes / link + trying < n_entries / reading


class StateLink:
    """For one conversation. Every method blocks, and raises UserError and StoppedError."""

    def __init__(self, server: Server, session: str, stop: StopSignal) -> None:
        """`session` is what chat requests call the conversation."""
        self._server = server
        self._headers = {SESSION: session}
        self._stop = stop

    def held(self) -> HeldState:
        import msgspec

        told = Asker(self._server.address, self._server.key, self._stop, headers=self._headers).ask(HELD)
        if told.head.status != 200:
            raise UserError("{server} moves no states of conversations.", server=self._server.address.shown)
        try:
            known = {each.name: told.body[each.name] for each in fields(HeldState) if each.name in told.body}
            found = msgspec.convert(known, HeldState)
        except msgspec.ValidationError as error:
            raise UserError("The server's answer can't be read.", detail=str(error)) from error
        return found

    def fetch(self, path: Path, most: int) -> tuple[int, float]:
        """Write what it holds. Bytes, and the seconds from the first one on; more than `most` bytes are refused."""
        size, began = 0, 0.0
        asked = Outgoing("GET", self._server.address.url(STATE), headers=self._headers)
        with path.open("wb") as file:
            for data in self._answer(asked):
                began = began or time.monotonic()
                size += len(data)
                if size > most:
                    raise UserError("{server} sends more than it said.", server=self._server.address.shown)
                file.write(data)
        return size, time.monotonic() - began if began else 0.0

    def send(self, path: Path) -> tuple[int, float]:
        """Let it hold a state. Bytes, and the seconds that they took; not those in which it was tried there."""
        began = time.monotonic()
        asked = Outgoing("PUT", self._server.address.url(STATE), headers=self._headers, file=path)
        told = b"".join(self._answer(asked))
        return path.stat().st_size, max(time.monotonic() - began - _seconds(told), _SHORTEST)

    def _answer(self, asked: Outgoing) -> Iterator[bytes]:
        try:
            with Exchange(self._server.address, self._server.key, asked, _PATIENCE, self._stop) as exchange:
                head = exchange.head()
                if head.status != 200:
                    raise of_status(self._server.address, head.status, exchange.body(LONGEST_ERROR), key="")
                yield from exchange.pieces()
        except BrokenError as error:
            raise error.told from error


def _seconds(told: bytes) -> float:
    """That the other one needed for more than the bytes; 0 where it does not tell."""
    try:
        found = json.loads(told)["seconds"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0.0
    return float(found) if isinstance(found, float) and found > 0 else 0.0
