"""What a drop or the clipboard holds: pictures, recordings, files, or text. Nothing is fetched or decoded here."""

import base64
import binascii
import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from PySide6.QtCore import QCoreApplication, QMimeData, QUrl
from PySide6.QtGui import QImage

from app.engine.media.audio_limits import FILE_SUFFIXES, UNREADABLE_SUFFIXES
from app.engine.media.image_limits import HEIC_IS_READABLE
from app.services.drafts.offers import AudioFile, DocumentFile, Offer, PictureBytes, PictureFile, PicturePixels

_RAW = (
    "image/png",
    "image/webp",
    "image/jpeg",
    "image/jpg",
    "image/gif",
    "image/avif",
    "image/tiff",
    "image/bmp",
    "image/svg+xml",
)
"""The best first: where a program offers many, most of them are made from its pixels, and PNG loses nothing."""
_READABLE = (
    *(".png", ".apng", ".jpg", ".jpeg", ".jpe", ".jfif", ".webp", ".gif"),
    *(".bmp", ".dib", ".tif", ".tiff", ".avif", ".svg"),
    *((".heic", ".heif") if HEIC_IS_READABLE else ()),
)
_SUFFIXES = frozenset((*_READABLE, ".heic", ".heif"))
"""Of pictures, be they read for the sentence alone that they earn; all other files are documents."""
_AUDIO_SUFFIXES = frozenset((*FILE_SUFFIXES, *UNREADABLE_SUFFIXES))
FILE_PATTERNS, AUDIO_PATTERNS = (" ".join(f"*{each}" for each in suffixes) for suffixes in (_READABLE, FILE_SUFFIXES))
"""For file dialogs."""
_SOURCE = re.compile(r"""\bsrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""", re.IGNORECASE)
_UNSEEN = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("style", "script", "title")}
_DATA = re.compile(r"data:image/[\w.+-]{1,60}(?:;[\w.=+-]{1,60}){0,8}?(;base64)?,", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?|file|data|ftp):", re.IGNORECASE)
_MOST_HTML = 64 << 20


@dataclass(frozen=True, slots=True)
class MimeContent:
    """What was found, in order, and what people must be told about the rest."""

    offers: tuple[Offer, ...] = ()
    sentences: tuple[str, ...] = ()
    text: str = ""
    """Words, where nothing else was found."""


def is_for_window(mime: QMimeData) -> bool:
    """Whether dropping this is the window's to answer, be it with a sentence; what is text stays the text field's."""
    urls = mime.urls()
    if any(url.isLocalFile() for url in urls):
        return True
    if _is_text(mime):
        return False
    return bool(_has_pixels(mime) or _sources(mime) or any(map(_leads_to_a_picture, urls)))


def read_files(files: Iterable[Path]) -> MimeContent:
    """Files as what their names say they are."""
    return MimeContent(tuple(_offer(path) for path in files))


def read_drop(mime: QMimeData) -> MimeContent:
    """Files first, for they are the originals with their names; then words, bytes, pixels, and data: URLs."""
    urls = mime.urls()
    files = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
    if files:
        return read_files(files)
    if has_text(mime) and not is_for_window(mime):
        return MimeContent(text=mime.text())
    sources = _sources(mime) or [url.toString() for url in urls]
    name = _name_of(sources)
    if (kind := _raw_format(mime)) and (data := bytes(mime.data(kind).data())):
        return MimeContent((PictureBytes(data, name),))
    if mime.hasImage() and isinstance(image := mime.imageData(), QImage) and not image.isNull():
        return MimeContent((PicturePixels(image, name),))
    embedded = tuple(each for each in map(_embedded, sources) if each is not None)
    if embedded:
        return MimeContent(embedded)
    if sources:
        return MimeContent(
            (), (_tr("Hearth fetches nothing from the net: save the picture first, then add its file."),)
        )
    return MimeContent((), (_tr("There is no picture in this."),))


def read_paste(mime: QMimeData) -> MimeContent | None:
    """As for a drop, or None where the text field should paste as it always does.

    Text wins, except where it only says where the picture comes from: an office program offers what was copied as a
    picture too.
    """
    if any(url.isLocalFile() for url in mime.urls()):
        return read_drop(mime)
    if _is_text(mime):
        return None
    sources = _sources(mime)
    if _has_pixels(mime) or any(_DATA.match(each) for each in sources):
        return read_drop(mime)
    return read_drop(mime) if sources and not mime.hasFormat("text/plain") else None


