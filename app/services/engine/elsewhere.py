"""What the engine's façade hands on: questions to models that no file of this computer holds."""

from typing import Protocol

from app.core.errors import UserError
from app.core.events import ModelInfo
from app.core.model_ref import ModelRef
from app.core.requests import ChatRequest
from app.services.engine.futures import Hear, Reply
from app.services.engine.states import ModelFailed, ModelOnServer


class Elsewhere(Protocol):
    """Asked in the GUI thread; nothing here waits for a network."""

    def info_of(self, model: ModelRef) -> ModelInfo:
        """What is known of a server's model by now. Raises UserError where its server is not known any more."""

    def generate(self, model: ModelRef, request: ChatRequest, hear: Hear) -> Reply:
        """Ask for a reply; `hear` is told all of it, in this thread, and nothing before this has returned.

        Several are written at once, and none waits for another. Raises UserError, as `info_of`.
        """


class NoServers:
    """Where none was ever added."""

    def info_of(self, model: ModelRef) -> ModelInfo:
        raise unknown_server(model)

    def generate(self, model: ModelRef, request: ChatRequest, hear: Hear) -> Reply:
        raise unknown_server(model)


def unknown_server(model: ModelRef) -> UserError:
    return UserError("The server that had {name} was removed: choose another model.", name=model.title)


def chosen(model: ModelRef, elsewhere: Elsewhere) -> ModelOnServer | ModelFailed:
    """The engine's state when a server's model was chosen."""
    try:
        return ModelOnServer(elsewhere.info_of(model))
    except UserError as error:
        return ModelFailed(model, error)
