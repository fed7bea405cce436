"""What lies in a drop or on the clipboard: the kinds of data that file managers, browsers and office programs offer."""

import base64
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QMimeData, QUrl
from PySide6.QtGui import QColor, QGuiApplication, QImage

from app.services.drafts.offers import DocumentFile, PictureBytes, PictureFile, PicturePixels
from app.ui.composer.mime_content import MimeContent, announce, is_for_window, read_drop, read_paste
from tests.picture_files import SVG, jpeg, png
from tests.work import assert_quick

DATA_URL = "data:image/png;base64," + base64.b64encode(png()).decode()
REMOTE = "https://example.org/pictures/a%20cat.jpg?size=2"


@pytest.fixture(autouse=True)
def application(qapp: object) -> None:
    """QImage in a QMimeData needs one."""


def files(*names: str, text: str = "") -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(name) for name in names])
    if text:
        mime.setText(text)
    return mime


def raw(kind: str, data: bytes, *, html: str = "", text: str = "", url: str = "") -> QMimeData:
    mime = QMimeData()
    if kind:
        mime.setData(kind, QByteArray(data))
    if html:
        mime.setHtml(html)
    if text:
        mime.setText(text)
    if url:
        mime.setUrls([QUrl(url)])
    return mime


def pixels(html: str = "", text: str = "") -> QMimeData:
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(QColor("blue"))
    mime = raw("", b"", html=html, text=text)
    mime.setImageData(image)
    return mime


def test_files() -> None:
    mime = files("/x/a cat.JPG", "/x/b.svg", "/x/no suffix", "/x/c.pdf", text="/x/a cat.JPG")
    assert is_for_window(mime)
    pictures = (PictureFile(Path("/x/a cat.JPG")), PictureFile(Path("/x/b.svg")))
    assert read_drop(mime) == MimeContent((*pictures, *map(DocumentFile, map(Path, ("/x/no suffix", "/x/c.pdf")))))


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("/x/a.png",), ("Drop to add the picture", "picture")),
        (("/x/a.png", "/x/b.JPG"), ("Drop to add 2 pictures", "picture")),
        (("/x/a.pdf",), ("Drop to attach the file", "document")),
        (("/x/a.pdf", "/x/b.txt", "/x/c"), ("Drop to attach 3 files", "document")),
        (("/x/a.pdf", "/x/b.png"), ("Drop to attach 2 pictures and files", "document")),
    ],
)
def test_it_is_announced_what_a_drop_will_do(names: tuple[str, ...], told: tuple[str, str]) -> None:
    assert announce(files(*names)) == told


def test_words_go_into_the_message() -> None:
    words = raw("", b"", text="some words")
    assert announce(words) == ("Drop to put the text into the message", "document")
    assert read_drop(words) == MimeContent(text="some words")
    assert announce(raw("", b"", text=" ")) == ("", "")
    assert announce(raw("image/png", png())) == ("Drop to add the picture", "picture")


def test_a_browsers_bytes_come_before_its_address() -> None:
    mime = raw("image/jpeg", jpeg(), html=f'<meta charset="utf-8"><img alt="" src="{REMOTE}">', text=REMOTE, url=REMOTE)
    assert is_for_window(mime)
    assert read_drop(mime) == MimeContent((PictureBytes(jpeg(), "a cat.jpg"),))


def test_png_comes_before_what_is_made_of_it() -> None:
    mime = raw("image/jpeg", jpeg())
    mime.setData("image/png", QByteArray(png()))
    assert read_drop(mime) == MimeContent((PictureBytes(png()),))


def test_svg_text_of_a_drawing_program() -> None:
    assert read_drop(raw("image/svg+xml", SVG)) == MimeContent((PictureBytes(SVG),))


def test_pixels() -> None:
    mime = pixels()
    assert is_for_window(mime)
    (found,) = read_drop(mime).offers
    assert isinstance(found, PicturePixels)
    assert found.image.pixelColor(0, 0) == QColor("blue")


def test_pictures_that_stand_in_the_html() -> None:
    mime = raw("", b"", html=f"<p><img src='{DATA_URL}'><IMG SRC={DATA_URL}></p>")
    assert is_for_window(mime)
    assert read_drop(mime) == MimeContent((PictureBytes(png()), PictureBytes(png())))


