"""Pictures and files that people attached, kept once each under the hash of their bytes."""

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path

from app.core.files import write_atomic
from app.storage.file_errors import about_file

_HASH = re.compile(r"[0-9a-f]{64}")


class AttachmentStore:
    """Files named by their sha256, two levels down so that no folder grows large. For any thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, data: bytes) -> str:
        """Keep `data`, and return its sha256 hex. Raises UserError."""
        content_hash = hashlib.sha256(data).hexdigest()
        path = self._path(content_hash)
        try:
            # A file of another size is what a failing disk left.
            if not path.exists() or path.stat().st_size != len(data):
                write_atomic(self.place(content_hash), data)
            else:
                # It is wanted again: what is as old as that is not taken for forgotten.
                with suppress(OSError):
                    os.utime(path)
        except OSError as error:
            raise about_file(path, error) from error
        return content_hash

    def get(self, content_hash: str) -> bytes | None:
        """The bytes, which are not compared with the hash; None where nothing is kept, or for what is no hash."""
        if not _HASH.fullmatch(content_hash):
            return None
        path = self._path(content_hash)
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise about_file(path, error) from error

    def has(self, content_hash: str) -> bool:
        """Whether something is kept under this hash, whatever its bytes."""
        return bool(_HASH.fullmatch(content_hash)) and self._path(content_hash).is_file()

    def place(self, content_hash: str) -> Path:
        """Where a file with this hash belongs, in a folder that is there now. Raises OSError."""
        path = self._path(content_hash)
        for folder in (self._folder, path.parent.parent, path.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path

    def _path(self, content_hash: str) -> Path:
        return self._folder / content_hash[:2] / content_hash[2:4] / content_hash
