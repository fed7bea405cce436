"""Books (EPUB): their chapters, in the order of the spine."""

from urllib.parse import unquote

from app.core.html_text import text_of_html
from app.engine.documents.documents import decode_text
from app.engine.documents.package import Elements, Package, resolved

MAIN = "META-INF/container.xml"
_TEXTS = ("application/xhtml+xml", "text/html")


def read(package: Package) -> str:
    container, book = _Container(), _Book()
    package.parse(MAIN, container)
    package.parse(container.path, book)
    names = [resolved(container.path, unquote(book.hrefs[each])) for each in book.spine if each in book.hrefs]
    texts = (text_of_html(decode_text(package.read(name), name)) for name in names if name in package.names)
    return "\n\n".join(filter(None, texts))


class _Container(Elements):
    path = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "rootfile" and not self.path:
            self.path = attributes.get("full-path", "")


class _Book(Elements):
    def __init__(self) -> None:
        self.hrefs: dict[str, str] = {}
        self.spine: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "item" and attributes.get("media-type") in _TEXTS:
            self.hrefs[attributes.get("id", "")] = attributes.get("href", "")
        elif tag == "itemref":
            self.spine.append(attributes.get("idref", ""))
