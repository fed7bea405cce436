"""The conversations at the left: start one, find one, open, order, rename or delete one."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.services.library_states import Library, SearchResult
from app.services.states import Warmth
from app.storage.conversations import Conversation
from app.ui.buttons import IconButton
from app.ui.chat_drops import stepped
from app.ui.chat_list_view import ChatListView
from app.ui.chat_menus import ChatMenus
from app.ui.chat_wish import Collapse, Destroy, OpenMessage, RenameFolder, Search
from app.ui.conversation_list import ConversationModel
from app.ui.fonts import half_scaled
from app.ui.icons import icon_size
from app.ui.sidebar_rows import (
    ArchiveRow,
    ChatRow,
    FolderRow,
    Group,
    HitRow,
    Row,
    library_rows,
    search_rows,
    trash_rows,
)
from app.ui.theme import Look
from app.ui.trash_bar import TrashBar

WIDTH = 250
_MIDNIGHT_MS = 600_000
"""How often the names of the days are looked at again."""


class Sidebar(QFrame):
    """Shows what it is given and reports what is wanted; a conversation that was deleted can be brought back."""

    new_clicked = Signal()
    collapse_clicked = Signal()
    settings_clicked = Signal()
    open_requested = Signal(int)
    rename_requested = Signal(int, str)
    delete_requested = Signal(object)
    """Conversation"""
    wished = Signal(object)
    """ChatWish"""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self._look = look
        self._current: int | None = None
        self._library = Library()
        self._result = SearchResult("")
        self._archive_open = False
        self._in_trash = False
        self.keeps_on_disk: Callable[[int], bool | None] = lambda _: None
        """Whether a conversation is kept warm on disk; None where none is."""
        self._model = ConversationModel(self)
        self._menus = ChatMenus(look, self.wished.emit, self)
        self._collapse = IconButton(look, "sidebar", self.tr("Hide the sidebar"), parent=self)
        self._new = QPushButton(self.tr("New chat"), self)
        self._search = QLineEdit(self)
        self._trash_bar = TrashBar(look, self)
        self._list = ChatListView(look, self._model, self)
        self._empty = QLabel(self)
        self._settings = QPushButton(self.tr("Settings"), self)
        self._trash = IconButton(look, "trash", self.tr("Trash"), parent=self)
        self._midnight = QTimer(self)
        self._set_up_controls()
        self._set_up_list()
        self._lay_out()
        self._tint()
        self._refill()
        look.changed.connect(self._tint)

    @property
    def list_view(self) -> QListView:
        return self._list

    @property
    def new_button(self) -> QPushButton:
        return self._new

    @property
    def collapse_button(self) -> IconButton:
        return self._collapse

    @property
    def settings_button(self) -> QPushButton:
        return self._settings

    @property
    def trash_button(self) -> IconButton:
        return self._trash

    @property
    def trash_bar(self) -> TrashBar:
        return self._trash_bar

    @property
    def search_field(self) -> QLineEdit:
        return self._search

    # -- what is shown -------------------------------------------------------------------------------------------

    def show_conversations(self, conversations: Sequence[Conversation]) -> None:
        self.show_library(Library(tuple(conversations)))

    def show_library(self, library: Library) -> None:
        self._library = library
        self._refill()

    def show_found(self, result: SearchResult) -> None:
        """What a search found; one that was not asked for last is not shown."""
        if result.wanted == self._search.text():
            self._result = result
            self._refill()

    def show_warmth(self, warmth: Mapping[str, Warmth]) -> None:
        self._model.show_warmth(warmth)

    def show_current(self, conversation_id: int | None) -> None:
        self._current = conversation_id
        self._select_current()

    def show_trash(self, shown: bool) -> None:
        """The trash in place of the conversations, or these again."""
        self._in_trash = shown
        self._trash.setChecked(shown)
        for each in (self._new, self._search):
            each.setVisible(not shown)
        self._trash_bar.setVisible(shown)
        self._refill()

    # -- what is asked for from outside --------------------------------------------------------------------------

    def rename_current(self) -> None:
        """Let the user type another name for the row that the keyboard is in, or for the open conversation."""
        index = self._list.currentIndex() if self._list.hasFocus() else QModelIndex()
        self._edit(index if index.isValid() else self._model.index_of(self._current))

    def edit_folder(self, folder_id: int) -> None:
        self._edit(self._model.index_of_folder(folder_id))

    def delete_current(self) -> None:
        index = self._list.currentIndex() if self._list.hasFocus() else QModelIndex()
        row = self._model.row_at(index if index.isValid() else self._model.index_of(self._current))
        if isinstance(row, ChatRow) and row.group is not Group.TRASH:
            self.delete_requested.emit(row.conversation)

    def focus_search(self) -> None:
        self.show_trash(False)
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def context_menu_for(self, index: QModelIndex) -> QMenu | None:
        """The menu of one row; None where there is none. It deletes itself when it closes."""
        row = self._model.row_at(index)
        match row:
            case None:
                return None if self._in_trash or self._search.text() else self._menus.of_nothing()
            case ChatRow(conversation, Group.TRASH):
                return self._menus.of_trashed(conversation)
            case ChatRow(conversation):
                number = conversation.id
                return self._menus.of_chat(
                    row,
                    self._library.folders,
                    rename=lambda: self._edit(self._model.index_of(number)),
                    delete=lambda: self.delete_requested.emit(conversation),
                    step=lambda places: self._step(self._model.index_of(number), places),
                    in_order=[each.id for each in self._neighbours(row) if each.place is not None],
                    keeps_on_disk=self.keeps_on_disk(number),
                )
            case FolderRow(folder):
                return self._menus.of_folder(
                    folder,
                    rename=lambda: self.edit_folder(folder.id),
                    step=lambda places: self._step(self._model.index_of_folder(folder.id), places),
                    chats=[each for each in self._library.conversations if each.folder_id == folder.id],
                )
        return None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._list and event.type() == QEvent.Type.FocusOut:
            # The highlight means "open"; the keyboard only borrowed it.
            self._select_current()
        if watched is self._search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._take_key(event.key()) or super().eventFilter(watched, event)
        return super().eventFilter(watched, event)

    def _take_key(self, key: int) -> bool:
        """A key in the search field that is about the list."""
        match key:
            case Qt.Key.Key_Escape if self._search.text():
                self._search.clear()
            case Qt.Key.Key_Down:
                self._list.setFocus(Qt.FocusReason.TabFocusReason)
                if not self._list.currentIndex().isValid():
                    self._list.setCurrentIndex(self._first())
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self._search.text():
                self._open(self._first())
            case _:
                return False
        return True

    def _first(self) -> QModelIndex:
        """The first row that can be opened."""
        for place, row in enumerate(self._model.rows):
            if isinstance(row, ChatRow | HitRow):
                return self._model.index(place, 0)
        return QModelIndex()

    @Slot()
    def _refill(self) -> None:
        if self._list.is_editing:
            # Rows that move would end it; they wait for the last letter.
            return
        rows = self._wanted_rows()
        self._list.setUniformItemSizes(not any(isinstance(row, HitRow) for row in rows[-1:]))
        self._model.show_rows(rows)
        self._select_current()
        has_rows = self._model.rowCount() > 0
        self._list.setVisible(has_rows)
        self._empty.setText(self._note(has_rows))
        self._empty.setVisible(bool(self._empty.text()))
        self._trash_bar.empty.setEnabled(bool(self._library.trash))
        self._trash.say(
            self.tr("Trash (%n)", None, len(self._library.trash)) if self._library.trash else self.tr("Trash")
        )

    def _wanted_rows(self) -> list[Row]:
        now = datetime.now()
        if self._in_trash:
            return trash_rows(self._library, now)
        if wanted := self._search.text().strip():
            return search_rows(self._library, wanted, self._result)
        return library_rows(self._library, now, archive_open=self._archive_open)

    def _note(self, has_rows: bool) -> str:
        """What stands above the list, or in its place."""
        if self._in_trash:
            return "" if has_rows else self.tr("The trash is empty.")
        if self._search.text().strip():
            if self._result.n_unread:
                return self.tr("Older messages are still being read: %n to go.", None, self._result.n_unread)
            return "" if has_rows else self.tr("Nothing was found.")
        return "" if has_rows else self.tr("Your conversations will be listed here.")

    def _filter(self, wanted: str) -> None:
        if not wanted.strip():
            self._result = SearchResult("")
        self._refill()
        self.wished.emit(Search(wanted))

    def _select_current(self) -> None:
        if self._list.is_editing:
            # Another current row would end it.
            return
        index = self._model.index_of(self._current)
        if index.isValid():
            self._list.setCurrentIndex(index)
        else:
            self._list.clearSelection()
            self._list.setCurrentIndex(QModelIndex())

    def _open(self, index: QModelIndex) -> None:
        match self._model.row_at(index):
            case ChatRow(_, Group.TRASH):
                self._pop_up(index, self._list.visualRect(index).center())
            case ChatRow(conversation):
                self.open_requested.emit(conversation.id)
            case HitRow(conversation_id, hit):
                self.wished.emit(OpenMessage(conversation_id, hit.message_id))
            case FolderRow(folder):
                self.wished.emit(Collapse(folder.id, not folder.collapsed))
            case ArchiveRow(collapsed):
                self._fold(index, not collapsed)

    def _fold(self, index: QModelIndex, collapsed: bool) -> None:
        match self._model.row_at(index):
            case FolderRow(folder) if folder.collapsed != collapsed:
                self.wished.emit(Collapse(folder.id, collapsed))
            case ArchiveRow():
                self._archive_open = not collapsed
                self._refill()

    def _step(self, index: QModelIndex, places: int) -> None:
        row = self._model.row_at(index)
        if row is not None and (wish := stepped(self._model.rows, row, places)) is not None:
            self.wished.emit(wish)

    def _neighbours(self, row: ChatRow) -> list[Conversation]:
        """Those that it stands in order with."""
        group, folder_id = row.group, row.conversation.folder_id
        shown = [each for each in self._model.rows if isinstance(each, ChatRow) and each.group is group]
        members = [each.conversation for each in shown]
        return [each for each in members if group is not Group.FOLDER or each.folder_id == folder_id]

    def _edit(self, index: QModelIndex) -> None:
        if index.isValid() and index.flags() & Qt.ItemFlag.ItemIsEditable:
            self._list.setFocus(Qt.FocusReason.OtherFocusReason)
            self._list.setCurrentIndex(index)
            self._list.edit(index)

    def _pop_up(self, index: QModelIndex, place: QPoint) -> None:
        menu = self.context_menu_for(index)
        if menu is not None:
            menu.popup(self._list.viewport().mapToGlobal(place))

    # -- putting together ----------------------------------------------------------------------------------------

    def _set_up_controls(self) -> None:
        self._new.setProperty("tone", "row")
        self._new.setAccessibleName(self.tr("New chat"))
        self._new.clicked.connect(self.new_clicked)
        self._settings.setProperty("tone", "flat")
        self._settings.setAccessibleName(self.tr("Settings"))
        self._settings.clicked.connect(self.settings_clicked)
        self._trash.setCheckable(True)
        self._trash.setFixedSize(34, 34)
        self._trash.clicked.connect(self.show_trash)
        self._trash_bar.back_clicked.connect(lambda: self.show_trash(False))
        self._trash_bar.empty_clicked.connect(lambda: self.wished.emit(Destroy(self._library.trash)))
        self._trash_bar.hide()
        self._search.setPlaceholderText(self.tr("Search conversations"))
        self._search.setAccessibleName(self.tr("Search conversations"))
        self._search.setToolTip(self.tr("Searches titles and everything that was said. Words in quotes stay together."))
        self._search.setClearButtonEnabled(False)
        self._search.textChanged.connect(self._filter)
        self._search.installEventFilter(self)
        self._empty.setWordWrap(True)
        self._empty.setTextFormat(Qt.TextFormat.PlainText)
        self._empty.setProperty("tone", "small")
        self._empty.setContentsMargins(4, 4, 4, 0)
        self._midnight.setInterval(_MIDNIGHT_MS)
        self._midnight.timeout.connect(self._refill)
        self._midnight.start()

    def _set_up_list(self) -> None:
        view = self._list
        view.setAccessibleName(self.tr("Conversations"))
        view.opened.connect(self._open)
        view.folding.connect(self._fold)
        view.menu_wanted.connect(self._pop_up)
        view.stepped.connect(self._step)
        # By the event loop, when the editor is gone.
        view.itemDelegate().closeEditor.connect(self._refill, Qt.ConnectionType.QueuedConnection)
        view.wished.connect(self.wished)
        view.installEventFilter(self)
        self._model.renamed.connect(self.rename_requested)
        self._model.folder_renamed.connect(lambda number, name: self.wished.emit(RenameFolder(number, name)))

    def _lay_out(self) -> None:
        brand = QLabel("Hearth", self)
        brand.setProperty("tone", "brand")
        self._collapse.setProperty("tone", "framed")
        self._collapse.setFixedSize(34, 34)
        self._collapse.clicked.connect(self.collapse_clicked)
        head = QHBoxLayout()
        head.setContentsMargins(4, 0, 0, 0)
        head.addWidget(brand)
        head.addStretch(1)
        head.addWidget(self._collapse)
        foot = QHBoxLayout()
        foot.addWidget(self._settings, 1)
        foot.addWidget(self._trash)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 11, 12, 12)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self._new)
        layout.addWidget(self._search)
        layout.addWidget(self._trash_bar)
        layout.addWidget(self._empty)
        layout.addWidget(self._list, 1)
        layout.addStretch(0)
        layout.addLayout(foot)

    def _tint(self) -> None:
        # The conversation wants room too.
        self.setFixedWidth(half_scaled(WIDTH))
        for button in (self._new, self._settings):
            button.setIconSize(icon_size(18))
        self._new.setIcon(self._look.icon("plus"))
        self._settings.setIcon(self._look.icon("settings", "muted"))
