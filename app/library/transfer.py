"""Fetching one file from the hub: in blocks, so that whatever breaks costs a block and not the file."""

import contextlib
import errno
import hashlib
import logging
import os
import random
import re
import shutil
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from app.core.errors import UserError
from app.library.hub_errors import BusyError, of_status, offline, untrusted, wrong_address
from app.library.hub_wait import wait_told
from app.library.left_alone import LeftAlone, LeftAloneError
from app.library.transfer_state import BLOCK, RemoteFile, TransferState

_log = logging.getLogger(__name__)

_PROGRESS = 1 << 18
"""Bytes that count as something new, or a block where these are shorter."""
_REPAIRS = 3
_PATIENCE = 20.0
"""Seconds without a byte, before a connection counts as broken."""
_ENDURANCE = 12 * 3600.0
_LONGEST_WAIT = 300.0
"""Seconds between two tries, of a hub that wants to be left alone."""
_LONGEST_AWAY = 30.0
"""Seconds between two tries, of a network that is away: it may be back at any time."""
_STEP = 1.0
"""Seconds between two reports of how long it still rests."""
_SPARE = 64 << 20
"""Bytes that stay free on the disk."""
_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")

Report = Callable[[int], None]
"""Told the bytes that are there, some of which were from the beginning. Runs in the transfer's thread."""
Rest = Callable[[int, float, bool], None]
"""Told the bytes that are there, in how many seconds it tries again (0: now), and whether it is the network that it
waits for, and not the hub. Runs in the transfer's thread."""


class PausedError(Exception):
    """`stop` was set. What is there stays, and the next run goes on from it."""


class _BrokenError(Exception):
    """The connection broke, or the hub wants to be asked again in `after` seconds."""

    def __init__(self, why: object, after: float = 0.0, *, is_busy: int = 0, is_untrusted: bool = False) -> None:
        super().__init__(str(why))
        self.after = after
        self.is_busy = is_busy
        self.is_untrusted = is_untrusted
        """Waiting mends nothing."""


@dataclass(frozen=True, slots=True)
class Manners:
    """How a transfer behaves; tests have less time."""

    first_wait: float = 1.0
    """Seconds after the first failure; doubled after each further one."""
    tries: int = 6
    """In a row without anything new, before it may be given up."""
    endurance: float = _ENDURANCE
    """Seconds without anything new, before it may be given up: networks and hubs come back."""
    patience: float = _PATIENCE
    spare: int = _SPARE


