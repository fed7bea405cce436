"""What the command palette offers, and in which order."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from app.ui.widgets.fuzzy_match import find, folded

MOST_SHOWN = 200
"""Rows; nobody reads further, and typing narrows them."""
MOST_RECENT = 12
_RECENT_BONUS = 3.0


@dataclass(frozen=True, slots=True)
class Entry:
    key: str
    """Names it over restarts, such as "action:new_chat"."""
    title: str
    kind: str
    """For people: "Chat", "Model"; empty for actions."""
    act: Callable[[], object]
    keys: str = ""
    """Its shortcut, as it is shown."""
    detail: str = ""
    """More to know of it, as a tooltip."""
    index: str = field(default="", compare=False)
    """What is searched; `folded` title and kind."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", folded(f"{self.title} {self.kind}" if self.kind else self.title))


Source = Callable[[], Iterable[Entry]]
"""Asked each time the palette opens."""


@dataclass(frozen=True, slots=True)
class Row:
    entry: Entry
    places: tuple[int, ...] = ()
    """Letters of the title that were found."""


def rows_for(wanted: str, entries: Sequence[Entry], recent: Sequence[str]) -> list[Row]:
    """The best first; what was used lately goes before the rest. Nothing wanted lists everything so."""
    rank = {key: number for number, key in enumerate(recent)}
    text = folded(wanted)
    if not text.strip():
        ordered = sorted(entries, key=lambda entry: rank.get(entry.key, len(rank)))
        return [Row(entry) for entry in ordered[:MOST_SHOWN]]
    rated: list[tuple[float, int, Row]] = []
    for number, entry in enumerate(entries):
        if (match := find(text, entry.index)) is not None:
            bonus = _RECENT_BONUS * (1 - rank[entry.key] / len(rank)) if entry.key in rank else 0.0
            places = tuple(place for place in match.places if place < len(entry.title))
            rated.append((-match.score - bonus, number, Row(entry, places)))
    rated.sort(key=lambda each: each[:2])
    return [row for _, _, row in rated[:MOST_SHOWN]]


def used(key: str, recent: Sequence[str]) -> tuple[str, ...]:
    """`recent` after `key` was chosen: newest first."""
    return (key, *(each for each in recent if each != key))[:MOST_RECENT]
