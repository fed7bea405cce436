"""One Hearth for each folder of data: a second start raises the first one's window and hands it its files.

The lock says who is first; this is only how the two talk. The first listens under a name that nobody can guess, and
writes it into the folder of data, which only its user reads. So whoever finds the door belongs there, what a crash
left behind is never taken for a living program, and nobody else can stand in its place.
"""

import json
import logging
import os
import secrets
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app.core.files import write_atomic

_log = logging.getLogger(__name__)

ADDRESS = "hearth.address"
MOST_FILES = 100
MOST_BYTES = 256 << 10
"""Of one message."""
_MOST_VISITORS = 8
_PATIENCE_MS = 5_000
"""How long a visitor may take to say what it wants."""
_ANSWER_MS = 3_000
_LONGEST_NAME = 80
"""Bytes of a socket's path: systems take about a hundred, and Qt needs some for itself while it makes one."""
_ANSWER = b"taken\n"


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """What a start asks for: to see the window, and in it these files."""

    files: tuple[Path, ...] = ()
    """Absolute paths."""
    activation: str = ""
    """Wayland's permission to come to the front, which was given to the program that was started."""


def encode(request: OpenRequest) -> bytes:
    """One line. Files that don't go into `MOST_FILES` and `MOST_BYTES` are left out."""
    files = [str(each) for each in request.files[:MOST_FILES]]
    while True:
        data = json.dumps({"files": files, "activation": request.activation}).encode("ascii") + b"\n"
        if len(data) <= MOST_BYTES or not files:
            return data
        files.pop()


def decode(line: bytes) -> OpenRequest | None:
    """None for whatever `encode` did not write."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    match told:
        case {"files": list(files), "activation": str(activation)} if len(files) <= MOST_FILES:
            paths = tuple(Path(each) for each in files if isinstance(each, str) and "\0" not in each)
            if len(paths) == len(files) and all(each.is_absolute() for each in paths):
                return OpenRequest(paths, activation if activation.isprintable() and len(activation) < 1000 else "")
    return None


def hand_over(folder: Path, request: OpenRequest) -> bool:
    """Give `request` to the Hearth that works in `folder`. False where none answers. Blocks for seconds at the most."""
    try:
        name = (folder / ADDRESS).read_text("utf-8")
    except (OSError, ValueError):
        return False
    _let_it_come_to_the_front()
    socket = QLocalSocket()
    socket.connectToServer(name)
    if not socket.waitForConnected(_ANSWER_MS):
        return False
    socket.write(encode(request))
    while socket.bytesAvailable() < len(_ANSWER) and socket.waitForReadyRead(_ANSWER_MS):
        pass
    answer = bytes(socket.readAll().data())
    socket.abort()
    return answer == _ANSWER


class InstanceServer(QObject):
    """GUI thread. For the process that has the lock. Nothing in here waits for anybody."""

    rung = Signal(object)
    """OpenRequest"""

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._address = folder / ADDRESS
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.setMaxPendingConnections(_MOST_VISITORS)
        self._server.newConnection.connect(self._let_in)
        self._visitors: dict[QLocalSocket, bytes] = {}

    def listen(self) -> None:
        """Be found by later starts. Where that can't be had the log says so, and they can only be told to look."""
        self._clear_up()
        name = _new_name()
        if not self._server.listen(name):
            _log.warning("Later starts can't reach this window: %s", self._server.errorString())
            return
        try:
            write_atomic(self._address, name.encode())
        except OSError as error:
            _log.warning("Later starts can't find this window: %s", error)
            self._server.close()

    def close(self) -> None:
        """Not to be found any more; a start that comes now waits for the lock."""
        if self._server.isListening():
            # What stays of it on a disk that has become read-only leads to nobody.
            with suppress(OSError):
                self._address.unlink()
        self._server.close()
        for visitor in list(self._visitors):
            visitor.abort()

    def _clear_up(self) -> None:
        """Removes the socket that a killed program left; the lock says that it is dead."""
        try:
            name = self._address.read_text("utf-8")
            self._address.unlink()
        except (OSError, ValueError):
            return
        if _is_ours(name):
            QLocalServer.removeServer(name)

    @Slot()
    def _let_in(self) -> None:
        while (visitor := self._server.nextPendingConnection()) is not None:
            # Deleted with the server at the latest.
            visitor.setReadBufferSize(MOST_BYTES + 1)
            if len(self._visitors) >= _MOST_VISITORS:
                visitor.abort()
                visitor.deleteLater()
                continue
            self._visitors[visitor] = b""
            visitor.readyRead.connect(self._hear)
            visitor.disconnected.connect(self._see_off)
            # A bound method with the visitor as its context: gone with it.
            QTimer.singleShot(_PATIENCE_MS, visitor, visitor.abort)
            if visitor.bytesAvailable():
                self._read(visitor)

    @Slot()
    def _hear(self) -> None:
        visitor = self.sender()
        if isinstance(visitor, QLocalSocket) and visitor in self._visitors:
            self._read(visitor)

    def _read(self, visitor: QLocalSocket) -> None:
        said = self._visitors[visitor] + bytes(visitor.readAll().data())
        self._visitors[visitor] = said
        line, ended, rest = said.partition(b"\n")
        if not ended and len(said) <= MOST_BYTES:
            return
        request = decode(line) if ended and not rest and len(said) <= MOST_BYTES else None
        if request is None:
            _log.warning("Something that is no Hearth knocked, and was sent away")
            visitor.abort()
            return
        # The visitor goes when it has read this; closed from here, it might never see it.
        visitor.write(_ANSWER)
        self.rung.emit(request)

    @Slot()
    def _see_off(self) -> None:
        visitor = self.sender()
        if isinstance(visitor, QLocalSocket):
            self._visitors.pop(visitor, None)
            visitor.deleteLater()


def _new_name() -> str:
    """A path in the user's own folder for such things, or a name that Qt puts among the temporary files."""
    name = f"hearth-{secrets.token_hex(12)}"
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    path = Path(runtime) / name
    fits = path.is_absolute() and len(os.fsencode(path)) <= _LONGEST_NAME
    if sys.platform == "linux" and runtime and fits and os.access(runtime, os.W_OK):
        return str(path)
    return name


def _is_ours(name: str) -> bool:
    """Whether a name is of the kind that `_new_name` makes: the file it stands in may have been damaged."""
    end = Path(name).name.removeprefix("hearth-")
    placed = Path(name).parent in (Path(), Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()))
    return placed and len(end) == 24 and set(end) <= set("0123456789abcdef")


def _let_it_come_to_the_front() -> None:
    """Windows lets a program come to the front only when the one in front allows it. Untried, for want of Windows."""
    if sys.platform == "win32":
        import ctypes

        anyone = -1
        ctypes.windll.user32.AllowSetForegroundWindow(anyone)
