"""Fetching one file from the hub: in blocks, so that whatever breaks costs a block and not the file."""

import logging
import os
import shutil
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from app.core.errors import UserError
from app.library.hub_errors import offline
from app.library.hub_stream import HubStream
from app.library.part_writer import PartWriter
from app.library.retry_policy import Retries, RetryPolicy
from app.library.transfer_errors import BrokenError, PausedError, of_disk
from app.library.transfer_state import RemoteFile, TransferState

_log = logging.getLogger(__name__)

_REPAIRS = 3
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
        token: str | None = None,
        policy: RetryPolicy | None = None,
        report: Report = lambda _: None,
        rest: Rest = lambda _done, _seconds, _away: None,
    ) -> None:
        """`name` is what sentences call it: the repository."""
        self._remote = remote
        self._target = target
        self._policy = policy or RetryPolicy()
        self._report = report
        self._rest = rest
        self.stop = threading.Event()
        self._state = TransferState(remote, target.with_name(target.name + ".part"))
        self._writer = PartWriter(self._state, self._policy.keep_every)
        self._patience = Retries(self._policy)
        self._stream = HubStream(
            remote, name=name, shown=target.name, token=token, patience=self._policy.patience, stop=self.stop
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
            self._state = TransferState.open(self._remote, self._state.part)
            self._writer = PartWriter(self._state, self._policy.keep_every)
            self._check_room()
            self._reserve()
            self._fetch_all()
            self._verify()
            self._settle()
            self._state.forget()
        except OSError as error:
            raise of_disk(error, self._target) from error

    def _check_room(self) -> None:
        wanted = self._remote.size - self._state.done + self._policy.spare
        free = shutil.disk_usage(self._target.parent).free
        if free < wanted:
            raise UserError(
                f"There is not enough room for {self._target.name} on this disk: it needs {_size(wanted)}, "
                f"and {_size(free)} are free. Make room, or choose another folder."
            )

    def _reserve(self) -> None:
        mode = "r+b" if self._state.part.exists() else "wb"
        with self._state.part.open(mode) as file:
            file.truncate(self._remote.size)
        self._state.save()

    def _settle(self) -> None:
        """A name is the last thing that reaches the disk: after a power cut it must not stand for nothing."""
        with self._state.part.open("r+b") as file:
            os.fsync(file.fileno())
        for seconds in _HELD:
            try:
                self._state.part.replace(self._target)
                return
            except PermissionError as error:
                _log.info("A finished download can't be renamed yet: %s", error)
                if self.stop.wait(seconds):
                    raise PausedError from error
        self._state.part.replace(self._target)

    def _fetch_all(self) -> None:
        self._report(self._writer.there)
        self._patience.begin(self._writer.there)
        try:
            while gap := next(self._state.gaps(), None):
                self._fetch_gap(*gap)
        except (PausedError, UserError):
            self._writer.note()
            raise

    def _fetch_gap(self, first: int, last: int) -> None:
        try:
            self._fetch(first, self._state.start(last) + self._state.length(last))
        except BrokenError as broken:
            self._patience.count(self._writer.there)
            if self._patience.is_over(broken):
                raise broken.told from broken
            _log.info("A download broke off and goes on: %s", broken)
            self._wait(broken)
        else:
            self._patience.renew()

    def _wait(self, broken: BrokenError) -> None:
        seconds = self._patience.rest(broken)
        while seconds > 0:
            self._rest(self._writer.there, seconds, broken.is_away)
            step = min(seconds, _STEP)
            if self.stop.wait(step):
                raise PausedError
            seconds -= step
        self._rest(self._writer.there, 0.0, broken.is_away)

    def _fetch(self, first: int, end: int) -> None:
        """From block `first` to the byte `end`; what comes is kept, wherever it breaks off."""
        with self._writer.at(first) as start, closing(self._stream.read(start, end)) as pieces:
            missing = end - start
            for data in pieces:
                self._check_version()
                self._writer.write(data)
                missing -= len(data)
                self._report(self._writer.there)
        if missing:
            raise BrokenError(why := f"the answer ended {missing} bytes early", offline(why))

    def _check_version(self) -> None:
        """Where no hash tells in the end, two versions of a file must not be mixed."""
        etag = self._stream.etag
        if self._remote.sha256 or not etag or etag == self._state.etag:
            return
        is_begun = self._writer.there > 0
        self._state.begin_anew(etag)
        if is_begun:
            self._writer.drop()
            raise BrokenError(why := "the file was changed on the hub", offline(why))

    def _verify(self) -> None:
        """Check what is there; fetch again what is damaged, and only that."""
        for attempt in range(_REPAIRS):
            is_right, damaged = self._state.check(self._look_up)
            if is_right:
                return
            if not damaged:
                # All lies on the disk as it came, so it came wrong, and nobody knows where.
                if attempt:
                    break
                damaged = list(range(self._state.n_blocks))
            _log.warning("%s blocks of %s are damaged and fetched again", len(damaged), self._target.name)
            self._writer.drop()
            self._state.lose(damaged)
            self._fetch_all()
        else:
            if self._state.check(self._look_up)[0]:
                return
        self._state.forget()
        raise UserError(
            f"{self._target.name} arrives differently from what Hugging Face says it is, so it was thrown away. "
            "A proxy or the repository is at fault; try again later, or from another network."
        )

    def _look_up(self) -> None:
        if self.stop.is_set():
            raise PausedError


def _size(n: int) -> str:
    return f"{n / 1e9:.1f} GB" if n >= 1e9 else f"{n / 1e6:.0f} MB"


__all__ = ["PausedError", "RemoteFile", "Transfer"]
