"""What the engine's façade hands on: questions to models that no file of this computer holds."""

from collections.abc import Callable
from typing import Protocol

from app.core.errors import UserError
from app.core.events import ModelInfo
from app.core.model_ref import ModelRef
from app.core.requests import ChatRequest
from app.services.engine.futures import Future, Hear, Reply
from app.services.engine.jobs import Answer, Question
from app.services.engine.state_trial import StateTrial
from app.services.engine.states import EngineState, ModelFailed, ModelOnServer


class Asks(Protocol):
    """The engine of this computer, as `EngineService`."""

    @property
    def state_trial(self) -> StateTrial: ...

    @property
    def local_state(self) -> EngineState: ...

    def ask(self, question: Question[Answer], done: Callable[[Answer | Exception], None]) -> Future[Answer]: ...


class Elsewhere(Protocol):
    """Asked in the GUI thread; nothing here waits for a network."""

    def info_of(self, model: ModelRef) -> ModelInfo:
        """What is known of a server's model by now. Raises UserError where its server is not known any more."""

    def generate(self, model: ModelRef, request: ChatRequest, hear: Hear, here: Asks | None = None) -> Reply:
        """Ask for a reply; `hear` is told all of it, in this thread, and nothing before this has returned. `here` may
        hold what the server would have to read.

        Several are written at once, and none waits for another. Raises UserError, as `info_of`.
        """

    def bring(self, request: ChatRequest, hear: Hear, here: Asks, begin: Callable[[Hear], Reply]) -> Reply:
        """`begin` a reply of this computer's model, at once or when it holds what a server held of the conversation."""


class NoServers:
    """Where none was ever added."""

    def info_of(self, model: ModelRef) -> ModelInfo:
        raise unknown_server(model)

    def generate(self, model: ModelRef, request: ChatRequest, hear: Hear, here: Asks | None = None) -> Reply:
        raise unknown_server(model)

    def bring(self, request: ChatRequest, hear: Hear, here: Asks, begin: Callable[[Hear], Reply]) -> Reply:
        return begin(hear)


def unknown_server(model: ModelRef) -> UserError:
    return UserError("The server that had {name} was removed: choose another model.", name=model.title)


def chosen(model: ModelRef, elsewhere: Elsewhere) -> ModelOnServer | ModelFailed:
    """The engine's state when a server's model was chosen."""
    try:
        return ModelOnServer(elsewhere.info_of(model))
    except UserError as error:
        return ModelFailed(model, error)
