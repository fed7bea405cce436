"""Word's documents (DOCX): paragraphs, headings, lists, tables, and the notes after them."""

from app.engine.documents.blocks import Blocks
from app.engine.documents.package import Elements, Package

MAIN = "word/document.xml"
_NOTES = ("word/footnotes.xml", "word/endnotes.xml")


def read(package: Package) -> str:
    styles = _Styles()
    if "word/styles.xml" in package.names:
        package.parse("word/styles.xml", styles)
    blocks = Blocks()
    for name in (MAIN, *(name for name in _NOTES if name in package.names)):
        package.parse(name, _Body(blocks, styles.levels))
    return blocks.text()


class _Styles(Elements):
    """Levels of headings by the id of their style."""

    def __init__(self) -> None:
        self.levels: dict[str, int] = {}
        self._id = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "style":
            self._id = attributes.get("styleId", "")
        elif tag == "name" and attributes.get("val", "").lower().startswith(("heading ", "title")):
            level = attributes["val"].rpartition(" ")[2]
            self.levels[self._id] = int(level) if level.isdecimal() else 1


class _Body(Elements):
    def __init__(self, blocks: Blocks, levels: dict[str, int]) -> None:
        self._blocks, self._levels = blocks, levels
        self._is_text = self._is_item = False
        self._level = 0
        self._skipped = 0
        """Depth in what says the same once more, for older programs."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._skipped or tag == "Fallback":
            self._skipped += 1
            return
        match tag:
            case "t":
                self._is_text = True
            case "p":
                self._level, self._is_item = 0, False
            case "pStyle":
                self._level = self._levels.get(attributes.get("val", ""), 0)
            case "outlineLvl" if attributes.get("val", "").isdecimal() and int(attributes["val"]) < 9:
                self._level = int(attributes["val"]) + 1
            case "numPr":
                self._is_item = True
            case "tab":
                self._blocks.add("\t")
            case "br" | "cr":
                self._blocks.add("\n")
            case "tbl":
                self._blocks.begin_table()

    def text(self, text: str) -> None:
        if self._is_text and not self._skipped:
            self._blocks.add(text)

    def end(self, tag: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        match tag:
            case "t":
                self._is_text = False
            case "p" if self._level:
                self._blocks.end_heading(self._level)
            case "p" if self._is_item:
                self._blocks.end_item()
            case "p":
                self._blocks.end_paragraph()
            case "tc":
                self._blocks.end_cell()
            case "tr":
                self._blocks.end_row()
            case "tbl":
                self._blocks.end_table()
