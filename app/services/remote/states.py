"""What the window is told of servers: frozen values."""

from dataclasses import dataclass
from enum import StrEnum

from app.core.errors import UserError
from app.core.model_ref import ModelRef
from app.remote.server import Server, ServerModel
from app.services.remote.saved_servers import SavedServer


class ServerState(StrEnum):
    UNASKED = "unasked"
    """Nobody has asked it in this run."""
    ASKING = "asking"
    THERE = "there"
    """It answered when it was asked last."""
    AWAY = "away"
    """It did not; its models are those of before."""


@dataclass(frozen=True, slots=True)
class KnownServer:
    """One that people added, as it is now."""

    saved: SavedServer
    state: ServerState = ServerState.UNASKED
    problem: UserError | None = None
    """Why it is away; of a model that is spread, also who of several is missing."""

    @property
    def id(self) -> str:
        return self.saved.id

    @property
    def name(self) -> str:
        return self.saved.name


@dataclass(frozen=True, slots=True)
class Listing:
    """What a server said of itself."""

    server: Server
    models: tuple[ServerModel, ...]
    problem: UserError | None = None
    """What is not as it should be, though it answers."""


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model of a server, as the window lists it."""

    ref: ModelRef
    model: ServerModel
    server: KnownServer

    @property
    def name(self) -> str:
        return self.model.name
