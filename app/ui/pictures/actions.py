"""What people want of a picture in the conversation."""

from dataclasses import dataclass
from enum import Enum, auto

from app.core.messages import ImagePart


class PictureUse(Enum):
    OPEN = auto()
    COPY = auto()
    SAVE = auto()
    DRAG = auto()


@dataclass(frozen=True, slots=True)
class PictureAction:
    use: PictureUse
    part: ImagePart
