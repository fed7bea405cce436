"""Cutting a document into passages: by headings, of about 400 tokens, none across a page."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePath

from app.storage.passages.headings import HeadingPath, heading_of
from app.storage.passages.passage import Document, Passage

SIZE = 1600
"""Characters of a passage, about 400 tokens. In 60 trial questions 200 to 800 tokens made no difference that counts."""
_FEW_PAGES = 4
"""Below it a line that repeats says nothing."""
_MARGIN = 3
"""Lines at each end of a page among which headers and footers are."""
_DOTS = re.compile(r"(?:\.[ \t]?){4,}")
_DOTTED = 0.2
"""Share of dots from which on a line is one of a table of contents."""
_DIGITS = re.compile(r"\d+")
_LINE = re.compile(r"[^\r\n]+|\r\n|\r|\n")
_CLEAN = str.maketrans({"\ufffe": "-", "\x02": "-", "\0": "", "\r": "", "\xad": ""})
"""PDFium's marks for a hyphen at a line's end, and what no text needs."""
_TITLE = 120
"""Characters"""


@dataclass(frozen=True, slots=True)
class _Line:
    """Of a page, without its end; of a very long one, a part."""

    start: int
    text: str
    """Raw"""

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that belong together, in one page."""

    heading: str
    lines: tuple[_Line, ...]
    length: int
    """Characters"""


def chunks(document: Document) -> list[Passage]:
    """The passages of a document, in order."""
    repeated, path, title = _repeated(document.pages), HeadingPath(), title_of(document)
    known = document.content_hash, document.name
    return [
        Passage(
            *known,
            page=number if document.has_pages else None,
            start=block.lines[0].start,
            end=block.lines[-1].end,
            title=title,
            heading=plain(block.heading),
            body=_body(page, block.lines),
        )
        for number, page in enumerate(document.pages, 1)
        for block in _merged(_split(_blocks(_lines(page), repeated, path)))
    ]


def title_of(document: Document) -> str:
    """The file's name as words, and the first heading or line, where it is short enough to be one."""
    words = plain(re.sub(r"[_\-.]+", " ", PurePath(document.name).stem).strip())
    first = next((line for page in document.pages[:3] for line in page.split("\n") if line.strip()), "")
    first = plain(first).strip().lstrip("#").strip()
    return f"{words}: {first}" if first and len(first) <= _TITLE else words


def plain(raw: str) -> str:
    """Raw text as people and models read it: no longer character for character."""
    # Lone surrogates, of which some files are full, are refused by every file and socket.
    return raw.translate(_CLEAN).encode("utf-8", "replace").decode()


def _repeated(pages: Sequence[str]) -> frozenset[str]:
    """Lines on over half of the pages, as headers and footers are; their numbers don't count."""
    if len(pages) < _FEW_PAGES:
        return frozenset()
    found: Counter[str] = Counter()
    for page in pages:
        lines = [each for each in _lines(page) if each.text.strip()]
        found.update({_shape(each.text) for each in (*lines[:_MARGIN], *lines[-_MARGIN:])})
    return frozenset(line for line, times in found.items() if 2 * times > len(pages))


def _shape(line: str) -> str:
    return _DIGITS.sub("0", line.strip())


def _is_contents(line: str) -> bool:
    return line.count(".") > _DOTTED * len(line) and _DOTS.search(line) is not None


def _lines(page: str) -> list[_Line]:
    """An empty one for each line end but those that end a line with something in it."""
    made: list[_Line] = []
    ended = True
    for found in _LINE.finditer(page):
        text = found[0]
        if text[0] not in "\r\n":
            made += [_Line(found.start() + at, text[at : at + SIZE]) for at in range(0, len(text), SIZE)]
        elif ended:
            made.append(_Line(found.start(), ""))
        ended = text[0] in "\r\n"
    return made


def _blocks(lines: Sequence[_Line], repeated: frozenset[str], path: HeadingPath) -> Iterator[_Block]:
    """Paragraphs, and headings with what stands right below them; `path` goes along."""
    kept: list[_Line] = []
    in_code = False
    filled = [number for number, each in enumerate(lines) if each.text.strip()]
    margins = {*filled[:_MARGIN], *filled[-_MARGIN:]}
    texts = ["", *(each.text for each in lines), ""]
    for number, line in enumerate(lines):
        if (number in margins and _shape(line.text) in repeated) or _is_contents(line.text):
            continue
        in_code ^= line.text.startswith("```")
        heading = None if in_code else heading_of(line.text, texts[number], texts[number + 2])
        if kept and (heading is not None or not line.text.strip()):
            yield _block(kept, path)
            kept = []
        if heading is not None:
            path.enter(*heading)
        if line.text.strip():
            kept.append(line)
    if kept:
        yield _block(kept, path)


def _block(lines: Sequence[_Line], path: HeadingPath) -> _Block:
    return _Block(str(path), tuple(lines), sum(len(each.text) + 1 for each in lines))


def _split(blocks: Iterator[_Block]) -> Iterator[_Block]:
    """Those that are too long in parts of about one size, at ends of lines."""
    for block in blocks:
        if block.length <= SIZE:
            yield block
            continue
        size = block.length / -(-block.length // SIZE)
        held: list[_Line] = []
        length = 0
        for line in block.lines:
            if held and (length + len(line.text) > SIZE or length >= size):
                yield _Block(block.heading, tuple(held), length)
                held, length = [], 0
            held.append(line)
            length += len(line.text) + 1
        yield _Block(block.heading, tuple(held), length)


def _merged(blocks: Iterator[_Block]) -> Iterator[_Block]:
    """Neighbours together, as long as they are no longer than one may be; a heading ends what is half as long."""
    held: _Block | None = None
    for block in blocks:
        if held is None:
            held = block
        elif _fits(held, block):
            lines, length = held.lines + block.lines, held.length + block.length + 1
            held = _Block(held.heading or block.heading, lines, length)
        else:
            yield held
            held = block
    if held is not None:
        yield held


def _fits(held: _Block, block: _Block) -> bool:
    together = held.length + block.length
    return together <= SIZE and (held.heading == block.heading or held.length < SIZE // 2)


def _body(page: str, lines: Sequence[_Line]) -> str:
    """With an empty line where the text had one, or lost some."""
    parts = [lines[0].text]
    for before, line in pairwise(lines):
        between = page[before.end : line.start]
        ends = max(between.count("\n"), between.count("\r"))
        parts += ["\n" * min(ends, 2), line.text]
    return plain("".join(parts)).strip("\n")
