"""Model cards: written for web pages, they hold HTML, of which only the text is kept; and a view of one."""

import re
from collections.abc import Iterator
from itertools import groupby

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.ui.richtext.blocks_view import BlocksView
from app.ui.theme.appearance import Appearance

_LONGEST = 50_000
"""Characters; nobody reads further, and the card can be opened on the hub. What is written to be hard to read, such as
brackets without end, costs their square: a second of these."""
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[a-zA-Z][a-zA-Z0-9-]*)(?P<rest>(?:\s[^<>]{0,4000})?)/?>")
_ADDRESS = re.compile(r"\bhref\s*=\s*[\"'](https?://[^\"'\s<>()]{1,2000})[\"']", re.IGNORECASE)
_CODE = re.compile(r"`[^`\n]+`")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNSEEN = {"style", "script", "svg", "head"}
_BREAKS = {"br", "p", "div", "tr", "li", "hr", "table", "details", "summary", *(f"h{level}" for level in range(1, 7))}
_MARK = re.compile("[<`]")
_EMPTY_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
_INDENTED = re.compile(r"^[ \t]{4,}(?=[A-Za-z!\[])", re.MULTILINE)


def readable_card(text: str) -> str:
    """`text` without tags, comments and empty lines in a row; code stays as it is. It is still to be rendered as what
    anybody may have written."""
    lines = text[:_LONGEST].replace("\r\n", "\n").splitlines(keepends=True)
    told = []
    for is_code, group in groupby(_marked(lines), key=lambda each: each[0]):
        piece = "".join(line for _, line in group)
        told.append(piece if is_code else _EMPTY_LINES.sub("\n\n", _without_html(piece)))
    return "".join(told).strip()


def _marked(lines: list[str]) -> Iterator[tuple[bool, str]]:
    """Each line, and whether it belongs to a fence."""
    marks = ""
    for line in lines:
        opening = _FENCE.match(line) if not marks else None
        yield bool(marks or opening), line
        bare = line.strip()
        if opening is not None:
            marks = opening[1]
        elif marks and len(bare) >= len(marks) and not bare.strip(marks[0]):
            marks = ""


def _without_html(text: str) -> str:
    found: list[str] = []
    link: tuple[str, int] | None = None
    """The address of an open link, and the piece that it begins with."""
    at = 0
    endless: set[str] = set()
    """Unseen tags that nothing closes any more."""
    while (mark := _MARK.search(text, at)) is not None:
        next_at = mark.start()
        found.append(text[at:next_at])
        code, tag = _CODE.match(text, next_at), _TAG.match(text, next_at)
        if code is not None:
            found.append(code[0])
            at = code.end()
        elif text.startswith("<!--", next_at):
            end = text.find("-->", next_at)
            at = end + 3 if end >= 0 else len(text)
        elif tag is None:
            found.append(text[next_at])
            at = next_at + 1
        else:
            at = _end_of(tag, text, endless)
            name = tag["name"].lower()
            if name in _BREAKS:
                found.append("\n" if tag["close"] or name in ("br", "hr") else "")
            elif name == "a" and tag["close"] and link is not None:
                found[link[1] :] = [_linked(link[0], "".join(found[link[1] :]))]
                link = None
            elif name == "a" and (address := _ADDRESS.search(tag["rest"])) is not None:
                link = (address[1], len(found))
    found.append(text[at:])
    # What was indented within a tag would be code.
    return _INDENTED.sub("", "".join(found))


def _end_of(tag: re.Match[str], text: str, endless: set[str]) -> int:
    """Behind it, and behind all of what nobody is to read."""
    name = tag["name"]
    if name.lower() in _UNSEEN and not tag["close"] and name not in endless:
        end = text.find(f"</{name}", tag.end())
        if end >= 0:
            return text.find(">", end) + 1 or len(text)
        endless.add(name)
    return tag.end()


def _linked(address: str, inside: str) -> str:
    label = " ".join(inside.split())
    return f"[{label}]({address})" if label and "[" not in label and "]" not in label else label


class ModelCardView(QWidget):
    """As high as its text, `blocks`. Nothing is fetched for it, and links are only reported."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.blocks = BlocksView(appearance, self, name=self.tr("Model card"))
        self.blocks.resized.connect(self._place)
        self.show_range(0, 1000)

    def show_card(self, text: str) -> None:
        """Markdown, written by anybody."""
        self.blocks.set_text(readable_card(text))
        self._place()

    def show_range(self, top: int, bottom: int) -> None:
        """What of it is in sight, in pixels."""
        self.blocks.show_range(top, bottom)
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        height = self.blocks.place(self.width())
        self.blocks.setGeometry(0, 0, self.width(), height)
        if height != self.height():
            self.setFixedHeight(height)
