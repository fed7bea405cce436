"""The few HTML tags that models write into Markdown and that only say how text looks, as rules for markdown-it.

Tags without attributes count, in pairs within one paragraph or cell; all others stay the text that they are. Of
`<details>` the summary is a bold line, and what it hides is shown.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)(sub|sup|kbd)>", re.IGNORECASE)
_SUMMARY = r"<summary>(?P<summary>[^\n]{0,2000}?)</summary>"
_DETAILS = re.compile(rf"(?:<details(?: open)?>\s*)?{_SUMMARY}|<details(?: open)?>|</details>", re.IGNORECASE)


def tags_plugin(parser: MarkdownIt) -> None:
    ends: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "details", _details, ends)
    parser.inline.ruler.before("autolink", "tag", _tag)
    parser.inline.ruler2.push("tag_pairs", _pair)


def _details(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A line that is nothing but these tags; only the summary is left of it."""
    if state.is_code_block(start_line):
        return False
    begin, end = state.bMarks[start_line] + state.tShift[start_line], state.eMarks[start_line]
    if not state.src.startswith("<", begin):
        return False
    found = _DETAILS.fullmatch(state.src[begin:end].rstrip())
    if found is None:
        return False
    if silent:
        return True
    state.line = start_line + 1
    if summary := (found["summary"] or "").strip():
        opening = state.push("paragraph_open", "p", 1)
        opening.attrs["class"] = "summary"
        opening.map = [start_line, state.line]
        inline = state.push("inline", "", 0)
        inline.content, inline.map, inline.children = summary, [start_line, state.line], []
        state.push("paragraph_close", "p", -1)
    return True


def _tag(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("<", state.pos):
        return False
    found = _BREAK.match(state.src, state.pos, state.posMax)
    if found is not None:
        if not silent:
            state.push("hardbreak", "br", 0)
    else:
        found = _TAG.match(state.src, state.pos, state.posMax)
        if found is None:
            return False
        if not silent:
            token = state.push("tag", found[2].lower(), 0)
            token.content = found[0]
    state.pos = found.end()
    return True


def _pair(state: StateInline) -> None:
    """What has no other half is text."""
    unclosed: list[Token] = []
    for token in state.tokens:
        if token.type != "tag":
            continue
        if not token.content.startswith("</"):
            unclosed.append(token)
        elif unclosed and unclosed[-1].tag == token.tag:
            opening = unclosed.pop()
            opening.type, opening.nesting = f"{token.tag}_open", 1
            token.type, token.nesting = f"{token.tag}_close", -1
        else:
            _make_text(token)
    for token in unclosed:
        _make_text(token)


def _make_text(token: Token) -> None:
    token.type, token.tag = "text", ""
