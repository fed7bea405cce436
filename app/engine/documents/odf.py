"""OpenDocument's texts, sheets and slides (ODT, ODS, ODP)."""

from app.engine.documents.blocks import Blocks
from app.engine.documents.package import Elements, Package

MAIN = "content.xml"
_MOST_TIMES = 64
"""A cell may say that it stands a thousand times: the empty ones to the right end of a sheet do."""
_HIDDEN = ("annotation", "tracked-changes", "forms", "note-citation")


def read(package: Package) -> str | list[str]:
    """Slides as a list."""
    body = _Body()
    package.parse(MAIN, body)
    return body.slides or body.blocks.text()


def _times(attributes: dict[str, str], name: str, most: int) -> int:
    told = attributes.get(name, "")
    return min(max(int(told), 1), most) if told.isdecimal() else 1


class _Body(Elements):
    def __init__(self) -> None:
        self.blocks = Blocks()
        self.slides: list[str] = []
        self._level = self._items = self._times = 0
        self._open = 0
        """Paragraphs around the place; text outside them is layout."""
        self._hidden = 0
        self._is_book = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._hidden or tag in _HIDDEN:
            self._hidden += 1
            return
        match tag:
            case "p" | "h":
                self._open += 1
                self._level = _times(attributes, "outline-level", 6) if tag == "h" else 0
            case "s":
                self.blocks.add(" " * _times(attributes, "c", 100))
            case "tab":
                self.blocks.add("\t")
            case "line-break":
                self.blocks.add("\n")
            case "list-item":
                self._items += 1
            case "spreadsheet":
                self._is_book = True
            case "table":
                if self._is_book:
                    self._name(attributes.get("name", ""))
                self.blocks.begin_table()
            case "table-cell" | "covered-table-cell":
                self._times = _times(attributes, "number-columns-repeated", _MOST_TIMES)

    def text(self, text: str) -> None:
        if self._open and not self._hidden:
            self.blocks.add(text)

    def end(self, tag: str) -> None:
        if self._hidden:
            self._hidden -= 1
            return
        match tag:
            case "p" | "h":
                self._open -= 1
                self._end_paragraph(is_heading=tag == "h")
            case "list-item":
                self._items -= 1
            case "table-cell" | "covered-table-cell":
                self.blocks.end_cell(self._times)
            case "table-row":
                self.blocks.end_row()
            case "table":
                self.blocks.end_table()
            case "page":
                self.slides.append(self.blocks.text())
                self.blocks = Blocks()

    def _end_paragraph(self, *, is_heading: bool) -> None:
        if is_heading:
            self.blocks.end_heading(self._level)
        elif self._items:
            self.blocks.end_item()
        else:
            self.blocks.end_paragraph()

    def _name(self, name: str) -> None:
        self.blocks.add(name)
        self.blocks.end_heading(1)
