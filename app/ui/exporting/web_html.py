"""Markdown as HTML for browsers: the dialect of the screen, and nothing that is fetched from anywhere."""

from collections.abc import Iterator, MutableMapping, Sequence
from typing import Any

from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from app.ui.formatting.utf16 import between, units
from app.ui.richtext.formulas import draw
from app.ui.richtext.highlight import spans_by_line
from app.ui.richtext.markdown_html import DocumentHtml, always, is_displayed
from app.ui.richtext.user_text_html import UserTextHtml
from app.ui.widgets.markdown_links import note_name

_Env = MutableMapping[str, Any]


def coloured_lines(code: str, language: str) -> Iterator[list[tuple[str, str]]]:
    """For each line its pieces, with the role of each (`code_<role>` of the theme) or an empty string."""
    spans = spans_by_line(language, code)
    for line in code.split("\n"):
        pieces: list[tuple[str, str]] = []
        place = 0
        for span in next(spans, ()):
            end = span.start + span.length
            pieces += [(between(line, place, span.start), ""), (between(line, span.start, end), span.role)]
            place = end
        pieces.append((between(line, place, units(line)), ""))
        yield [(text, role) for text, role in pieces if text]


class WebHtml(DocumentHtml):
    """What `DocumentHtml` bends for Qt is straight again; what it makes safe stays so."""

    def heading_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        """Below the headings that the page has itself."""
        return f"<h{_level(tokens[index])}>"

    def heading_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return f"</h{_level(tokens[index])}>\n"

    table_open = always('<div class="wide"><table>')
    table_close = always("</table></div>\n")
    kbd_open = always("<kbd>")
    kbd_close = always("</kbd>")
    blockquote_open = always("<blockquote>")
    blockquote_close = always("</blockquote>\n")
    hr = always("<hr>\n")
    footnote_block_open = always('<hr>\n<ol class="notes">')

    def fence(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return code_block(tokens[index].content.removesuffix("\n"), language_of(tokens[index]))

    def footnote_ref(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        """`env` says whose notes they are, for a page has the notes of many messages."""
        number = tokens[index].meta["id"] + 1
        return f'<sup><a href="#{env.get("notes", "")}{note_name(number)}">{number}</a></sup>'

    def footnote_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return f'<li id="{env.get("notes", "")}{note_name(tokens[index].meta["id"] + 1)}">'

    def math_inline(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        token = tokens[index]
        made = _formula(token.content, display=is_displayed(token))
        tail = token.meta["tail"]
        return f'<span class="whole">{made}{escapeHtml(tail)}</span>' if tail else made

    def math_block(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
        return f'<p class="math">{_formula(tokens[index].content, display=True)}</p>'


class UserWebHtml(UserTextHtml, WebHtml):
    """Of what a person typed."""


def code_block(code: str, language: str = "") -> str:
    lines = (
        "".join(
            f'<span class="{role}">{escapeHtml(text)}</span>' if role else escapeHtml(text) for text, role in pieces
        )
        for pieces in coloured_lines(code, language)
    )
    label = f"<figcaption>{escapeHtml(language)}</figcaption>" if language else ""
    return f'<figure class="code">{label}<pre><code>{chr(10).join(lines)}</code></pre></figure>\n'


def clean(text: str) -> str:
    """Text that UTF-8 and HTML take."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def language_of(fence: Token) -> str:
    words = fence.info.split()
    return words[0] if words else ""


def _formula(tex: str, *, display: bool) -> str:
    """As a drawing in the text's colour; as TeX where it cannot be read."""
    made = draw(tex, display=display)
    if not made.svg:
        return f"<code>{escapeHtml(tex)}</code>"
    svg = made.svg.decode().replace("#000000", "currentColor").replace("black", "currentColor")
    style = f"vertical-align: {-made.descent:.1f}px"
    return f'<span class="formula" role="img" aria-label="{escapeHtml(tex)}" style="{style}">{svg}</span>'


def _level(token: Token) -> int:
    return min(6, int(token.tag[1:]) + 2)