def test_data_addresses_of_other_shapes() -> None:
    escaped = "data:image/svg+xml;charset=utf-8,%3Csvg%20/%3E"
    assert read_drop(raw("", b"", html=f'<img src="{escaped}">')).offers == (PictureBytes(b"<svg />"),)
    folded = DATA_URL[:60] + "&#10;  " + DATA_URL[60:]
    assert read_drop(raw("", b"", html=f'<img src="{folded}">')).offers == (PictureBytes(png()),)
    assert read_drop(raw("", b"", url=DATA_URL)).offers == (PictureBytes(png()),)


@pytest.mark.parametrize(
    "mime",
    [
        lambda: raw("", b"", html=f'<img src="{REMOTE}">', text=REMOTE, url=REMOTE),
        lambda: raw("", b"", html=f'<img src="{REMOTE}">'),
        lambda: raw("", b"", url=REMOTE),
        lambda: raw("", b"", html='<img src="//host/share/a.png">'),
        lambda: raw("", b"", html='<img src="file:///etc/passwd">'),
    ],
)
def test_nothing_is_fetched(mime: Callable[[], QMimeData]) -> None:
    made = mime()
    assert is_for_window(made)
    offer = read_drop(made)
    assert offer.offers == ()
    assert offer.sentences == ("Hearth fetches nothing from the net: save the picture first, then add its file.",)


@pytest.mark.parametrize(
    "mime",
    [
        lambda: raw("", b"", text="some words"),
        lambda: raw("", b"", html="<b>words</b>", text="words"),
        lambda: raw("", b"", html=f'words <img src="{DATA_URL}">', text="words"),
        lambda: raw("", b"", html=f'words <img src="{DATA_URL}">'),
        lambda: raw("", b"", html='<a href="https://example.org/">A page</a>', url="https://example.org/"),
        lambda: raw("", b"", text="https://example.org/", url="https://example.org/"),
        lambda: pixels(text="1\t2\n3\t4"),
        QMimeData,
    ],
)
def test_text_stays_text(mime: Callable[[], QMimeData]) -> None:
    made = mime()
    assert not is_for_window(made)
    assert read_paste(made) is None


def test_pasted_picture_files() -> None:
    mime = files("/x/a.png", "/x/b.pdf", text="/x/a.png\n/x/b.pdf")
    assert read_paste(mime) == read_drop(mime)
    assert read_paste(files("/x/b.pdf", text="/x/b.pdf")) == MimeContent((DocumentFile(Path("/x/b.pdf")),))


def test_pasted_pixels_and_bytes() -> None:
    assert read_paste(raw("image/png", png())) == MimeContent((PictureBytes(png()),))
    offer = read_paste(pixels())
    assert offer is not None and isinstance(offer.offers[0], PicturePixels)


def test_a_page_with_one_picture_is_that_picture() -> None:
    page = f'<html><head><style>p {{}}</style></head><body><!-- a --><p>&nbsp;<img src="{REMOTE}"></p></body></html>'
    assert read_paste(raw("image/png", png(), html=page)) == MimeContent((PictureBytes(png(), "a cat.jpg"),))
    assert read_paste(raw("image/png", png(), html=page, text=REMOTE)) is not None


def test_an_address_alone_is_pasted_as_text() -> None:
    assert read_paste(raw("", b"", text=REMOTE, url=REMOTE)) is None
    assert read_paste(raw("", b"", text=REMOTE, html=f'<img src="{REMOTE}">')) is None
    assert read_paste(raw("", b"", html=f'<img src="{REMOTE}">')) is not None, "there is nothing else to paste"


def test_words_win_over_the_picture_of_them() -> None:
    assert read_paste(pixels(html="<table><tr><td>1</td></tr></table>", text="1")) is None


@pytest.mark.parametrize(
    "page",
    [
        "<" * 300_000,
        "<img " * 100_000,
        "<img src=" * 100_000,
        "<style>" * 100_000,
        "<!--" * 100_000,
        "<img src='data:image/png;base64," + "A;" * 200_000 + "'>",
        '<img src="data:image/png' + ";a=b" * 100_000 + '">',
        "<img src=''><img src=\"data:image/png;base64,%%%%\"><img src='data:,x'>",
        "<img src='http://[bad'>",
    ],
)
def test_strange_pages_cost_no_time(page: str) -> None:
    mime = raw("", b"", html=page)
    assert_quick(1.0, lambda: (is_for_window(mime), read_paste(mime), read_drop(mime)))


def test_the_real_clipboard() -> None:
    clipboard = QGuiApplication.clipboard()
    clipboard.setMimeData(raw("image/png", png()))
    assert read_paste(clipboard.mimeData()) == MimeContent((PictureBytes(png()),))
    clipboard.setText("words")
    assert read_paste(clipboard.mimeData()) is None
