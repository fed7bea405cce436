"""A page of a PDF file as a picture with a passage marked in it, drawn in a child: a page may hang PDFium for ever."""

import base64
import ctypes
import io
import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from app.core.program import APART, own_command
from app.core.sentence import as_json, from_json
from app.engine.documents.documents import DocumentError, file_label
from app.engine.documents.pdf_file import PdfFile
from app.engine.documents.text_place import place_of

COMMAND = "_draw-page"
"""The hidden subcommand of `hearth` that runs `main`."""
_PATIENCE = 15.0
"""Seconds"""

Box = tuple[float, float, float, float]
"""Left, top, width, height: in pixels of the picture."""


@dataclass(frozen=True, slots=True)
class PagePicture:
    png: bytes
    marks: tuple[Box, ...]
    """Around the lines of the passage."""
    n_pages: int


def draw_page(
    data: bytes, name: str, page: int, passage: tuple[int, int] | str, *, command: Sequence[str] = ()
) -> PagePicture:
    """Page `page`, from 1; `passage` is from which character of its text to before which, or what it says. Blocks.

    Raises DocumentError.
    """
    said = passage.encode("utf-8", "replace") if isinstance(passage, str) else b""
    place = (0, 0) if isinstance(passage, str) else passage
    arguments = [*(command or own_command()), COMMAND, name, str(page), *map(str, place), str(len(said))]
    slow = DocumentError("Page {page} of {name} could not be drawn.", page=page, name=file_label(name))
    try:
        given = said + data
        done = subprocess.run(arguments, input=given, capture_output=True, timeout=_PATIENCE, check=False, **APART)
        told = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError, OSError) as error:
        raise slow from error
    match told:
        case {"png": str(png), "marks": list(marks), "pages": int(n_pages)}:
            return PagePicture(base64.b64decode(png), tuple(map(_box, marks)), n_pages)
        case {"sentence": sentence}:
            raise DocumentError(from_json(sentence))
    raise slow


def main(arguments: Sequence[str]) -> int:
    """In the child: what the passage says, and the file's bytes come in, one JSON object goes out."""
    from app.engine.documents.document_child import set_limits

    name, page, start, end, n_said = arguments[0], *map(int, arguments[1:5])
    set_limits()
    said = sys.stdin.buffer.read(n_said).decode()
    try:
        with closing(PdfFile(sys.stdin.buffer.read(), name)) as file:
            drawn = drawn_page(file, min(max(page, 1), file.n_pages), said or (start, end))
        told: dict[str, object] = {
            "png": base64.b64encode(drawn.png).decode(),
            "marks": drawn.marks,
            "pages": drawn.n_pages,
        }
    except DocumentError as error:
        told = {"sentence": as_json(error.sentence)}
    sys.stdout.write(json.dumps(told))
    return 0


def drawn_page(file: PdfFile, page: int, passage: tuple[int, int] | str) -> PagePicture:
    """What `draw_page` gives, drawn here."""
    picture, size, content = file.drawn(page - 1)
    try:
        kept = io.BytesIO()
        picture.save(kept, "PNG")
        place = place_of(passage, content.get_text_range()) if isinstance(passage, str) else passage
        return PagePicture(kept.getvalue(), tuple(_marks(content, size, place)), file.n_pages)
    finally:
        content.close()
        content.page.close()


def _marks(content: Any, size: tuple[int, int], passage: tuple[int, int]) -> list[Box]:
    """PDFium's own way from the page to the picture knows what is cropped and turned."""
    import pypdfium2.raw as pdfium

    start, end = passage
    marks = []
    for at in range(content.count_rects(start, end - start) if end > start else 0):
        left, bottom, right, top = content.get_rect(at)
        corners = [_on_picture(pdfium, content.page, size, *corner) for corner in ((left, top), (right, bottom))]
        (x, y), (x2, y2) = map(min, *corners), map(max, *corners)
        marks.append((x, y, x2 - x, y2 - y))
    return marks


def _on_picture(pdfium: Any, page: Any, size: tuple[int, int], x: float, y: float) -> tuple[int, int]:
    across, down = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDF_PageToDevice(page, 0, 0, *size, 0, x, y, ctypes.byref(across), ctypes.byref(down))
    return across.value, down.value


def _box(mark: Sequence[float]) -> Box:
    left, top, width, height = map(float, mark)
    return left, top, width, height
