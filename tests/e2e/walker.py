"""Somebody who does anything at all in the window, again and again: the child of `random_walk`."""

import argparse
import faulthandler
import gc
import signal
import sys
import time
import traceback
from pathlib import Path

import psutil
from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtPrintSupport import QPrintDialog
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMenu, QMessageBox, QWidget

from app.bootstrap import run_window
from app.core.model_ref import GUIDE_REF
from app.services.local_api import paired_sharing
from app.services.remote import found_hosts
from app.start import make_application
from app.storage.folders import find_paths, make_folders
from app.ui.window.frame import Frame
from tests.e2e.walk_guard import Trail, guard
from tests.e2e.walk_steps import Steps, quits

_LONGEST_PAUSE_MS = 60
_PATIENCE = 14
"""Steps after which a dialog or a menu is closed that nothing else has closed."""
_REST_EVERY = 20.0
"""Seconds between the rests at which memory is measured."""
_REST_MS = 1500
_DESTROYS = QMessageBox.ButtonRole.DestructiveRole
_KEPT_CHATS = 40
"""All others are deleted at each rest, so that memory that grows is not the library's."""
_SLOW = 3.0
"""Seconds of processor time that nothing done in the window may take."""


class Walker(QObject):
    """Lives in the GUI thread; each step is one turn of the event loop."""

    def __init__(self, frame: Frame, seed: str, seconds: float, trail: Trail) -> None:
        super().__init__(frame)
        self._frame = frame
        self._home = trail.home
        self._steps = Steps(frame, seed, trail)
        self._seconds = seconds
        self._trail = trail
        self._until, self._rest_at = 0.0, 0.0
        self._saved = 0
        self._asked_last: tuple[int, int] = (0, 0)
        """A dialog or a menu, by its identity, and for how many steps it has been there."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._step)

    def begin(self) -> None:
        for scheme in ("http", "https", "mailto", "file"):
            QDesktopServices.setUrlHandler(scheme, self, "swallow")  # type: ignore[arg-type]  # PySide's stub errs
        # The network is nobody's business here.
        found_hosts._look = lambda _, stopped: stopped.wait()  # type: ignore[assignment]
        paired_sharing._wait = lambda pairing, *, announced: pairing.wait()
        now = time.monotonic()
        self._until, self._rest_at = now + self._seconds, now + _REST_EVERY
        self._timer.start(0)

    @Slot(QUrl)
    def swallow(self, url: QUrl) -> None:
        """No browser and no file manager is opened."""
        self._trail.say(f"would open {url.scheme()}")

    @Slot()
    def _step(self) -> None:
        now = time.monotonic()
        if not self._frame.isVisible():
            return
        if now > self._until:
            self._trail.say("close the window")
            self._frame.close()
            return
        rests = now > self._rest_at
        self._steps.n += 1
        began = time.thread_time()
        try:
            (self._rest if rests else self._do)()
        except RuntimeError as error:
            # What was aimed at went away by itself, or because the pointer came near.
            where = traceback.extract_tb(error.__traceback__)[-1].filename
            if "already deleted" not in str(error) or Path(where).parent != Path(__file__).parent:
                raise
        finally:
            if rests:
                self._rest_at = now + _REST_EVERY
                QTimer.singleShot(_REST_MS, self, self._measure)
            else:
                self._timer.start(self._steps.random.randrange(_LONGEST_PAUSE_MS))
        took = time.thread_time() - began
        if took > _SLOW:
            self._trail.fault(f"A step took {took:.1f} s")

    def _do(self) -> None:
        asking = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        last, count = self._asked_last
        self._asked_last = (id(asking), count + 1 if asking is not None and id(asking) == last else 0)
        if asking is not None and self._answer(asking):
            return
        self._steps.any()

    def _answer(self, asking: QWidget) -> bool:
        """Do what a dialog or a menu is there for, or put it away. False where it is treated as all else."""
        if isinstance(asking, QFileDialog):
            self._choose_file(asking)
        elif isinstance(asking, QPrintDialog) or self._asked_last[1] > _PATIENCE:
            self._steps.say("put away", asking)
            asking.reject() if isinstance(asking, QDialog) else asking.close()
        elif isinstance(asking, QMenu):
            self._choose_in(asking)
        else:
            return False
        return True

    def _choose_in(self, menu: QMenu) -> None:
        wanted = [each for each in menu.actions() if each.isEnabled() and not each.isSeparator() and not quits(each)]
        if not wanted or self._steps.random.random() < 0.2:
            self._steps.say("close", menu)
            menu.close()
            return
        action = self._steps.random.choice(wanted)
        self._steps.say(f"choose {action.text()!r} in", menu)
        self._steps.press(menu, menu.actionGeometry(action).center())

    def _choose_file(self, dialog: QFileDialog) -> None:
        if self._steps.random.random() < 0.3:
            self._steps.say("reject", dialog)
            dialog.reject()
            return
        self._saved += 1
        if dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave:
            path = self._home / "saved" / f"{self._steps.n}-{self._saved}.{dialog.defaultSuffix() or 'out'}"
        elif dialog.fileMode() is QFileDialog.FileMode.Directory:
            path = self._home / self._steps.random.choice(("models", "files"))
        else:
            path = self._steps.random.choice(self._steps.files())
        self._steps.say(f"choose {path.name} in", dialog)
        dialog.setDirectory(str(path.parent))
        dialog.selectFile(str(path))
        # Not by `accept`: what it doesn't like, it tells in an event loop of its own.
        dialog.done(0)
        if dialog.fileMode() is not QFileDialog.FileMode.ExistingFiles:
            dialog.fileSelected.emit(str(path))
        dialog.filesSelected.emit([str(path)])

    def _rest(self) -> None:
        """Put everything away, and see how much memory is needed for nothing."""
        self._trail.say(f"{self._steps.n}  rest")
        while (asking := QApplication.activePopupWidget() or QApplication.activeModalWidget()) is not None:
            asking.hide()
        for each in QApplication.topLevelWidgets():
            if isinstance(each, QDialog):
                each.reject()
        window = self._steps.window
        window.menu_actions.stop.trigger()
        window.menu_actions.usual_text.trigger()
        window.menu_actions.new_chat.trigger()
        window.composer.edit.clear()
        for tile in window.composer.pictures.items:
            tile.remove_wanted.emit(tile.pending.number)
        for chip in window.composer.documents.items:
            chip.remove_wanted.emit(chip.pending.number)
        for card in tuple(window.composer.queue.cards):
            card.remove_wanted.emit(card)
        window.picker.model_chosen.emit(GUIDE_REF)
        self._tidy()

    def _tidy(self) -> None:
        """What was deleted at the last rest, or since, goes for good, and all but the newest chats to the trash."""
        chats = self._steps.window.sidebar.chats
        if chats._library.trash:
            chats.empty_trash()
            box = QApplication.activeModalWidget()
            assert isinstance(box, QMessageBox)
            next(each for each in box.buttons() if box.buttonRole(each) is _DESTROYS).click()
        for each in chats._library.conversations[_KEPT_CHATS:]:
            chats.delete_requested.emit(each)

    @Slot()
    def _measure(self) -> None:
        gc.collect()
        rss = psutil.Process().memory_info().rss
        self._trail.measure(rss, len(QApplication.allWidgets()))
        self._timer.start(0)


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("home", type=Path)
    arguments.add_argument("seed")
    arguments.add_argument("seconds", type=float)
    wanted = arguments.parse_args()
    faulthandler.register(signal.SIGUSR1)
    trail = Trail(wanted.home)
    trail.listen()
    guard(trail)
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    sys.setswitchinterval(0.001)
    application = make_application()
    paths = find_paths()
    make_folders(paths)
    frame = Frame(paths.config)
    walker = Walker(frame, wanted.seed, wanted.seconds, trail)
    frame.open()
    # By then the frame is filled, and the program has begun.
    QTimer.singleShot(1500, walker, walker.begin)
    code = run_window(application, paths, frame, verbose=False)
    # The program's own reports are closed by now, and the end of the process may hang, too.
    faulthandler.enable()
    trail.say("ended")
    return code


if __name__ == "__main__":
    sys.exit(main())
