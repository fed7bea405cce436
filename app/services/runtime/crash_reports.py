"""What happens to a bug: it is written down, told at the next start, and sent nowhere."""

import faulthandler
import logging
import sys
import threading
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO

import app

_log = logging.getLogger(__name__)
_MAX_BYTES = 256 << 10
_TIME = "%Y-%m-%d %H:%M:%S"


@dataclass(frozen=True, slots=True)
class LastRun:
    report: str = ""
    """What went wrong; empty where nothing did."""
    survived: bool = False
    """It went on after that, and was closed as always."""


class CrashReports:
    """One text file that uncaught exceptions are appended to, and one that a native crash writes into.

    The second is there as long as the program runs, so that one that was killed is noticed too.
    """

    def __init__(self, report: Path) -> None:
        self._report = report
        self._native = report.with_name("native-crash.txt")
        self._file: IO[str] | None = None

    def take_last(self) -> LastRun:
        """What the last run left; it is told once and then forgotten."""
        native, report = self._take(self._native), self._take(self._report)
        began, _, crash = native.partition("\n")
        if began and not crash.strip() and not report:
            return LastRun(
                f"{began}\nIt was ended from outside, or the computer went down: it left no trace of its own."
            )
        told = "\n\n".join(text for text in (native if crash.strip() else "", report) if text)
        return LastRun(told, survived=bool(told) and not native)

    def install(self) -> None:
        """Catch every way in which Python and native code can fail. Call once, early, after `take_last`."""
        sys.excepthook = self._exception
        threading.excepthook = self._thread_exception
        try:
            self._report.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._native.open("w", encoding="utf-8")
            self._file.write(f"Hearth {app.__version__} began at {time.strftime(_TIME)}.\n")
            self._file.flush()  # what a crash writes comes past Python
        except OSError as error:
            _log.warning("No crash report can be kept: %s", error)
            return
        faulthandler.enable(self._file)

    def close(self) -> None:
        """A run that ends well leaves no native report."""
        if self._file is not None:
            faulthandler.disable()
            self._file.close()
            self._file = None
            with suppress(OSError):
                self._native.unlink()
        sys.excepthook, threading.excepthook = sys.__excepthook__, threading.__excepthook__

    @staticmethod
    def _take(path: Path) -> str:
        try:
            text = path.read_text("utf-8", "replace").strip()
            path.unlink()
        except OSError:
            return ""
        return text

    def record(self, text: str) -> None:
        try:
            size = self._report.stat().st_size if self._report.exists() else 0
            if size < _MAX_BYTES:
                with self._report.open("a", encoding="utf-8") as file:
                    file.write(f"{time.strftime(_TIME)}\n{text}\n")
        except OSError as error:
            _log.warning("The crash report can't be written: %s", error)

    def _exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        _log.error("Uncaught exception", exc_info=(kind, error, trace))
        self.record("".join(traceback.format_exception(kind, error, trace)))

    def _thread_exception(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._exception(args.exc_type, args.exc_value, args.exc_traceback)
