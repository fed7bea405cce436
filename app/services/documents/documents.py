"""The use cases of documents, together."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject

from app.services.documents.document_collections import DocumentCollections
from app.services.documents.search import DocumentSearch


class Documents(QObject):
    """GUI thread."""

    def __init__(self, path: Path, command: Sequence[str], parent: QObject | None = None) -> None:
        """`path` is where the store is, or will be; `command` starts this program."""
        super().__init__(parent)
        self.collections = DocumentCollections(path, command, self)
        self.search = DocumentSearch(path, command, self)

    def start(self) -> None:
        """After the window is there."""
        self.collections.start()

    def close(self) -> None:
        self.search.close()
        self.collections.close()
