"""The sidebar's rows as a list model. What is edited or dropped there is only reported."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QCoreApplication, QMimeData, QModelIndex, QObject, Qt, Signal

from app.services.conversations.chat_marks import ChatMark
from app.services.engine.states import Warmth
from app.storage.search import Hit
from app.ui.sidebar.rows import (
    ArchiveRow,
    ChatRow,
    FolderRow,
    Group,
    HitRow,
    MoreHitsRow,
    Row,
    Section,
    row_key,
    untitled,
)
from app.ui.widgets.plain_text import plain_tip
from app.ui.widgets.rows_model import ROW, Index, RowsModel

WARMTH_ROLE = Qt.ItemDataRole.UserRole + 1
"""Warmth, or None for what is cold."""
MARK_ROLE = Qt.ItemDataRole.UserRole + 2
"""ChatMark, or None."""
MIME_TYPE = "application/x-hearth-chat"


class ConversationModel(RowsModel[Row]):
    """Rows that stay what they are keep their index, so that an open editor, a selection and a place are not lost."""

    renamed = Signal(int, str)
    """conversation, title"""
    folder_renamed = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._warmth: Mapping[str, Warmth] = {}
        self._marks: Mapping[int, ChatMark] = {}
        self._places: dict[int, int] | None = {}

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Change what differs between the first and the last row that do."""
        old, new = self.rows, rows
        shorter = min(len(old), len(new))
        head = 0
        while head < shorter and (old[head] is new[head] or row_key(old[head]) == row_key(new[head])):
            head += 1
        tail = 0
        while tail < shorter - head and row_key(old[-1 - tail]) == row_key(new[-1 - tail]):
            tail += 1
        self._replace(head, len(old) - tail, new[head : len(new) - tail])
        changed = [place for place, row in enumerate(new) if _looks_different(self.rows[place], row)]
        self.rows, self._places = new, None
        if changed:
            self.dataChanged.emit(self.index(changed[0], 0), self.index(changed[-1], 0))

    def show_warmth(self, warmth: Mapping[str, Warmth]) -> None:
        before, self._warmth = self._warmth, warmth
        for key in before.keys() | warmth.keys():
            if before.get(key) is not warmth.get(key) and key.isdecimal():
                index = self.index_of(int(key))
                if index.isValid():
                    self.dataChanged.emit(index, index, [WARMTH_ROLE])

    def show_marks(self, marks: Mapping[int, ChatMark]) -> None:
        before, self._marks = self._marks, marks
        for number in before.keys() | marks.keys():
            if before.get(number) is not marks.get(number) and (index := self.index_of(number)).isValid():
                self.dataChanged.emit(index, index, [MARK_ROLE, Qt.ItemDataRole.AccessibleTextRole])

    def writing(self) -> list[QModelIndex]:
        """The rows of conversations in which an answer is being written."""
        found = [self.index_of(number) for number, mark in self._marks.items() if mark is ChatMark.WRITING]
        return [index for index in found if index.isValid()]

    def index_of(self, conversation_id: int | None) -> QModelIndex:
        """Invalid where it is not shown."""
        if self._places is None:
            pairs = ((row.conversation.id, at) for at, row in enumerate(self.rows) if isinstance(row, ChatRow))
            self._places = dict(pairs)
        place = self._places.get(conversation_id) if conversation_id is not None else None
        return QModelIndex() if place is None else self.index(place, 0)

    def index_of_folder(self, folder_id: int) -> QModelIndex:
        for place, row in enumerate(self.rows):
            if isinstance(row, FolderRow) and row.folder.id == folder_id:
                return self.index(place, 0)
        return QModelIndex()

    def flags(self, index: Index) -> Qt.ItemFlag:
        flag = Qt.ItemFlag
        chosen = flag.ItemIsEnabled | flag.ItemIsSelectable
        match self.row_at(index):
            case ChatRow(_, Group.TRASH) | HitRow() | MoreHitsRow() | ArchiveRow():
                return chosen
            case ChatRow(_, Group.FOUND):
                return chosen | flag.ItemIsEditable
            case ChatRow() | FolderRow():
                return chosen | flag.ItemIsEditable | flag.ItemIsDragEnabled
            case _:
                return flag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.row_at(index)
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return _text(row)
            case Qt.ItemDataRole.AccessibleTextRole:
                return ", ".join((_text(row), *self._particulars(row)))
            case Qt.ItemDataRole.ToolTipRole:
                lines = (_text(row), *self._particulars(row))
                return plain_tip("\n".join(lines))
            case _ if role == ROW:
                return row
            case _ if role == WARMTH_ROLE:
                return self._warmth_of(row)
            case _ if role == MARK_ROLE:
                return self._mark_of(row)
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self.row_at(index)
        text = " ".join(str(value).split())
        if role != Qt.ItemDataRole.EditRole or not text:
            return False
        match row:
            case ChatRow(conversation) if text != conversation.title:
                self.renamed.emit(conversation.id, text)
            case FolderRow(folder) if text != folder.name:
                self.folder_renamed.emit(folder.id, text)
            case _:
                return False
        return True

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [MIME_TYPE]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        match self.row_at(indexes[0]) if indexes else None:
            case ChatRow(conversation):
                data.setData(MIME_TYPE, f"chat {conversation.id}".encode())
            case FolderRow(folder):
                data.setData(MIME_TYPE, f"folder {folder.id}".encode())
        return data

    def _replace(self, begin: int, end: int, rows: Sequence[Row]) -> None:
        if end > begin:
            self.beginRemoveRows(QModelIndex(), begin, end - 1)
            self.rows = (*self.rows[:begin], *self.rows[end:])
            self._places = None
            self.endRemoveRows()
        if rows:
            self.beginInsertRows(QModelIndex(), begin, begin + len(rows) - 1)
            self.rows = (*self.rows[:begin], *rows, *self.rows[begin:])
            self._places = None
            self.endInsertRows()

    def _warmth_of(self, row: Row) -> Warmth | None:
        if isinstance(row, ChatRow) and row.group is not Group.TRASH:
            return self._warmth.get(str(row.conversation.id))
        return None

    def _mark_of(self, row: Row) -> ChatMark | None:
        if isinstance(row, ChatRow) and row.group is not Group.TRASH:
            return self._marks.get(row.conversation.id)
        return None

    def _particulars(self, row: Row) -> list[str]:
        """What the eye sees beside the text."""
        told: list[str] = []
        match row:
            case FolderRow(folder, n_chats):
                told.append(_tr("Folder, %n inside", n_chats))
                told.append(_tr("folded") if folder.collapsed else _tr("open"))
            case Section(names_chat=True, n_found=n_found):
                told.append(_tr("found in %n messages", n_found))
            case ArchiveRow(collapsed):
                told.append(_tr("folded") if collapsed else _tr("open"))
            case ChatRow(_, Group.PINNED):
                told.append(_tr("Pinned"))
        match self._mark_of(row):
            case ChatMark.WRITING:
                told.append(_tr("An answer is being written."))
            case ChatMark.ASKING:
                told.append(_tr("A tool waits for your permission."))
            case ChatMark.UNSEEN:
                told.append(_tr("There is a new answer."))
        match self._warmth_of(row):
            case Warmth.MEMORY:
                told.append(_tr("Warm: what the model has read of it is in memory."))
            case Warmth.DISK:
                told.append(_tr("Warm: what the model has read of it is kept on disk."))
        return told


def _looks_different(old: Row, new: Row) -> bool:
    if isinstance(old, ChatRow) and isinstance(new, ChatRow):
        # Most rows are of this kind, and comparing all that is known of thousands takes its time.
        return old.conversation.title != new.conversation.title
    return old != new


def _text(row: Row) -> str:
    match row:
        case Section(text):
            return text
        case FolderRow(folder):
            return folder.name
        case ArchiveRow(_, n_chats):
            return _tr("Archived (%n)", n_chats)
        case ChatRow(conversation):
            return conversation.title or untitled()
        case HitRow(_, hit):
            return hit_text(hit)
        case MoreHitsRow(_, n_more):
            return _tr("%n more in this chat", n_more)


def hit_text(hit: Hit) -> str:
    return "".join(piece for piece, _ in hit.snippet)


def _tr(text: str, n: int = -1) -> str:
    return QCoreApplication.translate("ConversationModel", text, None, n)
