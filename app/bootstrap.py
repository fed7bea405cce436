"""Opens the window in a frame that is on screen, and says why where there is none."""

import asyncio
import gc
import logging
import sys
import tempfile
import traceback
from pathlib import Path

import qasync
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from app.cli import terminal
from app.core.errors import UserError
from app.core.log import start_logging
from app.core.paths import Paths
from app.core.program import EXIT_ENVIRONMENT
from app.program import Program
from app.services.runtime import qt_log
from app.services.runtime.crash_reports import CrashReports
from app.services.runtime.file_open_events import FileOpenEvents
from app.services.runtime.shutdown import leave
from app.ui.window.frame import Frame

_log = logging.getLogger(__name__)


def run_window(
    application: QApplication,
    paths: Paths,
    frame: Frame,
    files: tuple[Path, ...] = (),
    opened_by_system: FileOpenEvents | None = None,
    *,
    verbose: bool,
) -> int:
    """Fill the frame that is on screen, and stay until it is closed. Returns the exit code.

    What is wrong is shown in a dialog. The folders are there, and this process owns them.
    """
    with qasync.QEventLoop(application) as loop:
        wanted = (files, opened_by_system)
        code: int = loop.run_until_complete(_run(application, paths, frame, wanted, verbose=verbose))
    return code


def tell_failure(application: QApplication, error: UserError) -> int:
    """Show why there is no window. Returns the exit code."""
    with qasync.QEventLoop(application) as loop:
        loop.run_until_complete(_tell(error))
    return EXIT_ENVIRONMENT


async def _run(
    application: QApplication,
    paths: Paths,
    frame: Frame,
    wanted: tuple[tuple[Path, ...], FileOpenEvents | None],
    *,
    verbose: bool,
) -> int:
    start_logging(paths.logs, verbose=verbose)
    qt_log.install()
    crashes = CrashReports(paths.crash_report)
    last = crashes.take_last()
    crashes.install()
    # Windows has it emitted when the session ends, and then kills the process. Untried, for want of Windows.
    application.aboutToQuit.connect(crashes.close)
    well = True
    try:
        program = Program(application, paths)
        gc.freeze()  # what lives as long as the program is not to be looked through again, for 50 ms each time
        program.expect_files(*wanted)
        ended = await program.run(last, frame)
    except UserError as error:
        _log.info("%s", error.logged)
        frame.hide()
        await _tell(error)
        return EXIT_ENVIRONMENT
    except Exception:
        well = False
        application.aboutToQuit.disconnect(crashes.close)
        crashes.record(traceback.format_exc())
        raise
    finally:
        if well:
            crashes.close()
    if not ended:
        leave()
    return 0


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


def check_window(application: QApplication) -> int:
    """For `selftest`: make the window, draw it, and end in the proper order."""
    with qasync.QEventLoop(application) as loop, tempfile.TemporaryDirectory(prefix="hearth-check-") as folder:
        root = Path(folder)
        late = loop.run_until_complete(_check(application, Paths(root, root, root / "logs")))
    if late is not None:
        leave()
    return 0


async def _check(application: QApplication, paths: Paths) -> Program | None:
    """The program where it has not ended in time, as while a graphics card's driver begins; None otherwise."""
    program = Program(application, paths)
    QTimer.singleShot(0, program.window.close)
    ended = await program.run()
    size = program.window.grab().size()
    terminal.write(f"Qt draws a window of {size.width()} × {size.height()}\n")
    return None if ended else program
