"""LaTeX in Markdown: `$…$`, `$$…$$`, `\\(…\\)`, `\\[…\\]` and a few environments, as rules for markdown-it.

A formula longer than `LONGEST` stays text; so an opening mark that is never closed holds back no more than that.
"""

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

LONGEST = 4000
"""Characters of one formula, marks included."""
_ENVIRONMENTS = "align|aligned|alignat|gather|gathered|equation|multline|split|cases|[pbvBV]?matrix|array"
_OPENING = re.compile(rf"\$\$|\\\[|\\begin\{{(?P<name>(?:{_ENVIRONMENTS})\*?)\}}")
_TAIL = re.compile(r"[.,;:?…)}’'\"”»%°\-‐‑–—。，、；：！？）」』】]{1,4}|!(?!\[)")
"""What stands at the end of a formula and never begins a line."""
_OPENING_LINE = re.compile(rf"^ {{0,3}}(?:{_OPENING.pattern})", re.MULTILINE)


def math_plugin(parser: MarkdownIt) -> None:
    ends: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "math_block", _block, ends)
    parser.inline.ruler.before("escape", "math_inline", _inline)


def open_formula(text: str, starts: Sequence[int]) -> int:
    """Where the first display formula begins that may still be closed by what follows `text`; its length if none does.

    `starts` are the places of pieces that are no code: each from `starts[i]` to the next even index's end.
    """
    for begin, end in zip(starts[::2], starts[1::2], strict=True):
        for opening in _OPENING_LINE.finditer(text, begin, end):
            found = _OPENING.search(text, opening.start())
            assert found is not None
            closed = text.find(_closing(found), found.end())
            if closed < 0 and len(text) - found.start() <= LONGEST:
                return opening.start()
            if closed >= 0 and text.find("\n", closed) < 0:
                return opening.start() - 1  # what follows it in its last line may leave it within a paragraph
    return len(text)


def _closing(opening: re.Match[str]) -> str:
    if opening["name"]:
        return f"\\end{{{opening['name']}}}"
    return "$$" if opening[0] == "$$" else "\\]"


def _block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A formula that begins a line and ends one, with no line between that leaves the list or quotation it is in."""
    if state.is_code_block(start_line):
        return False
    begin = state.bMarks[start_line] + state.tShift[start_line]
    opening = _OPENING.match(state.src, begin, state.eMarks[start_line])
    if opening is None:
        return False
    closing = _closing(opening)
    lines: list[str] = []
    length, line, place = 0, start_line, opening.end()
    while True:
        end = state.src.find(closing, place, state.eMarks[line])
        piece = state.src[place : state.eMarks[line] if end < 0 else end]
        lines.append(piece)
        length += len(piece) + 1
        if end >= 0:
            break
        line += 1
        if line >= end_line or length > LONGEST or (state.sCount[line] < state.blkIndent and not state.isEmpty(line)):
            return False
        place = min(state.bMarks[line] + state.blkIndent, state.eMarks[line])
    if state.src[end + len(closing) : state.eMarks[line]].strip(" .,;"):
        return False
    content = "\n".join(lines).strip()
    if not content or length > LONGEST:
        return False
    if silent:
        return True
    token = state.push("math_block", "math", 0)
    token.content = f"{opening[0]}{content}{closing}" if opening["name"] else content
    token.markup = opening[0]
    token.block = True
    token.map = [start_line, line + 1]
    state.line = line + 1
    return True


def _inline(state: StateInline, silent: bool) -> bool:
    text, begin = state.src, state.pos
    if text.startswith(("\\(", "\\["), begin):
        mark, closing = text[begin : begin + 2], "\\)" if text[begin + 1] == "(" else "\\]"
        end = text.find(closing, begin + 2, min(state.posMax, begin + LONGEST))
    elif text.startswith("$$", begin):
        mark = closing = "$$"
        end = text.find(closing, begin + 2, min(state.posMax, begin + LONGEST))
    elif text.startswith("$", begin):
        mark = closing = "$"
        end = _dollar_end(text, begin, min(state.posMax, begin + LONGEST))
    else:
        return False
    content = text[begin + len(mark) : end].strip() if end > 0 else ""
    if not content:
        return False
    tail = _TAIL.match(text, end + len(closing), state.posMax)
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content = " ".join(content.split("\n"))
        token.markup = mark
        token.meta["tail"] = tail[0] if tail is not None else ""
    state.pos = tail.end() if tail is not None else end + len(closing)
    return True


def _dollar_end(text: str, begin: int, limit: int) -> int:
    """The closing `$`, or -1. Prices are no formulas: no blank within the marks, and no digit or letter beside them."""
    if begin + 1 >= limit or text[begin + 1].isspace() or (begin and text[begin - 1].isalnum()):
        return -1
    end = text.find("$", begin + 1, limit)
    while end > 0 and text[end - 1] == "\\":
        end = text.find("$", end + 1, limit)
    if end < 0 or text[end - 1].isspace() or (end + 1 < len(text) and text[end + 1].isdigit()):
        return -1
    return end
