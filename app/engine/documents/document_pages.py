"""Parts of a long document: its text page by page, and the pages that people choose of it."""

import itertools
import re
from collections.abc import Iterable
from dataclasses import replace

from app.core.document_form import PAGE_HEAD
from app.core.messages import DocumentPart

_RANGE = re.compile(r"(\d+)(?:\s*[-–—]\s*(\d+))?")
_CHOSEN = re.compile(r"(.+), pages? ([\d, -]{1,10000})", re.DOTALL)
"""The name that `with_pages` gives."""
_MOST_PAGES = 100_000
"""A name may tell anything."""


def pages_of(part: DocumentPart) -> tuple[str, ...]:
    """Texts of the pages as `DocumentProcess.text` joins them, heads included; empty for what has no pages.

    A page that quotes a head is not cut there, unless it quotes the very next one.
    """
    starts = _starts(part, itertools.count(1))
    return tuple(part.text[start:end] for start, end in itertools.pairwise((*starts, len(part.text))))


def page_starts(part: DocumentPart) -> tuple[int, ...]:
    """Characters of its text at which the pages begin, of a document or of what was chosen of one; empty for what has
    none.
    """
    chosen = chosen_of(part)
    return tuple(_starts(part, chosen[1] if chosen is not None else itertools.count(1)))


def _starts(part: DocumentPart, numbers: Iterable[int]) -> list[int]:
    starts: list[int] = []
    expected = iter(numbers)
    wanted = next(expected, 0)
    for head in PAGE_HEAD.finditer(part.text):
        if int(head[1]) == wanted:
            starts.append(head.start())
            wanted = next(expected, 0)
    return starts if starts and not starts[0] and part.content_hash else []


def parse_pages(told: str, n_pages: int) -> tuple[int, ...]:
    """Numbers, from 1, of pages told as in `1-20, 45`: in order, each once. Raises ValueError for anything else."""
    wanted: set[int] = set()
    for each in told.split(","):
        found = _RANGE.fullmatch(each.strip())
        if found is None:
            raise ValueError(told)
        first = int(found[1])
        last = int(found[2] or first)
        if not 1 <= first <= last <= n_pages:
            raise ValueError(told)
        wanted.update(range(first, last + 1))
    return tuple(sorted(wanted))


def told_pages(numbers: Iterable[int]) -> str:
    """The shortest text that `parse_pages` reads as `numbers`, which are in order."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("-".join(map(str, run)) for run in runs)


def with_pages(part: DocumentPart, numbers: tuple[int, ...]) -> DocumentPart:
    """Of a document with pages, those alone; its name tells which. All of them are the document as it is."""
    pages = pages_of(part)
    if numbers == tuple(range(1, len(pages) + 1)):
        return part
    text = "".join(pages[number - 1] for number in numbers).rstrip("\n")
    word = "page" if len(numbers) == 1 else "pages"
    return replace(part, name=f"{part.name}, {word} {told_pages(numbers)}", text=f"{text}\n")


def chosen_of(part: DocumentPart) -> tuple[str, tuple[int, ...]] | None:
    """The name of the document that `with_pages` took `part` from, and the numbers; None where it is none of those."""
    found = _CHOSEN.fullmatch(part.name)
    if found is None or not part.content_hash:
        return None
    try:
        numbers = parse_pages(found[2], _MOST_PAGES)
    except ValueError:
        return None
    heads = (int(each[1]) for each in PAGE_HEAD.finditer(part.text))
    return (found[1], numbers) if all(number in heads for number in numbers) else None
