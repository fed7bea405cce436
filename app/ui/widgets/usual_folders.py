"""Where dialogs for files begin, as long as nobody has been elsewhere."""

import os
from pathlib import Path

from PySide6.QtCore import QStandardPaths


def documents_folder() -> str:
    return _there(QStandardPaths.StandardLocation.DocumentsLocation)


def pictures_folder() -> str:
    return _there(QStandardPaths.StandardLocation.PicturesLocation)


def _there(location: QStandardPaths.StandardLocation) -> str:
    """Of a folder that is not there, Qt's dialog would write the name where the file's belongs, and open nothing."""
    folder = QStandardPaths.writableLocation(location)
    # Path.is_dir raises where the folder can't be read.
    return folder if os.path.isdir(folder) else str(Path.home())  # noqa: PTH112
