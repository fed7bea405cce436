"""The conversations as a list model: grouped by age, filtered by title."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont

from app.storage.conversations import Conversation
from app.ui.fonts import SMALL_SIZE, text_font

_ROW, _HEADER = 36, 34
_Index = QModelIndex | QPersistentModelIndex


class Age(Enum):
    TODAY = "Today"
    YESTERDAY = "Yesterday"
    WEEK = "Previous 7 days"
    OLDER = "Older"


@dataclass(frozen=True, slots=True)
class Header:
    age: Age


Row = Header | Conversation


def age_of(updated_at: float, now: datetime) -> Age:
    """By calendar days where the user is, not by hours. `updated_at` is in seconds since the epoch."""
    days = (now.date() - datetime.fromtimestamp(updated_at).date()) / timedelta(days=1)
    if days < 1:
        return Age.TODAY
    if days < 2:
        return Age.YESTERDAY
    return Age.WEEK if days < 8 else Age.OLDER


def rows_of(conversations: Sequence[Conversation], wanted: str, now: datetime) -> list[Row]:
    """The rows for conversations, newest first, whose title holds every word of `wanted`."""
    words = wanted.casefold().split()
    rows: list[Row] = []
    age: Age | None = None
    for each in conversations:
        title = each.title.casefold()
        if not all(word in title for word in words):
            continue
        if (own := age_of(each.updated_at, now)) is not age:
            rows.append(Header(own))
            age = own
        rows.append(each)
    return rows


class ConversationModel(QAbstractListModel):
    """Rows for a list view; a title that is edited there is only reported."""

    renamed = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._conversations: Sequence[Conversation] = ()
        self._wanted = ""
        self._rows: list[Row] = []

    def show_conversations(self, conversations: Sequence[Conversation]) -> None:
        self._conversations = conversations
        self._rebuild()

    def filter_by(self, wanted: str) -> None:
        self._wanted = wanted
        self._rebuild()

    def conversation_at(self, index: _Index) -> Conversation | None:
        row = self._rows[index.row()] if 0 <= index.row() < len(self._rows) else None
        return row if isinstance(row, Conversation) else None

    def index_of(self, conversation_id: int | None) -> QModelIndex:
        """Invalid where it is not shown."""
        for number, row in enumerate(self._rows):
            if isinstance(row, Conversation) and row.id == conversation_id:
                return self.index(number, 0)
        return QModelIndex()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if self.conversation_at(index) is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not 0 <= index.row() < len(self._rows):
            return None
        row = self._rows[index.row()]
        is_header = isinstance(row, Header)
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole | Qt.ItemDataRole.AccessibleTextRole:
                return _age_name(row.age) if isinstance(row, Header) else row.title or _untitled()
            case Qt.ItemDataRole.SizeHintRole:
                return QSize(0, _HEADER if is_header else _ROW)
            case Qt.ItemDataRole.FontRole:
                return text_font(SMALL_SIZE, QFont.Weight.Medium) if is_header else None
        return None

    def setData(self, index: _Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        conversation = self.conversation_at(index)
        title = " ".join(str(value).split())
        if role != Qt.ItemDataRole.EditRole or conversation is None or not title or title == conversation.title:
            return False
        self.renamed.emit(conversation.id, title)
        return True

    def _rebuild(self) -> None:
        self.beginResetModel()
        self._rows = rows_of(self._conversations, self._wanted, datetime.now())
        self.endResetModel()


def _age_name(age: Age) -> str:
    return QCoreApplication.translate("Age", age.value)


def _untitled() -> str:
    return QCoreApplication.translate("ConversationModel", "New chat")
