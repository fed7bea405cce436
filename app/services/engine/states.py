"""What the services tell the window: one frozen value per signal."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from app.core.errors import UserError
from app.core.events import (
    Finished,
    LoadStage,
    Looking,
    ModelInfo,
    PromptProgress,
    QueuedFor,
    ReplyEvent,
    SlotStatus,
    TextDelta,
    ToolCallDelta,
)
from app.core.model_ref import ModelRef
from app.core.speculation import DraftFigures

if TYPE_CHECKING:  # with the database they take 20 ms, which `hearth serve` has no use for
    from app.storage.conversations import Conversation, StoredMessage


@dataclass(frozen=True, slots=True)
class NoModel:
    """Nothing is loaded, and nothing is being loaded."""


@dataclass(frozen=True, slots=True)
class ModelLoading:
    model: ModelRef
    stage: LoadStage
    fraction: float
    wakes: ModelInfo | None = None
    """The model that rested, where it comes back."""


@dataclass(frozen=True, slots=True)
class ModelReady:
    info: ModelInfo
    notes: tuple[str, ...] = ()
    error: UserError | None = None
    """Why another model that was asked for is not there."""
    slot: SlotStatus | None = None
    """What the context holds, where the model stayed; None for one that was loaded just now."""


@dataclass(frozen=True, slots=True)
class ModelResting:
    """It has no context; whoever asks it something has it activated."""

    info: ModelInfo
    """As it was when it was active."""
    error: UserError | None = None
    """Why another model that was asked for is not there."""
    in_memory: bool = False
    """Its weights are; otherwise it is on disk alone."""


@dataclass(frozen=True, slots=True)
class ModelFailed:
    model: ModelRef
    error: UserError


@dataclass(frozen=True, slots=True)
class ModelOnServer:
    """A server's model was chosen: it can be asked at once, whatever this computer has in memory. Nothing is known of
    whether the server is there.
    """

    info: ModelInfo

    @property
    def model(self) -> ModelRef:
        return self.info.ref


EngineState = NoModel | ModelLoading | ModelReady | ModelResting | ModelFailed | ModelOnServer


def known_model(state: EngineState) -> ModelInfo | None:
    """The model that answers now, or would after it has been loaded again; None where there is none."""
    match state:
        case ModelReady(info) | ModelResting(info) | ModelOnServer(info):
            return info
        case ModelLoading(wakes=info):
            return info
    return None


def ready_model(state: EngineState) -> ModelInfo | None:
    """The model that can be asked right now, in memory or on a server; None where there is none."""
    return state.info if isinstance(state, ModelReady | ModelOnServer) else None


class ModelPlace(StrEnum):
    """Where a model is that is known to the engine."""

    ACTIVE = "active"
    """It has a context."""
    IN_MEMORY = "in_memory"
    """Its weights are there, without a context."""
    ON_DISK = "on_disk"


def place_of(state: EngineState) -> ModelPlace | None:
    match state:
        case ModelReady():
            return ModelPlace.ACTIVE
        case ModelResting(in_memory=in_memory):
            return ModelPlace.IN_MEMORY if in_memory else ModelPlace.ON_DISK
    return None


@dataclass(frozen=True, slots=True)
class ReplyUpdate:
    """One event of a reply."""

    event: ReplyEvent
    drafting: DraftFigures | None = None
    """What drafting did so far, with text that was written."""

    @property
    def is_written(self) -> bool:
        """Whether it carries more of the answer."""
        return isinstance(self.event, TextDelta | ToolCallDelta)

    @property
    def is_last(self) -> bool:
        return isinstance(self.event, Finished)


class Warmth(StrEnum):
    """Where what the model had read of a conversation would come back from."""

    MEMORY = "memory"
    DISK = "disk"


@dataclass(frozen=True, slots=True)
class SnapshotStatus:
    """What is kept of conversations."""

    memory_bytes: int = 0
    """Of those that were left; the context itself not counted."""
    disk_bytes: int = 0
    """Of all models."""
    conversations: Mapping[str, Warmth] = field(default_factory=dict, hash=False)
    """By their keys: those that the loaded model need not read again. All others are cold."""


@dataclass(frozen=True, slots=True)
class ReplyFailed:
    """A reply ended by an error: a `UserError` to show, or a bug (already reported)."""

    error: Exception


@dataclass(frozen=True, slots=True)
class OpenConversation:
    """The conversation on screen, root to head."""

    conversation: "Conversation"
    messages: "tuple[StoredMessage, ...]"


@dataclass(frozen=True, slots=True)
class Idle:
    pass


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message was sent; the model is still loading, or the engine has not begun."""

    queued_for: QueuedFor | None = None
    """What others have to give first."""
    why: str = ""
    """One sentence: what its server said that is asked again soon; empty where nothing is wrong."""


@dataclass(frozen=True, slots=True)
class Prefilling:
    progress: PromptProgress


@dataclass(frozen=True, slots=True)
class Encoding:
    """A picture is being encoded."""

    looking: Looking


@dataclass(frozen=True, slots=True)
class Generating:
    tokens_per_second: float
    """Over the answer so far; 0 before the second token, and where nobody tells."""
    n_past: int | None
    drafting: DraftFigures | None = None
    """What drafting did so far, where that is known."""


@dataclass(frozen=True, slots=True)
class Stopping:
    pass


@dataclass(frozen=True, slots=True)
class Calling:
    """The answer has asked for tools, and goes on when they have answered."""

    asks: bool
    """They wait for a person's word."""


Activity = Idle | Waiting | Prefilling | Encoding | Generating | Calling | Stopping
