"""The side that shows a code and waits for who knows it: a listener of its own, for minutes, and one guess."""

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
from app.remote.pairing.listening import everywhere
from app.remote.pairing.peers import Peer
from app.remote.pairing.visitors import Visitors

LIFETIME = 180.0
"""Seconds that a code holds."""
_GUESSED = "Somebody tried another code, so this one is of no use any more. Make a new one, and try again."
_LOOK = 0.2
FIRST = 5.0
"""Seconds that somebody has to begin to speak TLS."""
_log = logging.getLogger(__name__)


class PairingHost:
    """Listens from its making on. `wait` is called by a thread of the caller's. Several may talk at once: who is slow
    holds up nobody.
    """

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
        self._guess = threading.Lock()
        """Held by who is heard, for there is one guess."""
        self._result: Peer | UserError | None = None
        self._socket = _listening(host)
        self.port = int(self._socket.getsockname()[1])

    def stop(self) -> None:
        """Any thread, also where nobody waits."""
        self._stopped.set()
        self._socket.close()

    def wait(self) -> Peer | None:
        """Who was paired; None where it was stopped. Raises UserError for a wrong guess, and when the time is over."""
        visitors = Visitors(self._visit)
        with self._socket:
            try:
                while (connection := self._next()) is not None:
                    visitors.add(*connection)
            finally:
                self._stopped.set()
                visitors.leave()
        if isinstance(self._result, UserError):
            raise self._result
        return self._result

    def _next(self) -> tuple[socket.socket, str] | None:
        """A connection, and where it comes from; None when it has ended."""
        while not self._stopped.is_set():
            if time.monotonic() > self._until:
                self._end(UserError("The code is too old now. Make a new one."))
                return None
            try:
                self._socket.settimeout(_LOOK)
                connection, address = self._socket.accept()
            except TimeoutError:
                continue
            except OSError:
                if not self._stopped.is_set():
                    raise
                return None
            connection.settimeout(FIRST)
            return connection, str(address[0])
        return None

    def _visit(self, connection: socket.socket) -> None:
        """In a thread of the connection's."""
        try:
            with connection, self._context.wrap_socket(connection, server_side=True) as encrypted:
                self._talk(Lines(encrypted, self._stopped))
        except (TalkError, OSError, ValueError) as error:
            # What strangers send may also be no text, or no certificate.
            _log.info("Something else than a Hearth came to be paired: %r", error)

    def _talk(self, lines: Lines) -> None:
        asked = lines.hear()
        certificate, name = text(asked, "certificate"), text(asked, "name")
        if not is_certificate(certificate):
            raise TalkError
        host = Host(self.code)
        lines.say(start=host.start)
        proof = data(lines.hear(), "proof")
        sides = Sides(guest=fingerprint_of(certificate), host=self._own.fingerprint)
        start, known_as = data(asked, "start"), shown_name(name) or "A computer without a name"
        with self._guess:
            if self._stopped.is_set():
                raise TalkError
            try:
                own_proof = host.confirm(start, proof, sides, name, self._told)
            except WrongCodeError:
                try:
                    lines.say(refused="code")
                finally:
                    self._end(UserError(_GUESSED))
                return
            lines.say(told=self._told, proof=own_proof)
            self._end(Peer(certificate, known_as))

    def _end(self, result: Peer | UserError) -> None:
        self._result = self._result or result
        self._stopped.set()


def _listening(host: str) -> socket.socket:
    if not host:
        return everywhere(0)
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
