"""The child that indexes, as the window has it: begun when there is something to index, and again when it died."""

import json
import logging
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from PySide6.QtCore import QObject, Signal, Slot

from app.core.program import APART
from app.services.documents.index_child import COMMAND, DIED
from app.services.runtime.guarded_signal import GuardedSignal

_log = logging.getLogger(__name__)
_SOON = 10.0
_MOST_DEATHS = 5
"""A child that lives no longer than so many seconds so many times is not begun again. A file may be the cause, which is
left out then; the next one may be, too.
"""


class IndexProcess(QObject):
    """Lives in the GUI thread."""

    told = Signal(object)
    """What the child says: a dict, see `index_child`; None when it has died and is not begun again."""

    def __init__(self, store: Path, command: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._command = [*command, COMMAND, str(store)]
        self._child: subprocess.Popen[bytes] | None = None
        self._began = 0.0
        self._deaths = 0
        """One after the other, each soon."""
        self._paused = False
        self._heard.connect(self._hear)
        self._lines = GuardedSignal(self._heard.emit)

    _heard = Signal(object)

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child is not None else None

    def look(self) -> None:
        """At all that people named; begins the child where there is none."""
        if self._child is None:
            self._begin()
        else:
            self._say("look")

    def pause(self, paused: bool) -> None:
        self._paused = paused
        if self._child is not None:
            self._say("pause" if paused else "go")

    def close(self) -> None:
        """What it was reading is read again next time."""
        self._lines.shut()
        if self._child is not None:
            self._child.kill()
            self._end()

    def _begin(self, *options: str) -> None:
        self._began = time.monotonic()
        child = self._child = subprocess.Popen(
            [*self._command, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            **APART,
        )
        assert child.stdout is not None
        threading.Thread(target=_pump, args=(child.stdout, self._lines), name="index lines", daemon=True).start()
        if self._paused:
            self._say("pause")

    def _say(self, word: str) -> None:
        assert self._child is not None
        assert self._child.stdin is not None
        with suppress(OSError):  # it has died, which its last line tells
            self._child.stdin.write(word.encode() + b"\n")
            self._child.stdin.flush()

    @Slot(object)
    def _hear(self, line: bytes | None) -> None:
        if line is not None:
            self.told.emit(json.loads(line))
            return
        self._end()
        self._deaths = self._deaths + 1 if time.monotonic() - self._began < _SOON else 1
        if self._deaths < _MOST_DEATHS:
            _log.warning("The process that indexes documents died, and is begun again")
            self._begin(DIED)
        else:
            self._deaths = 0
            self.told.emit(None)

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            assert child.stdin is not None
            with suppress(OSError):
                child.stdin.close()
            child.wait()


def _pump(stream: IO[bytes], lines: GuardedSignal) -> None:
    with stream:
        for line in stream:
            lines.tell(line)
    lines.tell(None)
