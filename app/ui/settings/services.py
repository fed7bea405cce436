"""What the dialog of settings shows and puts in force."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from app.core.events import ModelInfo
from app.core.fit import Fit, Proposal
from app.core.model_ref import ModelRef
from app.core.settings import Settings

if TYPE_CHECKING:
    from app.library.catalogue import LibraryModel
    from app.services.chat.chat_controller import ChatController
    from app.services.chat.conversation_tools import ConversationTools
    from app.services.engine.service import EngineService
    from app.services.local_api.paired_sharing import PairedSharing
    from app.services.local_api.switch import ApiSwitch
    from app.services.runtime.settings_service import SettingsService


class ModelLibrary(Protocol):
    """What is known of models: `app.services.models.models.Models`, or a test's stand-in."""

    def drafts_for(self, model: ModelRef) -> "Sequence[LibraryModel]":
        """Those that could draft for a model, the best first."""

    def fit_with(self, info: ModelInfo, settings: Settings) -> tuple[Fit, Sequence[Proposal]] | None:
        """Whether the model in memory would fit if it were loaded with `settings`, and what would if not; None where
        nobody knows what is free."""


class NoLibrary:
    """Where no library is."""

    def drafts_for(self, model: ModelRef) -> "Sequence[LibraryModel]":
        return ()

    def fit_with(self, info: ModelInfo, settings: Settings) -> tuple[Fit, Sequence[Proposal]] | None:
        return None


@dataclass(frozen=True, slots=True)
class SettingsServices:
    settings: "SettingsService"
    engine: "EngineService"
    controller: "ChatController"
    api: "ApiSwitch | None" = None
    models: ModelLibrary = field(default_factory=NoLibrary)
    tools: "ConversationTools | None" = None
    sharing: "PairedSharing | None" = None
