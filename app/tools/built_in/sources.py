"""Everything that is built in, in the order in which people see it."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from app.tools.built_in.chats import OtherChats
from app.tools.built_in.clock import Clock
from app.tools.built_in.conversation import ChatDocuments, DocumentSearch, WholeResults
from app.tools.built_in.folders import Folders
from app.tools.built_in.python import Python
from app.tools.built_in.source import Source
from app.tools.built_in.web_pages import WebPages


def built_in_sources(
    command: Sequence[str],
    data: Path,
    find: Callable[[str], Iterable[tuple[int, str]]],
    documents: DocumentSearch,
    folders: Callable[[], Sequence[str]],
    keep: Callable[[bytes], str],
) -> tuple[Source, ...]:
    """What the parameters are is said at `Python`, `OtherChats` and `Folders`."""
    return (
        Clock(),
        Python(command, data),
        ChatDocuments(documents),
        OtherChats(find),
        Folders(folders, keep),
        WebPages(),
        WholeResults(),
    )
