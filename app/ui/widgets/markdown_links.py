"""Which addresses a text may lead to, and the names of what lies within it."""

import re
from urllib.parse import quote, unquote

_SCHEMES = ("http://", "https://", "mailto:")
_FORMULA, _DISPLAY = "math:i:", "math:d:"
_TAIL = "|"
"""Behind what is quoted, which has none of these."""
_NOTE = "note-"
_CITE = re.compile(r"cite:(\d+):(-?\d+)")


def is_safe_link(address: str) -> bool:
    """Only the web and mail: never a file, a script or a share of the network."""
    return address.lower().startswith(_SCHEMES)


def formula_link(tex: str, *, display: bool, tail: str = "") -> str:
    """The name under which a document asks for the picture of a formula.

    `tail` is text that stays on the formula's line, such as a full stop: Qt may break a line behind any picture.
    """
    return (
        (_DISPLAY if display else _FORMULA) + quote(tex, safe="") + (f"{_TAIL}{quote(tail, safe='')}" if tail else "")
    )


def formula_of(name: str) -> tuple[str, bool] | None:
    """The TeX and whether it is displayed; None for any other name."""
    for start in (_FORMULA, _DISPLAY):
        if name.startswith(start):
            return unquote(without_tail(name).removeprefix(start)), start == _DISPLAY
    return None


def formula_source(name: str) -> str:
    """As it is written in Markdown, without its tail; empty for any other name."""
    formula = formula_of(name)
    marks = "$" if formula is None or not formula[1] else "$$"
    return f"{marks}{formula[0]}{marks}" if formula is not None else ""


def without_tail(name: str) -> str:
    """The name of the formula alone."""
    return name.partition(_TAIL)[0]


def tail_of(name: str) -> str:
    """The text that follows the formula on its line."""
    return unquote(name.partition(_TAIL)[2])


def note_name(number: int) -> str:
    """The anchor of a footnote."""
    return f"{_NOTE}{number}"


def note_link(number: int) -> str:
    return f"#{_NOTE}{number}"


def note_of(address: str) -> str:
    """The anchor that a link within the text leads to; empty for any other link."""
    return address[1:] if address.startswith(f"#{_NOTE}") else ""


def cite_link(number: int, check: int) -> str:
    """To the passage with this number; `check` is what was found out about the citation, -1 for nothing."""
    return f"cite:{number}:{check}"


def cited_of(address: str) -> tuple[int, int] | None:
    """Number and check of a link to a passage; None for any other link."""
    found = _CITE.fullmatch(address)
    return (int(found[1]), int(found[2])) if found is not None else None


def leads_within(address: str) -> bool:
    """To what is shown here, and not to the web."""
    return bool(note_of(address)) or cited_of(address) is not None
