"""What kind of document a file is, and its text. In a child alone: some files take for ever, or all memory."""

import xml.parsers.expat
import zipfile
import zlib
from collections.abc import Callable, Sequence

from app.core.html_text import text_of_html
from app.engine.documents.blocks import TooLongError
from app.engine.documents.documents import MAX_CHARS, DocumentError, check_length, decode_text, file_label
from app.engine.documents.package import Package

_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0"
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, xml.parsers.expat.ExpatError, ValueError, LookupError, EOFError),
    *(NotImplementedError, RuntimeError, OSError, AttributeError),
)
"""What the readers and the standard library raise over what is not as it should be; the last is `email`'s."""


def is_office(data: bytes, name: str) -> bool:
    """Whether the file is to be read by `read_office`."""
    return data.startswith((_ZIP, _OLE)) or name.lower().endswith(".eml")


def is_html(name: str) -> bool:
    """Whether it is to be read by `read_office` where its words alone are wanted."""
    return name.lower().endswith((".html", ".htm", ".xhtml"))


def read_office(data: bytes, name: str) -> str:
    """Its text, slides below lines `[Page n]`. Raises DocumentError."""
    label = file_label(name)
    if data.startswith(_OLE):
        raise DocumentError(
            "{name} is locked with a password, or of an old Office; save it anew without one, and use that.",
            name=label,
        )
    try:
        found = _read_package(data, label) if data.startswith(_ZIP) else _read_marked_up(data, name)
    except TooLongError:
        raise DocumentError(
            "{name} has more than {most:,} characters; use a file of the part that matters.", name=label, most=MAX_CHARS
        ) from None
    except _DAMAGE as error:
        raise DocumentError(
            "{name} is damaged, or not what its name says; use another copy.", name=label, detail=repr(error)
        ) from error
    text = found if isinstance(found, str) else numbered(found)
    if not text.strip():
        raise DocumentError(
            "{name} has no text in it; where it shows some, attach pictures of it to a chat.", name=label
        )
    check_length(len(text), name)
    return text.rstrip("\n") + "\n"


def _read_marked_up(data: bytes, name: str) -> str:
    if is_html(name):
        return text_of_html(decode_text(data, name))
    from app.engine.documents import mail  # Python's own `email` is not for the window's start, which asks for kinds

    return mail.read(data)


def numbered(pages: Sequence[str]) -> str:
    """Each below a line `[Page n]`; empty where none has any text."""
    if not any(each.strip() for each in pages):
        return ""
    return "\n\n".join(f"[Page {number}]\n{each.strip()}" for number, each in enumerate(pages, 1)) + "\n"


def _readers() -> dict[str, Callable[[Package], str | list[str]]]:
    """By a part that such a file has."""
    from app.engine.documents import docx, epub, odf, pptx, xlsx

    return {each.MAIN: each.read for each in (docx, xlsx, pptx, epub, odf)}


def _read_package(data: bytes, label: str) -> str | list[str]:
    package = Package(data)
    reader = next((reader for part, reader in _readers().items() if part in package.names), None)
    if reader is None:
        raise DocumentError("Hearth finds no document in {name}; use the files that are in it.", name=label)
    if "META-INF/rights.xml" in package.names:
        raise DocumentError("{name} is protected against copying; use another copy.", name=label)
    return reader(package)
