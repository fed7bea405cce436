"""Where in a rendered chat the tokens of answers stand that were generated in it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile

from app.engine.template.marked_text import MEDIA, MESSAGE, MarkedText, plain

_MOST_PLACES = 32
"""Places in an answer that are tried for a piece of it, such as the name of a tool that it also thought about."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A generation: its text, with the marks around reasoning and tool calls, and where in it each token ends."""

    tokens: tuple[int, ...]
    text: str
    ends: tuple[int, ...]
    """Characters that are complete after each token."""

    def boundary_at_or_after(self, place: int) -> int:
        """Characters before the first token that begins there or later."""
        return next((end for end in (0, *self.ends) if end >= place), len(self.text) + 1)

    def boundary_at_or_before(self, place: int) -> int:
        """Characters before the last token that begins there or earlier."""
        return max(takewhile(lambda end: end <= place, (0, *self.ends)))

    def between(self, start: int, stop: int) -> tuple[int, ...]:
        """The tokens from one boundary to another; those without text of their own go with what stands before."""
        first = 0 if start == 0 else sum(end <= start for end in self.ends)
        return self.tokens[first : sum(end <= stop for end in self.ends)]


@dataclass(frozen=True, slots=True)
class Splice:
    """Characters [start, stop) of the rendered text are these tokens of a message."""

    start: int
    stop: int
    message: int
    tokens: tuple[int, ...]


def find_splices(text: MarkedText, spoken: Callable[[int], Spoken | None]) -> list[Splice]:
    """In order, without overlaps. `spoken` tells what message k said, where that is known.

    An answer is found by what the template wrote of its reasoning, content and calls, and then as far to both sides as
    the rendered text is what the model wrote. Blanks that the template trimmed at the ends of an answer stay: the
    context keeps what the model wrote.
    """
    whole = plain(text)
    runs = text.runs()
    found: list[Splice] = []
    floor = 0
    for number, (start, stop, origin) in enumerate(runs):
        if not MESSAGE <= origin < MEDIA or stop <= floor:
            continue
        index = origin - MESSAGE
        said = spoken(index)
        if said is None or not said.text.strip():
            continue
        ceiling = next((each for each, _, other in runs[number:] if other >= MESSAGE and other != origin), len(whole))
        used = any(each.message == index for each in found)
        splice = _best(whole, max(start, floor), stop, said, index, (floor, ceiling), part=used)
        if splice is not None:
            found.append(splice)
            floor = splice.stop
    return found


def _best(
    whole: str, start: int, stop: int, said: Spoken, index: int, bounds: tuple[int, int], *, part: bool
) -> Splice | None:
    run = whole[start:stop]
    if not run.strip():
        return None
    if not part and (end := _covers(run, said.text)) is not None:
        return Splice(start, start + end, index, said.tokens)
    places = (_around(whole, start, place, said, index, bounds, part=part) for place in _places(said.text, run))
    return max((each for each in places if each.tokens), key=lambda each: len(each.tokens), default=None)


def _covers(run: str, text: str) -> int | None:
    """Characters of `run` that are all of `text`, but for blanks around it; None where it is not the beginning."""
    if run.strip() == text.strip():
        return len(run)
    head, wanted = run.lstrip(), text.lstrip()
    return len(run) - len(head) + len(wanted) if head.startswith(wanted) else None


def _places(text: str, run: str) -> Iterator[int]:
    place = -1
    for _ in range(_MOST_PLACES):
        place = text.find(run, place + 1)
        if place < 0:
            return
        yield place


def _around(
    whole: str, start: int, place: int, said: Spoken, index: int, bounds: tuple[int, int], *, part: bool
) -> Splice:
    """The longest splice in which character `start` of the whole is character `place` of what was said."""
    floor, ceiling = bounds
    before = said.text[:place].lstrip()
    if not part and start - len(before) >= floor and whole.startswith(before, start - len(before)):
        first, begin = 0, start - len(before)
    else:
        first = said.boundary_at_or_after(place)
        begin = start + first - place
    end = place + _common(whole[start : min(ceiling, start + len(said.text) - place)], said.text[place:])
    if not said.text[end:].strip():
        return Splice(begin, start + end - place, index, said.between(first, len(said.text)))
    last = said.boundary_at_or_before(end)
    if last <= first:
        return Splice(begin, begin, index, ())
    return Splice(begin, start + last - place, index, said.between(first, last))


def _common(one: str, other: str) -> int:
    """Length of the common beginning."""
    if other.startswith(one):
        return len(one)
    return next(index for index, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
