"""The bytes of one file of the hub, as they come over the network."""

import contextlib
import re
import socket
import threading
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from app.core.errors import UserError
from app.library.abandonable_call import AbandonableCall, AbandonedError
from app.library.hub_client import bearer, hub_session, wait_told
from app.library.hub_errors import OfflineError, of_network, of_status, offline
from app.library.transfer_errors import BrokenError, PausedError

_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)")
_LENGTH = re.compile(r"\d{1,18}")
_HASH = re.compile(r"[0-9a-f]{64}")
_REFUSALS = (401, 403, 404, 410)


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file of the hub."""

    url: str
    size: int
    sha256: str = ""
    """Hex; empty for small files, of which the hub tells no hash."""


class HubStream:
    """One thread reads; any may set `stop` and halt it."""

    def __init__(
        self, remote: RemoteFile, *, name: str, shown: str, token: str | None, patience: float, stop: threading.Event
    ) -> None:
        """Sentences call the repository `name` and the file `shown`; `patience` is in seconds without a byte."""
        self._remote = remote
        self._name = name
        self._shown = shown
        self._token = token
        self._patience = patience
        self._stop = stop
        self.etag = ""
        """The hub's mark of the version that came last; empty where there is none that says something."""
        self._opening: AbandonableCall[Any] | None = None
        """What waits for the head of an answer."""
        self._connection: Any = None
        """The one that is being read from; see httpx's network streams."""

    def halt(self) -> None:
        """Wake a reader that waits for a network which gives nothing. From any thread, after `stop` was set."""
        if (opening := self._opening) is not None:
            opening.leave()
        stream = self._connection
        connection = stream.get_extra_info("socket") if stream is not None else None
        if connection is not None:
            with contextlib.suppress(OSError):
                # Not by its own method, which takes a TLS connection to pieces under the thread that reads from it.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def read(self, start: int) -> Generator[bytes, None, None]:
        """The file from byte `start` on, whether or not the server understands ranges; it may end early.

        Without If-Range: what the hub leads to marks a version otherwise than the hub, and would send all of it.

        Raises PausedError, BrokenError where another try may mend it, and UserError with a sentence where none does.
        What the reader raises between two pieces is left as it is.
        """
        import httpx2
        from huggingface_hub.errors import OfflineModeIsEnabled

        ranged = {"Accept-Encoding": "identity", "Range": f"bytes={start}-{self._remote.size - 1}"}
        try:
            with closing(self._answer({**ranged, **bearer(self._token)})) as answer:
                skip, left = self._skipped(answer, start), self._remote.size - start
                self._connection = answer.extensions.get("network_stream")
                # A halt from before this line has found no connection.
                self._look_up()
                for data in answer.iter_raw():
                    self._look_up()
                    kept = data[skip:]
                    skip -= len(data) - len(kept)
                    if kept:
                        yield kept[:left]
                        left -= len(kept[:left])
                    if left <= 0:
                        return
        except AbandonedError as error:
            raise PausedError from error
        except OfflineModeIsEnabled as error:
            raise offline("HF_HUB_OFFLINE is set") from error
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise of_network(error) from error
        except (httpx2.HTTPError, httpx2.StreamError, OSError, ValueError) as error:
            # A connection that `halt` has shut fails in many ways.
            if self._stop.is_set():
                raise PausedError from error
            told = of_network(error)
            raise BrokenError(repr(error), told, is_lasting=not isinstance(told, OfflineError)) from error
        finally:
            self._connection = None

    def _answer(self, headers: dict[str, str]) -> Any:
        """As soon as its head is there, which a name server, a proxy or the hub may put off."""
        self._look_up()
        client = hub_session()
        request = client.build_request("GET", self._remote.url, headers=headers, timeout=self._patience)
        opening = AbandonableCall(lambda: client.send(request, stream=True, follow_redirects=True), _close)
        self._opening = opening
        if self._stop.is_set():
            opening.leave()
        try:
            return opening.result()
        finally:
            self._opening = None

    def _skipped(self, answer: Any, start: int) -> int:
        """Bytes of the answer before `start`; raises what the status means."""
        status = answer.status_code
        if status == 206:
            self._check_version(answer)
            told = _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", ""))
            if told and told[3] != "*" and int(told[3]) != self._remote.size:
                raise self._other_size(int(told[3]))
            begins = int(told[1]) if told else start
            if begins > start:
                raise self._broken(f"byte {start} was asked for, and the answer begins with {begins}")
            return start - begins
        if status == 200:
            self._check_version(answer)
            length = answer.headers.get("Content-Length", "")
            if _LENGTH.fullmatch(length) and int(length) != self._remote.size:
                raise self._other_size(int(length))
            return start
        if status == 416:
            raise self._other_size(0)
        if status == 408:
            raise self._broken("status 408")
        raise self._refused(answer, status)

    def _refused(self, answer: Any, status: int) -> Exception:
        why = f"status {status} of {answer.url.host}"
        if status == 429 or status >= 500:
            wait = wait_told(answer.headers)
            told = of_status(status, self._name, has_token=bool(self._token), detail=why, wait=wait)
            return BrokenError(why, told, wait, is_away=False)
        if status in _REFUSALS and _is_elsewhere(answer):
            # The hub's signed addresses hold for a while only; the next try gets a new one.
            told = UserError(
                "The server to which Hugging Face leads does not give {name} ({status}). Check the clock of "
                "this computer, or try again later.",
                name=self._shown,
                status=status,
                detail=why,
            )
            return BrokenError(why, told, is_away=False, is_lasting=True)
        return of_status(status, self._name, has_token=bool(self._token), detail=why)

    def _check_version(self, answer: Any) -> None:
        """Where the hub says which version it gives, in its own answer or the one that it leads to."""
        linked = next((told for each in (*answer.history, answer) if (told := each.headers.get("X-Linked-Etag"))), "")
        # What other servers mark a file with may be different on each of them.
        etag = linked or ("" if _is_elsewhere(answer) else answer.headers.get("ETag", ""))
        # A weak one stands for the same meaning, and not for the same bytes.
        self.etag = "" if etag.startswith("W/") else etag.strip('"')
        if linked and self._remote.sha256 and _HASH.fullmatch(self.etag) and self.etag != self._remote.sha256:
            raise UserError(
                "{name} is not as Hugging Face announced it: it has another content. "
                "It may just have been changed; look at its page again and start anew.",
                name=self._shown,
                detail=f"{self.etag} instead of {self._remote.sha256}",
            )

    def _other_size(self, size: int) -> UserError:
        return UserError(
            "{name} is not as Hugging Face announced it: it has another size. "
            "It may just have been changed; look at its page again and start anew.",
            name=self._shown,
            detail=f"{size} bytes instead of {self._remote.size}",
        )

    def _broken(self, why: str) -> BrokenError:
        return BrokenError(why, offline(why))

    def _look_up(self) -> None:
        if self._stop.is_set():
            raise PausedError


def _is_elsewhere(answer: Any) -> bool:
    return any(each.url.host != answer.url.host for each in answer.history)


def _close(answer: Any) -> None:
    with contextlib.suppress(Exception):
        answer.close()
