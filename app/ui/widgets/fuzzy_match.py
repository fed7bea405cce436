"""Fuzzy search as command palettes have it: the letters that were typed, in this order, words and beginnings first."""

import unicodedata
from dataclasses import dataclass

_START, _WORD, _RUN, _INSIDE = 12, 8, 6, 1
"""Points of a letter at the start of the text, at the start of a word, after another hit, and anywhere else."""
_GAP = 0.15
"""Points that each letter between two hits costs."""
_LEAST = 2.0
"""Points that each letter of a word must have on average: letters that lie scattered over a long title fit anything."""
_SHORT = 2
"""Letters of a word of which that is not asked."""
_TRIED = 8
"""Places at which a first letter is tried; titles may be long."""


@dataclass(frozen=True, slots=True)
class Match:
    score: float
    places: tuple[int, ...]
    """Indices of the letters in the text that were found, ascending."""


def folded(text: str) -> str:
    """Without accents and case, letter for letter: index n is the same letter as in `text`."""
    return "".join(_folded(letter) for letter in text)


def find(wanted: str, text: str) -> Match | None:
    """How well `text` fits; None where it does not. Both are `folded`; every word of `wanted` must fit."""
    score = 0.0
    places: set[int] = set()
    for word in wanted.split():
        found = _find_word(word, text)
        if found is None:
            return None
        score += found.score
        places.update(found.places)
    # Of two texts that hold the same, the shorter one is meant.
    return Match(score - len(text) / 100, tuple(sorted(places)))


def _folded(letter: str) -> str:
    if letter.isascii():
        return letter.lower()
    base = unicodedata.normalize("NFD", letter)[0].casefold()
    return base if len(base) == 1 else letter


def _find_word(word: str, text: str) -> Match | None:
    best: Match | None = None
    start = -1
    for _ in range(_TRIED):
        start = text.find(word[0], start + 1)
        if start < 0:
            break
        found = _follow(word, text, start)
        if found is None:
            break
        if best is None or found.score > best.score:
            best = found
    whole = text.find(word)
    while whole >= 0 and not _begins_word(text, whole):
        if (later := text.find(word, whole + 1)) < 0:
            break
        whole = later
    if whole >= 0:
        found = _rated(text, tuple(range(whole, whole + len(word))))
        if best is None or found.score > best.score:
            best = found
    if best is not None and len(word) > _SHORT and best.score < _LEAST * len(word):
        return None
    return best


def _follow(word: str, text: str, start: int) -> Match | None:
    places = [start]
    for letter in word[1:]:
        place = text.find(letter, places[-1] + 1)
        if place < 0:
            return None
        places.append(place)
    return _rated(text, tuple(places))


def _rated(text: str, places: tuple[int, ...]) -> Match:
    score = 0.0
    last = -1
    for number, place in enumerate(places):
        if place == 0:
            score += _START
        elif _begins_word(text, place):
            score += _WORD
        elif number and place == last + 1:
            score += _RUN
        else:
            score += _INSIDE
        if number:
            score -= _GAP * (place - last - 1)
        last = place
    return Match(score, places)


def _begins_word(text: str, place: int) -> bool:
    return place == 0 or not text[place - 1].isalnum()
