"""A server that is a program: its pipes, its log, and its end. For one asyncio loop."""

import asyncio
import os
import shutil
import signal
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

from app.core.errors import UserError
from app.tools.mcp_file import ServerEntry
from app.tools.watcher import APART, Watcher

_CHUNK = 1 << 18
_MOST_LINE = 4 << 20
"""Bytes of one message. Parsing it keeps Python's lock, so that much more would be felt in the window."""
_MOST_RUBBISH = 1000
"""Lines that are no messages, before it is no server."""
_LOG = 64 << 10
_CHATTER = (b'"notifications/progress"', b'"notifications/message"')
_CHATTER_EVERY = 0.1
_INHERITED = frozenset(
    {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "TMPDIR", "TZ"}
    | {"SYSTEMROOT", "SYSTEMDRIVE", "TEMP", "TMP", "USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES"}
    | {"COMSPEC", "PATHEXT", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"}
    | {"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"}
)
"""What servers are told of the environment: nothing that may be secret, and no library paths of a bundle."""


class ServerLog:
    """The last words of a server, bounded. Read in any thread."""

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self._size = 0

    @property
    def text(self) -> str:
        return b"".join(tuple(self._chunks)).decode("utf-8", "replace")

    def add(self, data: bytes) -> None:
        data = data[-_LOG:]
        self._chunks.append(data)
        self._size += len(data)
        while self._size - len(self._chunks[0]) >= _LOG:
            self._size -= len(self._chunks.popleft())


class ServerProcess:
    """Gives lines and takes lines. What is no message goes to the log."""

    def __init__(self, process: asyncio.subprocess.Process, name: str, log: ServerLog) -> None:
        self._process = process
        self._name = name
        self._log = log
        self._rubbish = 0
        self._last_chatter = 0.0
        self.problem: UserError | None = None
        """Why it was given up."""

    async def lines(self) -> AsyncIterator[bytes]:
        """Its messages, until it ends or is given up."""
        assert self._process.stdout is not None
        parts: list[bytes] = []
        length = 0
        while self.problem is None and (chunk := await self._process.stdout.read(_CHUNK)):
            *whole, rest = chunk.split(b"\n")
            for piece in whole:
                # Joined once for each line: a long one in many chunks would be copied for each of them otherwise.
                line, parts, length = b"".join((*parts, piece)).strip(), [], 0
                if self._is_message(line):
                    yield line
            parts.append(rest)
            length += len(rest)
            if length > _MOST_LINE:
                self.problem = UserError("{name} sent a message that is too large, and was stopped.", name=self._name)
            await asyncio.sleep(0)

    async def write(self, line: bytes) -> None:
        """Raises OSError where it listens no more."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")
        await self._process.stdin.drain()

    async def keep_log(self) -> None:
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(_CHUNK):
            self._log.add(chunk)
            await asyncio.sleep(0)

    async def end(self, grace: float) -> None:
        """Ask it to go, then make it and all that it began; see `Watcher.grace`."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
            if await self._has_ended(grace):
                break
            self._signal(number)
        await self._has_ended(grace)

    def kill(self) -> None:
        """Also what it left behind, which may still be there after it went by itself."""
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    async def _has_ended(self, grace: float) -> bool:
        """Not `wait`: that waits for the pipes too, which a child of it may hold."""
        ends = time.monotonic() + grace
        while self._process.returncode is None and time.monotonic() < ends:
            await asyncio.sleep(0.02)
        return self._process.returncode is not None

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.terminate()
            else:
                os.killpg(self._process.pid, number)

    def _is_message(self, line: bytes) -> bool:
        if not line:
            return False
        if line[:1] != b"{":
            self._log.add(line + b"\n")
            self._rubbish += 1
            if self._rubbish > _MOST_RUBBISH:
                self.problem = UserError("{name} writes what is no message, and was stopped.", name=self._name)
            return False
        return not self._is_too_soon(line)

    def _is_too_soon(self, line: bytes) -> bool:
        """Progress is for people, and may come a hundred thousand times."""
        if len(line) > 4096 or not any(each in line for each in _CHATTER):
            return False
        now = time.monotonic()
        if now - self._last_chatter < _CHATTER_EVERY:
            return True
        self._last_chatter = now
        return False


@asynccontextmanager
async def server_process(entry: ServerEntry, log: ServerLog, watcher: Watcher) -> AsyncIterator[ServerProcess]:
    """The program runs within, and nothing of it afterwards. Raises UserError where it can't be begun."""
    environment = environment_for(entry.env)
    program = shutil.which(entry.command, path=environment.get("PATH"))
    if program is None:
        raise UserError(
            "{command} was not found. Install it, or write its full path in mcp.json.", command=entry.command
        )
    try:
        process = await asyncio.create_subprocess_exec(
            program,
            *entry.args,
            env=environment,
            cwd=entry.cwd or None,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            **APART,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError("{command} can't be started: {reason}.", command=entry.command, reason=reason) from error
    watcher.add(process.pid)
    made = ServerProcess(process, entry.name, log)
    logging = asyncio.get_running_loop().create_task(made.keep_log(), name="server log")
    try:
        yield made
    finally:
        await asyncio.shield(_end(made, process, logging, watcher.grace))
        watcher.remove(process.pid)


async def _end(
    made: ServerProcess, process: asyncio.subprocess.Process, logging: "asyncio.Task[None]", grace: float
) -> None:
    try:
        await made.end(grace)
        with suppress(TimeoutError, asyncio.CancelledError):
            await asyncio.wait_for(logging, 0.2)
    finally:
        logging.cancel()
        made.kill()
        # A grandchild may hold the pipes still; asyncio would complain about the transport when it is collected.
        if (transport := getattr(process, "_transport", None)) is not None:
            transport.close()


def environment_for(more: Mapping[str, str]) -> dict[str, str]:
    """What a server is started with: the usual, and what its entry says."""
    usual = {name: value for name, value in os.environ.items() if name.upper() in _INHERITED or name[:4] == "XDG_"}
    usual["PATH"] = os.pathsep.join((usual.get("PATH", ""), *_usual_folders()))
    return usual | dict(more)


def _usual_folders() -> tuple[str, ...]:
    """Where programs lie that a desktop's own PATH does not name."""
    found = ("~/.local/bin", "~/.bun/bin", "~/.volta/bin", "/opt/homebrew/bin", "/usr/local/bin")
    return tuple(os.path.expanduser(each) for each in found)  # noqa: PTH111 - PATH is made of texts
