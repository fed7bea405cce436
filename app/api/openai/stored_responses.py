"""Responses that were given lately, for clients that name them instead of sending them again."""

import json
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from app.api.errors import ApiError, Json
from app.api.validation import invalid

_MOST = 256
_MOST_CHARACTERS = 64 << 20


@dataclass(frozen=True, slots=True)
class Conversation:
    items: tuple[Json, ...] = ()
    size: int = 0
    """Characters, as JSON."""
    told: Json | None = None
    """The response itself, as its client was given it."""

    def with_more(self, items: Sequence[Json]) -> "Conversation":
        return Conversation((*self.items, *items), self.size + sum(len(json.dumps(each)) for each in items))

    def answered(self, told: Json) -> "Conversation":
        more = self.with_more(_output(told))
        return Conversation(more.items, more.size + len(json.dumps(told)), told)

    def ids(self) -> set[str]:
        """Of its items."""
        return {number for each in self.items if isinstance(number := each.get("id"), str)}


class StoredResponses:
    """In memory alone; the oldest go first. Kept on one event loop, and read beside it."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Conversation] = OrderedDict()
        self._items: dict[str, Json] = {}
        """By their ids."""
        self._needed: Counter[str] = Counter()
        """In how many of the conversations an id stands."""
        self._size = 0

    def keep(self, number: str, before: Conversation, told: Json) -> None:
        """`told` is the response whole."""
        stored = before.answered(told)
        if stored.size > _MOST_CHARACTERS:
            return
        self._known[number] = stored
        self._size += stored.size
        self._items.update({str(each["id"]): each for each in _output(told)})
        self._needed.update(stored.ids())
        while len(self._known) > _MOST or self._size > _MOST_CHARACTERS:
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        self._drop(next(iter(self._known)))

    def _drop(self, number: str) -> None:
        oldest = self._known.pop(number)
        self._size -= oldest.size
        for each in oldest.ids():
            self._needed[each] -= 1
            if not self._needed[each]:
                del self._needed[each]
                self._items.pop(each, None)

    def response(self, number: str) -> Json:
        """Raises ApiError."""
        stored = self._known.get(number)
        if stored is None or stored.told is None:
            told = f"The response {number[:80]!r} is not known here any more."
            raise ApiError(404, told, param="response_id", code="response_not_found")
        return stored.told

    def forget(self, number: str) -> None:
        """Raises ApiError."""
        self.response(number)
        self._drop(number)

    def conversation(self, number: str) -> Conversation:
        """Up to and with this answer. Raises ApiError."""
        if (stored := self._known.get(number)) is None:
            told = f"The response {number[:80]!r} is not known here any more. Send the conversation itself."
            raise invalid("previous_response_id", told, code="previous_response_not_found")
        return stored

    def item(self, where: str, number: str) -> Json:
        """Raises ApiError."""
        if (found := self._items.get(number)) is None:
            raise invalid(where, f"{where}: the item {number[:80]!r} is not known here any more. Send it whole.")
        return found


def _output(told: Json) -> Sequence[Json]:
    output = told["output"]
    assert isinstance(output, list)
    return output
