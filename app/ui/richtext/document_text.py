"""What stands in a document, as text: its links, and its formulas as the TeX that they were made of.

Places are Qt's: UTF-16 units, as everywhere that documents are spoken of.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtGui import QTextCursor, QTextDocument, QTextFragment, QTextLength, QTextTable

from app.ui.widgets.markdown_links import formula_source, tail_of

_OBJECT = "\ufffc"


@dataclass(frozen=True, slots=True)
class Link:
    start: int
    end: int
    address: str


def links_of(document: QTextDocument) -> tuple[Link, ...]:
    """The links in the order of the text. A link in several formats counts once."""
    links: list[Link] = []
    for fragment in fragments_of(document):
        address = fragment.charFormat().anchorHref()
        start, end = fragment.position(), fragment.position() + fragment.length()
        if not address:
            continue
        if links and links[-1].end == start and links[-1].address == address:
            links[-1] = Link(links[-1].start, end, address)
        else:
            links.append(Link(start, end, address))
    return tuple(links)


def selected(cursor: QTextCursor) -> str:
    """The text that `cursor` selects."""
    text = cursor.selection().toPlainText()
    return _with_formulas(text, cursor.document(), cursor.selectionStart(), cursor.selectionEnd())


def whole(document: QTextDocument) -> str:
    return _with_formulas(document.toPlainText(), document, 0, document.characterCount())


def _with_formulas(text: str, document: QTextDocument, start: int, end: int) -> str:
    if _OBJECT not in text:
        return text
    sources = iter(_formulas(document, start, end))
    return "".join(next(sources, "") if letter == _OBJECT else letter for letter in text)


def anchors_of(document: QTextDocument) -> dict[str, int]:
    """Where each named place is."""
    found: dict[str, int] = {}
    for fragment in fragments_of(document):
        for name in fragment.charFormat().anchorNames():
            found.setdefault(name, fragment.position())
    return found


def table_of(document: QTextDocument) -> QTextTable | None:
    """The first table at the top level."""
    return next((frame for frame in document.rootFrame().childFrames() if isinstance(frame, QTextTable)), None)


def column_widths(document: QTextDocument) -> list[QTextLength]:
    """Of the first table, as it is laid out now."""
    table = table_of(document)
    if table is None:
        return []
    layout = document.documentLayout()
    columns = range(table.columns())
    lefts = [layout.blockBoundingRect(table.cellAt(0, each).firstCursorPosition().block()).left() for each in columns]
    inset = lefts[0] - layout.frameBoundingRect(table).left()
    right = layout.frameBoundingRect(table).right() + inset
    return [
        QTextLength(QTextLength.Type.FixedLength, end - start)
        for start, end in zip(lefts, [*lefts[1:], right], strict=True)
    ]


def _formulas(document: QTextDocument, start: int, end: int) -> Iterator[str]:
    for fragment in fragments_of(document):
        appearance = fragment.charFormat()
        if not appearance.isImageFormat():
            continue
        begin, after = max(start, fragment.position()), min(end, fragment.position() + fragment.length())
        for _ in range(begin, after):
            name = appearance.toImageFormat().name()
            yield formula_source(name) + tail_of(name)


def fragments_of(document: QTextDocument) -> Iterator[QTextFragment]:
    """The pieces of one format each, in the order of the text."""
    block = document.begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            yield pieces.fragment()
            pieces += 1
        block = block.next()
