"""What people want of conversations and folders in the sidebar."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.storage.conversations import Conversation


@dataclass(frozen=True, slots=True)
class Pin:
    conversation_id: int
    pinned: bool


@dataclass(frozen=True, slots=True)
class Archive:
    conversation_id: int
    archived: bool


@dataclass(frozen=True, slots=True)
class Move:
    """Into a folder, among those that are ordered by time; None: out of it."""

    conversation_id: int
    folder_id: int | None


@dataclass(frozen=True, slots=True)
class Put:
    """Into a folder (None: among the pinned ones), which is in this order from now on."""

    conversation_id: int
    folder_id: int | None
    conversation_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Arrange:
    """What a folder holds, or what is pinned, in this order from now on."""

    conversation_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SortByTime:
    conversation_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class KeepOnDisk:
    conversation_id: int
    keeps: bool


@dataclass(frozen=True, slots=True)
class NewFolder:
    """With a conversation in it, if one is named."""

    conversation_id: int | None = None


@dataclass(frozen=True, slots=True)
class RenameFolder:
    folder_id: int
    name: str


@dataclass(frozen=True, slots=True)
class DeleteFolder:
    folder_id: int


@dataclass(frozen=True, slots=True)
class Collapse:
    folder_id: int
    collapsed: bool


@dataclass(frozen=True, slots=True)
class OrderFolders:
    folder_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OpenMessage:
    conversation_id: int
    message_id: int


@dataclass(frozen=True, slots=True)
class Search:
    wanted: str
    whole: int | None = None
    """The conversation of which all hits are wanted."""


@dataclass(frozen=True, slots=True)
class Restore:
    """Out of the trash."""

    conversation: Conversation


@dataclass(frozen=True, slots=True)
class Destroy:
    """For good, what is in the trash; to be confirmed."""

    conversations: Sequence[Conversation]


ChatAction = (
    Pin
    | Archive
    | Move
    | Put
    | Arrange
    | SortByTime
    | KeepOnDisk
    | NewFolder
    | RenameFolder
    | DeleteFolder
    | Collapse
    | OrderFolders
    | OpenMessage
    | Search
    | Restore
    | Destroy
)
