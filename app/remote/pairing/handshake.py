"""What two Hearths say to each other so that a code of six digits makes them sure of each other's certificates.

SPAKE2 (RFC 9382) by both sides' code gives a key that is the same only where the codes were. With it each side proves
that it saw the certificates that the other one has: who stands between them has others, and one guess at the code.
"""

import hmac
import secrets
from dataclasses import dataclass

from spake2 import SPAKE2_A, SPAKE2_B

_VERSION = b"pair1"
_DIGITS = 6


class WrongCodeError(Exception):
    """The other side has another code, or sees other certificates."""


def new_code() -> str:
    return f"{secrets.randbelow(10**_DIGITS):0{_DIGITS}}"


def plain_code(typed: str) -> str:
    """As people type it: in groups, or not."""
    return "".join(each for each in typed if not each.isspace() and each not in "-–·.")


@dataclass(frozen=True, slots=True)
class Sides:
    """The fingerprints that one side knows: its own, and that of the certificate which the other one shows."""

    guest: str
    host: str


class Guest:
    """Who was told the code."""

    def __init__(self, code: str) -> None:
        self._spake = SPAKE2_A(code.encode(), idA=b"guest", idB=b"host")
        self.start: bytes = self._spake.start()
        self._key = b""

    def confirm(self, theirs: bytes, sides: Sides, name: str) -> bytes:
        """`name` is this computer's. Raises WrongCodeError for what is no start."""
        self._key = _key(self._spake, theirs)
        return _proof(self._key, b"guest", sides, name)

    def check(self, proof: bytes, sides: Sides, told: str) -> None:
        """`told` is what the host says of itself. Raises WrongCodeError."""
        _compare(proof, _proof(self._key, b"host", sides, told))


class Host:
    """Who made the code. One guess at it, and another code is wanted."""

    def __init__(self, code: str) -> None:
        self._spake = SPAKE2_B(code.encode(), idA=b"guest", idB=b"host")
        self.start: bytes = self._spake.start()

    def confirm(self, theirs: bytes, proof: bytes, sides: Sides, name: str, told: str) -> bytes:
        """`name` is the guest's, `told` what this computer says of itself. Raises WrongCodeError."""
        key = _key(self._spake, theirs)
        _compare(proof, _proof(key, b"guest", sides, name))
        return _proof(key, b"host", sides, told)


def _key(spake: "SPAKE2_A | SPAKE2_B", theirs: bytes) -> bytes:
    try:
        key: bytes = spake.finish(theirs)
    except Exception as error:
        raise WrongCodeError from error
    return key


def _proof(key: bytes, who: bytes, sides: Sides, told: str) -> bytes:
    said = b"|".join((_VERSION, who, sides.guest.encode(), sides.host.encode(), told.encode()))
    return hmac.digest(key, said, "sha256")


def _compare(proof: bytes, wanted: bytes) -> None:
    if not hmac.compare_digest(proof, wanted):
        raise WrongCodeError
