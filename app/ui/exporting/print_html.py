"""Markdown as the HTML of a QTextDocument that goes to paper: nothing folds, nothing scrolls."""

from collections.abc import MutableMapping, Sequence
from typing import Any

from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from app.ui.exporting.web_html import coloured_lines, language_of
from app.ui.richtext.list_marks import NUMBERS_CSS
from app.ui.richtext.markdown_html import DocumentHtml, is_displayed
from app.ui.richtext.user_text_html import UserTextHtml
from app.ui.theme.fonts import load_fonts
from app.ui.theme.palette import LIGHT
from app.ui.widgets.markdown_links import formula_link

_Env = MutableMapping[str, Any]


KEPT = "kept"
"""The anchor of a line that does not end a page: it is about what follows."""


class PrintHtml(DocumentHtml):
    def heading_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return super().heading_open(tokens, index, options, env) + f'<a name="{KEPT}"></a>'

    def fence(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return code_card(tokens[index].content.removesuffix("\n"), language_of(tokens[index]))

    def math_inline(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        token = tokens[index]
        name = formula_link(token.content, display=is_displayed(token))
        return f'<img src="{name}" style="vertical-align: middle">{escapeHtml(token.meta["tail"])}'

    def footnote_ref(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return f"<sup>{tokens[index].meta['id'] + 1}</sup>"


class UserPrintHtml(UserTextHtml, PrintHtml):
    """Of what a person typed."""


def code_card(code: str, language: str = "") -> str:
    lines = (
        "".join(
            f'<span style="color: {getattr(LIGHT, f"code_{role}")}">{escapeHtml(text)}</span>'
            if role
            else escapeHtml(text)
            for text, role in pieces
        )
        for pieces in coloured_lines(code, language)
    )
    return (
        '<table class="card" width="100%" cellspacing="0" cellpadding="0"><tr><td class="card">'
        f'<p class="pre">{"<br>".join(lines)}</p></td></tr></table>'
    )


def paper_css() -> str:
    """Ink on white. Sizes in pixels of 1/96 inch. `list_marks` draws the marks of lists."""
    text, code = load_fonts()
    cell = f"border: 1px solid {LIGHT.scroll}; padding: 4px 8px;"
    return f"""
        body {{ font-family: '{text}'; font-size: 13px; color: {LIGHT.text}; }}
        p {{ margin-top: 0; margin-bottom: 8px; line-height: 135%; }}
        p.title {{ font-size: 22px; font-weight: 600; margin-bottom: 2px; line-height: 120%; }}
        p.day {{ color: {LIGHT.muted}; font-size: 11px; margin-bottom: 14px; }}
        p.speaker {{ color: {LIGHT.muted}; font-size: 11px; font-weight: 600; margin-top: 12px; margin-bottom: 3px; }}
        p.picture {{ line-height: 100%; }}
        p.plain {{ white-space: pre-wrap; }}
        p.small {{ color: {LIGHT.muted}; font-size: 11px; margin-bottom: 3px; }}
        td.said {{ background-color: {LIGHT.bubble}; padding: 9px 12px 2px 12px; }}
        table.said {{ margin-bottom: 10px; }}
        ul, ol {{ margin-top: 0; margin-bottom: 4px; }}
        {NUMBERS_CSS}
        li {{ line-height: 135%; margin-bottom: 3px; }}
        p.h1 {{ font-size: 19px; }} p.h2 {{ font-size: 17px; }} p.h3 {{ font-size: 15px; }}
        p.h1, p.h2, p.h3, p.h4, p.h5, p.h6 {{ font-weight: 600; line-height: 125%; margin-top: 8px; }}
        b, strong, td.head, p.summary {{ font-weight: 600; }}
        a {{ color: {LIGHT.link}; text-decoration: none; }} a.dead {{ color: {LIGHT.text}; }}
        code {{ font-family: '{code}'; font-size: 11px; background-color: {LIGHT.raised}; }}
        table.grid {{ border-collapse: collapse; margin-top: 2px; margin-bottom: 10px; }}
        table.grid td {{ {cell} }} table.grid td.head {{ {cell} background-color: {LIGHT.raised}; }}
        table.quote {{ margin-top: 2px; margin-bottom: 6px; }}
        td.bar {{ background-color: {LIGHT.scroll}; }}
        td.quoted {{ color: {LIGHT.muted}; padding-left: 12px; }}
        table.card {{ margin-top: 2px; margin-bottom: 10px; }}
        td.card {{ background-color: {LIGHT.code}; border: 1px solid {LIGHT.border}; padding: 8px; }}
        p.pre {{ font-family: '{code}'; font-size: 11px; margin: 0; white-space: pre-wrap; line-height: 125%; }}
        table.rule {{ margin-top: 6px; margin-bottom: 6px; }}
        td.rule {{ background-color: {LIGHT.border}; font-size: 1px; }}
    """
