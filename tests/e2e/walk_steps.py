"""What can be done in the window, by somebody who does anything at all."""

import random
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QAction,
    QColor,
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
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListView, QPlainTextEdit, QPushButton, QWidget
from shiboken6 import isValid

from app.core.model_ref import ModelRef
from app.core.resources import GUIDE
from app.ui.window.frame import Frame
from app.ui.window.main_window import MainWindow
from tests.e2e.walk_guard import Trail

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
_PLAIN, _CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


class Steps(QObject):
    """Each is said before it is done."""

    def __init__(self, frame: Frame, seed: str, trail: Trail) -> None:
        super().__init__(frame)
        self._frame = frame
        self._home = trail.home
        self._trail = trail
        self.random = random.Random(seed)
        self.n = 0
        """The number of the step."""
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
            (3, self._ask_several),
            (3, self._answer_side_by_side),
        )

    @property
    def window(self) -> MainWindow:
        window = self._frame.centralWidget()
        assert isinstance(window, MainWindow)
        return window

    def any(self) -> None:
        """Any of them."""
        (step,) = self.random.choices([each for _, each in self._steps], [weight for weight, _ in self._steps])
        step()

    def press(self, widget: QWidget, at: QPoint, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
        window = _window_of(widget)
        if window is not None:
            place = widget.mapTo(widget.window(), at)
            if not widget.window().rect().contains(place):
                return  # A message may reach beyond the window, and its buttons with it.
            QTest.mouseMove(window, place)
            QTest.mouseClick(window, button, pos=place)

    def say(self, what: str, widget: QWidget, at: QPoint | None = None) -> None:
        name = widget.accessibleName() or widget.objectName() or widget.windowTitle()
        place = f" at {at.x()}, {at.y()}" if at is not None else ""
        self._trail.say(f"{self.n}  {what} {type(widget).__name__} {name[:50]!r}{place}")

    def files(self) -> list[Path]:
        """To attach, and to open."""
        return sorted((self._home / "files").iterdir())

    def _click(self) -> None:
        self._hit("click", self.press)

    def _click_right(self) -> None:
        self._hit("click right", lambda widget, at: self.press(widget, at, Qt.MouseButton.RightButton))

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
            end = QPoint(self.random.randrange(window.width()), self.random.randrange(window.height()))
            QTest.mousePress(window, Qt.MouseButton.LeftButton, pos=begin)
            for share in (0.3, 1.0):
                QTest.mouseMove(window, begin + (end - begin) * share)

            def end_drag() -> None:
                if isValid(window) and end.x() < window.width() and end.y() < window.height():
                    QTest.mouseRelease(window, Qt.MouseButton.LeftButton, pos=end)

            QTimer.singleShot(self.random.randrange(300), self, end_drag)

        self._hit("drag from", act)

    def _point(self) -> None:
        self._hit("point at", _move_to)

    def _turn_wheel(self) -> None:
        def act(widget: QWidget, at: QPoint) -> None:
            turned = QPoint(0, self.random.choice((-480, -120, 120, 480)))
            held = self.random.choice((Qt.KeyboardModifier.NoModifier,) * 5 + (Qt.KeyboardModifier.ControlModifier,))
            event = QWheelEvent(
                QPointF(at), QPointF(widget.mapToGlobal(at)), QPoint(), turned,
                Qt.MouseButton.NoButton, held, Qt.ScrollPhase.NoScrollPhase, False,
            )  # fmt: skip
            QApplication.postEvent(widget, event)

        self._hit("turn the wheel over", act)

    def _press_key(self) -> None:
        name = self.random.choice(_KEYS)
        window: QWindow | None = QGuiApplication.focusWindow()
        self._trail.say(f"{self.n}  key {name}")
        QTest.keySequence(window if window is not None else self._frame.windowHandle(), QKeySequence(name))

    def _act(self) -> None:
        """Something out of the menu, by whatever way."""
        action = self.random.choice([each for each in self.window.actions() if each.isEnabled() and not quits(each)])
        if QApplication.activeModalWidget() is None:
            self._trail.say(f"{self.n}  action {action.text()!r}")
            action.trigger()

    def _ask(self) -> None:
        edit = self.window.composer.edit
        text = self.random.choice(_SENTENCES)
        self._trail.say(f"{self.n}  ask {text[:30]!r}")
        if QApplication.activeModalWidget() is None:
            edit.setFocus()
            _write(edit, text)
            QTest.keyClick(edit, Qt.Key.Key_Return, self.random.choice((_PLAIN, _PLAIN, _PLAIN, _CTRL)))

    def _ask_several(self) -> None:
        """In chats one after the other, whose answers go on together."""
        for _ in range(self.random.choice((2, 3, 5))):
            if QApplication.activeModalWidget() is None:
                self.random.choice((self.window.menu_actions.new_chat.trigger, self._open_chat))()
                self._ask()

    def _answer_side_by_side(self) -> None:
        """Begin that, or press a button of one of the answers."""
        columns, twice = self.window.columns, self.window.menu_actions.answer_twice
        if QApplication.activeModalWidget() is not None:
            return
        if columns.columns and self.random.random() < 0.7:
            column = self.random.choice(columns.columns)
            button = self.random.choice((column.stop_button, column.keep_button))
            self.say("use", button)
            if button.isVisible():
                self.press(button, button.rect().center())
        elif twice.isEnabled():
            self._trail.say(f"{self.n}  two answers side by side")
            twice.trigger()

    def _type(self) -> None:
        focus: QWidget | None = QApplication.focusWidget()
        if focus is not None:
            text = self.random.choice(_SENTENCES)
            self.say(f"type {text[:20]!r} into", focus)
            _write(focus, text)

    def _paste_picture(self) -> None:
        size = self.random.choice(((64, 64), (300, 200), (20, 400), (1600, 1200)))
        picture = QImage(*size, QImage.Format.Format_RGB32)
        picture.fill(QColor(self.random.choice(_COLOURS)))
        QGuiApplication.clipboard().setImage(picture)
        self._paste(f"a picture of {size[0]} x {size[1]}")

    def _paste_text(self) -> None:
        QGuiApplication.clipboard().setText(self.random.choice(_SENTENCES) * self.random.choice((1, 1, 70)))
        self._paste("text")

    def _paste(self, what: str) -> None:
        focus: QWidget = QApplication.focusWidget() or self.window.composer.edit
        self.say(f"paste {what} into", focus)
        QTest.keyClick(focus, Qt.Key.Key_V, _CTRL)

    def _drop(self) -> None:
        files = self.random.sample(self.files(), self.random.choice((1, 1, 1, 3)))
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(each)) for each in files])
        area = self.window.area
        if QApplication.activeModalWidget() is not None:
            return
        self._trail.say(f"{self.n}  drop {', '.join(each.name for each in files)}")
        at = QPointF(self.random.randrange(area.width()), self.random.randrange(area.height()))
        what = (Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
        enter = QDragEnterEvent(at.toPoint(), *what)
        QApplication.sendEvent(area, enter)
        taken = enter.isAccepted() and self.random.random() < 0.8
        QApplication.sendEvent(area, QDropEvent(at, *what) if taken else QDragLeaveEvent())

    def _resize(self) -> None:
        size = (self.random.randrange(400, 1700), self.random.randrange(300, 1100))
        self._trail.say(f"{self.n}  resize to {size[0]} x {size[1]}")
        self._frame.resize(*size)

    def _open_chat(self) -> None:
        chats = self.window.sidebar.list_view
        if QApplication.activeModalWidget() is None and chats.isVisible() and chats.model().rowCount():
            index = chats.model().index(self.random.randrange(chats.model().rowCount()), 0)
            self._trail.say(f"{self.n}  open the chat in row {index.row()}")
            chats.scrollTo(index, QListView.ScrollHint.EnsureVisible)
            self.press(chats.viewport(), chats.visualRect(index).center())

    def _choose_model(self) -> None:
        path = self.random.choice((GUIDE, GUIDE, *sorted((self._home / "models").glob("*.gguf"))))
        self._trail.say(f"{self.n}  choose the model {path.name}")
        self.window.picker.model_chosen.emit(ModelRef.of_file(path))

    def _use_message(self) -> None:
        """Point at a message, and press one of its buttons."""
        views = [each for each in self.window.transcript.views if not each.visibleRegion().isEmpty()]
        if not views or QApplication.activeModalWidget() is not None:
            return
        view = self.random.choice(views)
        _move_to(view, view.visibleRegion().boundingRect().center())
        buttons = [each for each in view.tools.findChildren(QWidget) if each.isVisible() and each.isEnabled()]
        if buttons:
            button = self.random.choice(buttons)
            self.say("use", button)
            self.press(button, button.rect().center())

    def _hit(self, what: str, act: Callable[[QWidget, QPoint], None]) -> None:
        """Do it to any place that is in sight."""
        root = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        roots = [root] if root is not None else [each for each in QApplication.topLevelWidgets() if each.isVisible()]
        inside = self.random.choice(roots) if roots else self._frame
        # One in three times a button: there is more behind them than behind the page.
        kind = QPushButton if self.random.random() < 0.15 else QWidget
        for _ in range(8):
            widget = self.random.choice([inside, *inside.findChildren(kind)])
            seen = widget.visibleRegion().boundingRect()
            if widget.isVisible() and not seen.isEmpty():
                at = seen.topLeft() + QPoint(self.random.randrange(seen.width()), self.random.randrange(seen.height()))
                self.say(what, widget, at)
                act(widget, at)
                return


def quits(action: QAction) -> bool:
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