class Transfer:
    """Fetches `remote` into `target`. One thread runs it; `stop` may be set from any."""

    def __init__(
        self,
        remote: RemoteFile,
        target: Path,
        *,
        name: str,
        token: str | None = None,
        manners: Manners | None = None,
        report: Report = lambda _: None,
        rest: Rest = lambda _done, _seconds, _away: None,
    ) -> None:
        """`name` is what sentences call it: the repository."""
        self._remote = remote
        self._target = target
        self._name = name
        self._token = token
        self._manners = manners or Manners()
        self._report = report
        self._rest = rest
        self.stop = threading.Event()
        self._state = TransferState(remote, target.with_name(target.name + ".part"))
        self._failures = 0
        self._begun: tuple[int, bytearray] = (-1, bytearray())
        """A block and how it begins, where the connection broke off within it: links that break often get on too."""
        self._reached = 0
        """Bytes that were there when failures were last counted from the beginning."""
        self._failing_since = 0.0
        """By the monotonic clock."""
        self._opening: LeftAlone[Any] | None = None
        """What waits for the head of an answer."""
        self._stream: Any = None
        """The connection that is being read from; see httpx's network streams."""

    def halt(self) -> None:
        """Set `stop`, and wake a run that waits for a network which gives nothing. From any thread."""
        self.stop.set()
        if (opening := self._opening) is not None:
            opening.leave()
        stream = self._stream
        connection = stream.get_extra_info("socket") if stream is not None else None
        if connection is not None:
            with contextlib.suppress(OSError):
                # Not by its own method, which takes a TLS connection to pieces under the thread that reads from it.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def run(self) -> None:
        """Until the file is there, whole and checked. Raises PausedError, and UserError with a sentence; after either
        the next run goes on where this one was."""
        try:
            self._target.parent.mkdir(parents=True, exist_ok=True)
            self._state = TransferState.open(self._remote, self._state.part)
            self._begun = self._state.begun()
            self._check_room()
            self._reserve()
            self._fetch_all()
            self._verify()
            self._settle()
            self._state.part.replace(self._target)
            self._state.forget()
        except OSError as error:
            raise _disk(error, self._target) from error

    def _check_room(self) -> None:
        wanted = self._remote.size - self._state.done + self._manners.spare
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

    def _fetch_all(self) -> None:
        self._report(self._there)
        self._reached = self._there
        try:
            while gap := next(self._state.gaps(), None):
                self._fetch_gap(*gap)
        except (PausedError, UserError):
            index, block = self._begun
            if block:
                self._state.keep_begun(index, bytes(block))
            raise

    def _fetch_gap(self, first: int, last: int) -> None:
        try:
            self._fetch(first, last)
        except _BrokenError as broken:
            self._count_failure()
            if self._is_hopeless(broken):
                raise self._given_up(broken) from broken
            _log.info("A download broke off and goes on: %s", broken)
            self._wait(broken)
        else:
            self._failures = 0

    @property
    def _there(self) -> int:
        return self._state.done + len(self._begun[1])

    def _count_failure(self) -> None:
        if not self._failures or self._there - self._reached >= min(BLOCK, _PROGRESS):
            self._failures, self._reached, self._failing_since = 0, self._there, monotonic()
        self._failures += 1

    def _is_hopeless(self, broken: _BrokenError) -> bool:
        is_long = broken.is_untrusted or monotonic() - self._failing_since >= self._manners.endurance
        return is_long and self._failures >= self._manners.tries

    def _given_up(self, broken: _BrokenError) -> UserError:
        if broken.is_busy:
            return of_status(
                broken.is_busy, self._name, has_token=bool(self._token), detail=str(broken), wait=broken.after
            )
        return untrusted(broken) if broken.is_untrusted else offline(broken)

    def _wait(self, broken: _BrokenError) -> None:
        longest = _LONGEST_WAIT if broken.is_busy else _LONGEST_AWAY
        backoff = self._manners.first_wait * 2 ** min(self._failures - 1, 30) * random.uniform(0.8, 1.2)
        seconds = min(_LONGEST_WAIT, max(broken.after, min(longest, backoff)))
        while seconds > 0:
            self._rest(self._there, seconds, not broken.is_busy)
            step = min(seconds, _STEP)
            if self.stop.wait(step):
                raise PausedError
            seconds -= step
        self._rest(self._there, 0.0, not broken.is_busy)

    def _fetch(self, first: int, last: int) -> None:
        """Blocks `first` to `last`, each kept as soon as it is whole."""
        block = self._begun[1] if self._begun[0] == first else bytearray()
        index, end = first, last * BLOCK + self._state.length(last)
        at = first * BLOCK + len(block)
        try:
            with self._state.part.open("r+b") as file:
                for data in self._bytes(at, end):
                    block += data
                    while index <= last and len(block) >= self._state.length(index):
                        length = self._state.length(index)
                        file.seek(index * BLOCK)
                        file.write(block[:length])
                        file.flush()
                        self._state.keep(index, hashlib.sha256(block[:length]).hexdigest())
                        del block[:length]
                        index += 1
                    at += len(data)
                    self._report(self._state.done + len(block))
        finally:
            self._begun = (index, block)
        if index <= last:
            raise _BrokenError(f"the answer ended {end - at} bytes early")

    def _bytes(self, start: int, end: int) -> Iterator[bytes]:
        """The file from `start` to `end`, whether or not the server understands ranges."""
        import httpx2
        from huggingface_hub.errors import OfflineModeIsEnabled

        headers = {"Accept-Encoding": "identity", "Range": f"bytes={start}-{end - 1}"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            with closing(self._answer(headers)) as answer:
                skip = self._skipped(answer, start)
                left = end - start
                self._stream = answer.extensions.get("network_stream")
                for data in answer.iter_raw():
                    if self.stop.is_set():
                        raise PausedError
                    kept = data[skip:]
                    skip -= len(data) - len(kept)
                    if kept:
                        yield kept[:left]
                        left -= len(kept[:left])
                    if left <= 0:
                        return
        except LeftAloneError as error:
            raise PausedError from error
        except OfflineModeIsEnabled as error:
            raise offline("HF_HUB_OFFLINE is set") from error
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise wrong_address(error) from error
        except (httpx2.HTTPError, httpx2.StreamError, OSError, ValueError) as error:
            # A connection that `halt` has shut fails in many ways.
            if self.stop.is_set():
                raise PausedError from error
            raise _BrokenError(repr(error), is_untrusted=_is_untrusted(error)) from error
        finally:
            self._stream = None

    def _answer(self, headers: dict[str, str]) -> Any:
        """As soon as its head is there, which a name server, a proxy or the hub may put off."""
        from huggingface_hub import get_session

        self._look_up()
        client = get_session()
        request = client.build_request("GET", self._remote.url, headers=headers, timeout=self._manners.patience)
        opening = LeftAlone(lambda: client.send(request, stream=True, follow_redirects=True), _close)
        self._opening = opening
        if self.stop.is_set():
            opening.leave()
        try:
            return opening.result()
        finally:
            self._opening = None

    def _skipped(self, answer: Any, start: int) -> int:
        """Bytes of the answer before `start`; raises what the status means."""
        status = answer.status_code
        if status == 206:
            told = _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", ""))
            if told and told[3] != "*" and int(told[3]) != self._remote.size:
                raise self._other_size(int(told[3]))
            begins = int(told[1]) if told else start
            if begins > start:
                raise _BrokenError(f"byte {start} was asked for, and the answer begins with {begins}")
            return start - begins
        if status == 200:
            length = answer.headers.get("Content-Length", "")
            if length.isdigit() and int(length) != self._remote.size:
                raise self._other_size(int(length))
            return start
        if status == 416:
            raise self._other_size(0)
        if status == 429 or status >= 500:
            raise _BrokenError(f"status {status}", wait_told(answer.headers), is_busy=status)
        if status == 408:
            raise _BrokenError("status 408")
        raise of_status(status, self._name, has_token=bool(self._token))

    def _other_size(self, size: int) -> UserError:
        return UserError(
            f"{self._target.name} is not as Hugging Face announced it: it has another size. "
            "It may just have been changed; look at its page again and start anew.",
            detail=f"{size} bytes instead of {self._remote.size}",
        )

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
            self._begun = (-1, bytearray())
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


def _close(answer: Any) -> None:
    with contextlib.suppress(Exception):
        answer.close()


def _is_untrusted(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _disk(error: OSError, target: Path) -> UserError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return UserError(
            f"The disk is full, so {target.name} is not whole yet. Make room and go on; what is there is kept.",
            detail=str(error),
        )
    if isinstance(error, PermissionError):
        return UserError(f"You are not allowed to write to {target.parent}. Choose another folder.", detail=str(error))
    return UserError(f"{target.name} can't be written: {error.strerror or error}.", detail=str(error))


def _size(n: int) -> str:
    return f"{n / 1e9:.1f} GB" if n >= 1e9 else f"{n / 1e6:.0f} MB"


__all__ = ["BusyError", "Manners", "PausedError", "RemoteFile", "Transfer"]
