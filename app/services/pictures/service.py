"""Everything about pictures of conversations that the window needs, with the thread they share."""

import shutil
import tempfile
from pathlib import Path

from PySide6.QtCore import QObject

from app.core.messages import ImagePart
from app.services.pictures.names import file_name
from app.services.pictures.preview_cache import PreviewCache
from app.services.runtime.worker_thread import WorkerThread
from app.storage.attachments import AttachmentStore
from app.storage.file_errors import about_file


class PictureService(QObject):
    """GUI thread. `close` must be called before the last reference goes."""

    def __init__(self, store: AttachmentStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = WorkerThread(self)
        self.exports = PictureExports()
        self.previews = PreviewCache(store, self._thread, parent=self)

    def close(self) -> None:
        """Drop what waits, let what is being decoded end, and end the thread."""
        self._thread.close()
        self.exports.close()


class PictureExports:
    """A folder that only the user may read; made when first needed, removed by `close`."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    def put(self, part: ImagePart, data: bytes) -> Path:
        """The file with `data`, named as the picture is. Raises UserError."""
        try:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="hearth-pictures-"))
            # Two pictures may have one name.
            folder = self._folder / part.content_hash[:16]
            path = folder / file_name(part.name, data)
            if not path.exists():
                folder.mkdir(exist_ok=True)
                path.write_bytes(data)
        except OSError as error:
            raise about_file(Path(tempfile.gettempdir()), error) from error
        return path

    def close(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
