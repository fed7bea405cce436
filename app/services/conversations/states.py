"""What the sidebar is told: one frozen value per signal."""

from dataclasses import dataclass

from app.storage.chat_folders import ChatFolder
from app.storage.conversations import Conversation
from app.storage.search import ChatHits

DAYS_IN_TRASH = 30
"""Then a conversation is removed for good."""


@dataclass(frozen=True, slots=True)
class Library:
    """All that a list of conversations shows."""

    conversations: tuple[Conversation, ...] = ()
    """Newest first, archived ones among them; what is in the trash is not."""
    folders: tuple[ChatFolder, ...] = ()
    """In the user's order."""
    trash: tuple[Conversation, ...] = ()
    """Deleted last first."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    wanted: str
    chats: tuple[ChatHits, ...] = ()
    n_unread: int = 0
    """About how many messages could not be looked at yet, because the index is still being made."""
