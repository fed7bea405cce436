"""From a file's bytes to the text that a model reads of it: limits, encodings, and what is no text."""

import codecs
import math
import re

from app.core.errors import UserError
from app.engine.media.image_limits import shown

MAX_TEXT_BYTES = 16 << 20
MAX_PACKED_BYTES = 128 << 20
MAX_CHARS = 4_000_000
"""About a million tokens: more than any context that a machine of one's own holds."""

_MARKS = (
    # The longer marks first: that of UTF-32 begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
"""Bytes that text files have no use for; bells, form feeds and the escapes of terminals are in many logs."""
_MOST_CONTROLS = 0.002
"""Share of control bytes up to which a file counts as text."""
_PICTURES = (
    (b"\x89PNG\r\n\x1a\n", 0),
    (b"\xff\xd8\xff", 0),
    (b"GIF8", 0),
    (b"WEBP", 8),
    (b"ftypavi", 4),
    (b"ftyphei", 4),
    (b"ftypmif1", 4),
    (b"II*\x00", 0),
    (b"MM\x00*", 0),
)
_PDF_HEAD = 1024
"""Bytes in which a reader may look for the mark of a PDF file."""


class DocumentError(UserError):
    """A file whose text cannot be used. The sentence names it, and is true wherever files are read: in a message, in
    the list of a collection, in a terminal.
    """


def file_label(name: str) -> str:
    """The name of a file as it can stand in a sentence."""
    return shown(name) if name.strip() else "This file"


def is_pdf(data: bytes) -> bool:
    return b"%PDF-" in data[:_PDF_HEAD]


def is_picture(data: bytes) -> bool:
    """Whether a file that has no telling name holds a picture, by its first bytes."""
    return any(data[place : place + len(mark)] == mark for mark, place in _PICTURES)


def check_size(n_bytes: int, name: str, *, packed: bool = False) -> None:
    """Raises DocumentError for a file that is empty or too large; `packed` are PDF and office files."""
    most = MAX_PACKED_BYTES if packed else MAX_TEXT_BYTES
    if not n_bytes:
        raise DocumentError("{name} is empty; use another file.", name=file_label(name))
    if n_bytes > most:
        raise DocumentError(
            "{name} has {size:,} MiB, and Hearth reads up to {most}; use a file of the part that matters.",
            name=file_label(name),
            size=math.ceil(n_bytes / 2**20),
            most=most >> 20,
        )


def check_length(n_chars: int, name: str) -> None:
    """Raises DocumentError for more text than Hearth takes."""
    if n_chars > MAX_CHARS:
        raise DocumentError(
            "{name} has {n_chars:,} characters, and Hearth reads up to {most:,}; use a file of the part that matters.",
            name=file_label(name),
            n_chars=n_chars,
            most=MAX_CHARS,
        )


def decode_text(data: bytes, name: str) -> str:
    """The text of a file that is no PDF, with plain line ends: UTF-8, UTF-16 and UTF-32 by their marks, UTF-8 without
    one, else Windows' western code page. Raises DocumentError for what is no text, or too much of it.
    """
    check_size(len(data), name)
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "")
    if encoding:
        text = data.decode(encoding, "replace")
    else:
        _refuse_binary(data, name)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            # Five bytes mean nothing in it; they become marks of replacement, as everywhere.
            text = data.decode("cp1252", "replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if not text.strip():
        raise DocumentError("{name} has nothing in it but blanks; use another file.", name=file_label(name))
    check_length(len(text), name)
    return text


def _refuse_binary(data: bytes, name: str) -> None:
    if 0 in data or len(_CONTROLS.findall(data)) > _MOST_CONTROLS * len(data):
        raise DocumentError(
            "{name} is no text; Hearth reads text, source code, PDF and office files.", name=file_label(name)
        )
