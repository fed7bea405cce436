"""The computers that may use this one: who they are, and the TLS that lets nobody else in."""

import asyncio
import socket
import ssl
import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from app.core.errors import UserError
from app.core.paths import Paths
from app.remote.pairing.certificate import OwnCertificate
from app.remote.pairing.peers import Peer, PeerFile
from app.storage.file_errors import about_file

if TYPE_CHECKING:
    from app.remote.pairing.host import PairingHost

_NOTED_EACH = 600.0
"""Seconds: when somebody asked last is written so often, and not with every request."""
_ANYWHERE = "192.0.2.1"
"""Of the addresses that are nobody's (RFC 5737); nothing is sent there."""


class PairedComputers:
    """Any thread. Every method may raise UserError for what is wrong with the disk."""

    def __init__(self, paths: Paths) -> None:
        self._path = paths.certificate
        self._list = paths.peers
        self._file = PeerFile(paths.peers)
        self._lock = threading.Lock()
        self._context: ssl.SSLContext | None = None
        self._peers: dict[str, Peer] = {}
        self._used: dict[str, float] = {}
        """When each asked last, in this run."""
        self._noted: dict[str, float] = {}
        """When that was written last."""
        self._stamp = -1
        """When the list was written that was read last: another Hearth of this home may write it, too."""
        self._connections: WeakKeyDictionary[asyncio.BaseTransport, tuple[str, asyncio.AbstractEventLoop]] = (
            WeakKeyDictionary()
        )
        self._look()

    @property
    def all(self) -> tuple[Peer, ...]:
        """In the order in which they were paired."""
        self._look()
        return tuple(
            replace(each, used=max(each.used, self._used.get(each.fingerprint, 0.0))) for each in self._peers.values()
        )

    def knows(self, fingerprint: str) -> bool:
        self._look()
        return fingerprint in self._peers

    def met(self, fingerprint: str, connection: asyncio.BaseTransport, loop: asyncio.AbstractEventLoop) -> None:
        """It asks by this connection, which is cut when it is removed. `loop` is the connection's."""
        now = time.time()
        with self._lock:
            self._connections[connection] = fingerprint, loop
            self._used[fingerprint] = now
            is_due = now - self._noted.get(fingerprint, 0.0) > _NOTED_EACH
            if is_due:
                self._noted[fingerprint] = now
        if is_due:
            loop.run_in_executor(None, self._note, fingerprint, now)

    def _note(self, fingerprint: str, used: float) -> None:
        with self._lock:
            self._file.note_used(fingerprint, used)

    def _look(self) -> None:
        """Read the list where it was written since."""
        with self._lock:
            stamp = self._list.stat().st_mtime_ns if self._list.exists() else 0
            if stamp == self._stamp:
                return
            self._stamp = stamp
            before, self._peers = self._peers, {each.fingerprint: each for each in self._file.read()}
            for name, peer in self._peers.items():
                if self._context is not None and name not in before:
                    self._context.load_verify_locations(cadata=peer.certificate)

    def own(self) -> OwnCertificate:
        return own_certificate(self._path)

    def context(self) -> ssl.SSLContext:
        """One for all who serve them; it learns of those that are added. Who is removed still gets as far as a request,
        which has to ask `knows`.
        """
        peers = self.all
        with self._lock:
            if self._context is None:
                self._context = self.own().for_peers(each.certificate for each in peers)
            return self._context

    def add(self, peer: Peer) -> None:
        with self._lock:
            self._peers = {**self._peers, peer.fingerprint: peer}
            if self._context is not None:
                self._context.load_verify_locations(cadata=peer.certificate)
            kept = self._file.add(peer)
        if not kept:
            raise UserError("The list of paired computers can't be written, so it holds until Hearth is closed.")

    def remove(self, fingerprint: str) -> None:
        with self._lock:
            self._peers = {name: each for name, each in self._peers.items() if name != fingerprint}
            kept = self._file.remove(fingerprint)
            open_now = [(each, loop) for each, (name, loop) in self._connections.items() if name == fingerprint]
        for connection, loop in open_now:
            if isinstance(connection, asyncio.Transport):
                with suppress(RuntimeError):  # its loop has ended
                    loop.call_soon_threadsafe(connection.abort)
        if not kept:
            raise UserError("The list of paired computers can't be written, so it holds until Hearth is closed.")

    def pairing(self, port: int, host: str = "") -> "PairingHost":
        """A code, and a listener for who knows it; those that are paired are served at `port`."""
        # Imported here: the window's start need not wait for the arithmetic of elliptic curves.
        from app.remote.pairing.host import PairingHost

        try:
            return PairingHost(self.own(), computer_name(), port, host)
        except OSError as error:
            raise UserError("No port can be opened for pairing: {why}.", why=error.strerror or error) from error


def own_certificate(path: Path) -> OwnCertificate:
    """Raises UserError."""
    try:
        own = OwnCertificate.at(path)
        own.shown_to_all()
    except (ValueError, ssl.SSLError) as error:
        told = "{path} is no certificate of Hearth's. Move it away; computers have to be paired again then."
        raise UserError(told, path=path) from error
    except OSError as error:
        raise about_file(path, error) from error
    return own


def computer_name() -> str:
    """As people know this computer."""
    return socket.gethostname().partition(".")[0] or "Hearth"


def own_address() -> str:
    """Where others of the same network find this computer, as far as its routes tell; its own loopback otherwise."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((_ANYWHERE, 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
