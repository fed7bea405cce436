"""PowerPoint's slides (PPTX), each with its title, text, tables and notes."""

from app.engine.documents.blocks import Blocks
from app.engine.documents.package import Elements, Package

MAIN = "ppt/presentation.xml"


def read(package: Package) -> list[str]:
    """Texts of the slides, in their order."""
    order, links = _Order(), package.links(MAIN)
    package.parse(MAIN, order)
    names = [links[each][1] for each in order.ids if each in links]
    return [_slide(package, name) for name in names if name in package.names]


def _slide(package: Package, name: str) -> str:
    blocks = Blocks()
    package.parse(name, _Slide(blocks))
    for kind, other in package.links(name).values():
        if kind == "notesSlide" and other in package.names:
            package.parse(other, _Slide(blocks, notes=True))
    return blocks.text()


class _Order(Elements):
    def __init__(self) -> None:
        self.ids: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "sldId":
            self.ids.append(attributes.get("r:id", ""))


class _Slide(Elements):
    _TITLES = ("title", "ctrTitle")
    _FIELDS = ("sldNum", "dt", "ftr", "hdr", "sldImg")
    """On every slide, and of no use."""

    def __init__(self, blocks: Blocks, *, notes: bool = False) -> None:
        self._blocks = blocks
        self._notes = notes
        self._kind = ""
        """Of the shape: what it holds the place of."""
        self._is_text = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        match tag:
            case "sp":
                self._kind = ""
            case "ph":
                self._kind = attributes.get("type", "body")
            case "t":
                self._is_text = self._kind not in self._FIELDS
            case "br":
                self._blocks.add("\n")
            case "tbl":
                self._blocks.begin_table()

    def text(self, text: str) -> None:
        if self._is_text:
            self._blocks.add(text)

    def end(self, tag: str) -> None:
        match tag:
            case "t":
                self._is_text = False
            case "p" if self._kind in self._TITLES:
                self._blocks.end_heading(1)
            case "p":
                self._blocks.end_paragraph("Notes: " if self._notes else "")
            case "tc":
                self._blocks.end_cell()
            case "tr":
                self._blocks.end_row()
            case "tbl":
                self._blocks.end_table()
