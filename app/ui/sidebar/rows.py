"""What stands in the sidebar, row by row: computed from the conversations alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto

from PySide6.QtCore import QCoreApplication, QLocale

from app.services.conversations.states import Library, SearchResult
from app.storage.chat_folders import ChatFolder
from app.storage.conversations import Conversation
from app.storage.search import Hit
from app.storage.search_words import fold, terms_of

_MOST_TITLES = 100
"""Of those that a search finds, the newest."""


class Group(Enum):
    """Among whom a conversation stands."""

    PINNED = auto()
    FOLDER = auto()
    TIME = auto()
    ARCHIVE = auto()
    FOUND = auto()
    TRASH = auto()


@dataclass(frozen=True, slots=True)
class Section:
    """A line above others; nothing can be done with it."""

    text: str
    names_chat: bool = False
    """It is the title of the conversation that the hits below are from."""
    n_found: int = 0
    """Messages of that conversation in which something was found."""


@dataclass(frozen=True, slots=True)
class FolderRow:
    folder: ChatFolder
    n_chats: int


@dataclass(frozen=True, slots=True)
class ArchiveRow:
    collapsed: bool
    n_chats: int


@dataclass(frozen=True, slots=True)
class ChatRow:
    conversation: Conversation
    group: Group

    @property
    def is_ordered(self) -> bool:
        """Whether its neighbours stand as people put them."""
        return self.group in (Group.PINNED, Group.FOLDER)


@dataclass(frozen=True, slots=True)
class HitRow:
    conversation_id: int
    hit: Hit


@dataclass(frozen=True, slots=True)
class MoreHitsRow:
    """Stands for the hits of a conversation that are not listed."""

    conversation_id: int
    n_more: int


Row = Section | FolderRow | ArchiveRow | ChatRow | HitRow | MoreHitsRow


def row_key(row: Row) -> object:
    """What makes a row the same one, whatever has become of it."""
    match row:
        case Section():
            return row
        case FolderRow(folder):
            return ("folder", folder.id)
        case ArchiveRow():
            return "archive"
        case ChatRow(conversation, group):
            return (conversation.id, group)
        case HitRow(_, hit):
            return ("hit", hit.message_id)
        case MoreHitsRow(conversation_id):
            return ("more", conversation_id)


def library_rows(library: Library, now: datetime, *, archive_open: bool = False) -> list[Row]:
    """Pinned ones, the folders, the others by age, and the archive."""
    known = {folder.id for folder in library.folders}
    pinned: list[Conversation] = []
    archived: list[Conversation] = []
    others: list[Conversation] = []
    inside: dict[int, list[Conversation]] = {folder.id: [] for folder in library.folders}
    for each in library.conversations:
        if each.archived_at is not None:
            archived.append(each)
        elif each.pinned_at is not None:
            pinned.append(each)
        elif each.folder_id is not None and each.folder_id in known:
            inside[each.folder_id].append(each)
        else:
            others.append(each)
    rows: list[Row] = []
    if pinned:
        rows.append(Section(_tr("Pinned")))
        rows += [ChatRow(each, Group.PINNED) for each in in_order(pinned)]
    if library.folders:
        rows.append(Section(_tr("Folders")))
    for folder in library.folders:
        rows.append(FolderRow(folder, len(inside[folder.id])))
        if not folder.collapsed:
            rows += [ChatRow(each, Group.FOLDER) for each in in_order(inside[folder.id])]
    rows += _by_age(others, now)
    if archived:
        rows.append(ArchiveRow(not archive_open, len(archived)))
        if archive_open:
            rows += [ChatRow(each, Group.ARCHIVE) for each in archived]
    return rows


def search_rows(library: Library, wanted: str, result: SearchResult) -> list[Row]:
    """The conversations whose title has every word of `wanted`, then those in which something was said."""
    words = [fold(term.text) for term in terms_of(wanted)] or fold(wanted).split()
    titled = [each for each in library.conversations if all(word in fold(each.title) for word in words)]
    rows: list[Row] = []
    if titled:
        rows.append(Section(_tr("Titles")))
        rows += [ChatRow(each, Group.FOUND) for each in titled[:_MOST_TITLES]]
    named = {each.id: each for each in library.conversations}
    said = [chat for chat in result.chats if chat.conversation_id in named]
    if said:
        rows.append(Section(_tr("In messages")))
    for chat in said:
        title = named[chat.conversation_id].title or untitled()
        rows.append(Section(title, names_chat=True, n_found=chat.n_found))
        rows += [HitRow(chat.conversation_id, hit) for hit in chat.hits]
        if chat.n_found > len(chat.hits):
            rows.append(MoreHitsRow(chat.conversation_id, chat.n_found - len(chat.hits)))
    return rows


def trash_rows(library: Library, now: datetime) -> list[Row]:
    rows: list[Row] = []
    ages = Ages(now)
    for each in library.trash:
        if (text := ages.next(each.deleted_at or 0.0)) is not None:
            rows.append(Section(_tr("Deleted: {age}").format(age=text)))
        rows.append(ChatRow(each, Group.TRASH))
    return rows


def in_order(members: Sequence[Conversation]) -> list[Conversation]:
    """Newest first, then those that were dragged to a place."""
    return sorted(members, key=lambda each: (each.place is not None, each.place or 0.0))


def untitled() -> str:
    return _tr("New chat")


class Ages:
    """Names of ages for times that only go back. By calendar days where the user is, not by hours."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._since = float("inf")

    def next(self, when: float) -> str | None:
        """The name of the age that `when` (seconds since the epoch) falls into, if it is another than before."""
        if when >= self._since:
            return None
        today = self._now.replace(hour=0, minute=0, second=0, microsecond=0)
        for days, text in ((0, _tr("Today")), (1, _tr("Yesterday")), (7, _tr("Previous 7 days"))):
            since = (today - timedelta(days=days)).timestamp()
            if when >= since:
                self._since = since
                return text
        date = datetime.fromtimestamp(when)
        self._since = date.replace(day=1, hour=0, minute=0, second=0, microsecond=0).timestamp()
        month = QLocale().standaloneMonthName(date.month)
        return month if date.year == self._now.year else _tr("{month} {year}").format(month=month, year=date.year)


def _by_age(conversations: Sequence[Conversation], now: datetime) -> Iterator[Row]:
    ages = Ages(now)
    for each in conversations:
        if (text := ages.next(each.updated_at)) is not None:
            yield Section(text)
        yield ChatRow(each, Group.TIME)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Sidebar", text)
