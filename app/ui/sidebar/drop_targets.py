"""Where a conversation or a folder goes that is dropped in the sidebar, or moved there by a key."""

from collections.abc import Sequence

from app.ui.sidebar.actions import Archive, Arrange, ChatAction, Move, OrderFolders, Put
from app.ui.sidebar.rows import ArchiveRow, ChatRow, FolderRow, Group, Row, Section


def dropped_on(rows: Sequence[Row], dragged: Row, target: int) -> ChatAction | None:
    """What it means to drop one row on another one; None where that means nothing."""
    if not isinstance(dragged, ChatRow):
        return None
    number = dragged.conversation.id
    match rows[target]:
        case FolderRow(folder) if folder.id != _folder_of(dragged):
            return Move(number, folder.id)
        case ArchiveRow() if dragged.group is not Group.ARCHIVE:
            return Archive(number, True)
    return None


def dropped_between(rows: Sequence[Row], dragged: Row, gap: int) -> ChatAction | None:
    """The same for the gap before row `gap`, or after the last row."""
    if isinstance(dragged, FolderRow):
        return _folder_between(rows, dragged.folder.id, gap)
    if not isinstance(dragged, ChatRow) or not 0 < gap <= len(rows):
        return None
    above = rows[gap - 1]
    below = rows[gap] if gap < len(rows) else None
    match above:
        case ChatRow(conversation, Group.FOLDER):
            return _put(rows, dragged, conversation.folder_id, gap)
        case FolderRow(folder) if not folder.collapsed:
            return _put(rows, dragged, folder.id, gap)
        case ChatRow(_, Group.PINNED):
            return _put(rows, dragged, None, gap)
        case Section() if isinstance(below, ChatRow) and below.group is Group.PINNED:
            return _put(rows, dragged, None, gap)
        case ChatRow(_, Group.ARCHIVE) if dragged.group is not Group.ARCHIVE:
            return Archive(dragged.conversation.id, True)
        case ChatRow(_, Group.TIME) | Section() if dragged.group is not Group.TIME:
            return Move(dragged.conversation.id, None)
    return None


def stepped(rows: Sequence[Row], row: Row, step: int) -> ChatAction | None:
    """One place up (-1) or down (1) among its neighbours; None at an end, or where they are ordered by time."""
    match row:
        case ChatRow(conversation) if row.is_ordered:
            moved = _stepped(_members(rows, row.group, _folder_of(row)), conversation.id, step)
            return None if moved is None else Arrange(moved)
        case FolderRow(folder):
            moved = _stepped(_folders(rows), folder.id, step)
            return None if moved is None else OrderFolders(moved)
    return None


def _put(rows: Sequence[Row], dragged: ChatRow, folder_id: int | None, gap: int) -> ChatAction | None:
    group = Group.PINNED if folder_id is None else Group.FOLDER
    number = dragged.conversation.id
    members = _members(rows, group, folder_id)
    before = [each for each in _members(rows[:gap], group, folder_id) if each != number]
    order = (*before, number, *(each for each in members if each != number and each not in before))
    if number not in members:
        return Put(number, folder_id, order)
    return Arrange(order) if order != members else None


def _folder_between(rows: Sequence[Row], folder_id: int, gap: int) -> ChatAction | None:
    folders = _folders(rows)
    before = [each for each in _folders(rows[:gap]) if each != folder_id]
    order = (*before, folder_id, *(each for each in folders if each != folder_id and each not in before))
    return OrderFolders(order) if order != folders else None


def _stepped(order: tuple[int, ...], number: int, step: int) -> tuple[int, ...] | None:
    place = order.index(number)
    if not 0 <= place + step < len(order):
        return None
    changed = list(order)
    changed.insert(place + step, changed.pop(place))
    return tuple(changed)


def _members(rows: Sequence[Row], group: Group, folder_id: int | None) -> tuple[int, ...]:
    return tuple(
        row.conversation.id
        for row in rows
        if isinstance(row, ChatRow) and row.group is group and _folder_of(row) == folder_id
    )


def _folders(rows: Sequence[Row]) -> tuple[int, ...]:
    return tuple(row.folder.id for row in rows if isinstance(row, FolderRow))


def _folder_of(row: ChatRow) -> int | None:
    return row.conversation.folder_id if row.group is Group.FOLDER else None
