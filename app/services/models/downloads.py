"""Downloads of models: several at once, paused, gone on with, and brought back after a restart."""

import logging
import secrets
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from time import monotonic

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import UserError
from app.library.disk_room import check_room
from app.library.fetched import FetchedFiles
from app.library.hub import HubChoice
from app.library.hub_errors import GatedError
from app.library.part_file import part_paths
from app.library.retry_policy import RetryPolicy
from app.library.transfer import PausedError
from app.services.models.download_file import read_downloads, write_downloads
from app.services.models.download_run import DownloadRun, Ended, Progress, Token, landing_of
from app.services.models.download_states import Download, DownloadStage
from app.services.runtime.debounce import Ticker
from app.services.runtime.detached_thread import END_WITHIN, join
from app.services.runtime.guarded_signal import GuardedSignal

_log = logging.getLogger(__name__)

_AT_ONCE = 3
_SPEED_OVER = 5.0
"""Seconds that the speed is an average of."""
_LOOK_MS = 5000
"""Between two looks whether something still moves."""


class Downloads(QObject):
    """GUI thread. Every download has a thread of its own while it runs."""

    changed = Signal(object)
    """Download: it is new, at another stage, or further."""
    removed = Signal(str)
    """The id of a download that is no longer listed."""
    finished = Signal(object)
    """Download: all its files are there, checked, at `path`."""
    _heard = Signal(object)

    def __init__(
        self,
        path: Path,
        cache: Path,
        token: Token = lambda: None,
        policy: RetryPolicy | None = None,
        parent: QObject | None = None,
    ) -> None:
        """`path` keeps the list, and a file beside it what came; `cache` is huggingface_hub's; `token` is asked in the
        downloads' threads."""
        super().__init__(parent)
        self._path = path
        self.cache = cache
        """Where they go when no folder is named."""
        self._fetched = FetchedFiles(path.with_name("fetched.json"))
        self._token = token
        self._policy = policy or RetryPolicy()
        self._downloads: dict[str, Download] = {}
        self._runs: dict[str, DownloadRun] = {}
        self._leaving: dict[str, bool] = {}
        """Those that are dropped as soon as their thread has ended, and whether what was fetched is kept."""
        self._speeds: dict[str, deque[tuple[float, int]]] = {}
        self._closed = False
        self._results = GuardedSignal(self._heard.emit)
        self._heard.connect(self._hear)
        self._watch = Ticker(_LOOK_MS, self._look, self)

    @property
    def downloads(self) -> tuple[Download, ...]:
        """In the order in which they were asked for."""
        return tuple(self._downloads.values())

    @Slot()
    def start(self) -> None:
        """Go on with what the last run left."""
        for download in read_downloads(self._path):
            self._downloads.setdefault(download.id, download)
            self.changed.emit(self._downloads[download.id])
        self._next()

    def room_check(self, choice: HubChoice, folder: Path | None = None) -> Callable[[], None]:
        """A question for the disk, to be put in any thread: it raises UserError with a sentence where there is no room
        for `choice` beside all that is still to come.
        """
        others = [(each.files, each.folder) for each in self.downloads if each.stage is not DownloadStage.DONE]
        lists = [files for files, _ in others]
        wanted = others if choice.files in lists else [*others, (choice.files, folder)]

        def check() -> None:
            landings = [(file, landing_of(file, at, self.cache)) for files, at in wanted for file in files]
            check_room(choice.name, landings, folder or self.cache, self._policy.spare)

        return check

    def fetch(self, choice: HubChoice, folder: Path | None = None) -> Download:
        """Begin as soon as it is its turn; a choice that is listed already is gone on with."""
        for known in self._downloads.values():
            same = known.files == choice.files and known.folder == folder and known.id not in self._leaving
            if same and known.stage is not DownloadStage.DONE:
                self.resume(known.id)
                return self._downloads[known.id]
        download = Download(secrets.token_hex(16), choice.name, choice.files, folder)
        self._put(download)
        self._write()
        self._next()
        return self._downloads[download.id]

    def pause(self, id: str) -> None:
        """What is there stays."""
        download = self._downloads[id]
        if download.stage in (DownloadStage.RUNNING, DownloadStage.WAITING):
            self._put(download.still(DownloadStage.PAUSED))
            if id in self._runs:
                self._runs[id].stop()
            self._write()
            self._next()

    def resume(self, id: str) -> None:
        download = self._downloads.get(id)
        if download is not None and download.stage in (DownloadStage.PAUSED, DownloadStage.FAILED):
            self._put(replace(download, stage=DownloadStage.WAITING, problem="", gated=False))
            self._write()
            self._next()

    def remove(self, id: str, *, keep_part: bool = False) -> None:
        """Take it off the list. Of one that is not done, what was fetched goes too, or is kept: the same choice then
        goes on from there, whenever it is fetched again."""
        if id in self._runs:
            self._leaving[id] = keep_part
            self._runs[id].stop()
        else:
            self._drop(id, keep_part)

    def close(self) -> None:
        """Stops everything; what is there is kept. A thread that can't hear it is left to itself."""
        self._closed = True
        self._watch.stop()
        runs = list(self._runs.values())
        for run in runs:
            run.stop()
        join([run.thread for run in runs], END_WITHIN)
        self._results.shut()
        self._runs.clear()
        while self._leaving:
            # What was to go must not come back with the next start.
            self._drop(*self._leaving.popitem())
        self._write()

    def _next(self) -> None:
        for download in self.downloads:
            if len(self._runs) >= _AT_ONCE or self._closed:
                break
            if download.stage is DownloadStage.WAITING and download.id not in self._runs and not self._shares(download):
                self._begin(download)
        if self._runs:
            self._watch.start()
        else:
            self._watch.stop()

    def _shares(self, download: Download) -> bool:
        """Whether one of its files, such as a projector, is being fetched already: two threads would write it."""
        wanted = set(map(_on_any_disk, self._targets(download)))
        return any(wanted & set(map(_on_any_disk, self._targets(self._downloads[each]))) for each in self._runs)

    def _targets(self, download: Download) -> set[Path]:
        """Where its files go; nothing where a name leads elsewhere, which it says itself when it runs."""
        try:
            return {landing_of(file, download.folder, self.cache).target for file in download.files}
        except UserError:
            return set()

    def _begin(self, download: Download) -> None:
        self._put(download.still(DownloadStage.RUNNING))
        self._speeds[download.id] = deque()
        run = DownloadRun(download, self.cache, self._fetched, self._token, self._policy, self._results.tell)
        self._runs[download.id] = run
        run.thread.start()

    @Slot(object)
    def _hear(self, told: object) -> None:
        if self._closed:
            return
        if isinstance(told, Progress):
            self._progress(told)
        elif isinstance(told, Ended):
            self._end(told)

    def _progress(self, told: Progress) -> None:
        download = self._downloads.get(told.id)
        if download is not None and download.stage is DownloadStage.RUNNING:
            speed = 0.0 if told.wait or told.away or told.checking else self._speed(told)
            self._put(
                replace(download, done=told.done, speed=speed, wait=told.wait, away=told.away, checking=told.checking)
            )

    def _speed(self, told: Progress) -> float:
        samples, now = self._speeds[told.id], monotonic()
        samples.append((now, told.done))
        while now - samples[0][0] > _SPEED_OVER:
            samples.popleft()
        seconds, n = now - samples[0][0], told.done - samples[0][1]
        return n / seconds if seconds > 0 and n > 0 else 0.0

    def _end(self, told: Ended) -> None:
        run = self._runs.pop(told.id)
        run.thread.join()
        if told.id in self._leaving:
            self._drop(told.id, self._leaving.pop(told.id))
        else:
            self._settle(self._downloads[told.id], told)
        self._write()
        self._next()

    def _settle(self, download: Download, told: Ended) -> None:
        if told.path is not None:
            still = download.still(DownloadStage.DONE)
            done = replace(still, done=download.size, problem="", path=told.path)
            self._put(done)
            self.finished.emit(done)
        elif not isinstance(told.error, PausedError):
            gated = isinstance(told.error, GatedError)
            still = download.still(DownloadStage.FAILED)
            self._put(replace(still, problem=_sentence(told.error), gated=gated))
        elif download.stage is DownloadStage.RUNNING:
            self._put(download.still(DownloadStage.PAUSED))

    def _drop(self, id: str, keep_part: bool) -> None:
        download = self._downloads.pop(id, None)
        if download is None:
            return
        if download.stage is not DownloadStage.DONE and not keep_part:
            others = (each for each in self._downloads.values() if each.stage is not DownloadStage.DONE)
            _clear(self._targets(download).difference(*map(self._targets, others)))
        self.removed.emit(id)
        self._write()
        self._next()

    def _put(self, download: Download) -> None:
        self._downloads[download.id] = download
        self.changed.emit(download)

    @Slot()
    def _look(self) -> None:
        """What gave nothing for a while has no speed any more.

        The list is not written here: this thread would wait for a disk that is busy with what is fetched, and the
        transfers themselves keep how far they are.
        """
        for download in [self._downloads[each] for each in self._runs]:
            if download.speed and monotonic() - self._speeds[download.id][-1][0] > _SPEED_OVER:
                self._put(replace(download, speed=0.0))

    def _write(self) -> None:
        write_downloads(self._path, self._downloads.values())


def _on_any_disk(path: Path) -> str:
    """The same for names that some disks take for one: they may tell neither case nor how an accent is made."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", str(path)).casefold())


def _clear(targets: Iterable[Path]) -> None:
    for target in targets:
        try:
            for left in part_paths(target):
                left.unlink(missing_ok=True)
        except OSError as error:
            _log.info("What is left of %s stays: %s", target.name, error)


def _sentence(error: Exception | None) -> str:
    if isinstance(error, UserError):
        return error.sentence
    _log.error("A download failed", exc_info=error)
    return "It broke off because of a fault in Hearth. What is there is kept."
