"""The list of conversations and folders, in order, as found, or in the trash, and what is said where it is empty."""

from collections.abc import Callable, Mapping
from datetime import datetime

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, Signal, Slot
from PySide6.QtWidgets import QMenu, QWidget

from app.services.conversations.chat_marks import ChatMark
from app.services.conversations.states import Library, SearchResult
from app.services.engine.states import Warmth
from app.services.runtime.debounce import Ticker
from app.storage.conversations import Conversation
from app.ui.sidebar.actions import Collapse, Destroy, OpenMessage, RenameFolder, Search
from app.ui.sidebar.drop_targets import stepped
from app.ui.sidebar.list_model import ConversationModel
from app.ui.sidebar.list_view import ChatListView
from app.ui.sidebar.menus import ChatMenus
from app.ui.sidebar.rows import (
    ArchiveRow,
    ChatRow,
    FolderRow,
    Group,
    HitRow,
    MoreHitsRow,
    Row,
    library_rows,
    search_rows,
    trash_rows,
)
from app.ui.theme.appearance import Appearance
from app.ui.widgets.layouts import Placed, grow, vbox
from app.ui.widgets.plain_text import plain_label

_MIDNIGHT_MS = 600_000
"""How often the names of the days are looked at again."""


KeepsOnDisk = Callable[[int], bool | None]
"""Whether a conversation is kept warm on disk; None where none is."""


