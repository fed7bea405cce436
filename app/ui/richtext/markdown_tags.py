"""The few HTML tags that models write into Markdown and that only say how text looks, as rules for markdown-it.

Tags without attributes count, in pairs within one paragraph or cell; all others stay the text that they are. The
lines of `<details>` are marked where they are blocks of their own, so that the window can fold what is between them;
elsewhere, and where more stands in their line, only the summary is left, as bold words.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from app.ui.richtext.markdown_blocks import Mark

_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)(sub|sup|kbd)>", re.IGNORECASE)
_BEGIN = r"(?P<begin><details(?P<open> open(?:=\"\")?)?>)"
_SUMMARY = r"<summary>(?P<summary>[^\n]{0,2000}?)</summary>"
_DETAILS = re.compile(rf"{_BEGIN}?\s*(?:{_SUMMARY})?|</details>", re.IGNORECASE)
_ONE_LINE = re.compile(rf"{_BEGIN}\s*{_SUMMARY}(?P<rest>.+?)(?:</details>|<(?:/\w{{0,7}})?)?", re.IGNORECASE)
"""With a text that begins, and perhaps ends, in the same line; the end may be on its way."""
_STARTS = "|".join(name[:length] for name in ("details", "/details", "summary") for length in range(len(name) + 1))
_SUMMARISED = rf"(?:{_STARTS}|summary>(?:(?!</summary>).){{0,2000}})"
_HALF = re.compile(rf" {{0,3}}<(?:details [^>]{{0,8}}|(?:details[^>]{{0,8}}>\s*<)?{_SUMMARISED})", re.IGNORECASE)
"""A last line that may become one of these."""


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
    line = state.src[begin:end].rstrip()
    found = _DETAILS.fullmatch(line)
    if found is None and (found := _ONE_LINE.fullmatch(line)) is not None:
        if not silent:
            _push_paragraph(state, start_line, f"**{found['summary'].strip()}**<br>{found['rest'].strip()}")
        return True
    if found is None or not found[0]:
        return False
    if silent:
        return True
    state.line = start_line + 1
    is_top = state.level == 0
    summary = (found["summary"] or "").strip()
    if is_top and not summary:
        only = state.push("details", "", 0)
        only.map, only.hidden, only.meta["mark"] = [start_line, state.line], True, _mark(found)
    if summary:
        opening = _push_paragraph(state, start_line, summary)
        opening.attrs["class"] = "summary"
        opening.meta["mark"] = _mark(found) if is_top else Mark.NONE
    return True


def _push_paragraph(state: StateBlock, line: int, text: str) -> Token:
    """Returns what opens it."""
    state.line = line + 1
    opening = state.push("paragraph_open", "p", 1)
    inline = state.push("inline", "", 0)
    opening.map = inline.map = [line, state.line]
    inline.content, inline.children = text, []
    state.push("paragraph_close", "p", -1)
    return opening


def without_half(text: str) -> str:
    """Of a text that grows: without a last line that is on its way to be a line of `<details>`."""
    begin = text.rfind("\n") + 1
    return text[:begin] if _HALF.fullmatch(text, begin) else text


def _mark(line: re.Match[str]) -> Mark:
    if line["begin"] is None:
        return Mark.SUMMARY if line["summary"] is not None else Mark.END
    if (line["summary"] or "").strip():
        return Mark.WHOLE_OPEN if line["open"] else Mark.WHOLE
    return Mark.BEGIN_OPEN if line["open"] else Mark.BEGIN


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
