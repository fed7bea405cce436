"""The text of a web page, with its headings, lists and links as Markdown has them.

Not by Python's own parser: pages that are made for it keep it, and the interpreter's lock, busy for hours.
"""

import re
from html import unescape
from urllib.parse import urljoin, urlsplit

_SKIPPED = frozenset(("noscript", "template", "svg", "iframe", "object", "select", "button", "nav"))
_RAW = frozenset(("script", "style", "textarea"))
"""What is within them is no HTML, up to their end."""
_ROWS = frozenset(("br", "li", "tr", "dt", "dd"))
_BLOCKS = _ROWS | frozenset(
    ("address", "article", "aside", "blockquote", "div", "dl", "figcaption", "figure", "footer", "form", "header", "hr",
     "h1", "h2", "h3", "h4", "h5", "h6", "main", "ol", "p", "pre", "section", "table", "title", "ul")
)  # fmt: skip
_NAME = re.compile(r"</?([a-zA-Z][a-zA-Z0-9-]*)")
_ATTRIBUTES = {
    name: re.compile(rf"\s{name}\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.I) for name in ("href", "alt")
}
_LINES = re.compile(r"\n{3,}")


def text_of_html(html: str, address: str = "") -> str:
    """For a model to read; links are made whole by the page's address, and left out where there is none. Takes time in
    proportion to the page."""
    page = _Page(address)
    place = 0
    while (begin := html.find("<", place)) >= 0:
        page.say(html[place:begin])
        place = _markup(html, begin, page)
    page.say(html[place:])
    lines = (line.rstrip() for line in "".join(page.parts).split("\n"))
    return _LINES.sub("\n\n", "\n".join(lines)).strip()


def _markup(html: str, begin: int, page: "_Page") -> int:
    """Take in what begins with this sign; where it ends."""
    if html.startswith("<!--", begin):
        return _after(html, "-->", begin + 4)
    name = _NAME.match(html, begin)
    if name is None:
        if html.startswith(("<!", "<?", "</"), begin):
            return _after(html, ">", begin)
        page.say("<")
        return begin + 1
    end = _after(html, ">", begin)
    # A sign within quotes does not end it.
    if html.count('"', begin, end) % 2:
        end = _after(html, ">", _after(html, '"', end))
    tag = name[1].lower()
    if html[begin + 1] == "/":
        page.close(tag)
    elif tag in _RAW:
        closing = re.compile(f"</{tag}", re.I).search(html, end)
        return _after(html, ">", closing.start()) if closing is not None else len(html)
    else:
        page.open(tag, html[begin:end])
    return end


def _after(html: str, mark: str, place: int) -> int:
    found = html.find(mark, place)
    return found + len(mark) if found >= 0 else len(html)


class _Page:
    def __init__(self, address: str) -> None:
        self._address = address
        self._skipping, self._depth = "", 0
        """The element within which nothing counts, and how often it is open."""
        self._pre = 0
        self._link = ""
        self.parts = ["\n"]

    def say(self, data: str) -> None:
        if not data or self._skipping:
            return
        if not self._pre:
            data = re.sub(r"\s+", " ", data)
            if self.parts[-1].endswith((" ", "\n")):
                data = data.lstrip()
        if data:
            self.parts.append(unescape(data))

    def open(self, tag: str, whole: str) -> None:
        if self._skipping or tag in _SKIPPED:
            self._skipping = self._skipping or tag
            self._depth += tag == self._skipping
            return
        if tag in _BLOCKS:
            self.parts.append("\n" if tag in _ROWS else "\n\n")
        if tag == "a":
            self._open_link(_attribute(whole, "href"))
        elif tag == "li":
            self.parts.append("- ")
        elif tag in ("td", "th"):
            self.parts.append(" | ")
        elif len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self.parts.append("#" * int(tag[1]) + " ")
        elif tag == "img" and (words := _attribute(whole, "alt")):
            self.parts.append(f"[{words}]")
        self._pre += tag == "pre"

    def close(self, tag: str) -> None:
        if self._skipping:
            self._depth -= tag == self._skipping
            self._skipping = self._skipping if self._depth else ""
            return
        if tag == "a":
            self._close_link()
        if tag in _BLOCKS:
            self.parts.append("\n")
        self._pre -= tag == "pre" and self._pre > 0

    def _open_link(self, href: str) -> None:
        # One that was left open ends where the next one begins.
        self._close_link()
        if not self._address:
            return
        try:
            whole = urljoin(self._address, href)
            self._link = whole if urlsplit(whole).scheme in ("http", "https") and not href.startswith("#") else ""
        except ValueError:
            self._link = ""
        if self._link:
            self.parts.append("[")

    def _close_link(self) -> None:
        if self._link:
            self.parts.append(f"]({self._link})")
            self._link = ""


def _attribute(tag: str, name: str) -> str:
    found = _ATTRIBUTES[name].search(tag)
    return unescape(next(filter(None, found.groups()), "")).strip() if found is not None else ""
