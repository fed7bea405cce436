"""Long lists, tables and paragraphs in pieces, so that no piece takes long to lay out.

Where a block is cut follows from its own text up to the cut, so a text that streams is cut in the same places
as one that is read at once.
"""

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

LIST_ITEMS = 20
LIST_CHARS = 2000
TABLE_ROWS = 16
PARAGRAPH_CHARS = 4000
"""A longer paragraph ends at the next end of a sentence."""
LINE_CHARS = 2000
_SENTENCE = re.compile(r"(?:[.!?…][)\"'»”]*[ ]+|[。！？][ ]*)(?=[^\W\d_])")
_LINE_END = re.compile(r"\n(?=[^\n])")
_BLANK = re.compile(r" +(?=[^\W\d_])")


@dataclass(frozen=True, slots=True)
class Piece:
    tokens: "list[Token]"
    offset: int
    """Where it starts in the text that was parsed."""
    sure: int
    """The last line that must be complete for its start to be certain; -1 for none."""
    number: int = 1
    """Of the first item of an ordered list."""
    is_rest: bool = False
    """It goes on with what the piece before it began."""
    lacks_inline: bool = False
    """Its inline tokens have no children yet."""


def line_starts(text: str) -> list[int]:
    """The offset of each line, and the length of the text."""
    return [0, *accumulate(len(line) + 1 for line in text.split("\n"))]


def pieces_of(tokens: "list[Token]", text: str, starts: list[int], *, goes_on: bool = False) -> list[Piece]:
    """One top-level block of `text` in one piece or more; with `goes_on` its beginning was cut off before."""
    first = tokens[0]
    line = first.map[0] if first.map else len(starts)
    offset = starts[min(line, len(starts) - 1)]
    match first.type:
        case "bullet_list_open" | "ordered_list_open":
            return _list(tokens, starts, goes_on)
        case "table_open":
            # Only its second line makes a table of what would else belong to the paragraph above it.
            return _table(tokens, starts, Piece(tokens, offset, line + 1), goes_on)
        case "paragraph_open" | "heading_open" if len(tokens) == 3 and len(tokens[1].content) > PARAGRAPH_CHARS:
            return _paragraph(tokens, text, Piece(tokens, offset, line, is_rest=goes_on))
    return [Piece(tokens, offset, line, is_rest=goes_on)]


def _list(tokens: "list[Token]", starts: list[int], goes_on: bool) -> list[Piece]:
    number = int(tokens[0].attrs.get("start", 1))
    cuts: list[tuple[int, int, int]] = []
    """Of the first item of each piece: its token, its line, and how many items stand before it."""
    count = 0
    for index, token in enumerate(tokens):
        if token.type != "list_item_open" or token.level != 1:
            continue
        line = token.map[0] if token.map else 0
        before = cuts[-1] if cuts else None
        if before is None or (count - before[2] >= LIST_ITEMS or starts[line] - starts[before[1]] >= LIST_CHARS):
            cuts.append((index, line, count))
        count += 1
    made = []
    for place, (index, line, before_it) in enumerate(cuts):
        end = cuts[place + 1][0] if place + 1 < len(cuts) else len(tokens) - 1
        opening, closing = tokens[0].copy(), tokens[-1]
        within = tokens[index:end]
        opening.attrs = {"start": number + before_it} if opening.type == "ordered_list_open" else {}
        if any("task-list-item" in str(each.attrs.get("class", "")) for each in within):
            opening.attrs["class"] = "contains-task-list"
        # How far items stand apart is no matter of blank lines, which may come after a piece is closed.
        _tighten(within)
        made.append(Piece([opening, *within, closing], starts[line], line, number + before_it, goes_on or place > 0))
    return made


def _tighten(tokens: "list[Token]") -> None:
    for index, token in enumerate(tokens):
        if token.type == "paragraph_open":
            hidden = tokens[index - 1].type == "list_item_open"
            token.hidden = tokens[index + 2].hidden = hidden


def _table(tokens: "list[Token]", starts: list[int], whole: Piece, goes_on: bool) -> list[Piece]:
    rows = [index for index, each in enumerate(tokens) if each.type == "tr_open"][1:]
    made = []
    for begin in range(0, len(rows), TABLE_ROWS):
        end = rows[begin + TABLE_ROWS] if begin + TABLE_ROWS < len(rows) else len(tokens) - 2
        line = (tokens[rows[begin]].map or [0])[0]
        if begin or goes_on:
            # The head is that of the first piece.
            body = [tokens[0], *tokens[rows[begin] : end], tokens[-1]]
            made.append(Piece(body, starts[line], line, is_rest=True))
        else:
            made.append(Piece([*tokens[:end], *tokens[-2:]], whole.offset, whole.sure))
    return made or [whole]


def _paragraph(tokens: "list[Token]", text: str, whole: Piece) -> list[Piece]:
    opening, inline, closing = tokens
    content = inline.content
    # Headings of this length are a paragraph that something underlined.
    if opening.type == "heading_open" and opening.markup not in ("-", "="):
        return [whole]
    cuts = _cuts(content, keeps_lines=bool(inline.meta.get("keeps_lines")))
    if not cuts:
        return [whole]
    lines = line_starts(content)
    begin_line = (opening.map or [0])[0]
    lead = text.find(content[:1], whole.offset)
    if lead < 0:  # the parser replaces what is no text, such as NUL
        return [whole]
    made = []
    for place, (begin, end) in enumerate(zip([0, *cuts], [*cuts, len(content)], strict=True)):
        number = sum(1 for each in lines[1:-1] if each <= begin)
        sure = whole.sure if not begin else -1 if begin - lines[number] >= LINE_CHARS else begin_line + number + 1
        part = inline.copy(content=content[begin:end].rstrip(), children=[])
        is_last = place == len(cuts)
        first = opening if is_last else opening.copy(type="paragraph_open", tag="p")
        last = closing if is_last else closing.copy(type="paragraph_close", tag="p")
        rest = whole.is_rest or place > 0
        made.append(Piece([first, part, last], lead + begin, sure, is_rest=rest, lacks_inline=True))
    return made


def _cuts(content: str, *, keeps_lines: bool) -> list[int]:
    """`keeps_lines`: a line stays whole where it can."""
    cuts: list[int] = []
    begin = 0
    while len(content) - begin > PARAGRAPH_CHARS:
        limit = begin + 2 * PARAGRAPH_CHARS
        found = _LINE_END.search(content, begin + PARAGRAPH_CHARS, limit) if keeps_lines else None
        found = found or _SENTENCE.search(content, begin + PARAGRAPH_CHARS, limit)
        if found is None and len(content) > limit:
            found = _BLANK.search(content, limit)
        if found is None or found.end() >= len(content):
            break
        begin = found.end()
        cuts.append(begin)
    return cuts
