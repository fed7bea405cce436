"""What the picture services tell the window: frozen values."""

from dataclasses import dataclass, field

from PySide6.QtGui import QImage


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
