"""The API for computers that are paired with this one: beside the plain one, at a port of its own, over TLS alone."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from app.api.peer_access import EVERYWHERE, PeerAccess
from app.core.errors import UserError
from app.core.paths import Paths
from app.core.sentence import Sentence
from app.remote.pairing.discovery import wait_announced
from app.remote.pairing.host import LIFETIME, PairingHost, serve_one
from app.remote.pairing.peers import Peer
from app.services.local_api.thread import ApiThread
from app.services.remote.paired_computers import PairedComputers, own_address

if TYPE_CHECKING:
    from aiohttp import web

    from app.api.auth import Access

Say = Callable[[str], None]


class PairedServing:
    """`start` and `stop` are awaited once each."""

    def __init__(self, paths: Paths, port: int, make_application: "Callable[[Access], web.Application]") -> None:
        """Raises UserError for what is wrong with the disk."""
        self.computers = PairedComputers(paths)
        self._make_application = make_application
        self._api = ApiThread(self._application, EVERYWHERE, port, tls=self.computers.context)
        self._port = 0
        self._pairing: PairingHost | None = None

    async def start(self) -> None:
        """Listen. Raises UserError."""
        self._port = await self._api.start()

    async def stop(self) -> None:
        if self._pairing is not None:
            self._pairing.stop()
        await self._api.stop()

    def tell(self, tell: Say, warn: Say, *, pairs: bool, announces: bool = True) -> None:
        """Where paired computers are served, and the code for one more, where there shall be one; the network is told
        of that one, unless nothing `announces` it.
        """
        names = ", ".join(each.name for each in self.computers.all)
        tell(f"Paired computers: https://{own_address()}:{self._port} ({names or 'none yet'})")
        if pairs:
            self._pairing = self.computers.pairing(self._port)
            tell(_invitation(self._pairing))
            wait = partial(wait_announced, address=own_address()) if announces else PairingHost.wait
            serve_one(self._pairing, lambda end: self._hear(end, tell, warn), wait)

    def _hear(self, end: Peer | UserError | None, tell: Say, warn: Say) -> None:
        """In the pairing's thread."""
        try:
            if isinstance(end, UserError):
                raise end
            if end is not None:
                self.computers.add(end)
                tell(f"{end.name} is paired, and may use this computer's model.")
        except UserError as error:
            warn(error.sentence)

    def _application(self) -> "web.Application":
        return self._make_application(PeerAccess(EVERYWHERE, computers=self.computers))


def _invitation(pairing: PairingHost) -> str:
    code = f"{pairing.code[:3]} {pairing.code[3:]}"
    told = "To pair a computer, enter there the address {address} and the code {code} within {minutes} minutes."
    return Sentence(told, address=f"{own_address()}:{pairing.port}", code=code, minutes=round(LIFETIME / 60))
