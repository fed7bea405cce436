"""The text of a page of HTML, with headings, lists and tables. Nothing that it names is fetched."""

import re
from html.parser import HTMLParser

from app.engine.documents.blocks import Blocks

_HIDDEN = frozenset(("script", "style", "noscript", "template", "head", "svg", "iframe", "object"))
_BREAKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "body", "dd", "div", "dl", "dt", "fieldset", "figcaption"),
        *("figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol"),
        *("p", "pre", "section", "summary", "details", "tbody", "thead", "tr", "table", "td", "th", "ul"),
    )
)
_HEADING = re.compile(r"h[1-6]")
_BLANK = re.compile(r"\s+")


def html_text(text: str) -> str:
    page = _Page()
    page.feed(text)
    page.close()
    return page.finished()


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._blocks = Blocks()
        self._hidden = ""
        """The element that hides what is in it."""
        self._prefix = ""
        self._is_pre = False
        self._in_cell = [False]
        """Of each table around the place, the outermost first, after the page itself."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._hidden:
            return
        if tag in _BREAKS:
            self._break()
        if tag in _HIDDEN:
            self._hidden = tag
        elif tag == "table":
            self._in_cell.append(False)
            self._blocks.begin_table()
        elif tag in ("td", "th"):
            self._end_cell()
            self._in_cell[-1] = True
        elif tag == "tr":
            self._end_row()
        elif tag == "br":
            self._blocks.add("\n")
        elif tag == "img":
            self._blocks.add(next((told or "" for name, told in attrs if name == "alt"), ""))
        elif tag == "li":
            self._prefix = "- "
        elif _HEADING.fullmatch(tag):
            self._prefix = "#" * int(tag[1]) + " "
        elif tag == "pre":
            self._is_pre = True

    def handle_endtag(self, tag: str) -> None:
        if self._hidden:
            self._hidden = "" if tag == self._hidden else self._hidden
            return
        if tag in _BREAKS:
            self._break()
        if tag in ("td", "th"):
            self._end_cell()
        elif tag == "tr":
            self._end_row()
        elif tag == "table":
            self._end_table()
        elif tag == "pre":
            self._is_pre = False

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._blocks.add(data if self._is_pre else _BLANK.sub(" ", data))

    def finished(self) -> str:
        while len(self._in_cell) > 1:
            self._end_table()
        return self._blocks.text()

    # Pages leave out the ends of cells and rows.
    def _end_cell(self) -> None:
        if self._in_cell[-1]:
            self._blocks.end_cell()
        self._in_cell[-1] = False

    def _end_row(self) -> None:
        self._end_cell()
        self._blocks.end_row()

    def _end_table(self) -> None:
        if len(self._in_cell) > 1:
            self._end_row()
            self._blocks.end_table()
            self._in_cell.pop()

    def _break(self) -> None:
        self._blocks.end_paragraph(self._prefix)
        self._prefix = ""
