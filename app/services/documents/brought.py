"""Passages as parts of a question: how many, and by which numbers. Needs no Qt."""

from collections.abc import Iterable
from dataclasses import replace

from app.core.messages import Message, PassagePart, TextPart
from app.services.documents.passage_lookup import FoundForChat
from app.storage.passages.passage import Passage

MOST = 8
"""Passages for one question."""
_TOKENS = 450
"""Of a passage, about, with its names."""
_SHARE = 0.4
"""Of the context that the passages of one question may take."""


def most_passages(n_ctx: int, left: int | None = None) -> int:
    """For one question, in a context of this size, of which so much is left. All where the size is not known."""
    room = min(int(n_ctx * _SHARE), n_ctx if left is None else left)
    return max(1, min(MOST, room // _TOKENS)) if n_ctx else MOST


def numbered(found: FoundForChat, before: Iterable[PassagePart]) -> tuple[PassagePart, ...]:
    """What was found as parts of a question. One that an earlier question brought keeps its number, and its text is not
    said again; the others are counted on.
    """
    known = {(each.content_hash, each.page, each.start, each.end): each.number for each in before}
    after = max(known.values(), default=0)
    parts = []
    for passage in found.passages:
        place = (passage.content_hash, passage.page, passage.start, passage.end)
        number = known.get(place)
        text = "" if number else passage.body
        if number is None:
            after += 1
            number = known[place] = after
        parts.append(_part(number, text, passage, found.names.get(passage.content_hash, passage.name)))
    # Those that stand above first: their line stays short, and the new ones follow one another.
    return tuple(sorted(parts, key=lambda each: each.number))


def with_passages(message: Message, brought: tuple[PassagePart, ...]) -> Message:
    """Before the words, as documents stand: what is asked about them stays at the end."""
    place = next((at for at, part in enumerate(message.parts) if isinstance(part, TextPart)), len(message.parts))
    return replace(message, parts=(*message.parts[:place], *brought, *message.parts[place:]))


def _part(number: int, text: str, passage: Passage, name: str) -> PassagePart:
    return PassagePart(
        number, passage.content_hash, name, text, passage.page, passage.start, passage.end, passage.heading
    )
