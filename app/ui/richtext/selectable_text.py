"""Text that is painted by its widget: what can be done with any of it by mouse and keyboard."""

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QMenu, QWidget

from app.ui.richtext.text_marks import Hit


class Selector(Protocol):
    """Parts hand their mouse and keys to it, and are told by `select` what of them is selected."""

    @property
    def has_selection(self) -> bool: ...

    def move(self, part: QWidget, point: QPoint, *, extend: bool) -> None:
        """The mouse was pressed, or dragged, at `point` of `part`."""

    def select(self, part: QWidget, start: int, end: int) -> None:
        """Select this much of `part`, and nothing else."""

    def select_all(self) -> None: ...

    def copy(self) -> None: ...

    def add_actions(self, menu: QMenu) -> None:
        """What can be copied."""

    def left(self) -> None:
        """The keyboard has left a part."""


class SelectableText(QWidget):
    """Selects and copies, by itself or as a part of a longer text. Its children lay out and paint."""

    def __init__(self, document: QTextDocument, selector: Selector | None, parent: QWidget | None) -> None:
        """`selector` is of the text that this is a part of; without one it is selected by itself."""
        super().__init__(parent)
        document.setParent(self)
        self._document = document
        self._cursor = QTextCursor(document)
        self._hits: Sequence[Hit] = ()
        self._current_hit: Hit | None = None
        self._selector = selector
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setCursor(Qt.CursorShape.IBeamCursor)

    def document(self) -> QTextDocument:
        return self._document

    @property
    def length(self) -> int:
        """The last place in the text."""
        return self._document.characterCount() - 1

    @property
    def has_selection(self) -> bool:
        return self._cursor.hasSelection()

    @property
    def selected_text(self) -> str:
        return self._cursor.selection().toPlainText()

    def place_at(self, point: QPoint) -> int:
        """The place in the text that is nearest to `point`."""
        raise NotImplementedError

    def select(self, start: int, end: int) -> None:
        if (start, end) != (self._cursor.anchor(), self._cursor.position()):
            self._cursor.setPosition(min(start, self.length))
            self._cursor.setPosition(min(end, self.length), QTextCursor.MoveMode.KeepAnchor)
            self.update()

    def word_at(self, place: int) -> tuple[int, int]:
        cursor = QTextCursor(self._document)
        cursor.setPosition(place)
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return cursor.selectionStart(), cursor.selectionEnd()

    def show_hits(self, hits: Sequence[Hit], current: Hit | None) -> None:
        """Mark what was searched for."""
        if (hits, current) != (self._hits, self._current_hit):
            self._hits, self._current_hit = hits, current
            self.update()

    def select_all(self) -> None:
        if self._selector is not None:
            self._selector.select_all()
        else:
            self.select(0, self.length)

    def copy(self) -> None:
        if self._selector is not None:
            self._selector.copy()
        elif self._cursor.hasSelection():
            QGuiApplication.clipboard().setText(self.selected_text)

    def menu_at(self, position: QPoint) -> QMenu:
        """What can be done with the text there. It deletes itself when it closes."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self._selector is not None:
            self._selector.add_actions(menu)
        else:
            copy = menu.addAction(self.tr("Copy"))
            copy.setEnabled(self._cursor.hasSelection())
            copy.triggered.connect(self.copy)
        self._add_actions(menu, position)
        menu.addAction(self.tr("Select all")).triggered.connect(self.select_all)
        return menu

    def _add_actions(self, menu: QMenu, position: QPoint) -> None:
        """What else can be done there."""

    def _choose(self, start: int, end: int) -> None:
        """Select this much and nothing else of the text that this is a part of."""
        if self._selector is not None:
            self._selector.select(self, start, end)
        else:
            self.select(start, end)

    def _move_cursor(self, event: QMouseEvent, *, extend: bool) -> None:
        point = event.position().toPoint()
        if self._selector is not None:
            self._selector.move(self, point, extend=extend)
            return
        mode = QTextCursor.MoveMode.KeepAnchor if extend else QTextCursor.MoveMode.MoveAnchor
        self._cursor.setPosition(self.place_at(point), mode)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._move_cursor(event, extend=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._move_cursor(event, extend=True)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._choose(*self.word_at(self.place_at(event.position().toPoint())))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_at(event.pos()).popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.select_all()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            return
        if self._selector is not None:
            self._selector.left()
        else:
            self._cursor.clearSelection()
        self.update()
