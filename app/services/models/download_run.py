"""One download while it runs."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from app.core.errors import UserError
from app.library.fetched import FetchedFiles
from app.library.hub import file_url
from app.library.hub_layout import HubFile, Landing, finish, land_in_cache, land_in_folder
from app.library.retry_policy import RetryPolicy
from app.library.transfer import PausedError, RemoteFile, Transfer
from app.services.models.download_states import Download
from app.services.runtime.frames import without_locals

_TELL_EVERY = 0.1
"""Seconds between two reports of a download's progress."""

Token = Callable[[], str | None]


@dataclass(frozen=True, slots=True)
class Progress:
    """See `Download`."""

    id: str
    done: int
    wait: float = 0.0
    away: bool = False
    checking: bool = False


@dataclass(frozen=True, slots=True)
class Ended:
    """With a path, or the reason why there is none."""

    id: str
    path: Path | None = None
    error: Exception | None = None


class DownloadRun:
    """One download in its thread: its files one after another. It tells Progress, and at last Ended."""

    def __init__(
        self,
        download: Download,
        cache: Path,
        fetched: FetchedFiles,
        token: Token,
        policy: RetryPolicy,
        tell: Callable[[object], None],
    ) -> None:
        self._download = download
        self._fetched = fetched
        self._cache = cache
        self._token = token
        self._policy = policy
        self._tell = tell
        self._stopped = False
        self._transfer: Transfer | None = None
        self._before = 0
        self._told_at = 0.0
        self._is_checking = False
        # The end of the process does not wait for a name server that does not answer, or for a disk that is slow.
        self.thread = threading.Thread(target=self._main, name=f"download {download.name}", daemon=True)

    def stop(self) -> None:
        """It ends with PausedError soon. From any thread."""
        self._stopped = True
        if self._transfer is not None:
            self._transfer.halt()

    def _main(self) -> None:
        try:
            path = self._fetch()
        except Exception as error:  # noqa: BLE001 - errors cross threads as objects
            self._tell(Ended(self._download.id, error=without_locals(error)))
        else:
            self._tell(Ended(self._download.id, path))

    def _fetch(self) -> Path:
        token = self._token()
        try:
            paths = [self._one(file, token) for file in self._download.files]
        except OSError as error:
            raise UserError(
                "{name} can't be put into its place: {reason}.",
                name=self._download.name,
                reason=error.strerror or error,
            ) from error
        return paths[0]

    def _one(self, file: HubFile, token: str | None) -> Path:
        landing = landing_of(file, self._download.folder, self._cache)
        if not self._fetched.is_there(file, landing, self._look_up):
            remote = RemoteFile(file_url(file), file.size, file.sha256)
            transfer = Transfer(
                remote, landing.target, name=file.repo, shown=landing.path.name, token=token,
                policy=self._policy, report=self._report, check=self._check, rest=self._rest,
            )  # fmt: skip
            self._transfer = transfer
            self._look_up()
            blob = landing.link is not None and landing.target.is_file()
            if not blob or landing.target.stat().st_size != file.size:
                transfer.run()
            finish(landing, file, None if self._download.folder else self._cache)
            if file.sha256:
                self._fetched.note(landing.path, file.sha256)
        self._before += file.size
        self._report(0)
        return landing.path

    def _look_up(self) -> None:
        if self._stopped:
            raise PausedError

    def _rest(self, done: int, seconds: float, away: bool) -> None:
        self._tell(Progress(self._download.id, self._before + done, seconds, away))

    def _check(self, done: int) -> None:
        self._report(done, checking=True)

    def _report(self, done: int, *, checking: bool = False) -> None:
        now = monotonic()
        if now - self._told_at >= _TELL_EVERY or not done or checking != self._is_checking:
            self._told_at, self._is_checking = now, checking
            self._tell(Progress(self._download.id, self._before + done, checking=checking))


def landing_of(file: HubFile, folder: Path | None, cache: Path) -> Landing:
    """Where `file` goes. Raises UserError where its name leads elsewhere."""
    return land_in_folder(file, folder) if folder is not None else land_in_cache(file, cache)
