"""Documents that go whole, in parts that answers can cite by number: pages, or pieces of prose. Needs no Qt."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePath

from app.core.document_form import cited_parts
from app.core.messages import DocumentPart, Message, Part
from app.engine.documents.document_pages import page_starts
from app.storage.passages.chunks import chunks
from app.storage.passages.passage import Document

_PROSE = frozenset({".docx", ".eml", ".epub", ".markdown", ".md", ".odt", ".rst", ".txt"})
"""Numbers between the lines of source, tables or data would be taken for some of it."""
_WORD = 100
"""Characters"""


def with_cited_documents(question: Message, above: Iterable[Message]) -> Message:
    """The same, with its whole documents in parts, numbered on from what stands `above`. Numbers depend on nothing but
    what stands before them, so that chats which begin with the same documents begin with the same prompt.
    """
    after = max((part.number for each in above for part in cited_parts(each)), default=0)
    parts: list[Part] = []
    for part in question.parts:
        if isinstance(part, DocumentPart) and not part.by_passages and (starts := _starts(part)):
            parts.append(replace(part, starts=starts, number=after + 1))
            after += len(starts)
        else:
            parts.append(part)
    return replace(question, parts=tuple(parts))


def _starts(part: DocumentPart) -> tuple[int, ...]:
    if pages := page_starts(part):
        return pages
    if not part.content_hash or PurePath(part.name).suffix.lower() not in _PROSE:
        return ()
    pieces = chunks(Document(part.content_hash, part.name, (part.text,), has_pages=False))
    return (0, *(_at_word(part.text, each.start) for each in pieces[1:])) if pieces else ()


def _at_word(text: str, start: int) -> int:
    """Very long lines are cut anywhere."""
    blank = max(text.rfind(blank, max(0, start - _WORD), start) for blank in " \t\n")
    return blank + 1 if blank >= 0 else start
