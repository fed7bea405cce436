"""Built-in tools with what they stand on in a folder of a test's own."""

import hashlib
from pathlib import Path

from app.core.program import own_command
from app.services.documents.tool_search import ToolSearch
from app.storage.attachments import AttachmentStore
from app.tools.built_in.source import Source
from app.tools.built_in.sources import built_in_sources

PASSAGES = [(1, "## Here\nmarmalade"), (7, "## Elsewhere\nMarmalade is in the cellar.")]


def built_in(folder: Path, folders: tuple[str, ...] = ()) -> tuple[Source, ...]:
    return built_in_sources(
        own_command(),
        folder,
        lambda _: PASSAGES,
        ToolSearch(folder / "documents.sqlite3", AttachmentStore(folder / "attachments"), own_command()),
        lambda: folders,
        lambda data: hashlib.sha256(data).hexdigest(),
    )
