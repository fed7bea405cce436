"""Documents as tools ask for them: each call opens what it needs, in the thread that it has for itself."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from app.core.messages import DocumentPart, PassagePart
from app.services.documents.brought import MOST, parts_of
from app.services.documents.passage_finder import PassageFinder
from app.services.documents.passage_lookup import Asked, PassageLookup
from app.services.documents.reading import joined_pages
from app.storage.attachments import AttachmentStore
from app.storage.passages.passage_search import PassageSearch


class ToolSearch:
    """Any thread. Its methods block, and raise UserError; see `DocumentSearch` of the tools."""

    def __init__(self, path: Path, attachments: AttachmentStore, command: Sequence[str]) -> None:
        self._path = path
        self._attachments = attachments
        self._command = tuple(command)

    def find(
        self, question: str, documents: Sequence[DocumentPart], collections: Sequence[int]
    ) -> tuple[PassagePart, ...]:
        finder = PassageFinder(self._path, self._command)
        with closing(PassageLookup(self._path, self._attachments, finder, self._command)) as lookup:
            return parts_of(lookup.find(Asked(question, documents, collections, MOST, or_beginning=False)))

    def text_of(self, name: str, collections: Sequence[int]) -> str | None:
        if not self._path.exists():
            return None
        with closing(PassageSearch.open(self._path)) as search:
            found = search.named(name, collections)
            return joined_pages(search.pages(found)) if found else None
