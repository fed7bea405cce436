"""`hearth ask -d FILE`: what is too long for the context goes by the passages that fit the question."""

import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from app.cli import terminal
from app.core.document_form import cited_parts
from app.core.messages import DocumentPart, Message, Role
from app.core.overflow import reckoned
from app.core.requests import ChatRequest
from app.engine.output.citations import citations
from app.engine.reply.session import Session
from app.services.documents.brought import fitting, most_passages, numbered, parts_of, passage_room, with_passages
from app.services.documents.cited_documents import with_cited_documents
from app.services.documents.passage_finder import PassageFinder
from app.services.documents.passage_lookup import Asked, FoundForChat, PassageLookup
from app.storage.attachments import AttachmentStore

_FREE = 8
"""One part of so many of the context stays free for the question and its answer."""


def with_found_passages(request: ChatRequest, session: Session, command: Sequence[str]) -> ChatRequest:
    """The same, where the documents of the last question fit; those for which there is no room go by passages."""
    question = request.messages[-1]
    if question.role is not Role.USER or not question.documents:
        return request
    left = session.info.n_ctx - session.info.n_ctx // _FREE
    chosen: list[DocumentPart] = []
    for part in question.documents:
        size = session.size_of(part, lambda: False) or 0
        chosen.append(replace(part, by_passages=size > left))
        left -= 0 if size > left else size
    searched = [part for part in chosen if part.by_passages]
    by_name = iter(chosen)
    parts = tuple(next(by_name) if isinstance(part, DocumentPart) else part for part in question.parts)
    question = with_cited_documents(replace(question, parts=parts), request.messages[:-1])
    if not searched:
        return replace(request, messages=(*request.messages[:-1], question))
    room = passage_room(session.info.n_ctx, left)
    asked = Asked(question.text, searched, most=most_passages(room))
    found = _looked_up(asked, command)
    above = (part for each in (*request.messages[:-1], question) for part in cited_parts(each))
    brought = with_passages(question, numbered(fitting(parts_of(found), room, reckoned), above))
    names, n = ", ".join(part.name for part in searched), len(brought.passages)
    if found.is_beginning:
        terminal.warn(
            f"Nothing in {names} has words of the question, so the first {n} passages of {searched[-1].name} are read."
        )
    elif not n:
        terminal.warn(f"Too long for the context, and nothing in it has words of the question: {names}")
    else:
        terminal.warn(f"Too long for the context, so the {n} best passages are read: {names}")
    return replace(request, messages=(*request.messages[:-1], brought))


def tell_sources(messages: Sequence[Message], answer: str) -> None:
    """Below an answer, what it cites, or which passages were looked at; on standard error, as all that is no part of
    it.
    """
    passages = {part.number: part for each in messages for part in cited_parts(each) if part.text}
    looked_at = dict.fromkeys(part.number for each in messages for part in each.passages)
    cited = dict.fromkeys(number for each in citations(answer, passages) for number in each.numbers)
    for number in cited or looked_at:
        part = passages[number]
        place = f"{part.name}, page {part.page}" if part.page else part.name
        terminal.warn(f"[{number}] {place}" if cited else f"Looked at [{number}] {place}")


def _looked_up(asked: Asked, command: Sequence[str]) -> FoundForChat:
    # In a file of its own: what is asked here belongs to no chat, and is not kept.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "documents.sqlite3"
        attachments = AttachmentStore(Path(folder) / "attachments")
        with closing(PassageLookup(path, attachments, PassageFinder(path, command), command)) as lookup:
            return lookup.find(asked)
