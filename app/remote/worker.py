"""Where an `rpc-server` of llama.cpp listens, which computes a part of a model."""

import socket
from dataclasses import dataclass

from app.core.errors import UserError
from app.remote.address import ServerAddress

MOST_WORKERS = 16
"""llama.cpp's."""
USUAL_CONTEXT = 8192
"""Tokens; what the file would allow may be more than the machines have room for."""
_USUAL_PORT = 50052
"""Of `rpc-server`, where nobody chose another one."""
_KNOCK = 2.0
"""Seconds for a worker to take a connection."""


@dataclass(frozen=True, slots=True)
class Worker:
    """An `rpc-server` of the same build; one llama-server each, for another one would wait in silence."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def answers(self) -> bool:
        """Whether something takes connections there; nothing is said to it."""
        try:
            socket.create_connection((self.host, self.port), _KNOCK).close()
        except OSError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Spread:
    """A model of this computer that is computed on other ones, by a llama-server of this program's."""

    model: str
    """Path of its file."""
    workers: tuple[Worker, ...]
    program: str = ""
    """llama-server; empty takes the one that the system finds."""
    n_ctx: int = USUAL_CONTEXT

    @property
    def address(self) -> ServerAddress:
        """Where what is asked goes: of the first that is not this computer."""
        places = [ServerAddress(f"http://{each}") for each in self.workers]
        return next((each for each in places if not each.is_loopback), places[0])


def workers_typed(text: str) -> tuple[Worker, ...]:
    """Addresses between commas or spaces, each with a port or with the usual one; each once. Raises UserError with a
    sentence.
    """
    found = tuple(dict.fromkeys(_worker(each) for each in text.replace(",", " ").split()))
    if not 0 < len(found) <= MOST_WORKERS:
        raise UserError("Name between one and {count} computers, such as 192.168.1.5:50052.", count=MOST_WORKERS)
    return found


def _worker(text: str) -> Worker:
    place = ServerAddress.typed(text if "://" in text else f"http://{text}")
    port = place.port
    return Worker(place.host, _USUAL_PORT if port is None else port)
