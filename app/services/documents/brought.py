"""Passages as parts of a question: how many, and by which numbers. Needs no Qt."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from app.core.messages import Message, PassagePart, TextPart
from app.services.documents.passage_lookup import FoundForChat

MOST = 8
"""Passages for one question."""
_TOKENS = 450
"""Of a passage, about, with its names."""
_SHARE = 0.4
"""Of the context that the passages of one question may take."""


def passage_room(n_ctx: int, left: int | None = None) -> int:
    """Tokens that the passages of one question may take, in a context of this size, of which so much is left. 0 where
    the size is not known.
    """
    return max(1, min(int(n_ctx * _SHARE), n_ctx if left is None else left)) if n_ctx else 0


def most_passages(room: int) -> int:
    """As many as are worth looking up for this room."""
    return max(1, min(MOST, room // _TOKENS)) if room else MOST


def fitting(found: Sequence[PassagePart], room: int, size: Callable[[str], int]) -> tuple[PassagePart, ...]:
    """The best of them that have room together, but the first in any case; `size` tells the tokens of a text."""
    taken, kept = 0, 0
    for part in found[: most_passages(room)]:
        taken += size(part.text)
        if room and kept and taken > room:
            break
        kept += 1
    return tuple(found[:kept])


def parts_of(found: FoundForChat) -> tuple[PassagePart, ...]:
    """What was found, the best first, without numbers."""
    return tuple(
        PassagePart(
            *(0, each.content_hash, found.names.get(each.content_hash, each.name), each.body),
            *(each.page, each.start, each.end, each.heading),
        )
        for each in found.passages
    )


def numbered(
    found: Iterable[PassagePart], above: Iterable[PassagePart], elsewhere: Iterable[PassagePart] = ()
) -> tuple[PassagePart, ...]:
    """What was found as parts of a message. One that stands `above` keeps its number, and its text is not said again;
    one that stands `elsewhere` in the conversation keeps its number alone; the others are counted on.
    """
    said = {_place(each): each.number for each in above}
    known = {_place(each): each.number for each in elsewhere} | said
    after = max(known.values(), default=0)
    parts = []
    for part in found:
        place = _place(part)
        if place not in known:
            after += 1
            known[place] = after
        parts.append(replace(part, number=known[place], text="" if place in said else part.text))
    # Those that stand above first: their line stays short, and the new ones follow one another.
    return tuple(sorted(parts, key=lambda each: each.number))


def with_passages(message: Message, brought: tuple[PassagePart, ...]) -> Message:
    """Before the words, as documents stand: what is asked about them stays at the end."""
    place = next((at for at, part in enumerate(message.parts) if isinstance(part, TextPart)), len(message.parts))
    return replace(message, parts=(*message.parts[:place], *brought, *message.parts[place:]))


def _place(part: PassagePart) -> tuple[object, ...]:
    return part.content_hash, part.page, part.start, part.end
