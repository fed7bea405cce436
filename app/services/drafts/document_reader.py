"""From a document's file to what a message holds. Called in the thread of the documents."""

import hashlib
import stat
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import UserError
from app.core.messages import DocumentPart
from app.engine.documents.documents import (
    MAX_PDF_BYTES,
    check_size,
    decode_text,
    file_label,
    is_pdf,
    is_picture,
)
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


@dataclass(slots=True, eq=False)
class OpenPdf:
    """A PDF file that is read slice by slice. Who was given one sees to it that it is closed in the same thread."""

    data: bytes
    name: str
    file: PdfFile | None = None
    """None before the first slice."""

    @property
    def progress(self) -> float:
        return self.file.n_read / self.file.n_pages if self.file is not None else 0.0

    def close(self) -> None:
        if self.file is not None:
            self.file.close()


Step = ReadDocument | OpenPdf | ScannedDocument | PictureFile | AudioFile
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
    if is_pdf(data):
        return OpenPdf(data, name)
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


def go_on(store: AttachmentStore, pdf: OpenPdf) -> Step:
    """Read the next slice; when it was the last, or fails, the file is closed."""
    file = pdf.file
    if file is None:
        file = pdf.file = PdfFile(pdf.data, pdf.name)
    try:
        if not file.read(SLICE):
            return pdf
        text = file.text()
    except BaseException:
        file.close()
        raise
    file.close()
    if not text:
        return ScannedDocument(pdf.name, file.n_pages, pdf.data)
    return ReadDocument(DocumentPart(store.put(pdf.data), pdf.name, text), len(pdf.data), file.n_pages)


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
        if found.st_size > MAX_PDF_BYTES or path.suffix.lower() != ".pdf":
            _check_unread(path, found.st_size)
        return path.read_bytes()
    except OSError as error:
        raise about_file(path, error) from error


def _check_unread(path: Path, size: int) -> None:
    """Refuse by size before anything large is read; a PDF file may bear any name."""
    with path.open("rb") as file:
        head = file.read(1024)
    check_size(size, path.name, pdf=is_pdf(head))
