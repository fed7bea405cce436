"""The headings of a text, as the lines of many formats write them, and the path of those that are open at a place."""

import re
from dataclasses import dataclass, field

_MOST = 120
"""Characters of a heading: a longer line is a sentence."""
_MARKED = re.compile(r"(#{1,6})[ \t]+(\S.*?)[ \t#]*$")
_NUMBERED = re.compile(r"((?:\d{1,2}|[A-Z])(?:\.\d{1,3}){0,4})\.?[ \t]{1,6}([A-Z].{1,90})$")
_NO_TITLE = re.compile(r"[.,;:]$|\.{3}|[{}=<>|]|\d[ \t]*$")
"""A sentence, a line of a table of contents, or code."""
_CAPITALS = re.compile(r"[A-Z][A-Z0-9][A-Z0-9 ,/&()'-]{1,60}$")
_RULES = {"=": 1, "-": 2, "~": 3, "^": 3}
_RULE = re.compile(r"(={3,}|-{3,}|~{3,}|\^{3,})[ \t]*$")


@dataclass(slots=True)
class HeadingPath:
    """The headings that are open while a document is walked through."""

    _open: list[tuple[int, str]] = field(default_factory=list)

    def enter(self, level: int, title: str) -> None:
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, title))

    def __str__(self) -> str:
        return " > ".join(title for _, title in self._open)


def heading_of(line: str, before: str, after: str) -> tuple[int, str] | None:
    """The level, from 1, and the words of a heading that stands between two other lines; None for any other line."""
    stripped = line.strip()
    if not 2 <= len(stripped) <= _MOST:
        return None
    if (found := _MARKED.match(line)) is not None:
        return len(found[1]), found[2]
    if (rule := _RULE.match(after)) is not None and not _RULE.match(line) and not before.strip():
        return _RULES[rule[1][0]], stripped
    if _NO_TITLE.search(stripped):
        return None
    if (found := _NUMBERED.match(line.rstrip())) is not None:
        return found[1].count(".") + 1, stripped
    if not before.strip() and _CAPITALS.match(line.rstrip()):
        return 1, stripped
    return None
