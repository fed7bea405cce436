"""Everything about pictures that the window needs, with the thread they share."""

from PySide6.QtCore import QObject

from app.services.engine.engine_service import EngineService
from app.services.pictures.picture_desk import PictureDesk
from app.services.pictures.picture_exports import PictureExports
from app.services.pictures.picture_reader import SvgPainter
from app.services.pictures.picture_shelf import PictureShelf
from app.services.runtime.picture_thread import PictureThread
from app.services.runtime.settings_service import SettingsService
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
        self._thread = PictureThread(self)
        self.desk = PictureDesk(store, engine, settings, self._thread, paint_svg, self)
        self.exports = PictureExports()
        self.shelf = PictureShelf(store, self._thread, parent=self)

    def close(self) -> None:
        """Drop what waits, let what is being decoded end, and end the thread."""
        self.desk.close()
        self._thread.close()
        self.exports.close()
