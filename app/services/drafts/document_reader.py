"""From a document's file to what a message holds. Called in the thread of the documents."""

import hashlib
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import UserError
from app.core.messages import DocumentPart
from app.engine.documents.document_process import DocumentProcess
from app.engine.documents.documents import (
    MAX_PACKED_BYTES,
    check_size,
    decode_text,
    file_label,
    is_pdf,
    is_picture,
)
from app.engine.documents.formats import is_office
from app.engine.documents.pdf_file import PdfFile
from app.engine.media.audio_limits import is_audio
from app.services.drafts.offers import AudioFile, PictureFile
from app.services.drafts.pending import ScannedDocument
from app.storage.attachments import AttachmentStore
from app.storage.file_errors import about_file

SLICE = 0.1
"""Seconds of reading after which progress is told, and a cancel is heard."""


@dataclass(frozen=True, slots=True)
class ReadDocument:
    part: DocumentPart
    size: int
    """Bytes"""
    n_pages: int = 0
    """0 for what has no pages."""
    failed: Sequence[int] = ()
    """Numbers, from 1, of pages that could not be read."""


@dataclass(slots=True, eq=False)
class OpenDocument:
    """A document that is read slice by slice. Who was given one sees to it that it is closed in the same thread."""

    data: bytes
    name: str
    _process: DocumentProcess | None = None
    """None before the first slice."""

    @property
    def process(self) -> DocumentProcess:
        """Begun when it is asked for first."""
        if self._process is None:
            self._process = DocumentProcess(self.data, self.name)
        return self._process

    @property
    def progress(self) -> float | None:
        process = self._process
        return process.n_read / process.n_pages if process is not None and process.n_pages else None

    def close(self) -> None:
        if self._process is not None:
            self._process.close()


Step = ReadDocument | OpenDocument | ScannedDocument | PictureFile | AudioFile
"""How far the reading has come after one slice."""


def begin_file(store: AttachmentStore, path: Path) -> Step:
    """Raises UserError for what is no file, too large, not to be read, or no text."""
    data = _file_bytes(path)
    if not path.suffix and is_picture(data):
        return PictureFile(path)
    if not path.suffix and is_audio(data):
        return AudioFile(path)
    return begin(store, data, path.name)


def begin(store: AttachmentStore, data: bytes, name: str) -> Step:
    """Read a document, or begin with it. The file is kept in `store` when its text is there."""
    if is_pdf(data) or is_office(data, name):
        check_size(len(data), name, packed=True)
        return OpenDocument(data, name)
    text = decode_text(data, name)
    return ReadDocument(DocumentPart(store.put(data), name, text), len(data))


def begin_kept(store: AttachmentStore, content_hash: str, name: str) -> Step:
    """Read a document again that was read before. Raises UserError, also where its file is not as it was."""
    data = store.get(content_hash)
    if data is None or hashlib.sha256(data).hexdigest() != content_hash:
        raise UserError(
            "The file of {name} is not kept any more; attach it again to choose its pages.", name=file_label(name)
        )
    return begin(store, data, name)


def go_on(store: AttachmentStore, document: OpenDocument) -> Step:
    """Read the next slice; when it was the last, or fails, the process has ended."""
    process = document.process
    if not process.read(SLICE):
        return document
    if not process.text():
        return ScannedDocument(document.name, process.n_pages, document.data)
    part = DocumentPart(store.put(document.data), document.name, process.text())
    return ReadDocument(part, len(document.data), process.n_pages, process.failed)


def page_picture(data: bytes, name: str, index: int) -> bytes:
    """Page `index`, from 0, of a PDF file, as a PNG file. Raises UserError."""
    file = PdfFile(data, name)
    try:
        return file.picture(index)
    finally:
        file.close()


def _file_bytes(path: Path) -> bytes:
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise UserError("{name} is a folder; attach the files that are in it.", name=file_label(path.name))
        if not stat.S_ISREG(found.st_mode):
            raise UserError("{name} is no file that can be read; attach another one.", name=file_label(path.name))
        if found.st_size > MAX_PACKED_BYTES or path.suffix.lower() != ".pdf":
            _check_unread(path, found.st_size)
        return path.read_bytes()
    except OSError as error:
        raise about_file(path, error) from error


def _check_unread(path: Path, size: int) -> None:
    """Refuse by size before anything large is read; a PDF file may bear any name."""
    with path.open("rb") as file:
        head = file.read(1024)
    check_size(size, path.name, packed=is_pdf(head) or is_office(head, path.name))
