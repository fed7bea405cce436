"""The sidebar's list: keys and drags that a plain list does not know."""

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractItemView, QWidget

from app.services.runtime.debounce import Ticker
from app.ui.sidebar.actions import ChatAction
from app.ui.sidebar.drop_targets import dropped_between, dropped_on
from app.ui.sidebar.list_model import MIME_TYPE, ConversationModel
from app.ui.sidebar.row_painter import ChatRowPainter, more_box
from app.ui.sidebar.rows import ArchiveRow, ChatRow, FolderRow, Row
from app.ui.theme.appearance import Appearance
from app.ui.widgets.rows_view import RowsView

_TURN_MS = 150


class ChatListView(RowsView):
    """Shows a ConversationModel, and reports what is done with its rows."""

    opened = Signal(QModelIndex)
    """By a click or a key."""
    folding = Signal(QModelIndex, bool)
    """A folder or the archive; whether it is to be folded."""
    stepped = Signal(QModelIndex, int)
    """A row is to move that many places."""
    wished = Signal(object)
    """ChatAction: by a drop"""

    def __init__(self, appearance: Appearance, model: ConversationModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._rows = model
        self._mark: QRect | None = None
        self._asked = QPersistentModelIndex()
        """The row whose button for its menu is pressed."""
        self.setObjectName("conversations")
        self.setModel(model)
        self._painter = ChatRowPainter(appearance, self)
        self.setItemDelegate(self._painter)
        self._turning = Ticker(_TURN_MS, self._turn, self)
        """The marks of answers that are being written move, where anything may."""
        model.dataChanged.connect(self._look_at_marks)
        model.rowsInserted.connect(self._look_at_marks)
        model.rowsRemoved.connect(self._look_at_marks)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDropIndicatorShown(False)
        self.clicked.connect(self.opened)
        # Other letters have other heights.
        appearance.changed.connect(self.doItemsLayout)
        appearance.changed.connect(self._look_at_marks)

    @property
    def is_editing(self) -> bool:
        """Whether a title or a name is being typed."""
        return self.state() == self.State.EditingState

    def begin_edit(self, index: QModelIndex) -> None:
        """Let a title or a name be typed, unless one is: also after a drag, which makes the list forget that."""
        # With one argument Qt would warn where it can't be.
        self.edit(index, self.EditTrigger.AllEditTriggers, QEvent(QEvent.Type.None_))

    def row_at(self, index: QModelIndex) -> Row | None:
        return self._rows.row_at(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index, key = self.currentIndex(), event.key()
        row = self.row_at(index)
        if event.modifiers() & Qt.KeyboardModifier.AltModifier and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.stepped.emit(index, -1 if key == Qt.Key.Key_Up else 1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.is_editing:
            self.opened.emit(index)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and isinstance(row, FolderRow | ArchiveRow):
            mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
            self.folding.emit(index, (key == Qt.Key.Key_Left) != mirrored)
        elif event.text().isprintable() and event.text().strip() and not self.is_editing:
            # Letters mean nothing here. The window knows what to do with them; the list would swallow them.
            event.ignore()
            return
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def keyboardSearch(self, search: str) -> None:
        """Letters do nothing by themselves."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._asked = QPersistentModelIndex(self._more_at(event))
        if not self._asked.isValid():
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        asked, self._asked = self._asked, QPersistentModelIndex()
        if not asked.isValid():
            super().mouseReleaseEvent(event)
            return
        index = self._more_at(event)
        if index.isValid() and index.row() == asked.row():
            self.ask_for_menu(index, self._more_box(index).bottomLeft())

    def _more_at(self, event: QMouseEvent) -> QModelIndex:
        """The row whose button for its menu the mouse is at."""
        place = event.position().toPoint()
        index = self.indexAt(place)
        has_menu = event.button() == Qt.MouseButton.LeftButton and isinstance(self.row_at(index), ChatRow | FolderRow)
        return index if has_menu and self._more_box(index).contains(place) else QModelIndex()

    def _more_box(self, index: QModelIndex) -> QRect:
        return more_box(self.visualRect(index), mirrored=self.layoutDirection() == Qt.LayoutDirection.RightToLeft)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(MIME_TYPE):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        # Scrolls where the mouse is near an edge.
        super().dragMoveEvent(event)
        wish, self._mark = self._target(event)
        self.viewport().update()
        if wish is None:
            event.ignore()
        else:
            event.setDropAction(Qt.DropAction.MoveAction)
            event.accept()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self._forget_mark()

    def dropEvent(self, event: QDropEvent) -> None:
        wish, _ = self._target(event)
        self._forget_mark()
        self.setState(self.State.NoState)
        if wish is not None:
            # Said to be a copy, or Qt would take the row away from where it was.
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self.wished.emit(wish)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._mark is None:
            return
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._appearance.tokens.accent), 2))
        painter.drawRoundedRect(self._mark, 6, 6)
        painter.end()

    @Slot()
    def _look_at_marks(self) -> None:
        if self._rows.writing() and not self._appearance.reduced_motion:
            if not self._turning.isActive():
                self._turning.start()
        else:
            self._turning.stop()

    def _turn(self) -> None:
        self._painter.turn_marks()
        for index in self._rows.writing():
            self.viewport().update(self.visualRect(index))

    def _target(self, event: QDropEvent) -> tuple[ChatAction | None, QRect | None]:
        """What a drop here would mean, and the mark that says so: around a row, or flat between two."""
        dragged = self._dragged(event)
        place = event.position().toPoint()
        index = self.indexAt(place)
        if dragged is None:
            return None, None
        rows = self._rows.rows
        if not index.isValid():
            last = self.visualRect(self._rows.index(len(rows) - 1, 0))
            return dropped_between(rows, dragged, len(rows)), _gap(last, below=True)
        box = self.visualRect(index)
        if isinstance(rows[index.row()], FolderRow | ArchiveRow) and isinstance(dragged, ChatRow):
            edge = box.height() // 4
            if box.top() + edge <= place.y() <= box.bottom() - edge:
                return dropped_on(rows, dragged, index.row()), box.adjusted(1, 1, -1, -1)
        below = place.y() > box.center().y()
        return dropped_between(rows, dragged, index.row() + below), _gap(box, below=below)

    def _dragged(self, event: QDropEvent) -> Row | None:
        kind, _, number = bytes(event.mimeData().data(MIME_TYPE).data()).decode("ascii", "replace").partition(" ")
        if not number.isdecimal():
            return None
        find = self._rows.index_of if kind == "chat" else self._rows.index_of_folder
        return self.row_at(find(int(number)))

    def _forget_mark(self) -> None:
        self._mark = None
        self.viewport().update()


def _gap(box: QRect, *, below: bool) -> QRect:
    line = box.bottom() if below else box.top()
    return QRect(box.left() + 8, line - 1, box.width() - 16, 2)
