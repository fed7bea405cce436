"""Fetching one file from the hub: what came stays, wherever it breaks off, and the whole is checked by its hash."""

import logging
import shutil
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from app.core.errors import UserError
from app.library.hub_errors import offline
from app.library.hub_stream import HubStream, RemoteFile
from app.library.part_file import PartFile
from app.library.retry_policy import Retries, RetryPolicy
from app.library.transfer_errors import BrokenError, PausedError, in_bytes, of_disk

_log = logging.getLogger(__name__)

_FETCHES = 2
"""Of the whole file, where its hash is wrong: what lay here may have been damaged, and then the hub is not at fault."""
_STEP = 1.0
"""Seconds between two reports of how long it still rests."""
_HELD = (0.2, 0.4, 0.8, 1.6, 3.2)
"""Seconds between tries to give the file its name: on Windows a scanner may hold it for a while."""

Report = Callable[[int], None]
"""Told the bytes that are there, some of which were from the beginning. Runs in the transfer's thread."""
Rest = Callable[[int, float, bool], None]
"""Told the bytes that are there, in how many seconds it tries again (0: now), and whether it is the network that it
waits for, and not the hub. Runs in the transfer's thread."""


class Transfer:
    """Fetches `remote` into `target`. One thread runs it; `stop` may be set from any."""

    def __init__(
        self,
        remote: RemoteFile,
        target: Path,
        *,
        name: str,
        shown: str = "",
        token: str | None = None,
        policy: RetryPolicy | None = None,
        report: Report = lambda _: None,
        check: Report = lambda _: None,
        rest: Rest = lambda _done, _seconds, _away: None,
    ) -> None:
        """Sentences call the repository `name` and the file `shown`: a blob's own name is a hash. `check` is told the
        bytes that were read again, of those that were there from the beginning."""
        self._remote = remote
        self._target = target
        self._shown = shown or target.name
        self._policy = policy or RetryPolicy()
        self._report = report
        self._check = check
        self._rest = rest
        self.stop = threading.Event()
        self._part = PartFile(remote, target)
        self._patience = Retries(self._policy)
        self._stream = HubStream(
            remote, name=name, shown=self._shown, token=token, patience=self._policy.patience, stop=self.stop
        )

    def halt(self) -> None:
        """Set `stop`, and wake a run that waits for a network which gives nothing. From any thread."""
        self.stop.set()
        self._stream.halt()

    def run(self) -> None:
        """Until the file is there, whole and checked. Raises PausedError, and UserError with a sentence; after either
        the next run goes on where this one was."""
        try:
            self._target.parent.mkdir(parents=True, exist_ok=True)
            self._check_room()
            with self._part.opened():
                self._part.read(self._look_up)
                is_right = self._is_fetched()
            if not is_right:
                self._part.forget()
                raise UserError(
                    "{name} arrives differently from what Hugging Face says it is, so it was thrown "
                    "away. A proxy or the repository is at fault; try again later, or from another network.",
                    name=self._shown,
                )
            self._settle()
        except OSError as error:
            raise of_disk(error, self._target.parent, self._shown) from error

    def _check_room(self) -> None:
        wanted = self._remote.size - self._part.there + self._policy.spare
        free = shutil.disk_usage(self._target.parent).free
        if free < wanted:
            raise UserError(
                "There is not enough room for {name} on this disk: it needs {need}, "
                "and {free} are free. Make room, or choose another folder.",
                name=self._shown,
                need=in_bytes(wanted),
                free=in_bytes(free),
            )

    def _look_up(self, checked: int) -> None:
        if self.stop.is_set():
            raise PausedError
        self._check(checked)

    def _is_fetched(self) -> bool:
        """Whether it came as the hub promised it, now or when all of it was fetched anew."""
        for _ in range(_FETCHES):
            self._fetch_all()
            if self._part.is_right():
                return True
            _log.warning("%s has another hash than it should", self._target.name)
            self._part.cut(0)
        return False

    def _fetch_all(self) -> None:
        self._report(self._part.there)
        self._patience.begin(self._part.there)
        while self._part.there < self._remote.size:
            try:
                self._fetch()
            except BrokenError as broken:
                self._patience.count(self._part.there)
                if self._patience.is_over(broken):
                    raise broken.told from broken
                _log.info("A download broke off and goes on: %s", broken)
                self._wait(broken)

    def _fetch(self) -> None:
        """What is missing; what comes is kept, wherever it breaks off."""
        with closing(self._stream.read(self._part.there)) as pieces:
            for data in pieces:
                self._check_version()
                self._part.write(data)
                self._report(self._part.there)
        if missing := self._remote.size - self._part.there:
            raise BrokenError(why := f"the answer ended {missing} bytes early", offline(why))

    def _check_version(self) -> None:
        """Where no hash tells in the end, two versions of a file must not be mixed."""
        etag = self._stream.etag
        if self._remote.sha256 or not etag or etag == self._part.etag:
            return
        is_begun = self._part.there > 0
        self._part.cut(0, etag)
        if is_begun:
            raise BrokenError(why := "the file was changed on the hub", offline(why))

    def _wait(self, broken: BrokenError) -> None:
        seconds = self._patience.rest(broken)
        while seconds > 0:
            self._rest(self._part.there, seconds, broken.is_away)
            step = min(seconds, _STEP)
            if self.stop.wait(step):
                raise PausedError
            seconds -= step
        self._rest(self._part.there, 0.0, broken.is_away)

    def _settle(self) -> None:
        for seconds in _HELD:
            try:
                self._part.settle()
                return
            except PermissionError as error:
                _log.info("A finished download can't be renamed yet: %s", error)
                if self.stop.wait(seconds):
                    raise PausedError from error
        self._part.settle()


__all__ = ["PausedError", "RemoteFile", "Transfer"]
