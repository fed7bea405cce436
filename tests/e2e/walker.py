"""Somebody who does anything at all in the window, again and again: the child of `random_walk`."""

import argparse
import faulthandler
import gc
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import psutil
from PySide6.QtCore import QCoreApplication, QMimeData, QPoint, QPointF, Qt, QTimer, QUrl, Slot
from PySide6.QtCore import QObject as Object
from PySide6.QtGui import (
    QAction,
    QColor,
    QDesktopServices,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QGuiApplication,
    QImage,
    QInputMethodEvent,
    QKeySequence,
    QWheelEvent,
    QWindow,
)
from PySide6.QtPrintSupport import QPrintDialog
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QListView, QMenu, QPlainTextEdit, QPushButton, QWidget
from shiboken6 import isValid

from app.bootstrap import run_window
from app.core.resources import GUIDE
from app.start import make_application
from app.storage.folders import find_paths, make_folders
from app.ui.frame import Frame
from app.ui.main_window import MainWindow
from tests.e2e.walk_guard import Trail, guard

_SENTENCES = (
    "What can you do?",
    "Hello",
    "My name is Ada",
    "How do I get a larger model?",
    "What do you see?",
    "Which of the two is red?",
    "How many pictures did I show you?",
    "Summarise this file",
    "- one\n- two\n\n```py\nx = [1]\n```",
    "$a^2 + b^2$ and **bold** | a | b |",
    "مرحبا بالعالم",
    "日本語のテスト 🙂",
    "word " * 60,
    "x" * 400,
)
_KEYS = (
    *("Return", "Esc", "Tab", "Backtab", "Up", "Down", "Left", "Right", "Home", "End", "PgUp", "PgDown", "Space"),
    *("Delete", "Backspace", "F1", "F2", "F3", "F10", "Alt+Left", "Alt+Right", "Alt+Up", "Shift+F10", "Shift+Tab"),
    *("Ctrl+A", "Ctrl+C", "Ctrl+X", "Ctrl+Z", "Ctrl+Y", "Ctrl+Return", "Shift+Return", "Ctrl+Home", "Ctrl+End"),
)
_COLOURS = ("red", "blue", "green", "white", "black", "yellow")
_SHAPES = ("disc", "square")
_LONGEST_PAUSE_MS = 60
_PATIENCE = 14
"""Steps after which a dialog or a menu is closed that nothing else has closed."""
_REST_EVERY = 20.0
"""Seconds between the rests at which memory is measured."""
_REST_MS = 1500
_SLOW = 3.0
"""Seconds of processor time that nothing done in the window may take."""


