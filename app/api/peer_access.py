"""Who may use the API over TLS: computers that are paired with this one, and known by their certificates."""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from aiohttp import web

from app.api.auth import PEER, Access
from app.api.errors import ApiError
from app.remote.pairing.certificate import fingerprint_of
from app.services.remote.paired_computers import PairedComputers

EVERYWHERE = ""
"""All addresses, those of IPv6 among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerAccess(Access):
    """The key is the certificate, and a page that has its name point here has none."""

    is_paired: ClassVar[bool] = True
    computers: PairedComputers

    def check(self, request: web.Request) -> None:
        """Raises ApiError, also for who was paired when the connection was made."""
        encrypted = request.transport.get_extra_info("ssl_object") if request.transport is not None else None
        shown = encrypted.getpeercert(binary_form=True) if encrypted is not None else None
        if shown is None or not self.computers.knows(fingerprint_of(shown)):
            told = "This computer is not paired with that one any more. Pair them again."
            raise ApiError(403, told, code="not_paired")
        peer = request[PEER] = fingerprint_of(shown)
        if request.transport is not None:
            self.computers.met(peer, request.transport, asyncio.get_running_loop())
