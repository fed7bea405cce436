"""What can be attached to a message: frozen values."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtGui import QImage


@dataclass(frozen=True, slots=True)
class PictureBytes:
    """A picture file's, of any format."""

    data: bytes
    name: str = ""


@dataclass(frozen=True, slots=True)
class PictureFile:
    path: Path


@dataclass(frozen=True, slots=True)
class PicturePixels:
    """Of another program; they are kept as PNG."""

    image: QImage
    name: str = ""


@dataclass(frozen=True, slots=True)
class AudioFile:
    path: Path


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """No picture and no recording by its name; what it is is found out when it is read."""

    path: Path


@dataclass(frozen=True, slots=True)
class DocumentText:
    """It never was a file."""

    text: str
    name: str


Offer = PictureBytes | PictureFile | PicturePixels | AudioFile | DocumentFile | DocumentText
