"""Markdown as a list of blocks, at once or while it is still being written. No Qt in here.

A block is one top-level Markdown block, or a piece of a long one (see `markdown_pieces`). While an answer streams,
only the unfinished tail is parsed again: a block is closed for good as soon as a later one has begun on a complete
line (a half-typed line may still turn out to continue the block before it).
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from app.ui.richtext.markdown_blocks import Block, Change, Code, Mark, Prose
from app.ui.richtext.markdown_pieces import Piece, line_starts, pieces_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["Block", "Change", "Code", "MarkdownStream", "Prose", "parse"]


@dataclass(frozen=True, slots=True)
class _Rest:
    """What a tail goes on with: the beginning of its first block is closed."""

    number: int = 1
    """Of the next item, in a list."""
    lead: str = ""
    """The two first lines, of a table."""
    head: str = ""
    """The HTML of its first piece."""
    is_rest: bool = False


_NOTHING = _Rest()


@dataclass(frozen=True, slots=True)
class _Placed:
    block: Block
    offset: int
    """Where it starts in the text that was parsed."""
    sure: int
    """The last line that must be complete for the block to be certain."""
    rest: _Rest
    """How to parse the text from here on by itself."""


def parse(source: str, *, typed: bool = False) -> tuple[Block, ...]:
    """All blocks of a finished text. What a person `typed` is read by the few rules of `user_text_html`."""
    return tuple(each.block for each in _parse(_normalised(source), typed=typed))


class MarkdownStream:
    """A text that grows. After `finish` the blocks are those that `parse` gives for the whole."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._tail = ""
        self._rest = _NOTHING
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
        if tail.rfind("<") > tail.rfind("\n"):
            from app.ui.richtext.markdown_tags import without_half

            tail = without_half(tail)
        placed = _parse(tail, self._rest)
        closing = _closable(placed, tail)
        self._closed += [each.block for each in placed[:closing]]
        if closing:
            self._tail = self._tail[placed[closing].offset :]
            self._rest = placed[closing].rest
        self._fence = _OpenFence.at(self._tail) if len(placed) == closing + 1 else None
        return Change(keep, tuple(each.block for each in placed))

    def finish(self) -> Change:
        keep = len(self._closed)
        if "]:" not in self.source:
            return Change(keep, tuple(each.block for each in _parse(self._tail.replace("\r", "\n"), self._rest)))
        # A link's address or a footnote may be told after the blocks that use it, so those are read once more.
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
        if opening is None or "|" in opening[2] or (opening[1][0] == "`" and "`" in opening[2]):
            return None  # with a "|" the next line may make it a table's head
        marks = opening[1]
        closing = re.compile(rf"^ {{0,3}}{re.escape(marks[0])}{{{len(marks)},}}[ \t]*$", re.MULTILINE)
        language = _language(opening[2].replace("\0", "\ufffd"))
        return cls(language, opening.end(), closing, opening.end())

    def grown(self, tail: str) -> Code | None:
        """The code so far, or None as soon as the fence may have ended."""
        if self.closing.search(tail, self.checked):
            return None
        self.checked = max(self.start, tail.rfind("\n") + 1)
        return Code(self.language, tail[self.start :].removesuffix("\n").replace("\0", "\ufffd"), tail)


def _closable(placed: list[_Placed], tail: str) -> int:
    """How many of the first blocks nothing that follows can change any more."""
    complete = tail.count("\n")
    limit = _open_formula(placed, tail)
    for index in range(len(placed) - 1, 0, -1):
        if placed[index].sure < complete and placed[index].offset <= limit:
            return index
    return 0


def _open_formula(placed: list[_Placed], tail: str) -> int:
    """Where a formula begins that what follows may still close, taking in all that stands between."""
    if "$$" not in tail and "\\" not in tail:
        return len(tail)
    from app.ui.richtext.markdown_math import open_formula

    ends = [each.offset for each in placed[1:]] + [len(tail)] * bool(placed)
    texts = [
        place
        for each, end in zip(placed, ends, strict=True)
        if isinstance(each.block, Prose)
        for place in (each.offset, end)
    ]
    return open_formula(tail, texts)