class Walker(Object):
    """Lives in the GUI thread; each step is one turn of the event loop."""

    def __init__(self, frame: Frame, seed: str, seconds: float, trail: Trail) -> None:
        super().__init__(frame)
        self._frame = frame
        self._home = trail.home
        self._random = random.Random(seed)
        self._seconds = seconds
        self._trail = trail
        self._until, self._rest_at = 0.0, 0.0
        self._n, self._saved = 0, 0
        self._asked_last: tuple[int, int] = (0, 0)
        """A dialog or a menu, by its identity, and for how many steps it has been there."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._step)
        self._steps: tuple[tuple[int, Callable[[], None]], ...] = (
            (26, self._click),
            (3, self._click_right),
            (4, self._click_twice),
            (4, self._drag),
            (8, self._point),
            (5, self._turn_wheel),
            (8, self._press_key),
            (7, self._act),
            (10, self._ask),
            (4, self._type),
            (5, self._paste_picture),
            (3, self._paste_text),
            (5, self._drop),
            (3, self._resize),
            (4, self._open_chat),
            (2, self._choose_model),
            (3, self._use_message),
        )

    @property
    def _window(self) -> MainWindow:
        window = self._frame.centralWidget()
        assert isinstance(window, MainWindow)
        return window

    def begin(self) -> None:
        for scheme in ("http", "https", "mailto", "file"):
            QDesktopServices.setUrlHandler(scheme, self, "swallow")  # type: ignore[arg-type]  # PySide's stub errs
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
        if now > self._rest_at:
            self._rest_at = now + _REST_EVERY
            self._rest()
            return
        self._n += 1
        began = time.thread_time()
        try:
            self._do()
        except RuntimeError as error:
            # What was aimed at went away by itself, or because the pointer came near.
            where = traceback.extract_tb(error.__traceback__)[-1].filename
            if "already deleted" not in str(error) or where != __file__:
                raise
        finally:
            self._timer.start(self._random.randrange(_LONGEST_PAUSE_MS))
        took = time.thread_time() - began
        if took > _SLOW:
            self._trail.fault(f"A step took {took:.1f} s")

    def _do(self) -> None:
        asking = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        last, count = self._asked_last
        self._asked_last = (id(asking), count + 1 if asking is not None and id(asking) == last else 0)
        if asking is not None and self._answer(asking):
            return
        (step,) = self._random.choices([each for _, each in self._steps], [weight for weight, _ in self._steps])
        step()

    def _answer(self, asking: QWidget) -> bool:
        """Do what a dialog or a menu is there for, or put it away. False where it is treated as all else."""
        if isinstance(asking, QFileDialog):
            self._choose_file(asking)
        elif isinstance(asking, QPrintDialog) or self._asked_last[1] > _PATIENCE:
            self._say("put away", asking)
            asking.reject() if isinstance(asking, QDialog) else asking.close()
        elif isinstance(asking, QMenu):
            self._choose_in(asking)
        else:
            return False
        return True

    def _choose_in(self, menu: QMenu) -> None:
        wanted = [each for each in menu.actions() if each.isEnabled() and not each.isSeparator() and not _quits(each)]
        if not wanted or self._random.random() < 0.2:
            self._say("close", menu)
            menu.close()
            return
        action = self._random.choice(wanted)
        self._say(f"choose {action.text()!r} in", menu)
        self._press(menu, menu.actionGeometry(action).center())

    def _choose_file(self, dialog: QFileDialog) -> None:
        if self._random.random() < 0.3:
            self._say("reject", dialog)
            dialog.reject()
            return
        self._saved += 1
        if dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave:
            path = self._home / "saved" / f"{self._n}-{self._saved}.{dialog.defaultSuffix() or 'out'}"
        elif dialog.fileMode() is QFileDialog.FileMode.Directory:
            path = self._home / "models"
        else:
            path = self._random.choice(self._files())
        self._say(f"choose {path.name} in", dialog)
        dialog.setDirectory(str(path.parent))
        dialog.selectFile(str(path))
        # Not by `accept`: what it doesn't like, it tells in an event loop of its own.
        dialog.done(0)
        if dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave or dialog.fileMode() is _ONE:
            dialog.fileSelected.emit(str(path))
        dialog.filesSelected.emit([str(path)])

    def _click(self) -> None:
        self._hit("click", self._press)

    def _click_right(self) -> None:
        self._hit("click right", lambda widget, at: self._press(widget, at, Qt.MouseButton.RightButton))

    def _click_twice(self) -> None:
        def act(widget: QWidget, at: QPoint) -> None:
            if (window := _window_of(widget)) is not None:
                QTest.mouseDClick(window, Qt.MouseButton.LeftButton, pos=widget.mapTo(widget.window(), at))

        self._hit("click twice", act)

    def _drag(self) -> None:
        def act(widget: QWidget, at: QPoint) -> None:
            window = _window_of(widget)
            if window is None:
                return
            begin = widget.mapTo(widget.window(), at)
            end = QPoint(self._random.randrange(window.width()), self._random.randrange(window.height()))
            QTest.mousePress(window, Qt.MouseButton.LeftButton, pos=begin)
            for share in (0.3, 1.0):
                QTest.mouseMove(window, begin + (end - begin) * share)

            def end_drag() -> None:
                if isValid(window) and end.x() < window.width() and end.y() < window.height():
                    QTest.mouseRelease(window, Qt.MouseButton.LeftButton, pos=end)

            QTimer.singleShot(self._random.randrange(300), self, end_drag)

        self._hit("drag from", act)

    def _point(self) -> None:
        self._hit("point at", _move_to)

    def _turn_wheel(self) -> None:
        def act(widget: QWidget, at: QPoint) -> None:
            turned = QPoint(0, self._random.choice((-480, -120, 120, 480)))
            held = self._random.choice((Qt.KeyboardModifier.NoModifier,) * 5 + (Qt.KeyboardModifier.ControlModifier,))
            event = QWheelEvent(
                QPointF(at), QPointF(widget.mapToGlobal(at)), QPoint(), turned,
                Qt.MouseButton.NoButton, held, Qt.ScrollPhase.NoScrollPhase, False,
            )  # fmt: skip
            QApplication.postEvent(widget, event)

        self._hit("turn the wheel over", act)

    def _press_key(self) -> None:
        name = self._random.choice(_KEYS)
        window: QWindow | None = QGuiApplication.focusWindow()
        self._trail.say(f"{self._n}  key {name}")
        QTest.keySequence(window if window is not None else self._frame.windowHandle(), QKeySequence(name))

    def _act(self) -> None:
        """Something out of the menu, by whatever way."""
        action = self._random.choice([each for each in self._window.actions() if each.isEnabled() and not _quits(each)])
        if QApplication.activeModalWidget() is None:
            self._trail.say(f"{self._n}  action {action.text()!r}")
            action.trigger()

    def _ask(self) -> None:
        edit = self._window.composer.edit
        text = self._random.choice(_SENTENCES)
        self._trail.say(f"{self._n}  ask {text[:30]!r}")
        if QApplication.activeModalWidget() is None:
            edit.setFocus()
            _write(edit, text)
            QTest.keyClick(edit, Qt.Key.Key_Return, self._random.choice((_PLAIN, _PLAIN, _PLAIN, _CTRL)))

    def _type(self) -> None:
        focus: QWidget | None = QApplication.focusWidget()
        if focus is not None:
            text = self._random.choice(_SENTENCES)
            self._say(f"type {text[:20]!r} into", focus)
            _write(focus, text)

    def _paste_picture(self) -> None:
        size = self._random.choice(((64, 64), (300, 200), (20, 400), (1600, 1200)))
        picture = QImage(*size, QImage.Format.Format_RGB32)
        picture.fill(QColor(self._random.choice(_COLOURS)))
        QGuiApplication.clipboard().setImage(picture)
        self._paste(f"a picture of {size[0]} x {size[1]}")

    def _paste_text(self) -> None:
        QGuiApplication.clipboard().setText(self._random.choice(_SENTENCES) * self._random.choice((1, 1, 70)))
        self._paste("text")

    def _paste(self, what: str) -> None:
        focus: QWidget = QApplication.focusWidget() or self._window.composer.edit
        self._say(f"paste {what} into", focus)
        QTest.keyClick(focus, Qt.Key.Key_V, _CTRL)

    def _drop(self) -> None:
        files = self._random.sample(self._files(), self._random.choice((1, 1, 1, 3)))
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(each)) for each in files])
        area = self._window.area
        if QApplication.activeModalWidget() is not None:
            return
        self._trail.say(f"{self._n}  drop {', '.join(each.name for each in files)}")
        at = QPointF(self._random.randrange(area.width()), self._random.randrange(area.height()))
        what = (Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
        enter = QDragEnterEvent(at.toPoint(), *what)
        QApplication.sendEvent(area, enter)
        taken = enter.isAccepted() and self._random.random() < 0.8
        QApplication.sendEvent(area, QDropEvent(at, *what) if taken else QDragLeaveEvent())

    def _resize(self) -> None:
        size = (self._random.randrange(400, 1700), self._random.randrange(300, 1100))
        self._trail.say(f"{self._n}  resize to {size[0]} x {size[1]}")
        self._frame.resize(*size)

    def _open_chat(self) -> None:
        chats = self._window.sidebar.list_view
        if QApplication.activeModalWidget() is None and chats.isVisible() and chats.model().rowCount():
            index = chats.model().index(self._random.randrange(chats.model().rowCount()), 0)
            self._trail.say(f"{self._n}  open the chat in row {index.row()}")
            chats.scrollTo(index, QListView.ScrollHint.EnsureVisible)
            self._press(chats.viewport(), chats.visualRect(index).center())

    def _choose_model(self) -> None:
        path = self._random.choice((GUIDE, GUIDE, *sorted((self._home / "models").glob("*.gguf"))))
        self._trail.say(f"{self._n}  choose the model {path.name}")
        self._window.picker.model_chosen.emit(path)

    def _use_message(self) -> None:
        """Point at a message, and press one of its buttons."""
        views = [each for each in self._window.transcript.views if not each.visibleRegion().isEmpty()]
        if not views or QApplication.activeModalWidget() is not None:
            return
        view = self._random.choice(views)
        _move_to(view, view.visibleRegion().boundingRect().center())
        buttons = [each for each in view.tools.findChildren(QWidget) if each.isVisible() and each.isEnabled()]
        if buttons:
            button = self._random.choice(buttons)
            self._say("use", button)
            self._press(button, button.rect().center())

    def _rest(self) -> None:
        """Put everything away, and see how much memory is needed for nothing."""
        self._trail.say(f"{self._n}  rest")
        while (asking := QApplication.activePopupWidget() or QApplication.activeModalWidget()) is not None:
            asking.hide()
        for each in QApplication.topLevelWidgets():
            if isinstance(each, QDialog):
                each.reject()
        window = self._window
        window.menu_actions.stop.trigger()
        window.menu_actions.usual_text.trigger()
        window.menu_actions.new_chat.trigger()
        window.composer.edit.clear()
        for button in (*(each.remove_button for each in window.composer.tray.tiles),):
            button.removed.emit()
        for chip in window.composer.documents.chips:
            chip.remove_wanted.emit(chip.document.number)
        for card in window.composer.queue.cards:
            card.remove_wanted.emit(card)
        window.picker.model_chosen.emit(GUIDE)
        QTimer.singleShot(_REST_MS, self, self._measure)

    @Slot()
    def _measure(self) -> None:
        gc.collect()
        rss = psutil.Process().memory_info().rss
        self._trail.measure(rss, len(QApplication.allWidgets()))
        self._timer.start(0)

    def _hit(self, what: str, act: Callable[[QWidget, QPoint], None]) -> None:
        """Do it to any place that is in sight."""
        root = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        roots = [root] if root is not None else [each for each in QApplication.topLevelWidgets() if each.isVisible()]
        inside = self._random.choice(roots) if roots else self._frame
        # One in three times a button: there is more behind them than behind the page.
        kind = QPushButton if self._random.random() < 0.15 else QWidget
        for _ in range(8):
            widget = self._random.choice([inside, *inside.findChildren(kind)])
            seen = widget.visibleRegion().boundingRect()
            if widget.isVisible() and not seen.isEmpty():
                at = seen.topLeft() + QPoint(
                    self._random.randrange(seen.width()), self._random.randrange(seen.height())
                )
                self._say(what, widget, at)
                act(widget, at)
                return

    def _press(self, widget: QWidget, at: QPoint, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
        window = _window_of(widget)
        if window is not None:
            place = widget.mapTo(widget.window(), at)
            QTest.mouseMove(window, place)
            QTest.mouseClick(window, button, pos=place)

    def _say(self, what: str, widget: QWidget, at: QPoint | None = None) -> None:
        name = widget.accessibleName() or widget.objectName() or widget.windowTitle()
        place = f" at {at.x()}, {at.y()}" if at is not None else ""
        self._trail.say(f"{self._n}  {what} {type(widget).__name__} {name[:50]!r}{place}")

    def _files(self) -> list[Path]:
        return sorted((self._home / "files").iterdir())


_PLAIN, _CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
_ONE = QFileDialog.FileMode.ExistingFile


def _quits(action: QAction) -> bool:
    return action.menuRole() is QAction.MenuRole.QuitRole


def _window_of(widget: QWidget) -> QWindow | None:
    return widget.window().windowHandle()


def _move_to(widget: QWidget, at: QPoint) -> None:
    if (window := _window_of(widget)) is not None:
        QTest.mouseMove(window, widget.mapTo(widget.window(), at))


def _write(widget: QWidget, text: str) -> None:
    """As an input method does, which can write anything."""
    event = QInputMethodEvent()
    event.setCommitString(text if isinstance(widget, QPlainTextEdit) else text.replace("\n", " "))
    QApplication.sendEvent(widget, event)


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
