"""Which addresses a text may lead to, and the names of what lies within it."""

from urllib.parse import quote, unquote

_SCHEMES = ("http://", "https://", "mailto:")
_FORMULA, _DISPLAY = "math:i:", "math:d:"
_NOTE = "note-"


def is_safe_link(address: str) -> bool:
    """Only the web and mail: never a file, a script or a share of the network."""
    return address.lower().startswith(_SCHEMES)


def formula_link(tex: str, *, display: bool) -> str:
    """The name under which a document asks for the picture of a formula."""
    return (_DISPLAY if display else _FORMULA) + quote(tex, safe="")


def formula_of(name: str) -> tuple[str, bool] | None:
    """The TeX and whether it is displayed; None for any other name."""
    for start in (_FORMULA, _DISPLAY):
        if name.startswith(start):
            return unquote(name.removeprefix(start)), start == _DISPLAY
    return None


def note_name(number: int) -> str:
    """The anchor of a footnote."""
    return f"{_NOTE}{number}"


def note_link(number: int) -> str:
    return f"#{_NOTE}{number}"


def note_of(address: str) -> str:
    """The anchor that a link within the text leads to; empty for any other link."""
    return address[1:] if address.startswith(f"#{_NOTE}") else ""
