"""How much of the context a conversation takes: counted where its model has read it, otherwise reckoned."""

from collections.abc import Sequence

from app.core.events import ModelInfo
from app.core.messages import DocumentPart, Message, PassagePart, TextPart
from app.core.overflow import reckoned
from app.services.engine.token_counts import TokenCount
from app.storage.conversations import StoredMessage

_AROUND = 5
"""Tokens that templates write around a message."""


def conversation_size(messages: Sequence[StoredMessage], model: ModelInfo | None) -> TokenCount:
    """From the last answer that tells how much was read, or what its prompt took, and what came after that; without
    one, of all messages.

    What another model counted is about right for this one. Pictures count only where they were read.
    """
    n = 0
    for stored in reversed(messages):
        figures = stored.figures or {}
        read = figures.get("n_past")
        n += 0 if read else _reckoned(stored.message)
        known = read or figures.get("n_prompt")
        if isinstance(known, int) and known > 0:
            by = figures.get("model") or figures.get("counted_by")
            same = model is not None and by in (None, model.name)
            return TokenCount(n + known, exact=same and not n)
    return TokenCount(n, exact=not n)


def _reckoned(message: Message) -> int:
    read = (each for each in message.parts if isinstance(each, TextPart | DocumentPart | PassagePart))
    texts = [each.text for each in read if not (isinstance(each, DocumentPart) and each.by_passages)]
    n = sum(map(reckoned, (*texts, *(each.arguments for each in message.tool_calls))))
    return n + _AROUND if n else 0
