"""The command palette: type a few letters, press Enter, and it is done."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QHideEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QListView, QWidget

from app.ui.commands.palette_entries import Entry, Row, rows_for
from app.ui.commands.palette_rows import PaletteDelegate, PaletteModel
from app.ui.theme.appearance import Appearance
from app.ui.widgets.focus_return import FocusReturn
from app.ui.widgets.layouts import grow, vbox
from app.ui.widgets.plain_text import plain_label

_WIDTH, _HEIGHT, _TOP, _MARGIN = 600, 420, 64, 16
_AROUND = 26
"""Pixels above, below and between field and list."""
_SHADE = 90
"""Of 255: how dark the window gets behind it."""


class CommandPalette(QWidget):
    """Lies over `window` while it is open. Esc, a click beside it or leaving it closes it; the focus goes back."""

    chosen = Signal(object)
    """Entry; its `act` is the receiver's to call. The palette is closed by then."""

    def __init__(self, appearance: Appearance, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._entries: Sequence[Entry] = ()
        self._recent: Sequence[str] = ()
        self._came_from = FocusReturn()
        self.panel = QFrame(self)
        self.field = QLineEdit(self.panel)
        self.list = QListView(self.panel)
        self._none = plain_label("muted", self.panel, self.tr("Nothing is called that."))
        self._model = PaletteModel(self)
        self._set_up(appearance)
        window.installEventFilter(self)
        self.hide()

    @property
    def rows(self) -> tuple[Row, ...]:
        """As they are shown now."""
        found = (self._model.row_at(self._model.index(number, 0)) for number in range(self._model.rowCount()))
        return tuple(row for row in found if row is not None)

    def open(self, entries: Sequence[Entry], recent: Sequence[str]) -> None:
        self._entries, self._recent = entries, recent
        self._came_from.remember(self._window.window())
        self.field.setText("")  # Unlike `clear`, it forgets what could be undone, which would only grow.
        self._search("")
        self._place()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and event.type() == QEvent.Type.Resize:
            self._place()
        elif watched is self.field and isinstance(event, QKeyEvent):
            return self._press(event)
        elif watched is self.field and event.type() == QEvent.Type.FocusOut and self.isVisible():
            # A shortcut led elsewhere. Another window or an input method may only borrow the keyboard.
            taken: QWidget | None = QApplication.focusWidget()
            if taken is not None and taken.window() is self.window() and not self.isAncestorOf(taken):
                self._came_from.forget()
                self.hide()
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.panel.geometry().contains(event.position().toPoint()):
            self.hide()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._came_from.go_back()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(0, 0, 0, _SHADE))
        painter.end()

    def _press(self, event: QKeyEvent) -> bool:
        """Whether the key is the palette's. The window's shortcuts are told first, hence the override."""
        steps = {
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_PageUp: -8,
            Qt.Key.Key_PageDown: 8,
            Qt.Key.Key_Backtab: -1,
            Qt.Key.Key_Tab: 1,
        }
        key = Qt.Key(event.key())
        ours = key in steps or key in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if not ours or event.type() not in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            return False
        event.accept()
        if event.type() == QEvent.Type.ShortcutOverride:
            return True
        if key == Qt.Key.Key_Escape:
            self.hide()
        elif key in steps:
            self._step(steps[key], wraps=abs(steps[key]) == 1)
        else:
            self._choose()
        return True

    def _step(self, by: int, *, wraps: bool) -> None:
        count = self._model.rowCount()
        if count:
            wanted = self.list.currentIndex().row() + by
            self._select(wanted % count if wraps else max(0, min(count - 1, wanted)))

    def _select(self, number: int) -> None:
        index = self._model.index(number, 0)
        self.list.setCurrentIndex(index)
        said = index.data(Qt.ItemDataRole.AccessibleTextRole)
        self.field.setAccessibleDescription(str(said) if said else self._none.text())

    def _search(self, wanted: str) -> None:
        rows = rows_for(wanted, self._entries, self._recent)
        self._model.show_rows(rows)
        self.list.setVisible(bool(rows))
        self._none.setVisible(not rows)
        self._select(0)
        self._place()

    def _choose(self) -> None:
        row = self._model.row_at(self.list.currentIndex())
        if row is not None:
            self.hide()
            self.chosen.emit(row.entry)

    def _place(self) -> None:
        room = self._window.size()
        self.resize(room)
        width = min(_WIDTH, room.width() - 2 * _MARGIN)
        top = min(_TOP, room.height() // 10)
        # As high as what was found: a row is as high as any other.
        n_rows = self._model.rowCount()
        found = n_rows * self.list.sizeHintForRow(0) if n_rows else self._none.sizeHint().height()
        wanted = self.field.sizeHint().height() + found + _AROUND
        height = min(_HEIGHT, wanted, room.height() - 2 * top)
        self.panel.setGeometry((room.width() - width) // 2, top, width, height)

    def _set_up(self, appearance: Appearance) -> None:
        self.setAccessibleName(self.tr("Command palette"))
        self.panel.setObjectName("palette")
        self.panel.setAccessibleName(self.tr("Command palette"))
        field, view = self.field, self.list
        field.setObjectName("wanted")
        field.setPlaceholderText(self.tr("Type what you want to do, or the title of a chat"))
        field.setAccessibleName(self.tr("Command"))
        field.textChanged.connect(self._search)
        field.installEventFilter(self)
        view.setObjectName("found")
        view.setAccessibleName(self.tr("Found"))
        view.setModel(self._model)
        view.setItemDelegate(PaletteDelegate(appearance, self))
        view.setFrameShape(QFrame.Shape.NoFrame)
        view.setUniformItemSizes(True)
        # The keyboard stays in the field; the list shows where it stands.
        view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        view.setMouseTracking(True)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        view.entered.connect(lambda index: self._select(index.row()))
        view.clicked.connect(self._choose)
        self._none.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)
        self._none.setContentsMargins(12, 8, 12, 8)
        vbox(field, grow(view), grow(self._none), on=self.panel, gap=6, margins=(8, 8, 8, 8))
        appearance.changed.connect(view.viewport().update)
