"""What the picture services tell the window: frozen values."""

from dataclasses import dataclass, field
from enum import Enum, auto

from PySide6.QtGui import QImage

from app.core.messages import ImagePart


class PictureState(Enum):
    READING = auto()
    """It is being decoded and kept."""
    ENCODING = auto()
    """It can be sent; the model is looking at it already."""
    READY = auto()


@dataclass(frozen=True, slots=True)
class PendingPicture:
    """One picture of a message that is still being written."""

    number: int
    """Its own for as long as the program runs."""
    name: str
    """May be empty, as with what was copied from another program."""
    state: PictureState
    part: ImagePart | None = None
    """None while it is being read."""
    thumbnail: QImage | None = field(default=None, compare=False)
    """None while it is being read; at most `THUMBNAIL` pixels a side."""
    note: str = ""
    """A sentence about what was left out of it; mostly empty."""


@dataclass(frozen=True, slots=True)
class KeptPicture:
    """A picture of a conversation, as far as it is there."""

    content_hash: str
    image: QImage | None = field(compare=False)
    """None where the file is gone or cannot be read."""
    problem: str = ""
    """One sentence in that case, empty otherwise."""


THUMBNAIL = 160
"""Pixels of the longer side: 64 on screens of up to two and a half times the density."""
PREVIEW_WIDTH, PREVIEW_HEIGHT = 720, 440
"""Pixels that a picture in the conversation is kept with at most, for screens of twice the density."""
