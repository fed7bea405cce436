"""Opens the window before anything else is loaded: it is painted, and then the program comes into it."""

import builtins
import ctypes
import gc
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLockFile

import app
from app.core.errors import UserError
from app.storage.folders import find_paths, make_folders

if TYPE_CHECKING:
    from app.core.paths import Paths
    from app.services.runtime.file_open_events import FileOpenEvents
    from app.ui.window.application import Application

_SWITCH_SECONDS = 0.001
"""Python's thread switch interval: at its default of 5 ms a busy thread stalls the window by 65 ms (p99)."""
_M_ARENA_MAX, _HEAPS = -8, 2
"""malloc.h. glibc gives each thread a heap of its own, eight for each processor at most, and Hearth has a dozen threads
that hand what they made to others: each heap then keeps its own holes."""
_OWNER_WAIT_MS = 200
_PATIENCE_S = 10.0
"""Seconds in which an open Hearth has to answer: it may be starting, or ending."""


def open_window(files: tuple[Path, ...] = (), *, verbose: bool) -> int:
    """Open the window with `files`, absolute paths, and stay until it is closed. Returns the exit code.

    What is wrong is shown in a dialog. Where a Hearth is open already, it comes to the front and takes the files.
    """
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.disable()  # imports leave no garbage, and `GarbageCollector` looks for what comes behind them
    activation = os.environ.get("XDG_ACTIVATION_TOKEN", "")  # Qt takes it out once it has a window
    application = make_application()
    opened_by_system = _file_open_events(application)
    try:
        paths = find_paths()
        make_folders(paths)
        owner = _become_owner(paths, files, activation)
    except UserError as error:
        from app.bootstrap import tell_failure

        return tell_failure(application, error)
    if owner is None:
        return 0
    from app.ui.window.frame import Frame

    frame = Frame(paths.config)
    frame.open()
    # What follows takes longer than all before it: from here on it happens behind a window.
    from app.bootstrap import run_window
    from app.services.runtime.shutdown import leave

    try:
        code = run_window(application, paths, frame, files, opened_by_system, verbose=verbose)
    finally:
        owner.unlock()
    return leave(code)  # all is written and closed, and a window that is gone must not leave a process behind


def check_window() -> int:
    """For `selftest`: the whole window, without a screen."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from app import bootstrap

    return bootstrap.check_window(make_application())


def make_application() -> "Application":
    _share_heaps()
    import_plainly()
    from app.ui.window.application import Application

    application = Application([sys.argv[0]])
    application.setApplicationName("Hearth")
    application.setApplicationVersion(app.__version__)
    application.setDesktopFileName("hearth")
    # The event loop ends when the engine has ended, not when the last window goes.
    application.setQuitOnLastWindowClosed(False)
    return application


def import_plainly() -> None:
    """Shiboken reads the source of each module that is imported behind Qt, to see whether its names are to be Python's.

    A tenth of the start; and what it has not read gets Qt's names, which is what all of ours want.
    """
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)


def _share_heaps() -> None:
    """Before any thread has one."""
    if sys.platform == "linux" and (choose := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        choose(_M_ARENA_MAX, _HEAPS)


def _file_open_events(application: "Application") -> "FileOpenEvents | None":
    if sys.platform == "darwin":
        from app.services.runtime.file_open_events import FileOpenEvents

        return FileOpenEvents(application)
    return None


def _become_owner(paths: "Paths", files: tuple[Path, ...], activation: str) -> QLockFile | None:
    """One program at a time may write the conversations. A lock that a crash left behind is taken over.

    None when another has it, and has answered that it opens the files.
    """
    lock = QLockFile(str(paths.data / "hearth.lock"))
    # Never stale by age, only when its process is gone: a window may be open for weeks.
    lock.setStaleLockTime(0)
    limit = time.monotonic() + _PATIENCE_S
    while not lock.tryLock(_OWNER_WAIT_MS) and lock.error() is QLockFile.LockError.LockFailedError:
        # Imported here: the first start, which people wait for, does not need it yet.
        from app.services.runtime.single_instance import OpenRequest, hand_over

        if hand_over(paths.data, OpenRequest(files, activation)):
            return None
        if time.monotonic() > limit:
            raise UserError("Hearth is already open, but does not answer. Look for its window.")
    return lock
