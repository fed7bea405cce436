"""Pictures for pages: decoded through the one door for all of them, in the thread that paints."""

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtGui import QImage

from app.core.errors import UserError
from app.core.messages import ImagePart
from app.services.exchange.export_plans import Bytes
from app.services.pictures.reader import as_image, fitted
from app.storage.exchange.records import ConversationRecord

_LARGEST = 1800
"""Pixels of the longer side; 270 to the inch on a page."""


def decoded(picture: Bytes) -> Callable[[ImagePart], QImage | None]:
    """From files to pictures; None for one that is lost or cannot be read."""

    def decode(part: ImagePart) -> QImage | None:
        # Imported here, in the thread: Pillow would delay the window's start.
        from app.engine.media.images import read_picture

        data = picture(part.content_hash)
        if data is None:
            return None
        try:
            return fitted(as_image(read_picture(data, part.name)), _LARGEST, _LARGEST)
        except UserError:
            return None

    return decode


def write_pdf(
    path: Path,
    records: Iterator[ConversationRecord],
    picture: Bytes,
    reasoning: bool,
    letter: bool,
    done: Callable[[], None],
) -> None:
    """As `app.services.exchange.export_plans.PdfWriter` asks for."""
    # Imported when it is needed: the window's start need not wait for it.
    from app.ui.exporting import pdf_export

    pdf_export.write_pdf(path, records, decoded(picture), reasoning=reasoning, letter=letter, done=done)
