"""What names a model, wherever it is."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from app.core.errors import UserError
from app.core.resources import GUIDE, GUIDE_NAME

FILE = "file"
_PART = re.compile(r"-\d{5}-of-\d{5}$")


@dataclass(frozen=True, slots=True)
class ModelRef:
    """Equal where it is the same model; asks no disk but in `is_there`."""

    kind: str
    """`FILE` is the only one yet."""
    id: str = field(compare=False)
    """What names it among its kind, as people may see it: of a file the absolute path."""
    _same: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # Windows takes C:\Models and c:\models for one folder, and its dialogs and settings spell it both ways.
        object.__setattr__(self, "_same", os.path.normcase(self.id) if self.kind == FILE else self.id)

    @classmethod
    def of_file(cls, path: Path) -> "ModelRef":
        return cls(FILE, str(path.absolute()))

    @classmethod
    def from_stored(cls, text: str) -> "ModelRef":
        """What `stored` said; every version before had files alone, and wrote their paths."""
        return cls.of_file(Path(text))

    @property
    def stored(self) -> str:
        """For settings and lists on disk."""
        return str(self.file)

    @property
    def file(self) -> Path:
        """Raises UserError where it is no file of this computer."""
        if self.kind != FILE:
            raise UserError("{name} is not a file on this computer.", name=self.id)
        return Path(self.id)

    @property
    def name(self) -> str:
        """The file's, for sentences and for the API's clients."""
        return self.file.name

    @property
    def title(self) -> str:
        """What people know it by, where no program calls it anything else."""
        return GUIDE_NAME if self.is_guide else _PART.sub("", self.file.stem)

    @property
    def is_guide(self) -> bool:
        """Whether it is the built-in one."""
        return self == GUIDE_REF

    @property
    def is_there(self) -> bool:
        """Asks the disk."""
        # Path.is_file raises where the folder can't be read.
        return os.path.isfile(self.file)  # noqa: PTH113


GUIDE_REF = ModelRef.of_file(GUIDE)
