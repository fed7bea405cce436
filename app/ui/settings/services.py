"""What the dialog of settings shows and puts in force."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.core.loading import Loading
from app.core.speculation import Speculation

if TYPE_CHECKING:
    from app.library.catalogue import LibraryModel
    from app.services.chat.chat_controller import ChatController
    from app.services.engine.service import EngineService
    from app.services.local_api.switch import ApiSwitch
    from app.services.runtime.settings_service import SettingsService

FreeMemory = Callable[[], int]
"""Bytes that are free for a model now; 0 for unknown."""


class DraftLibrary(Protocol):
    """What is known of models that draft: `app.services.models.models.Models`, or a test's stand-in."""

    def drafts_for(self, path: Path) -> "Sequence[LibraryModel]":
        """Those that could draft for the one at `path`, the best first."""

    def draft_size(self, path: Path, loading: Loading, asked: Speculation) -> int:
        """Bytes that drafting so takes beside it."""


class NoDrafts:
    """Where no library is."""

    def drafts_for(self, path: Path) -> "Sequence[LibraryModel]":
        return ()

    def draft_size(self, path: Path, loading: Loading, asked: Speculation) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class SettingsServices:
    settings: "SettingsService"
    engine: "EngineService"
    controller: "ChatController"
    free_memory: FreeMemory
    api: "ApiSwitch | None" = None
    drafts: DraftLibrary = field(default_factory=NoDrafts)
