"""Shows a file in the system's file manager."""

import sys
from pathlib import Path

from PySide6.QtCore import QProcess, QUrl
from PySide6.QtGui import QDesktopServices


def reveal(path: Path) -> None:
    """Selected in its folder where the system knows a way, otherwise the folder."""
    if sys.platform == "win32":
        # The comma is a part of the option; explorer wants both in one.
        QProcess.startDetached("explorer", [f"/select,{path}"])
    elif sys.platform == "darwin":
        QProcess.startDetached("open", ["-R", str(path)])
    else:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))
