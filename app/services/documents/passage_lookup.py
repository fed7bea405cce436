"""What a chat asks of documents: that those which are attached can be searched, and passages for a question."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.core.messages import DocumentPart
from app.engine.documents.document_pages import chosen_of
from app.services.documents.passage_finder import PassageFinder
from app.services.documents.reading import document_from, read_document
from app.storage.attachments import AttachmentStore
from app.storage.passages.passage import Passage
from app.storage.passages.passage_store import PassageStore

_MORE = 8
"""Times as many are looked up where only some pages of a document may be taken."""


@dataclass(frozen=True, slots=True)
class Asked:
    """For one question."""

    question: str
    documents: Sequence[DocumentPart] = ()
    """Of one that is there twice, the last counts."""
    collections: Sequence[int] = ()
    most: int = 8
    or_beginning: bool = True
    """Where nothing has words of the question, the first passages of the last document come."""


@dataclass(frozen=True, slots=True)
class FoundForChat:
    passages: Sequence[Passage]
    """The best first."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What the chat calls its documents, by their hashes."""
    problem: str = ""
    """A sentence about a model that could not help."""
    is_beginning: bool = False
    """Nothing has words of the question: these are the first passages of the last document."""


class PassageLookup:
    """For one thread at a time. Its methods block, and raise UserError."""

    def __init__(self, path: Path, attachments: AttachmentStore, finder: PassageFinder, command: Sequence[str]) -> None:
        self._path = path
        self._attachments = attachments
        self._finder = finder
        self._command = command
        self._store: PassageStore | None = None

    def close(self) -> None:
        self._finder.close()
        if self._store is not None:
            self._store.close()
            self._store = None

    def keep(self, part: DocumentPart) -> int:
        """Have the passages of a document at hand; how many there are."""
        name = key_of(part)
        store = self._opened()
        if not (store.has(name) and store.attach(name)):
            data = self._attachments.get(part.content_hash) if part.content_hash else None
            if data is not None and hashlib.sha256(data).hexdigest() == part.content_hash:
                chosen = chosen_of(part)
                document, _ = read_document(data, chosen[0] if chosen else part.name, command=self._command)
            else:
                document = document_from(name, part.name, part.text)
            store.put(document, attached=True)
        search = self._finder.opened()
        return search.n_passages([name]) if search is not None else 0

    def find(self, asked: Asked) -> FoundForChat:
        """The best passages for a question. Attached documents are read where they were not yet."""
        documents = {key_of(part): part for part in asked.documents}
        for part in documents.values():
            self.keep(part)
        names = {key: part.name for key, part in documents.items()}
        pages = {key: set(chosen[1]) for key, part in documents.items() if (chosen := chosen_of(part))}
        found = self._finder.find(
            asked.question,
            documents=list(names),
            collections=list(asked.collections),
            most=asked.most * (_MORE if pages else 1),
        )
        passages = [each.passage for each in found.hits if _is_chosen(each.passage, pages)]
        wanted = not passages and asked.or_beginning and asked.documents
        if wanted and (search := self._finder.opened()) is not None:
            first = search.passages([*documents][-1])
            passages = [each for each in first if _is_chosen(each, pages)]
        return FoundForChat(passages[: asked.most], names, found.problem, is_beginning=bool(wanted and passages))

    def _opened(self) -> PassageStore:
        if self._store is None:
            self._store = PassageStore.open(self._path)
        return self._store


def key_of(part: DocumentPart) -> str:
    """What its passages are known by: the hash of its file, or of a text that never was one."""
    return part.content_hash or hashlib.sha256(part.text.encode("utf-8", "replace")).hexdigest()


def _is_chosen(passage: Passage, pages: Mapping[str, set[int]]) -> bool:
    return passage.content_hash not in pages or passage.page in pages[passage.content_hash]
