"""Short questions to a server, whose answers are objects of JSON: bounded in length and time."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from app.core.errors import UserError
from app.remote.address import ServerAddress
from app.remote.exchange import Exchange, Head, Outgoing, Patience
from app.remote.failures import LONGEST_ERROR, BrokenError, is_web_page, leads_on, of_status, wait_told, web_page
from app.remote.stop_signal import StopSignal

_LONGEST = 16 << 20
"""Bytes: routers list thousands of models."""
_PATIENCE = Patience(connect=6.0, write=10.0, first=15.0, between=15.0)
"""Nobody computes for these."""


@dataclass(frozen=True, slots=True)
class Told:
    """An answer; `body` is empty where it holds no object of JSON."""

    head: Head
    body: Mapping[str, object]
    raw: bytes = b""

    @property
    def ok(self) -> bool:
        return self.head.status == 200


class Asker:
    """Asks one server."""

    def __init__(
        self,
        address: ServerAddress,
        key: str,
        stop: StopSignal,
        patience: Patience = _PATIENCE,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._address = address
        self._key = key
        self._stop = stop
        self._patience = patience
        self._headers = headers or {}

    def ask(self, path: str, body: Mapping[str, object] | None = None) -> Told:
        """Whatever the status. Raises StoppedError, and UserError where there is no answer at all."""
        asked = Outgoing("GET" if body is None else "POST", self._address.url(path), body, self._headers)
        try:
            with Exchange(self._address, self._key, asked, self._patience, self._stop) as exchange:
                head = exchange.head()
                raw = exchange.body(_LONGEST if head.status == 200 else LONGEST_ERROR)
        except BrokenError as error:
            raise error.told from error
        return Told(head, _object(raw), raw)

    def refusal(self, told: Told) -> UserError:
        """The sentence for an answer that is no success."""
        head = told.head
        if 300 <= head.status < 400:
            return leads_on(self._address, head.headers.get("location", ""))
        if is_web_page(head.content_type, told.raw) or head.status == 200:
            return web_page(self._address)
        wait = wait_told(head.headers)
        return of_status(self._address, head.status, told.raw, key=self._key, wait=wait)


def _object(raw: bytes) -> Mapping[str, object]:
    try:
        said = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
