"""What names a model, wherever it is."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from app.core.errors import UserError
from app.core.resources import GUIDE, GUIDE_NAME

FILE, SERVER = "file", "server"
_STORED = "server://"
"""Begins what is stored of a server's model: no path that was ever stored does, for those are absolute."""
_PART = re.compile(r"-\d{5}-of-\d{5}$")


@dataclass(frozen=True, slots=True)
class ModelRef:
    """Equal where it is the same model; asks no disk but in `is_there`, and no network."""

    kind: str
    """`FILE` or `SERVER`."""
    id: str = field(compare=False)
    """What names it among its kind, as people may see it: a file's absolute path, or its name on the server."""
    server: str = ""
    """The id of the server that has it, which outlives the server's name and address; empty for a file."""
    _same: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # Windows takes C:\Models and c:\models for one folder, and its dialogs and settings spell it both ways.
        object.__setattr__(self, "_same", os.path.normcase(self.id) if self.kind == FILE else self.id)

    @classmethod
    def of_file(cls, path: Path) -> "ModelRef":
        return cls(FILE, str(path.absolute()))

    @classmethod
    def of_server(cls, server: str, name: str) -> "ModelRef":
        """`server` is an id without a slash."""
        return cls(SERVER, name, server)

    @classmethod
    def from_stored(cls, text: str) -> "ModelRef":
        """What `stored` said; versions before had files alone, and wrote their paths."""
        server, slash, name = text.removeprefix(_STORED).partition("/")
        if text.startswith(_STORED) and slash and server and name:
            return cls.of_server(server, name)
        return cls.of_file(Path(text))

    @property
    def stored(self) -> str:
        """For settings and lists on disk."""
        return f"{_STORED}{self.server}/{self.id}" if self.kind == SERVER else str(self.file)

    @property
    def is_file(self) -> bool:
        """Whether it is one of this computer, with a `file`."""
        return self.kind == FILE

    @property
    def file(self) -> Path:
        """Raises UserError where it is no file of this computer."""
        if self.kind != FILE:
            raise UserError("{name} is not a file on this computer.", name=self.id)
        return Path(self.id)

    @property
    def name(self) -> str:
        """The file's, or that on the server: for sentences and for the API's clients."""
        return self.id if self.kind == SERVER else self.file.name

    @property
    def title(self) -> str:
        """What people know it by, where no program calls it anything else."""
        if self.kind == SERVER:
            # llama-server calls its model by the path of its file.
            last = self.id.replace("\\", "/").rsplit("/", 1)[-1]
            return last.removesuffix(".gguf") if last.endswith(".gguf") else self.id
        return GUIDE_NAME if self.is_guide else _PART.sub("", self.file.stem)

    @property
    def is_guide(self) -> bool:
        """Whether it is the built-in one."""
        return self == GUIDE_REF

    @property
    def is_there(self) -> bool:
        """Asks the disk; of a server's model nobody knows without asking the server, and it is taken to be there."""
        if self.kind == SERVER:
            return True
        # Path.is_file raises where the folder can't be read.
        return os.path.isfile(self.file)  # noqa: PTH113


GUIDE_REF = ModelRef.of_file(GUIDE)
