"""The embedding model that is recommended, fetched for a collection on a click."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import UserError
from app.library.hub import HubChoice, repository
from app.library.hub_token import HubToken
from app.services.documents.embedding_models import RecommendedEmbedder, recommended
from app.services.models.download_states import Download, DownloadStage
from app.services.models.downloads import Downloads
from app.services.runtime.detached_thread import DetachedThread
from app.services.runtime.worker_thread import told

_FAULT = "The model could not be looked for because of a fault in Hearth."


@dataclass(frozen=True, slots=True)
class EmbedderProgress:
    """Nothing is told where nothing is fetched."""

    asks: bool = False
    """The hub is asked where the file lies."""
    download: Download | None = None
    problem: str = ""
    """A sentence. What is fetched has its own."""


class EmbedderDownload(QObject):
    """GUI thread. Fetches it once, for all the collections that wished for it since."""

    changed = Signal(object)
    """EmbedderProgress"""
    come = Signal(object, object)
    """tuple[int, ...]: the numbers of those collections, and the file's Path"""

    def __init__(self, downloads: Downloads, token: HubToken, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._downloads = downloads
        self._token = token
        self._thread = DetachedThread(self, name="embedding model")
        self._wished: tuple[int, ...] = ()
        self._folder: Path | None = None
        self._progress = EmbedderProgress()
        downloads.changed.connect(self._hear)
        downloads.removed.connect(self._forget)

    @property
    def progress(self) -> EmbedderProgress:
        return self._progress

    def fetch(self, collection: int, folder: Path | None) -> None:
        """Into `folder`, or the cache that programs share; `come` follows. Goes on with what was stopped or failed."""
        self._wished = tuple(dict.fromkeys((*self._wished, collection)))
        if self._progress.asks:
            return
        if (download := self._progress.download) is not None:
            self._downloads.resume(download.id)
            return
        self._folder = folder
        self._set(EmbedderProgress(asks=True))
        wanted = recommended()
        self._thread.submit(lambda: _choice(wanted, self._token.get()), self._take)

    def stop(self) -> None:
        """Nobody wishes for it any more. What was fetched is kept, for the next time."""
        self._wished = ()
        download = self._progress.download
        self._set(EmbedderProgress())
        if download is not None:
            self._downloads.remove(download.id, keep_part=True)

    def close(self) -> None:
        self._thread.close()

    def _take(self, result: HubChoice | Exception) -> None:
        if not self._wished:
            return
        if isinstance(result, Exception):
            self._fail(result)
            return
        check = self._downloads.room_check(result, self._folder)
        self._thread.submit(check, lambda against: self._begin(result, against))

    def _begin(self, choice: HubChoice, against: Exception | None) -> None:
        if not self._wished:
            return
        if against is not None:
            self._fail(against)
        else:
            self._set(EmbedderProgress(download=self._downloads.fetch(choice, self._folder)))

    def _fail(self, error: Exception) -> None:
        self._set(EmbedderProgress(problem=told(error, _FAULT)))

    @Slot(object)
    def _hear(self, download: Download) -> None:
        known = self._progress.download
        if known is None or known.id != download.id:
            return
        if download.stage is DownloadStage.DONE and download.path is not None:
            wished, self._wished = self._wished, ()
            self._set(EmbedderProgress())
            self.come.emit(wished, download.path)
        else:
            self._set(EmbedderProgress(download=download, problem=download.problem))

    @Slot(str)
    def _forget(self, id: str) -> None:
        """It was taken off the list elsewhere."""
        if self._progress.download is not None and self._progress.download.id == id:
            self._wished = ()
            self._set(EmbedderProgress())

    def _set(self, progress: EmbedderProgress) -> None:
        self._progress = progress
        self.changed.emit(progress)


def is_recommended(download: Download) -> bool:
    return download.repo == recommended().repo


def _choice(wanted: RecommendedEmbedder, token: str | None) -> HubChoice:
    """Blocks. Raises UserError."""
    found = repository(wanted.repo, token).choices
    choice = next((each for each in found if [file.path for file in each.files] == [wanted.file]), None)
    if choice is None:
        told = "{file} is no longer at {repo}; look for another model in Models."
        raise UserError(told, file=wanted.file, repo=wanted.repo)
    return choice
