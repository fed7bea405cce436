"""The child that reads a document of strangers: its bytes come in, lines of JSON go out."""

import json
import sys
from collections.abc import Sequence
from contextlib import closing

from app.core.sentence import as_json
from app.engine.documents.documents import DocumentError, is_pdf
from app.engine.documents.formats import read_office
from app.engine.documents.pdf_file import PdfFile

_MEMORY = 4 << 30
"""Bytes of addresses. The program and PDFium's library take a part of them."""
_SECONDS = 300
"""Of the processor: the parent ends it far earlier, unless that was killed."""


def main(arguments: Sequence[str]) -> int:
    """The document's name, and the page to begin with. Tells `pages`, the number of them, and a `page` each before it
    is read and a `text` after it; or the whole `text`; or a `sentence` about what is wrong.
    """
    name, first = arguments[0], int(arguments[1])
    set_limits()
    data = sys.stdin.buffer.read()
    try:
        if is_pdf(data):
            _read_pages(data, name, first)
        else:
            _tell({"text": read_office(data, name)})
    except DocumentError as error:
        _tell({"sentence": as_json(error.sentence), "detail": error.detail})
    return 0


def _read_pages(data: bytes, name: str, first: int) -> None:
    with closing(PdfFile(data, name)) as file:
        _tell({"pages": file.n_pages})
        for index in range(first, file.n_pages):
            _tell({"page": index})
            _tell({"text": file.page_text(index)})


def _tell(told: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


def set_limits() -> None:
    """Of this process, which reads what strangers made."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
