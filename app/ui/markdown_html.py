"""markdown-it's renderer with the HTML that QTextDocument draws well. Imported only when first needed.

Classes name what the document's style sheet colours (see `app.ui.prose`), so that the HTML is the same in
both themes. Raw HTML never passes: the parser has it switched off, and everything else is escaped here.
"""

from collections.abc import MutableMapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from mdit_py_plugins.tasklists import tasklists_plugin

from app.ui.markdown_links import is_safe_link

_Env = MutableMapping[str, Any]


def make_parser() -> MarkdownIt:
    parser = MarkdownIt("gfm-like", {"html": False}, renderer_cls=DocumentHtml)
    # "main.py" is a file to the people here, not a site in Paraguay: only written-out addresses are links.
    if parser.linkify is not None:
        parser.linkify.set({"fuzzy_link": False})
    return parser.use(tasklists_plugin)


class DocumentHtml(RendererHTML):
    """Method names are token types; markdown-it finds them by name."""

    def heading_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        """Qt would enlarge <h1> on top of the size that the style sheet gives."""
        return f'<p class="{tokens[index].tag}">'

    def heading_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return "</p>\n"

    def table_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return '<table class="grid" cellspacing="0" cellpadding="0">'

    def th_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return f'<th align="{_alignment(tokens[index])}">'

    def td_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return f'<td align="{_alignment(tokens[index])}">'

    def blockquote_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return (
            '<table class="quote" width="100%" cellspacing="0" cellpadding="0"><tr>'
            '<td class="bar" width="3"></td><td class="quoted">'
        )

    def blockquote_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return "</td></tr></table>"

    def hr(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return (
            '<table class="rule" width="100%" cellspacing="0" cellpadding="0"><tr><td class="rule"></td></tr></table>'
        )

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

    def html_inline(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        """With raw HTML off, only the task list plug-in makes these: its check boxes."""
        return "☑" if "checked" in tokens[index].content else "☐"

    def html_block(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return escapeHtml(tokens[index].content)


def _alignment(token: Token) -> str:
    return str(token.attrs.get("style", "")).removeprefix("text-align:") or "left"
