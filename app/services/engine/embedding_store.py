"""What is kept of media, for the program's life: opened on first use, in the engine thread."""

from typing import TYPE_CHECKING

from app.core.picture_settings import PictureSettings
from app.library.pairing import ProjectorPairs
from app.services.engine.plans import MediaPlan
from app.storage.attachments import AttachmentStore

if TYPE_CHECKING:
    from app.engine.media.media import MediaStores

_MIB = 1 << 20


class EmbeddingStore:
    """Belongs to the engine thread. Outlives the models: what is encoded stays so when another one is loaded."""

    def __init__(self, plan: MediaPlan) -> None:
        self._plan = plan
        self._stores: MediaStores | None = None

    @property
    def projectors(self) -> ProjectorPairs:
        return self._plan.projectors

    def stores(self, settings: PictureSettings) -> "MediaStores":
        """The stores, with these settings in force."""
        from app.engine.media.embeddings import EmbeddingCache
        from app.engine.media.media import MediaStores

        if self._stores is None:
            memory, disk = _budgets(settings)
            cache = EmbeddingCache(memory, self._plan.embeddings, disk)
            self._stores = MediaStores(AttachmentStore(self._plan.attachments), cache)
        else:
            self.set_budgets(settings)
        return self._stores

    def set_budgets(self, settings: PictureSettings) -> None:
        """Nothing before the stores were opened."""
        if self._stores is not None:
            self._stores.embeddings.set_budgets(*_budgets(settings))

    def close(self) -> None:
        if self._stores is not None:
            self._stores.embeddings.close()


def _budgets(settings: PictureSettings) -> tuple[int, int]:
    """Bytes in memory and on disk."""
    return settings.cache_ram * _MIB, settings.cache_disk * _MIB