def _parse(text: str, rest: _Rest = _NOTHING, *, typed: bool = False) -> list[_Placed]:
    parser = _parser(typed)
    env: dict[str, object] = {"is_rest": rest.is_rest and not rest.lead}
    source = rest.lead + text
    tokens = parser.parse(source, env)
    starts = line_starts(source)
    placed: list[_Placed] = []
    for number, group in enumerate(_groups(tokens)):
        placed += _place(parser, group, source, starts, env, rest if number == 0 else _NOTHING)
    skip, lines = len(rest.lead), rest.lead.count("\n")
    ends = [each.offset for each in placed[1:]] + [len(source)] * bool(placed)
    return [
        replace(
            each,
            block=replace(each.block, source=source[each.offset : end].rstrip()),
            offset=each.offset - skip,
            sure=each.sure - lines,
        )
        for each, end in zip(placed, ends, strict=True)
    ]


def _groups(tokens: "list[Token]") -> "list[list[Token]]":
    """The tokens of each top-level block; all footnotes are one."""
    groups = []
    start = 0
    for index, token in enumerate(tokens):
        if token.type == "footnote_block_open":
            groups.append(tokens[start:])
            break
        if token.level == 0 and token.nesting <= 0:
            groups.append(tokens[start : index + 1])
            start = index + 1
    return groups


def _place(
    parser: "MarkdownIt", group: "list[Token]", source: str, starts: list[int], env: dict[str, object], rest: _Rest
) -> list[_Placed]:
    """The pieces of one top-level block, which goes on with `rest`."""
    first = group[0]
    if first.type == "ordered_list_open" and rest.is_rest:
        first.attrs["start"] = rest.number
    placed = []
    head = rest.head
    for piece in pieces_of(group, source, starts, goes_on=rest.is_rest):
        if first.type in ("fence", "code_block"):
            code = Code(_language(first.info), first.content.removesuffix("\n"))
            return [_Placed(code, piece.offset, piece.sure, _NOTHING)]
        _parse_inline(parser, piece, env)
        html: str = parser.renderer.render(piece.tokens, parser.options, env).strip()
        own = _Rest(number=piece.number, is_rest=True) if piece.is_rest else _NOTHING
        if first.type == "table_open":
            head = head if piece.is_rest else html
            own = replace(own, lead=_head_lines(source, first), head=head) if piece.is_rest else _NOTHING
        mark = Mark.NONE if piece.is_rest else first.meta.get("mark", Mark.NONE)
        prose = Prose(html, head=own.head, is_rest=piece.is_rest, mark=mark)
        placed.append(_Placed(prose, piece.offset, piece.sure, own))
    return placed


def _parse_inline(parser: "MarkdownIt", piece: Piece, env: dict[str, object]) -> None:
    """Parts of a paragraph are read each by itself, by the rules that follow the inline ones too."""
    if not piece.lacks_inline:
        return
    from markdown_it.rules_core import StateCore, linkify, text_join

    for token in piece.tokens:
        if token.type == "inline":
            children: list[Token] = []
            parser.inline.parse(token.content, parser, env, children)
            token.children = children
    state = StateCore("", parser, env, piece.tokens)
    linkify(state)
    text_join(state)


def _head_lines(source: str, table: "Token") -> str:
    begin = (table.map or [0])[0]
    lines = source.split("\n", begin + 2)
    return "\n".join(lines[begin : begin + 2]) + "\n"


def _language(info: str) -> str:
    words = info.split(maxsplit=1)
    return words[0][:40] if words else ""


def _normalised(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@cache
def _parser(typed: bool) -> "MarkdownIt":
    # 50 ms that the window's first paint need not wait for.
    if typed:
        from app.ui.richtext.user_text_html import make_typed_parser

        return make_typed_parser()
    from app.ui.richtext.markdown_html import make_parser

    return make_parser()
