"""The Hearths that this one is paired with, in a file: their certificates are what they are known by."""

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from app.core.files import load_json, save_json
from app.remote.pairing.certificate import can_be_trusted, fingerprint_of


@dataclass(frozen=True, slots=True)
class Peer:
    certificate: str
    """PEM"""
    name: str
    """As it calls itself."""
    since: float = field(default_factory=time.time)
    """Seconds since the epoch."""
    used: float = 0.0
    """When it asked last, about; 0 where it never did."""

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self.certificate)


class PeerFile:
    """Who may ask this computer. What is damaged in it is left out: they have to be paired again."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> tuple[Peer, ...]:
        return load_json(self._path, _understood) or ()

    def add(self, peer: Peer) -> bool:
        """In the place of one with the same certificate. False where the disk refuses."""
        return self._write((*(each for each in self.read() if each.fingerprint != peer.fingerprint), peer))

    def note_used(self, fingerprint: str, used: float) -> bool:
        """Nothing where it is not there any more."""
        peers = self.read()
        noted = [replace(each, used=used) if each.fingerprint == fingerprint else each for each in peers]
        return tuple(noted) == peers or self._write(noted)

    def remove(self, fingerprint: str) -> bool:
        return self._write(each for each in self.read() if each.fingerprint != fingerprint)

    def _write(self, peers: Iterable[Peer]) -> bool:
        return save_json(self._path, [asdict(each) for each in peers], "The list of paired computers")


def _understood(told: Any) -> tuple[Peer, ...]:
    return tuple(each for each in map(_peer, told) if each is not None)


def _peer(told: Any) -> Peer | None:
    match told:
        case {"certificate": str(certificate), "name": str(name), "since": int() | float() as since}:
            used = told.get("used")
            used = float(used) if isinstance(used, int | float) else 0.0
            return Peer(certificate, name, float(since), used) if can_be_trusted(certificate) else None
    return None
