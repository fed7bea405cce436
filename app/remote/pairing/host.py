"""The side that shows a code and waits for who knows it: a listener of its own, for minutes, and one guess."""

import contextlib
import json
import logging
import socket
import threading
import time
from collections.abc import Callable

from app.core.errors import UserError
from app.remote.pairing.certificate import OwnCertificate, fingerprint_of, is_certificate
from app.remote.pairing.handshake import Host, Sides, WrongCodeError, new_code
from app.remote.pairing.lines import Lines, TalkError, data, shown_name, text
from app.remote.pairing.peers import Peer

LIFETIME = 180.0
"""Seconds that a code holds."""
_MOST_BROKEN = 20
"""Connections that say nothing of use, before the code is given up."""
_LOOK = 0.2
_FIRST = 5.0
"""Seconds that somebody has to begin to speak TLS."""
_log = logging.getLogger(__name__)


class PairingHost:
    """Listens from its making on. `wait` is called by a thread of the caller's."""

    def __init__(self, own: OwnCertificate, name: str, port: int, host: str = "", lifetime: float = LIFETIME) -> None:
        """`name` is what this computer calls itself, `port` where those that are paired are served. `host` is the
        address that is listened on; empty for all. Raises OSError.
        """
        self.code = new_code()
        self.name = shown_name(name)
        self._own = own
        self._told = json.dumps({"name": self.name, "port": port})
        self._until = time.monotonic() + lifetime
        self._context = own.shown_to_all()
        self._stopped = threading.Event()
        self._socket = _listening(host)
        self.port = int(self._socket.getsockname()[1])

    def stop(self) -> None:
        """Any thread, also where nobody waits."""
        self._stopped.set()
        self._socket.close()

    def wait(self) -> Peer | None:
        """Who was paired; None where it was stopped. Raises UserError for a wrong guess, and when the time is over."""
        with self._socket:
            for _ in range(_MOST_BROKEN):
                connection = self._next()
                if connection is None:
                    return None
                try:
                    with connection, self._context.wrap_socket(connection, server_side=True) as encrypted:
                        return self._talk(Lines(encrypted, self._stopped))
                except WrongCodeError as error:
                    raise UserError(
                        "Somebody tried another code, so this one is of no use any more. Make a new one, and try again."
                    ) from error
                except (TalkError, OSError, ValueError) as error:
                    # What strangers send may also be no text, or no certificate.
                    _log.info("Something else than a Hearth came to be paired: %r", error)
        raise UserError("Too many programs came that are no Hearth. Make a new code, in a network that you trust.")

    def _next(self) -> socket.socket | None:
        while not self._stopped.is_set():
            if time.monotonic() > self._until:
                raise UserError("The code is too old now. Make a new one.")
            try:
                self._socket.settimeout(_LOOK)
                connection, _ = self._socket.accept()
            except TimeoutError:
                continue
            except OSError:
                if not self._stopped.is_set():
                    raise
                return None
            connection.settimeout(_FIRST)
            return connection
        return None

    def _talk(self, lines: Lines) -> Peer:
        asked = lines.hear()
        certificate, name = text(asked, "certificate"), text(asked, "name")
        if not is_certificate(certificate):
            raise TalkError
        host = Host(self.code)
        lines.say(start=host.start)
        proof = data(lines.hear(), "proof")
        sides = Sides(guest=fingerprint_of(certificate), host=self._own.fingerprint)
        try:
            own_proof = host.confirm(data(asked, "start"), proof, sides, name, self._told)
        except WrongCodeError:
            with contextlib.suppress(OSError):
                lines.say(refused="code")
            raise
        if self._stopped.is_set():
            raise TalkError
        lines.say(told=self._told, proof=own_proof)
        return Peer(certificate, shown_name(name) or "A computer without a name")


def _listening(host: str) -> socket.socket:
    if not host:
        both = socket.has_dualstack_ipv6()
        family = socket.AF_INET6 if both else socket.AF_INET
        return socket.create_server(("", 0), family=family, dualstack_ipv6=both)
    return socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)


def serve_one(
    host: PairingHost,
    then: Callable[[Peer | UserError | None], None],
    wait: Callable[[PairingHost], Peer | None] = PairingHost.wait,
) -> threading.Thread:
    """Wait in a thread of its own; `then` hears the end there."""

    def run() -> None:
        try:
            found: Peer | UserError | None = wait(host)
        except UserError as error:
            found = error
        then(found)

    thread = threading.Thread(target=run, name="pairing", daemon=True)
    thread.start()
    return thread
