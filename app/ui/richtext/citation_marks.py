"""Citations in an answer's HTML: small numbers that lead to their passages, and say whether the words stand there."""

import re
from collections.abc import Mapping, Sequence
from html import escape

from PySide6.QtCore import QCoreApplication

from app.core.messages import PassagePart
from app.engine.output.support import CheckedCitation, Support, checked
from app.ui.richtext.markdown_blocks import Prose
from app.ui.widgets.markdown_links import cite_link, cited_of

_TAG = re.compile(r"(<[^>]*>)")
_CITED = re.compile(r"(?:(?<=^)|(?<![A-Za-z0-9_)\]\\]))((?:\[\d{1,6}(?:, ?\d{1,6})*\])+)")
_ONE = re.compile(r"\[([^\]]+)\]")
_CODE = re.compile(r'<(?:code|a\b|p class="pre")')
_ENDS = re.compile(r"</(?:code|a|p)>")
_SIGNS = {Support.FOUND: "&nbsp;", Support.PARTLY: "?", Support.NOT_FOUND: "!"}


class CitationMarks:
    """Of one answer."""

    def __init__(self, passages: Mapping[int, PassagePart]) -> None:
        """Those that can be cited, by their numbers."""
        self.passages = passages
        self.checks: list[CheckedCitation] = []
        """Of the blocks so far, in the order in which they were shown."""
        self._places: dict[str, int] = {}
        """Where the checks of a block begin among them, by its source."""

    def marked(self, block: Prose, *, is_whole: bool) -> str:
        """The block's HTML with marks. Of one that is still being written nothing is checked."""
        if not self.passages or "[" not in block.html:
            return block.html
        begin = self._checked(block.source) if is_whole else None
        pieces, depth, n = [], 0, 0
        for piece in _TAG.split(block.html):
            if piece.startswith("<"):
                depth += 1 if _CODE.match(piece) else -1 if depth and _ENDS.match(piece) else 0
            text = piece
            if not (depth or piece.startswith("<")) and "[" in piece:
                text, n = self._in_text(piece, begin, n)
            pieces.append(text)
        return "".join(pieces)

    def check_of(self, address: str) -> CheckedCitation | None:
        """What is known of a citation, by the address that its mark leads to."""
        _, at = cited_of(address) or (0, -1)
        return self.checks[at] if 0 <= at < len(self.checks) else None

    def described(self, address: str) -> str:
        """In words, for a tip."""
        number, _ = cited_of(address) or (0, -1)
        part, check = self.passages.get(number), self.check_of(address)
        if part is None:
            return ""
        return "\n".join(filter(None, (source_line(part), support_line(check) if check is not None else "")))

    def _checked(self, source: str) -> int:
        if source not in self._places:
            self._places[source] = len(self.checks)
            self.checks += checked(source, {number: part.text for number, part in self.passages.items()})
        return self._places[source]

    def _in_text(self, text: str, begin: int | None, n: int) -> tuple[str, int]:
        """`n` numbers of the block were marked before."""

        def mark(found: re.Match[str]) -> str:
            nonlocal n
            made = []
            for one in _ONE.finditer(found[1]):
                numbers = one[1].split(",")
                if not all(int(each) in self.passages for each in numbers):
                    made.append(one[0])
                    continue
                for told in numbers:
                    # As long as what it stands for, so that places in the text stay what they are.
                    before = "" if made and not told.startswith(" ") and told is not numbers[0] else "&nbsp;"
                    made.append(self._mark(int(told), -1 if begin is None else begin + n, before))
                    n += 1
            return "".join(made)

        return _CITED.sub(mark, text), n

    def _mark(self, number: int, at: int, before: str) -> str:
        check = self.checks[at] if 0 <= at < len(self.checks) and self.checks[at].number == number else None
        state = check.support if check is not None else Support.FOUND
        sign = _SIGNS[state]
        address = escape(cite_link(number, at if check is not None else -1))
        return f'<a href="{address}"><span class="cite-{state.value}">{before}{number}{sign}</span></a>'


def source_line(part: PassagePart) -> str:
    """Where a passage stands, on one line."""
    name = part.name or _tr("Pasted text")
    return _tr("{name}, page {page}").format(name=name, page=part.page) if part.page else name


def support_line(check: CheckedCitation) -> str:
    """No more than was found out: words were counted, and nobody understood them."""
    if check.rather:
        return _tr("These words stand rather in [{number}].").format(number=check.rather)
    if check.support is Support.NOT_FOUND:
        return _tr("These words do not stand there.")
    if check.lacks:
        return _tr("Check this: {words} can't be found there.").format(words=", ".join(check.lacks))
    if check.support is Support.PARTLY:
        return _tr("Check this: only some of these words stand there.")
    return _tr("These words stand there.")


def citable(parts: Sequence[PassagePart]) -> dict[int, PassagePart]:
    """By their numbers, those with their texts."""
    found: dict[int, PassagePart] = {}
    for part in parts:
        if part.text or part.number not in found:
            found[part.number] = part
    return found


def _tr(text: str) -> str:
    return QCoreApplication.translate("CitationMarks", text)
