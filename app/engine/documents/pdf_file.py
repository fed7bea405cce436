"""PDF files by way of PDFium: the text of their pages, and pages as pictures where they have none."""

import io
from contextlib import closing
from typing import Any

from app.engine.documents.documents import DocumentError, check_size, file_label

MOST_PAGES = 5000
_PICTURE_SIDE = 1600
"""Pixels of a page's longer side when it becomes a picture: small print stays readable."""
_PASSWORD = 4
"""FPDF_ERR_PASSWORD"""


def plain_page(raw: str) -> str:
    """As people and models read it; U+FFFE is PDFium's mark for a hyphen at the end of a line."""
    return raw.replace("\r\n", "\n").replace("\r", "\n").replace("\ufffe", "-").replace("\0", "")


class PdfFile:
    """One open file. PDFium is not safe for threads: all PDF files are used by one, and closed there."""

    def __init__(self, data: bytes, name: str) -> None:
        """Raises DocumentError for a file that is damaged, locked, too large, or without pages."""
        # Imported here: it loads a library of several megabytes.
        import pypdfium2

        check_size(len(data), name, packed=True)
        self._name = name
        self._is_locked = b"/Encrypt" in data
        self._errors: type[Exception] = pypdfium2.PdfiumError
        try:
            self._document: Any = pypdfium2.PdfDocument(data)
            self.n_pages: int = len(self._document)
        except self._errors as error:
            raise self._refused(error) from error
        if not 0 < self.n_pages <= MOST_PAGES:
            self.close()
            raise DocumentError(
                "{name} has {n_pages:,} pages, and Hearth reads 1 to {most:,}; use a file of the part that matters.",
                name=file_label(name),
                n_pages=self.n_pages,
                most=MOST_PAGES,
            )

    def picture(self, index: int) -> bytes:
        """Page `index`, from 0, as a PNG file. Raises DocumentError."""
        try:
            with closing(self._document[index]) as page:
                kept = io.BytesIO()
                _drawn(page).save(kept, "PNG")
        except self._errors as error:
            raise self._refused(error) from error
        return kept.getvalue()

    def drawn(self, index: int) -> tuple[Any, tuple[int, int], Any]:
        """Page `index`, from 0: its picture of Pillow's, how large that is, and its text of pypdfium2's, which the
        caller closes with its page. Raises DocumentError.
        """
        try:
            page = self._document[index]
            picture = _drawn(page)
            return picture, picture.size, page.get_textpage()
        except self._errors as error:
            raise self._refused(error) from error

    def close(self) -> None:
        self._document.close()

    def page_text(self, index: int) -> str:
        """Of page `index`, from 0, as PDFium has it: character n is the one that PDFium's box n is around. `plain_page`
        makes it readable. Empty where the page is damaged, which does not cost the others.
        """
        try:
            with closing(self._document[index]) as page, closing(page.get_textpage()) as content:
                found: str = content.get_text_range()
        except self._errors:
            return ""
        return found

    def _refused(self, error: Exception) -> DocumentError:
        detail = str(error)
        # PDFium may tell what was wrong with the file before.
        if getattr(error, "err_code", None) == _PASSWORD and self._is_locked:
            return DocumentError(
                "{name} is locked with a password; save a copy without one, and use that.",
                name=file_label(self._name),
                detail=detail,
            )
        return DocumentError(
            "{name} is no PDF file that can be read, or it is damaged; use another copy.",
            name=file_label(self._name),
            detail=detail,
        )


def _drawn(page: Any) -> Any:
    """A picture of Pillow's."""
    scale = min(4.0, _PICTURE_SIDE / max(*page.get_size(), 1.0))
    with closing(page.render(scale=scale)) as bitmap:
        return bitmap.to_pil().copy()
