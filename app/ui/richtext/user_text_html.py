"""What a person typed: code and lists are shown as such, and everything else stays as it was typed.

A question is often text from elsewhere, with marks that are none: `#` before a shell's comment, `*` in a formula,
`__init__`. So only fences, code in a line, bold words and lists count; lines and blanks are kept; and headings,
quotations, tables, formulas and escapes do not exist. Web addresses can be followed.
"""

import re
from collections.abc import MutableMapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline, emphasis
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from app.ui.richtext.markdown_html import DocumentHtml

_Env = MutableMapping[str, Any]
_BLANKS = re.compile(r"(?<=\n) +| {2,}")
"""What HTML would make one blank or none."""
_TAB = 4


def make_typed_parser(html: "type[UserTextHtml] | None" = None) -> MarkdownIt:
    """With the screen's HTML, unless another is named."""
    parser = MarkdownIt("zero", {"html": False, "linkify": True}, renderer_cls=html or UserTextHtml)
    parser.enable(["fence", "list", "backticks", "emphasis", "linkify"])
    if parser.linkify is not None:
        parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False})
    parser.block.ruler.at("paragraph", _lines)
    parser.inline.ruler.at("emphasis", _bold)
    return parser


class UserTextHtml(DocumentHtml):
    """Method names are token types; markdown-it finds them by name."""

    def text(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return _kept(tokens[index].content)

    def code_inline(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return f"<code>{_kept(tokens[index].content)}</code>"


def _kept(text: str) -> str:
    """With the lines and blanks that it has."""
    blanks = _BLANKS.sub(lambda found: "\u00a0" * len(found[0]), text.replace("\t", " " * _TAB))
    return escapeHtml(blanks).replace("\n", "<br>")


def _lines(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A paragraph. What stands further left than the item it would belong to is none of the item."""
    others = state.md.block.ruler.getRules("paragraph")
    outer, state.parentType = state.parentType, "paragraph"
    line = start_line + 1
    while line < state.lineMax and not state.isEmpty(line) and state.sCount[line] >= state.blkIndent:
        if any(rule(state, line, state.lineMax, True) for rule in others):
            break
        line += 1
    state.parentType = outer
    state.line = line
    state.push("paragraph_open", "p", 1).map = [start_line, line]
    inline = state.push("inline", "", 0)
    inline.content = state.getLines(start_line, line, state.blkIndent, False).rstrip()
    inline.map = [start_line, line]
    inline.children = []
    inline.meta["keeps_lines"] = True
    state.push("paragraph_close", "p", -1)
    return True


def _bold(state: StateInline, silent: bool) -> bool:
    """Two stars, and never between letters: `2**3` is a number."""
    known = len(state.delimiters)
    if state.src[state.pos] != "*" or not emphasis.tokenize(state, silent):
        return False
    for mark in state.delimiters[known:]:
        if mark.length != 2 or (mark.open and mark.close):
            mark.open = mark.close = False
    return True
