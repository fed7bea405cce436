"""Files of pictures for other programs, under their own names, for as long as this one runs."""

import shutil
import tempfile
from pathlib import Path

from app.core.messages import ImagePart
from app.services.pictures.names import file_name
from app.storage.file_errors import about_file


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
