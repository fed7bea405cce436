"""From a file's bytes to what the window shows and a message holds. Called in the picture thread."""

import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage

from app.core.errors import UserError
from app.core.messages import ImagePart
from app.engine.media.image_limits import check_bytes, shown
from app.services.pictures.states import THUMBNAIL
from app.storage.attachments import AttachmentStore
from app.storage.file_errors import about_file

if TYPE_CHECKING:
    from app.engine.media.images import Picture

SvgPainter = Callable[[bytes], bytes]
"""Turns an SVG file into a PNG file. Raises UserError. For any thread."""


@dataclass(frozen=True, slots=True)
class ReadPicture:
    """What the window shows of a file, and what a message holds."""

    part: ImagePart
    thumbnail: QImage
    note: str


def read_and_keep(store: AttachmentStore, paint_svg: SvgPainter, data: bytes, name: str) -> ReadPicture:
    """Decode a picture, and keep its file in `store`. Raises UserError; then nothing is kept."""
    # Imported here, in the thread: Pillow would delay the window's start.
    from app.engine.media.images import read_picture

    if is_svg(data):
        data, name = paint_svg(data), f"{Path(name).stem or 'picture'}.png"
    picture = read_picture(data, name)
    thumbnail = fitted(as_image(picture), THUMBNAIL, THUMBNAIL)
    part = ImagePart(store.put(data), name, picture.width, picture.height, picture.digest)
    return ReadPicture(part, thumbnail, picture.note)


def thumbnail_of(store: AttachmentStore, part: ImagePart) -> QImage:
    """What a picture that is kept looks like. Raises UserError where its file is gone or damaged."""
    from app.engine.media.images import read_picture

    data = store.get(part.content_hash)
    if data is None:
        raise UserError("The picture {name} is not there any more. Add it again.", name=shown(part.name))
    return fitted(as_image(read_picture(data, part.name)), THUMBNAIL, THUMBNAIL)


def file_bytes(path: Path) -> bytes:
    """The bytes of a picture file. Raises UserError for what is no file, too large, or not to be read."""
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise UserError("{name} is a folder; add the pictures that are in it.", name=shown(path.name))
        if not stat.S_ISREG(found.st_mode):
            raise UserError("{name} is no picture; add a picture file.", name=shown(path.name))
        check_bytes(found.st_size, path.name)
        return path.read_bytes()
    except OSError as error:
        raise about_file(path, error) from error


def png_bytes(image: QImage) -> bytes:
    """A picture of the clipboard as a PNG file. Raises UserError for an empty one."""
    data = as_png(image)
    if not data:
        raise UserError("The clipboard says that it holds a picture, but there is none in it; copy it again.")
    return data


def as_png(image: QImage) -> bytes:
    """Empty for an empty image."""
    kept = QByteArray()
    buffer = QBuffer(kept)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(kept.data())


def as_image(picture: "Picture") -> QImage:
    """A copy of the decoded pixels that Qt can draw."""
    rgb = bytes(picture.rgb)
    return QImage(rgb, picture.width, picture.height, 3 * picture.width, QImage.Format.Format_RGB888).copy()


def fitted(image: QImage, width: int, height: int) -> QImage:
    """`image` made small enough for `width` × `height` pixels, in its own proportions; never larger than it is."""
    if image.width() <= width and image.height() <= height:
        return image.convertToFormat(QImage.Format.Format_RGB32)
    size = image.size().scaled(width, height, Qt.AspectRatioMode.KeepAspectRatio).expandedTo(QSize(1, 1))
    small = image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)
    return small.convertToFormat(QImage.Format.Format_RGB32)


def is_svg(data: bytes) -> bool:
    """By what stands in its first kilobyte; compressed SVG files are not recognised."""
    head = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return head.startswith(b"<") and (b"<svg" in data[:65536].lower())
