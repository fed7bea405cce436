"""A conversation for people who want the words alone: without numbers of passages, and without lists of sources."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from app.core.document_form import cited_parts
from app.core.messages import DocumentPart, Message, Part, PassagePart, Role, TextPart
from app.engine.output.citations import with_citations
from app.storage.exchange.records import ConversationRecord


def without_citations(record: ConversationRecord) -> ConversationRecord:
    """The version on screen; others, which no text shows, stay as they are."""
    messages, known = list(record.messages), set[int]()
    for place in _path(record):
        message = messages[place].message
        known.update(part.number for part in cited_parts(message))
        parts = tuple(_plain(part, message, known) for part in message.parts if not isinstance(part, PassagePart))
        messages[place] = replace(messages[place], message=replace(message, parts=parts))
    return replace(record, messages=tuple(messages))


def _plain(part: Part, message: Message, known: Collection[int]) -> Part:
    match part:
        case DocumentPart():
            return replace(part, starts=())
        case TextPart(text) if message.role is Role.ASSISTANT:
            return TextPart(with_citations(text, known))
        case _:
            return part


def _path(record: ConversationRecord) -> Iterator[int]:
    """Places, first to last."""
    found, place = list[int](), record.head
    while place is not None:
        found.append(place)
        place = record.messages[place].parent
    return reversed(found)
