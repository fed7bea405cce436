"""Lines of JSON over TLS, bounded in length and time, as the two sides of a pairing talk."""

import json
import ssl
import threading
import time
from base64 import b64decode, b64encode

_LONGEST = 8192
"""Bytes of a line; a certificate has 700."""
_LONGEST_NAME = 60
_LOOK = 0.2
SECONDS = 15.0
"""For all that is said."""


class TalkError(Exception):
    """What came is none of ours, or nothing came."""


class Lines:
    def __init__(self, connection: ssl.SSLSocket, stopped: threading.Event | None = None) -> None:
        """Nothing is heard any more once it is `stopped`."""
        self._connection = connection
        self._stopped = stopped or threading.Event()
        self._until = time.monotonic() + SECONDS
        self._rest = b""

    @property
    def seen(self) -> bytes:
        """The certificate that the other side shows, DER."""
        return self._connection.getpeercert(binary_form=True) or b""

    def say(self, **told: str | bytes | int) -> None:
        """Raises OSError."""
        self._limit()
        texts = {name: b64encode(each).decode() if isinstance(each, bytes) else each for name, each in told.items()}
        self._connection.sendall(json.dumps(texts).encode() + b"\n")

    def hear(self) -> dict[str, object]:
        """Raises TalkError and OSError."""
        while b"\n" not in self._rest:
            self._limit(_LOOK)
            try:
                data = self._connection.recv(_LONGEST)
            except TimeoutError:
                if self._stopped.is_set():
                    raise TalkError from None
                continue
            self._rest += data
            if not data or len(self._rest) > _LONGEST:
                raise TalkError
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            said = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise TalkError from error
        if not isinstance(said, dict):
            raise TalkError
        return said

    def _limit(self, most: float = SECONDS) -> None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(min(left, most))


def text(said: dict[str, object], name: str) -> str:
    """Raises TalkError."""
    found = said.get(name)
    if not isinstance(found, str):
        raise TalkError
    return found


def data(said: dict[str, object], name: str) -> bytes:
    """Raises TalkError."""
    try:
        return b64decode(text(said, name), validate=True)
    except ValueError as error:
        raise TalkError from error


def shown_name(told: str) -> str:
    """What a computer calls itself, as it can stand in a window: short, and of visible characters."""
    return "".join(each for each in told if each.isprintable())[:_LONGEST_NAME].strip()
