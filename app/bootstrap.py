"""Puts the layers together: the only module, beside `__main__`, that knows them all."""

import argparse
import asyncio
import logging
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import qasync
from PySide6.QtCore import QLockFile, QTimer, SignalInstance
from PySide6.QtWidgets import QApplication, QMessageBox

import app
from app.core.errors import UserError
from app.core.log import start_logging
from app.core.paths import Paths
from app.core.program import EXIT_ENVIRONMENT, own_command
from app.library.recent import RecentModels
from app.services import qt_log
from app.services.chat_controller import ChatController
from app.services.crash import CrashReports
from app.services.engine_service import EngineService
from app.services.engine_worker import PicturePlan, PreflightPlan
from app.services.free_memory import free_memory
from app.services.model_history import ModelHistory
from app.services.picture_service import PictureService
from app.services.settings_service import SettingsService
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore
from app.storage.folders import find_paths, make_folders
from app.storage.options import OptionsStore
from app.storage.recovery import open_or_recover
from app.ui.main_window import MainWindow
from app.ui.svg_picture import paint_svg
from app.ui.theme import Look

_log = logging.getLogger(__name__)

_SWITCH_SECONDS = 0.001
"""Python's thread switch interval: at its default of 5 ms a busy thread stalls the window by 65 ms (p99)."""
_OWNER_WAIT_MS = 200


def run_window(namespace: argparse.Namespace) -> int:
    """Open the window and stay until it is closed. Returns the exit code; what is wrong is shown in a dialog."""
    sys.setswitchinterval(_SWITCH_SECONDS)
    application = _application()
    with qasync.QEventLoop(application) as loop:
        code: int = loop.run_until_complete(_run(application, verbose=namespace.verbose))
    return code


def _application() -> QApplication:
    application = QApplication([sys.argv[0]])
    application.setApplicationName("Hearth")
    application.setApplicationVersion(app.__version__)
    application.setDesktopFileName("hearth")
    # The event loop ends when the engine has ended, not when the last window goes.
    application.setQuitOnLastWindowClosed(False)
    return application


async def _run(application: QApplication, *, verbose: bool) -> int:
    paths = find_paths()
    try:
        make_folders(paths)
        start_logging(paths.logs, verbose=verbose)
        qt_log.install()
        owner = _become_owner(paths)
    except UserError as error:
        await _tell(error)
        return EXIT_ENVIRONMENT
    crashes = CrashReports(paths.crash_report)
    last_crash = crashes.take_last()
    crashes.install()
    try:
        await Program(application, paths).run(last_crash)
    except UserError as error:
        _log.warning("%s (%s)", error.sentence, error.detail)
        await _tell(error)
        return EXIT_ENVIRONMENT
    finally:
        crashes.close()
        owner.unlock()
    return 0


def _become_owner(paths: Paths) -> QLockFile:
    """One program at a time may write the conversations. A lock that a crash left behind is taken over."""
    lock = QLockFile(str(paths.data / "hearth.lock"))
    # Never stale by age, only when its process is gone: a window may be open for weeks.
    lock.setStaleLockTime(0)
    if not lock.tryLock(_OWNER_WAIT_MS) and lock.error() is QLockFile.LockError.LockFailedError:
        raise UserError("Hearth is already open. Look for its window.")
    return lock


async def _tell(error: UserError) -> None:
    """A sentence in a dialog, and on standard error for those who started the program there."""
    if sys.stderr is not None:
        sys.stderr.write(f"hearth: {error.sentence}\n")
    box = QMessageBox(QMessageBox.Icon.Warning, "Hearth", error.sentence)
    box.setDetailedText(error.detail)
    closed = asyncio.get_running_loop().create_future()
    box.finished.connect(closed.set_result)
    box.open()
    await closed


class Program:
    """Everything that lives as long as the window."""

    def __init__(self, application: QApplication, paths: Paths) -> None:
        """Raises UserError when the conversations can't be opened."""
        self.paths = paths
        opened = open_or_recover(paths.database)
        self._notes = opened.notes
        self._database = opened.database
        self.settings = SettingsService(paths.settings)
        self.engine = EngineService(
            self.settings,
            PreflightPlan(paths.trusted_models, own_command()),
            PicturePlan(paths.attachments, paths.embeddings, paths.projectors, paths.models),
            paths.snapshots,
        )
        self.controller = ChatController(
            ConversationStore(self._database), self.engine, self.settings, OptionsStore(self._database)
        )
        self.models = ModelHistory(
            RecentModels(paths.data / "recent-models.json"), paths.models, self.engine, self.settings
        )
        self.pictures = PictureService(AttachmentStore(paths.attachments), self.engine, self.settings, paint_svg)
        self.look = Look(application, self.settings.settings.interface.theme)
        self.window = MainWindow(
            self.look,
            self.controller,
            self.engine,
            self.settings,
            recent_models=self.models.recent,
            installed_models=self.models.installed,
            state_folder=paths.config,
            free_memory=free_memory,
            pictures=self.pictures,
        )

    async def run(self, last_crash: str = "") -> None:
        closed = asyncio.get_running_loop().create_future()

        def close() -> None:
            if not closed.done():
                closed.set_result(None)

        self.window.closing.connect(close)
        _on_signals(close)
        self.window.show()
        QTimer.singleShot(0, self.begin)
        if last_crash:
            self._tell_crash(last_crash)
        try:
            await closed
        finally:
            began = time.monotonic()
            self.controller.stop()
            await _emitted(self.engine.closed, self.engine.close)
            self.close()
            _log.info("Closed in %.2f s", time.monotonic() - began)

    def close(self) -> None:
        """Write what is still open. The engine must have ended."""
        self.pictures.close()
        self.controller.finish()
        self._database.close()

    def begin(self) -> None:
        """After the first paint: what was there last time."""
        self.controller.start()
        for note in (*self._notes, *self.settings.notes):
            self.controller.noticed.emit(note)
        self.models.load_last()

    def _tell_crash(self, report: str) -> None:
        sentence = "Hearth ended unexpectedly last time. Your conversations are kept; the details may help us mend it."
        QTimer.singleShot(0, lambda: self.controller.failed.emit(UserError(sentence, detail=report)))


async def _emitted(signal: SignalInstance, cause: Callable[[], None]) -> None:
    """Call `cause` and wait until `signal` comes."""
    come = asyncio.get_running_loop().create_future()
    signal.connect(partial(come.set_result, None))
    cause()
    await come


def _on_signals(close: Callable[[], None]) -> None:
    """A terminal's Ctrl+C and a session manager's SIGTERM close the window as its button does."""
    if sys.platform == "win32":
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, close)


def check_window() -> int:
    """For `selftest`: make the window without a screen, draw it, and end in the proper order."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = _application()
    with qasync.QEventLoop(application) as loop, tempfile.TemporaryDirectory(prefix="hearth-check-") as folder:
        root = Path(folder)
        loop.run_until_complete(_check(application, Paths(root, root, root / "logs")))
    return 0


async def _check(application: QApplication, paths: Paths) -> None:
    program = Program(application, paths)
    QTimer.singleShot(0, program.window.close)
    await program.run()
    size = program.window.grab().size()
    sys.stdout.write(f"Qt draws a window of {size.width()} × {size.height()}\n")
