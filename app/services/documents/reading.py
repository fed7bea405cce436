"""From a file's bytes to what is kept of it. Needs no Qt, for the child that indexes uses it."""

import hashlib
from collections.abc import Sequence
from contextlib import closing

from app.core.document_form import PAGE_HEAD
from app.core.html_text import text_of_html
from app.core.messages import DocumentPart
from app.engine.documents.document_pages import pages_of
from app.engine.documents.document_process import DocumentProcess
from app.engine.documents.documents import DocumentError, check_size, decode_text, file_label, is_pdf
from app.engine.documents.formats import is_html, is_office
from app.storage.passages.chunks import plain
from app.storage.passages.passage import Document

_SMALL = 256 << 10
"""Bytes of HTML that are read here, as most pages are: a child would take longer to begin. Strangers' larger ones can
keep the parser, and Python's lock, for many seconds.
"""


def read_document(data: bytes, name: str, *, command: Sequence[str] = ()) -> tuple[Document, int]:
    """A document, and how many of its pages could not be read. Blocks. Raises DocumentError, also where there is no
    text in it.
    """
    content_hash = hashlib.sha256(data).hexdigest()
    if not is_pdf(data) and not is_office(data, name) and (not is_html(name) or len(data) <= _SMALL):
        text = decode_text(data, name)
        return document_from(content_hash, name, text_of_html(text) if is_html(name) else text), 0
    check_size(len(data), name, packed=True)
    with closing(DocumentProcess(data, name, command=command)) as process:
        while not process.read(1.0):
            pass
    if not process.text():
        raise DocumentError(
            "{name} has no text, only pictures of it; attach it to a chat, for a model that sees.",
            name=file_label(name),
        )
    return document_from(content_hash, name, process.text(), process.pages), len(process.failed)


def document_from(content_hash: str, name: str, text: str, pages: Sequence[str] = ()) -> Document:
    """`text` as its reader joined it; `pages` are the raw ones of a PDF file. Slides are found again by their heads."""
    if pages:
        return Document(content_hash, name, tuple(pages))
    slides = pages_of(DocumentPart(content_hash, name, text))
    if slides:
        return Document(content_hash, name, tuple(PAGE_HEAD.sub("", each, count=1).strip() for each in slides))
    return Document(content_hash, name, (text,), has_pages=False)


def joined_pages(pages: Sequence[str]) -> str:
    """As models read a document that was kept; where there are several pages, with their heads."""
    if len(pages) == 1:
        return plain(pages[0])
    return "\n\n".join(f"[Page {number}]\n{plain(page).strip()}" for number, page in enumerate(pages, 1))
