"""Markdown as a list of blocks, at once or while it is still being written. No Qt in here.

A block is one top-level Markdown block. While an answer streams, only the unfinished tail is parsed
again: a block is closed for good as soon as a later one has begun on a complete line (a half-typed line
may still turn out to continue the block before it).
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class Prose:
    """Text, lists, tables: one piece of HTML for a QTextDocument."""

    html: str


@dataclass(frozen=True, slots=True)
class Code:
    language: str
    """The fence's first word, as written; empty for none."""
    text: str
    """Without the last line's end."""


Block = Prose | Code


@dataclass(frozen=True, slots=True)
class Change:
    """The first `keep` blocks stay as they were; whatever followed them is replaced by `blocks`."""

    keep: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class _Placed:
    block: Block
    line: int
    """Where it starts in the text that was parsed."""
    sure: int
    """The last line that must be complete for the block to be certain."""


def parse(source: str) -> tuple[Block, ...]:
    """All blocks of a finished text."""
    return tuple(each.block for each in _parse(_normalised(source)))


class MarkdownStream:
    """A text that grows. After `finish` the blocks are those that `parse` gives for the whole."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._tail = ""
        self._closed: list[Block] = []
        self._fence: _OpenFence | None = None

    @property
    def source(self) -> str:
        return "".join(self._pieces)

    def feed(self, text: str) -> None:
        """Append; costs nothing until the next `render`."""
        self._pieces.append(text)
        if self._tail.endswith("\r"):
            text, self._tail = "\r" + text, self._tail[:-1]
        # A last "\r" stays until it is known whether it is half of a line's end.
        held = "\r" if text.endswith("\r") else ""
        self._tail += _normalised(text.removesuffix("\r")) + held

    def render(self) -> Change:
        """What to show now."""
        keep = len(self._closed)
        tail = self._tail.removesuffix("\r")
        if self._fence is not None and (code := self._fence.grown(tail)) is not None:
            return Change(keep, (code,))
        placed = _parse(tail)
        closing = _closable(placed, tail)
        self._closed += [each.block for each in placed[:closing]]
        if closing:
            self._tail = self._tail[_offset_of_line(tail, placed[closing].line) :]
        self._fence = _OpenFence.at(self._tail) if len(placed) == closing + 1 else None
        return Change(keep, tuple(each.block for each in placed))

    def finish(self) -> Change:
        keep = len(self._closed)
        if "]:" not in self.source:
            return Change(keep, parse(self._tail))
        # A link's address may be told after the blocks that use it, so those are read once more.
        whole = parse(self.source)
        same = next((i for i, pair in enumerate(zip(self._closed, whole, strict=False)) if pair[0] != pair[1]), keep)
        return Change(min(same, len(whole)), whole[same:])


@dataclass(slots=True)
class _OpenFence:
    """A code fence that fills the tail: it grows without being parsed again."""

    language: str
    start: int
    closing: re.Pattern[str]
    checked: int

    @classmethod
    def at(cls, tail: str) -> "_OpenFence | None":
        opening = re.match(r"(`{3,}|~{3,})([^\n]*)\n", tail)
        if opening is None or (opening[1][0] == "`" and "`" in opening[2]):
            return None
        marks = opening[1]
        closing = re.compile(rf"^ {{0,3}}{re.escape(marks[0])}{{{len(marks)},}}[ \t]*$", re.MULTILINE)
        return cls(_language(opening[2]), opening.end(), closing, opening.end())

    def grown(self, tail: str) -> Code | None:
        """The code so far, or None as soon as the fence may have ended."""
        if self.closing.search(tail, self.checked):
            return None
        self.checked = max(self.start, tail.rfind("\n") + 1)
        return Code(self.language, tail[self.start :].removesuffix("\n").replace("\0", "\ufffd"))


def _closable(placed: list[_Placed], tail: str) -> int:
    """How many of the first blocks nothing that follows can change any more."""
    complete = tail.count("\n")
    for index in range(len(placed) - 1, 0, -1):
        if placed[index].sure < complete:
            return index
    return 0


def _parse(source: str) -> list[_Placed]:
    parser = _parser()
    env: dict[str, object] = {}
    tokens = parser.parse(source, env)
    placed: list[_Placed] = []
    start = 0
    for index, token in enumerate(tokens):
        if token.level == 0 and token.nesting <= 0:
            placed.append(_place(parser, tokens[start : index + 1], env))
            start = index + 1
    return placed


def _place(parser: "MarkdownIt", tokens: "list[Token]", env: dict[str, object]) -> _Placed:
    first = tokens[0]
    line = first.map[0] if first.map else 0
    if first.type in ("fence", "code_block"):
        return _Placed(Code(_language(first.info), first.content.removesuffix("\n")), line, line)
    html: str = parser.renderer.render(tokens, parser.options, env).strip()
    # Only its second line makes a table of what would else belong to the paragraph above it.
    return _Placed(Prose(html), line, line + 1 if first.type == "table_open" else line)


def _language(info: str) -> str:
    words = info.split(maxsplit=1)
    return words[0][:40] if words else ""


def _offset_of_line(text: str, line: int) -> int:
    offset = 0
    for _ in range(line):
        offset = text.index("\n", offset) + 1
    return offset


def _normalised(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@cache
def _parser() -> "MarkdownIt":
    # 50 ms that the window's first paint need not wait for.
    from app.ui.markdown_html import make_parser

    return make_parser()
