"""Servers that people added, in a file: where each is, and what it told last, so that a start asks nobody."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.files import load_json, save_json
from app.remote.address import ServerAddress
from app.remote.server import Server, ServerKind, ServerModel
from app.remote.shapes import unlisted
from app.remote.worker import Spread


@dataclass(frozen=True, slots=True)
class SavedServer:
    """Its key lies elsewhere."""

    id: str
    """Names it in every `ModelRef`, whatever becomes of its name and address."""
    name: str
    address: ServerAddress
    kind: ServerKind = ServerKind.OTHER
    version: str = ""
    models: tuple[ServerModel, ...] = ()
    """As it listed them last."""
    spread: Spread | None = None
    """What this program starts itself, on other computers; None where it is a server that others run."""

    def with_key(self, key: str) -> Server:
        return Server(self.address, self.kind, key, self.version)

    def find(self, name: str) -> ServerModel | None:
        """By the name that the server gives it."""
        return next((each for each in self.models if each.id == name), None)

    def model_named(self, name: str) -> ServerModel:
        """Also one that it did not list: it may be there again."""
        return self.find(name) or unlisted(self.kind, name)


class SavedServers:
    """A JSON file. What is damaged in it is left out."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.secret = secrets.token_bytes(32)
        """This person's for good, and told to nobody: see `RemoteEngine`."""

    def read(self) -> tuple[SavedServer, ...]:
        told = load_json(self._path, _understood)
        if told is None:
            return ()
        self.secret, servers = told
        return servers

    def write(self, servers: Iterable[SavedServer]) -> bool:
        """False where the disk refuses; the log says why."""
        # Imported where it is needed, as below: the window's start need not wait for it.
        import msgspec

        told = {"secret": self.secret.hex(), "servers": msgspec.to_builtins(list(servers))}
        return save_json(self._path, told, "The list of servers")


def _understood(told: dict[str, Any]) -> tuple[bytes, tuple[SavedServer, ...]]:
    secret = bytes.fromhex(told["secret"])
    return secret, tuple(each for each in map(_server, told["servers"]) if each is not None)


def _server(told: object) -> SavedServer | None:
    import msgspec

    try:
        found = msgspec.convert(told, SavedServer)
        ServerAddress.typed(found.address.base)
    except Exception:  # noqa: BLE001 - whatever it is, the others are fine
        return None
    return found if found.id and "/" not in found.id else None