def _is_text(mime: QMimeData) -> bool:
    """Whether there are words, more than the address that something was copied from."""
    plain = mime.text().split() if mime.hasFormat("text/plain") else []
    return bool(_words(mime)) or any(not _ADDRESS.match(each) for each in plain)


def _has_pixels(mime: QMimeData) -> bool:
    return bool(_raw_format(mime)) or mime.hasImage()


def announce(mime: QMimeData) -> tuple[str, str]:
    """What dropping this on the window will do, and the icon for it; both empty where it does nothing."""
    files = [Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()]
    if not files:
        if is_for_window(mime):
            return _tr("Drop to add the picture"), "picture"
        return (_tr("Drop to put the text into the message"), "document") if has_text(mime) else ("", "")
    kinds = {type(each) for each in read_files(files).offers}
    if kinds == {PictureFile}:
        one, many = _tr("Drop to add the picture"), _tr("Drop to add {count} pictures")
        return (one if len(files) == 1 else many.format(count=len(files))), "picture"
    if kinds == {AudioFile}:
        one, many = _tr("Drop to add the recording"), _tr("Drop to add {count} recordings")
        return (one if len(files) == 1 else many.format(count=len(files))), "audio"
    one, many = _tr("Drop to attach the file"), _tr("Drop to attach {count} files")
    if PictureFile in kinds:
        many = _tr("Drop to attach {count} pictures and files")
    return (one if len(files) == 1 else many.format(count=len(files))), "document"


def has_text(mime: QMimeData) -> bool:
    return bool(mime.hasText() and mime.text().strip())


def _leads_to_a_picture(url: QUrl) -> bool:
    return url.scheme() == "data" or _is_picture(Path(url.path()))


def _offer(path: Path) -> Offer:
    if _is_picture(path):
        return PictureFile(path)
    return AudioFile(path) if path.suffix.lower() in _AUDIO_SUFFIXES else DocumentFile(path)


def _is_picture(path: Path) -> bool:
    return path.suffix.lower() in _SUFFIXES


def _raw_format(mime: QMimeData) -> str:
    offered = set(mime.formats())
    return next((kind for kind in _RAW if kind in offered), "")


def _sources(mime: QMimeData) -> list[str]:
    """The addresses of all pictures in the HTML."""
    return _scan(mime)[0]


def _words(mime: QMimeData) -> bool:
    """Whether the HTML holds anything to read."""
    return _scan(mime)[1]


def _scan(mime: QMimeData) -> tuple[list[str], bool]:
    """Goes over the HTML once, by its angle brackets: it may be as long as a picture, and anybody's."""
    page = mime.html()[:_MOST_HTML] if mime.hasFormat("text/html") else ""
    sources: list[str] = []
    words = False
    place = 0
    while place < len(page):
        opened = page.find("<", place)
        text = page[place:] if opened < 0 else page[place:opened]
        words = words or bool(html.unescape(text).strip("\0\ufeff \t\r\n\xa0"))
        closed = _end_of_tag(page, opened)
        if closed < 0:
            break
        tag = page[opened:closed]
        name = tag[1:8].lower()
        if name.startswith("img") and (source := _SOURCE.search(tag)) is not None:
            sources.append(html.unescape(next(each for each in source.groups() if each is not None)).strip())
        unseen = next((pattern for start, pattern in _UNSEEN.items() if name.startswith(start)), None)
        if unseen is not None:
            if (end := unseen.search(page, closed)) is None:
                break
            closed = end.start()
        place = closed
    return sources, words


def _end_of_tag(page: str, opened: int) -> int:
    """One past the tag or the comment that begins at `opened`; -1 where it never ends."""
    if opened < 0:
        return -1
    mark = "-->" if page.startswith("<!--", opened) else ">"
    closed = page.find(mark, opened)
    return closed + len(mark) if closed >= 0 else -1


def _embedded(source: str) -> PictureBytes | None:
    if (head := _DATA.match(source)) is None:
        return None
    body = source[head.end() :]
    if not head[1]:
        return PictureBytes(unquote_to_bytes(body))
    try:
        return PictureBytes(base64.b64decode("".join(unquote(body).split()) + "==", validate=False))
    except (binascii.Error, ValueError):
        return None


def _name_of(addresses: Iterable[str]) -> str:
    """The file name in the first address that has one."""
    for address in addresses:
        if not _DATA.match(address):
            name = unquote(Path(urlsplit(address).path).name) if _parses(address) else ""
            if name:
                return name[:120]
    return ""


def _parses(address: str) -> bool:
    try:
        urlsplit(address)
    except ValueError:
        return False
    return True


def _tr(text: str) -> str:
    return QCoreApplication.translate("PictureDrops", text)
