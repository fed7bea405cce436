"""A page as a picture, with the passage marked where it stands."""

import io

import numpy as np
import pytest
from PIL import Image

from app.engine.documents.documents import DocumentError
from app.engine.documents.page_picture import Box, PagePicture, draw_page, drawn_page
from app.engine.documents.pdf_file import PdfFile
from tests.document_files import pdf

TEXT = "Nothing stands here.\nThe gauge measured 37 cm.\nNor here."


def darkness(page: PagePicture, box: Box) -> float:
    """How much ink there is within a box."""
    left, top, width, height = map(round, box)
    picture = np.asarray(Image.open(io.BytesIO(page.png)).convert("L"))
    return float((picture[top : top + height, left : left + width] < 128).mean())


def drawn(data: bytes, words: str, page: int = 1) -> PagePicture:
    file = PdfFile(data, "rain.pdf")
    try:
        start = file.page_text(page - 1).index(words)
        return drawn_page(file, page, (start, start + len(words)))
    finally:
        file.close()


def test_the_words_are_marked_and_nothing_else() -> None:
    page = drawn(pdf("First.", TEXT), "The gauge measured 37 cm.", 2)
    assert page.n_pages == 2 and len(page.marks) == 1
    (left, top, width, height) = page.marks[0]
    assert darkness(page, page.marks[0]) > 0.1
    assert darkness(page, (left, top + height * 3, width, height * 3)) == 0.0
    assert width > 5 * height


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [b"", b"/CropBox [10 100 290 390] "])
def test_pages_that_are_turned_or_cropped_are_marked_in_the_same_words(turned: int, crop: bytes) -> None:
    more = crop + b"/Rotate %d /MediaBox [0 0 300 400]" % turned
    data = pdf(TEXT).replace(b"/MediaBox [0 0 300 400]", more)
    page = drawn(data, "The gauge measured 37 cm.")
    (mark,) = page.marks
    assert darkness(page, mark) > 0.1
    assert (mark[2] > mark[3]) == (turned % 180 == 0)
    inked = np.asarray(Image.open(io.BytesIO(page.png)).convert("L")) < 128
    assert 0.2 < darkness(page, mark) * mark[2] * mark[3] / inked.sum() < 0.8


def test_the_child_draws_what_is_drawn_here_and_says_what_is_wrong() -> None:
    data = pdf(TEXT)
    assert draw_page(data, "rain.pdf", 1, (0, 7)) == drawn(data, "Nothing")
    assert draw_page(data, "rain.pdf", 9, (0, 0)).marks == ()
    with pytest.raises(DocumentError, match="no PDF file"):
        draw_page(b"%PDF-1.4 rubbish", "rain.pdf", 1, (0, 0))
