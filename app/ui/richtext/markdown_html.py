"""markdown-it's renderer with the HTML that QTextDocument draws well. Imported only when first needed.

Classes name what the document's style sheet colours (see `text_block_view`), so that the HTML is the same in both
themes. Raw HTML never passes: the parser has it switched off, and everything else is escaped here.
"""

from collections.abc import Callable, MutableMapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import table
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from app.ui.richtext.markdown_math import math_plugin
from app.ui.richtext.markdown_tags import tags_plugin
from app.ui.widgets.markdown_links import formula_link, is_safe_link, note_link, note_name

_Env = MutableMapping[str, Any]
_UNBROKEN = 16
"""Characters of a cell that stay on one line: a number and its unit, or a name."""
_DEEPEST_QUOTE = 5
"""Quotations within quotations that are drawn as such. Qt lays a table in a table out twice for each one around it, so
that twenty of them would take minutes."""
_RULE = '<table class="rule" width="100%" cellspacing="0" cellpadding="0"><tr><td class="rule"></td></tr></table>'
LONGEST_HEAD = 2000
"""Characters of a table's head; see `markdown_pieces`, which cuts paragraphs in the midst of longer lines."""


def make_parser() -> MarkdownIt:
    """For what is read block by block: a block may be a piece of a longer one."""
    parser = make_renderer(DocumentHtml)
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    return parser


def make_renderer(html: "type[DocumentHtml]") -> MarkdownIt:
    """The dialect, written by `html`. For one thread; slow enough to be kept."""
    parser = MarkdownIt("gfm-like", {"html": False}, renderer_cls=html)
    # "main.py" is a file to the people here, not a site in Paraguay: only written-out addresses are links.
    if parser.linkify is not None:
        parser.linkify.set({"fuzzy_link": False})
    parser.use(tasklists_plugin).use(footnote_plugin).use(math_plugin).use(tags_plugin)
    renderer = parser.renderer
    assert isinstance(renderer, DocumentHtml)
    for name in [each for each in renderer.rules if each.startswith("footnote")]:
        # The plug-in has put its own in front of ours.
        renderer.rules[name] = getattr(renderer, name, renderer.rules[name])
    return parser


def _table(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """No line of this length is a head, nor is the rest of a block whose beginning was cut off."""
    too_long = state.eMarks[start_line] - state.bMarks[start_line] >= LONGEST_HEAD
    if too_long or (start_line == 0 and state.env.get("is_rest")):
        return False
    return table(state, start_line, end_line, silent)


def always(html: str) -> Callable[..., str]:
    """A rule for tokens of which nothing else matters."""

    def write(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return html

    return write


class DocumentHtml(RendererHTML):
    """Method names are token types; markdown-it finds them by name."""

    heading_close = always("</p>\n")
    table_open = always('<table class="grid" cellspacing="0" cellpadding="0">')
    th_close = always("</td>\n")
    kbd_open = always("<code>")
    kbd_close = always("</code>")
    hr = always(_RULE)
    footnote_block_open = always(_RULE + '<ol class="notes">')
    footnote_block_close = always("</ol>")
    footnote_close = always("</li>")
    footnote_anchor = always("")

    def heading_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        """Qt would enlarge <h1> on top of the size that the style sheet gives."""
        return f'<p class="{tokens[index].tag}">'

    def th_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        # As <th> Qt would centre it, over a column that is not.
        return f'<td class="{" ".join(["head", *_cell_classes(tokens, index)])}"{_alignment(tokens[index])}>'

    def td_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        classes = " ".join(_cell_classes(tokens, index))
        named = f' class="{classes}"' if classes else ""
        return f"<td{named}{_alignment(tokens[index])}>"

    def blockquote_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        depth = env["quotes"] = env.get("quotes", 0) + 1
        if depth > _DEEPEST_QUOTE:
            return ""
        return (
            '<table class="quote" width="100%" cellspacing="0" cellpadding="0"><tr>'
            '<td class="bar" width="3"></td><td class="quoted">'
        )

    def blockquote_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        depth = env["quotes"]
        env["quotes"] = depth - 1
        return "</td></tr></table>" if depth <= _DEEPEST_QUOTE else ""

    def fence(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        """A fence inside a list or a quotation; those at the top level are widgets of their own."""
        code = escapeHtml(tokens[index].content.removesuffix("\n"))
        return (
            '<table class="card" width="100%" cellspacing="0" cellpadding="0"><tr><td class="card">'
            f'<p class="pre">{code}</p></td></tr></table>'
        )

    def code_block(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return self.fence(tokens, index, options, env)

    def image(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        """Nothing is ever fetched for a text: a picture is its description, linked where it can be opened."""
        token = tokens[index]
        shown = self.renderInlineAsText(token.children or (), options, env) or "picture"
        address = str(token.attrs.get("src", ""))
        label = f"[{escapeHtml(shown)}]"
        return f'<a href="{escapeHtml(address)}">{label}</a>' if is_safe_link(address) else label

    def link_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        address = str(tokens[index].attrs.get("href", ""))
        return f'<a href="{escapeHtml(address)}">' if is_safe_link(address) else '<a class="dead">'

    def math_inline(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        token = tokens[index]
        name = formula_link(token.content, display=is_displayed(token), tail=token.meta["tail"])
        return f'<img src="{name}">'

    def math_block(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return f'<p class="math" align="center"><img src="{formula_link(tokens[index].content, display=True)}"></p>'

    def footnote_ref(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        number = tokens[index].meta["id"] + 1
        return f'<sup><a href="{note_link(number)}">{number}</a></sup>'

    def footnote_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        """An empty anchor in front of the note is what its number leads to."""
        return f'<li><a name="{note_name(tokens[index].meta["id"] + 1)}"></a>'

    def html_inline(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        """With raw HTML off, only the task list plug-in makes these: its check boxes."""
        return "☑" if "checked" in tokens[index].content else "☐"

    def html_block(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return escapeHtml(tokens[index].content)


def is_displayed(token: Token) -> bool:
    """Whether a formula within a line is drawn as large as one that stands by itself."""
    return token.markup in ("$$", "\\[")


def _alignment(token: Token) -> str:
    """Only what was asked for: without it a cell follows the direction of its text."""
    side = str(token.attrs.get("style", "")).removeprefix("text-align:")
    return f' align="{side}"' if side in ("left", "center", "right") else ""


def _cell_classes(tokens: Sequence[Token], index: int) -> list[str]:
    """Beside a formula, which may be higher than a line, the other cells of the row stand at half its height."""
    return ["short"] * _is_short(tokens, index) + ["high"] * _has_formula(tokens, index)


def _has_formula(tokens: Sequence[Token], index: int) -> bool:
    """Whether there is one in the row of a cell."""
    begin = next((at for at in range(index, -1, -1) if tokens[at].type == "tr_open"), index)
    for token in tokens[begin:]:
        if token.type == "tr_close":
            break
        if any(each.type == "math_inline" for each in token.children or ()):
            return True
    return False


def _is_short(tokens: Sequence[Token], index: int) -> bool:
    """Such a cell is not broken: Qt would take "639 MB" apart, and "tokens/s", wherever a table is wide."""
    inside = tokens[index + 1].content if index + 1 < len(tokens) else ""
    return 0 < len(inside) <= _UNBROKEN
