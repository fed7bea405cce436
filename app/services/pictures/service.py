"""Everything about pictures that the window needs, with the thread they share."""

from PySide6.QtCore import QObject

from app.services.engine.service import EngineService
from app.services.pictures.draft_pictures import DraftPictures
from app.services.pictures.exports import PictureExports
from app.services.pictures.preview_cache import PreviewCache
from app.services.pictures.reader import SvgPainter
from app.services.runtime.settings_service import SettingsService
from app.services.runtime.worker_thread import WorkerThread
from app.storage.attachments import AttachmentStore


class PictureService(QObject):
    """GUI thread. `close` must be called before the last reference goes."""

    def __init__(
        self,
        store: AttachmentStore,
        engine: EngineService,
        settings: SettingsService,
        paint_svg: SvgPainter,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._thread = WorkerThread(self)
        self.drafts = DraftPictures(store, engine, settings, self._thread, paint_svg, self)
        self.exports = PictureExports()
        self.previews = PreviewCache(store, self._thread, parent=self)

    def close(self) -> None:
        """Drop what waits, let what is being decoded end, and end the thread."""
        self.drafts.close()
        self._thread.close()
        self.exports.close()
