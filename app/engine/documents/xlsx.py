"""Excel's workbooks (XLSX): the values of each sheet, a line for each row."""

import re
from datetime import datetime, timedelta

from app.engine.documents.blocks import Blocks
from app.engine.documents.package import Elements, Package

MAIN = "xl/workbook.xml"
_STRINGS, _STYLES = "xl/sharedStrings.xml", "xl/styles.xml"
_MOST_BLANK = 30
"""Empty cells that are shown in a row: two cells can lie 16,000 apart."""
_DATES = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
"""Numbers of the formats of dates and times that no file has to declare."""
_DATE_CODE = re.compile(r"[ymdhs]", re.IGNORECASE)
_NOT_CODE = re.compile(r'"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]', re.IGNORECASE)


def read(package: Package) -> str:
    book, strings, styles, links = _Book(), _Strings(), _Styles(), package.links(MAIN)
    package.parse(MAIN, book)
    for name, handler in ((_STRINGS, strings), (_STYLES, styles)):
        if name in package.names:
            package.parse(name, handler)
    blocks = Blocks()
    for title, link in book.sheets:
        part = links.get(link, ("", ""))[1]
        if part in package.names:
            blocks.add(title)
            blocks.end_heading(1)
            blocks.begin_table()
            package.parse(part, _Sheet(blocks, strings.texts, styles.dates, book.epoch))
            blocks.end_table()
    return blocks.text()


class _Book(Elements):
    def __init__(self) -> None:
        self.sheets: list[tuple[str, str]] = []
        self.epoch = datetime(1899, 12, 30)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "sheet":
            self.sheets.append((attributes.get("name", ""), attributes.get("r:id", "")))
        elif tag == "workbookPr" and attributes.get("date1904") in ("1", "true"):
            self.epoch = datetime(1904, 1, 1)


class _Strings(Elements):
    def __init__(self) -> None:
        self.texts: list[str] = []
        self._parts: list[str] = []
        self._is_text = self._is_sound = False
        """Of Japanese words: how they are spoken."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._is_sound |= tag == "rPh"
        self._is_text = tag == "t" and not self._is_sound

    def text(self, text: str) -> None:
        if self._is_text:
            self._parts.append(text)

    def end(self, tag: str) -> None:
        self._is_text = False
        if tag == "rPh":
            self._is_sound = False
        elif tag == "si":
            self.texts.append("".join(self._parts))
            self._parts.clear()


class _Styles(Elements):
    """Which styles of cells are dates."""

    def __init__(self) -> None:
        self.dates: set[int] = set()
        self._formats = set(_DATES)
        self._n = -1
        """Of the styles of cells; less than 0 outside their list."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        number = attributes.get("numFmtId", "")
        if tag == "numFmt" and number.isdecimal() and _DATE_CODE.search(_NOT_CODE.sub("", attributes["formatCode"])):
            self._formats.add(int(number))
        elif tag == "cellXfs":
            self._n = 0
        elif tag == "xf" and self._n >= 0:
            if number.isdecimal() and int(number) in self._formats:
                self.dates.add(self._n)
            self._n += 1

    def end(self, tag: str) -> None:
        if tag == "cellXfs":
            self._n = -1


class _Sheet(Elements):
    def __init__(self, blocks: Blocks, strings: list[str], dates: set[int], epoch: datetime) -> None:
        self._blocks, self._strings, self._dates, self._epoch = blocks, strings, dates, epoch
        self._column = 0
        """Cells of the row so far."""
        self._kind, self._style = "", 0
        self._is_value = False
        self._value: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "row":
            self._column = 0
        elif tag == "c":
            self._skip_to(attributes.get("r", ""))
            self._kind = attributes.get("t", "n")
            style = attributes.get("s", "")
            self._style = int(style) if style.isdecimal() else 0
        self._is_value = tag in ("v", "t")

    def text(self, text: str) -> None:
        if self._is_value:
            self._value.append(text)

    def end(self, tag: str) -> None:
        self._is_value = False
        if tag == "c":
            self._blocks.add(self._shown("".join(self._value)))
            self._value.clear()
            self._blocks.end_cell()
            self._column += 1
        elif tag == "row":
            self._blocks.end_row()

    def _skip_to(self, place: str) -> None:
        letters = place.rstrip("0123456789")
        column = 0
        for letter in letters:
            column = column * 26 + ord(letter) - 64
        blank = column - 1 - self._column
        if letters.isascii() and letters.isupper() and blank > 0:
            self._blocks.end_cell(min(blank, _MOST_BLANK))
            self._column += blank

    def _shown(self, value: str) -> str:
        match self._kind:
            case "s":
                return self._strings[int(value)] if value.isdecimal() and int(value) < len(self._strings) else ""
            case "b":
                return {"0": "FALSE", "1": "TRUE"}.get(value, value)
            case "n" if self._style in self._dates:
                return self._date(value)
        return value

    def _date(self, value: str) -> str:
        try:
            moment = self._epoch + timedelta(seconds=round(float(value) * 86400))
        except (ValueError, OverflowError):
            return value
        if float(value) < 1:
            return moment.strftime("%H:%M:%S")
        return moment.date().isoformat() if moment.time() == datetime.min.time() else moment.isoformat(" ")