class ChatPane(QWidget):
    """Shows what it is given and reports what is wanted."""

    open_requested = Signal(int)
    rename_requested = Signal(int, str)
    delete_requested = Signal(object)
    """Conversation"""
    wished = Signal(object)
    """ChatAction"""
    focus_lost = Signal()
    """The list had the keyboard, and there is nothing left in it."""

    def __init__(self, appearance: Appearance, keeps_on_disk: KeepsOnDisk, parent: QWidget) -> None:
        super().__init__(parent)
        self._current: int | None = None
        self._library = Library()
        self._wanted = ""
        self._result = SearchResult("")
        self._archive_open = False
        self._in_trash = False
        self._keeps_on_disk = keeps_on_disk
        self._model = ConversationModel(self)
        self._menus = ChatMenus(appearance, self.wished.emit, self)
        self.list_view = ChatListView(appearance, self._model, self)
        self._empty = plain_label("small", self, wraps=True)
        self._midnight = Ticker(_MIDNIGHT_MS, self._refill, self)
        self._set_up()
        self._set_up_list()
        self._refill()

    def show_library(self, library: Library) -> None:
        self._library = library
        self._refill()

    def search(self, wanted: str) -> None:
        """Look for these words; empty for all conversations."""
        self._wanted = wanted
        if not wanted.strip():
            self._result = SearchResult("")
        self._refill()
        self.wished.emit(Search(wanted))

    def show_found(self, result: SearchResult) -> None:
        """What a search found; one that was not asked for last is not shown."""
        if result.wanted == self._wanted:
            self._result = result
            self._refill()

    def show_marks(self, marks: Mapping[int, ChatMark]) -> None:
        self._model.show_marks(marks)

    def show_warmth(self, warmth: Mapping[str, Warmth]) -> None:
        self._model.show_warmth(warmth)

    def show_current(self, conversation_id: int | None) -> None:
        self._current = conversation_id
        self._select_current()

    def show_trash(self, shown: bool) -> None:
        """The trash in place of the conversations, or these again."""
        self._in_trash = shown
        self._refill()

    def rename_current(self) -> None:
        """Let the user type another name for the row that the keyboard is in, or for the open conversation."""
        index = self.list_view.currentIndex() if self.list_view.hasFocus() else QModelIndex()
        self._edit(index if index.isValid() else self._model.index_of(self._current))

    def edit_folder(self, folder_id: int) -> None:
        self._edit(self._model.index_of_folder(folder_id))

    def delete_current(self) -> None:
        index = self.list_view.currentIndex() if self.list_view.hasFocus() else QModelIndex()
        row = self._model.row_at(index if index.isValid() else self._model.index_of(self._current))
        if isinstance(row, ChatRow) and row.group is not Group.TRASH:
            self.delete_requested.emit(row.conversation)

    def take_focus(self) -> None:
        """From the field above it."""
        self.list_view.setFocus(Qt.FocusReason.TabFocusReason)
        if not self.list_view.currentIndex().isValid():
            self.list_view.setCurrentIndex(self._first())

    def open_first_found(self) -> None:
        if self._wanted:
            self._open(self._first())

    def empty_trash(self) -> None:
        self.wished.emit(Destroy(self._library.trash))

    def context_menu_for(self, index: QModelIndex) -> QMenu | None:
        """The menu of one row; None where there is none. It deletes itself when it closes."""
        row = self._model.row_at(index)
        match row:
            case None:
                return None if self._in_trash or self._wanted else self._menus.of_nothing()
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
                    keeps_on_disk=self._keeps_on_disk(number),
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
        if watched is self.list_view and event.type() == QEvent.Type.FocusOut:
            # The highlight means "open"; the keyboard only borrowed it.
            self._select_current()
        return super().eventFilter(watched, event)

    def _first(self) -> QModelIndex:
        """The first row that can be opened."""
        for place, row in enumerate(self._model.rows):
            if isinstance(row, ChatRow | HitRow):
                return self._model.index(place, 0)
        return QModelIndex()

    @Slot()
    def _refill(self) -> None:
        if self.list_view.is_editing:
            # Rows that move would end it; they wait for the last letter.
            return
        rows = self._wanted_rows()
        self.list_view.setUniformItemSizes(not any(isinstance(row, HitRow | MoreHitsRow) for row in rows[-1:]))
        self._model.show_rows(rows)
        self._select_current()
        has_rows = self._model.rowCount() > 0
        if not has_rows and self.list_view.hasFocus():
            self.focus_lost.emit()
        self.list_view.setVisible(has_rows)
        self._empty.setText(self._note(has_rows))
        self._empty.setVisible(bool(self._empty.text()))

    def _wanted_rows(self) -> list[Row]:
        now = datetime.now()
        if self._in_trash:
            return trash_rows(self._library, now)
        if wanted := self._wanted.strip():
            return search_rows(self._library, wanted, self._result)
        return library_rows(self._library, now, archive_open=self._archive_open)

    def _note(self, has_rows: bool) -> str:
        """What stands above the list, or in its place."""
        if self._in_trash:
            return "" if has_rows else self.tr("The trash is empty.")
        if self._wanted.strip():
            if self._result.n_unread:
                return self.tr("Older messages are still being read: %n to go.", None, self._result.n_unread)
            return "" if has_rows else self.tr("Nothing was found.")
        return "" if has_rows else self.tr("Your conversations will be listed here.")

    def _select_current(self) -> None:
        if self.list_view.is_editing:
            # Another current row would end it.
            return
        index = self._model.index_of(self._current)
        if index.isValid():
            self.list_view.setCurrentIndex(index)
        else:
            self.list_view.clearSelection()
            self.list_view.setCurrentIndex(QModelIndex())

    def _open(self, index: QModelIndex) -> None:
        match self._model.row_at(index):
            case ChatRow(_, Group.TRASH):
                self._pop_up(index, self.list_view.visualRect(index).center())
            case ChatRow(conversation):
                self.open_requested.emit(conversation.id)
            case HitRow(conversation_id, hit):
                self.wished.emit(OpenMessage(conversation_id, hit.message_id))
            case MoreHitsRow(conversation_id):
                self.wished.emit(Search(self._wanted, conversation_id))
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
            self.list_view.setFocus(Qt.FocusReason.OtherFocusReason)
            self.list_view.setCurrentIndex(index)
            self.list_view.begin_edit(index)

    def _pop_up(self, index: QModelIndex, place: QPoint) -> None:
        menu = self.context_menu_for(index)
        if menu is not None:
            menu.popup(self.list_view.viewport().mapToGlobal(place))

    def _set_up(self) -> None:
        self._empty.setContentsMargins(4, 4, 4, 0)
        self._midnight.start()
        vbox(self._empty, grow(self.list_view), Placed(), on=self, gap=8)

    def _set_up_list(self) -> None:
        view = self.list_view
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
