"""The conversations at the left: start one, find one, open, rename or delete one."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.storage.conversations import Conversation
from app.ui.buttons import IconButton
from app.ui.conversation_list import ConversationModel
from app.ui.theme import Look

WIDTH = 250


class Sidebar(QFrame):
    """Shows what it is given and reports what is wanted; a conversation that was deleted can be brought back."""

    new_clicked = Signal()
    collapse_clicked = Signal()
    settings_clicked = Signal()
    open_requested = Signal(int)
    rename_requested = Signal(int, str)
    delete_requested = Signal(object)
    """Conversation"""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setFixedWidth(WIDTH)
        self._look = look
        self._current: int | None = None
        self._model = ConversationModel(self)
        self._model.renamed.connect(self.rename_requested)
        self._new = QPushButton(self.tr("New chat"), self)
        self._search = QLineEdit(self)
        self._list = QListView(self)
        self._empty = QLabel(self)
        self._settings = QPushButton(self.tr("Settings"), self)
        self._set_up_controls()
        self._set_up_list()
        self._lay_out()
        self._tint()
        self._after_reset()
        look.changed.connect(self._tint)

    @property
    def list_view(self) -> QListView:
        return self._list

    @property
    def settings_button(self) -> QPushButton:
        return self._settings

    @property
    def search_field(self) -> QLineEdit:
        return self._search

    def show_conversations(self, conversations: Sequence[Conversation]) -> None:
        self._model.show_conversations(conversations)
        self._after_reset()

    def show_current(self, conversation_id: int | None) -> None:
        self._current = conversation_id
        self._select_current()

    def rename_current(self) -> None:
        """Let the user type another title for the open conversation."""
        index = self._model.index_of(self._current)
        if index.isValid():
            self._list.setFocus(Qt.FocusReason.OtherFocusReason)
            self._list.setCurrentIndex(index)
            self._list.edit(index)

    def delete_current(self) -> None:
        conversation = self._model.conversation_at(self._model.index_of(self._current))
        if conversation is not None:
            self.delete_requested.emit(conversation)

    def focus_search(self) -> None:
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def context_menu_for(self, index: QModelIndex) -> QMenu | None:
        """The menu of one conversation; None where there is none. It deletes itself when it closes."""
        conversation = self._model.conversation_at(index)
        if conversation is None:
            return None
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rename = QAction(self._look.icon("edit", "muted"), self.tr("Rename"), menu)
        rename.triggered.connect(lambda: self._list.edit(self._model.index_of(conversation.id)))
        delete = QAction(self._look.icon("trash", "danger"), self.tr("Delete"), menu)
        delete.triggered.connect(lambda: self.delete_requested.emit(conversation))
        menu.addActions([rename, delete])
        return menu

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._list and event.type() == QEvent.Type.FocusOut:
            # The highlight means "open"; the keyboard only borrowed it.
            self._select_current()
        if watched is self._search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape and self._search.text():
                self._search.clear()
                return True
            if event.key() == Qt.Key.Key_Down:
                self._list.setFocus(Qt.FocusReason.TabFocusReason)
                return True
        return super().eventFilter(watched, event)

    def _filter(self, wanted: str) -> None:
        self._model.filter_by(wanted)
        self._after_reset()

    def _after_reset(self) -> None:
        self._select_current()
        has_rows = self._model.rowCount() > 0
        self._list.setVisible(has_rows)
        self._empty.setVisible(not has_rows)
        self._empty.setText(
            self.tr("No conversation has this in its title.")
            if self._search.text().strip()
            else self.tr("Your conversations will be listed here.")
        )

    def _select_current(self) -> None:
        index = self._model.index_of(self._current)
        if index.isValid():
            self._list.setCurrentIndex(index)
        else:
            self._list.clearSelection()
            self._list.setCurrentIndex(QModelIndex())

    def _open(self, index: QModelIndex) -> None:
        conversation = self._model.conversation_at(index)
        if conversation is not None:
            self.open_requested.emit(conversation.id)

    def _ask_menu(self, position: QPoint) -> None:
        index = self._list.indexAt(position)
        menu = self.context_menu_for(index if index.isValid() else self._list.currentIndex())
        if menu is not None:
            menu.popup(self._list.viewport().mapToGlobal(position))

    def _set_up_controls(self) -> None:
        self._new.setProperty("tone", "row")
        self._new.setIconSize(QSize(18, 18))
        self._new.setAccessibleName(self.tr("New chat"))
        self._new.clicked.connect(self.new_clicked)
        self._settings.setProperty("tone", "flat")
        self._settings.setIconSize(QSize(18, 18))
        self._settings.setAccessibleName(self.tr("Settings"))
        self._settings.clicked.connect(self.settings_clicked)
        self._search.setPlaceholderText(self.tr("Search conversations"))
        self._search.setAccessibleName(self.tr("Search conversations"))
        self._search.setClearButtonEnabled(False)
        self._search.textChanged.connect(self._filter)
        self._search.installEventFilter(self)
        self._empty.setWordWrap(True)
        self._empty.setTextFormat(Qt.TextFormat.PlainText)
        self._empty.setProperty("tone", "small")
        self._empty.setContentsMargins(4, 12, 4, 0)

    def _set_up_list(self) -> None:
        view = self._list
        view.setObjectName("conversations")
        view.setAccessibleName(self.tr("Conversations"))
        view.setModel(self._model)
        view.setItemDelegate(_TitleDelegate(view))
        view.setFrameShape(QFrame.Shape.NoFrame)
        view.setMouseTracking(True)
        view.setTextElideMode(Qt.TextElideMode.ElideRight)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._ask_menu)
        view.clicked.connect(self._open)
        view.activated.connect(self._open)
        view.installEventFilter(self)

    def _lay_out(self) -> None:
        brand = QLabel("Hearth", self)
        brand.setProperty("tone", "brand")
        collapse = IconButton(self._look, "sidebar", self.tr("Hide the sidebar"), parent=self)
        collapse.setProperty("tone", "framed")
        collapse.setFixedSize(34, 34)
        collapse.clicked.connect(self.collapse_clicked)
        head = QHBoxLayout()
        head.setContentsMargins(4, 0, 0, 0)
        head.addWidget(brand)
        head.addStretch(1)
        head.addWidget(collapse)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 11, 12, 12)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self._new)
        layout.addWidget(self._search)
        layout.addWidget(self._empty)
        layout.addWidget(self._list, 1)
        layout.addStretch(0)
        layout.addWidget(self._settings)

    def _tint(self) -> None:
        self._new.setIcon(self._look.icon("plus"))
        self._settings.setIcon(self._look.icon("settings", "muted"))


class _TitleDelegate(QStyledItemDelegate):
    """Names the field in which a title is edited."""

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAccessibleName(self.tr("Title"))
        return editor
