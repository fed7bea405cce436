"""Opens the window before anything else is loaded: it is painted, and then the program comes into it."""

import os
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QLockFile
from PySide6.QtWidgets import QApplication

import app
from app.core.errors import UserError
from app.storage.folders import find_paths, make_folders
from app.ui.frame import Frame

if TYPE_CHECKING:
    from app.core.paths import Paths

_SWITCH_SECONDS = 0.001
"""Python's thread switch interval: at its default of 5 ms a busy thread stalls the window by 65 ms (p99)."""
_OWNER_WAIT_MS = 200


def open_window(*, verbose: bool) -> int:
    """Open the window and stay until it is closed. Returns the exit code; what is wrong is shown in a dialog."""
    sys.setswitchinterval(_SWITCH_SECONDS)
    application = make_application()
    try:
        paths = find_paths()
        make_folders(paths)
        owner = _become_owner(paths)
    except UserError as error:
        from app.bootstrap import tell_failure

        return tell_failure(application, error)
    frame = Frame(paths.config)
    frame.open()
    # What follows takes longer than all before it: from here on it happens behind a window.
    from app.bootstrap import run_window

    try:
        return run_window(application, paths, frame, verbose=verbose)
    finally:
        owner.unlock()


def check_window() -> int:
    """For `selftest`: the whole window, without a screen."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from app import bootstrap

    return bootstrap.check_window(make_application())


def make_application() -> QApplication:
    application = QApplication([sys.argv[0]])
    application.setApplicationName("Hearth")
    application.setApplicationVersion(app.__version__)
    application.setDesktopFileName("hearth")
    # The event loop ends when the engine has ended, not when the last window goes.
    application.setQuitOnLastWindowClosed(False)
    return application


def _become_owner(paths: "Paths") -> QLockFile:
    """One program at a time may write the conversations. A lock that a crash left behind is taken over."""
    lock = QLockFile(str(paths.data / "hearth.lock"))
    # Never stale by age, only when its process is gone: a window may be open for weeks.
    lock.setStaleLockTime(0)
    if not lock.tryLock(_OWNER_WAIT_MS) and lock.error() is QLockFile.LockError.LockFailedError:
        raise UserError("Hearth is already open. Look for its window.")
    return lock
