"""A file that a finder found, before anybody looked into it."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from app.library.model_sources import Source

PART = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})", re.DOTALL)
"""llama.cpp's names of the parts of a model that is split."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    path: Path
    size: int
    modified: int
    """Nanoseconds."""
    source: Source
    name: str = ""
    """What the program that keeps it calls it, such as llama3.2:3b; empty where that is the file's name."""
    sha256: str = ""
    """As the name of the file that holds it says; nobody has checked it."""
    expected: int = 0
    """Bytes that it should have, where that is known."""
    projectors: tuple[Path, ...] = ()
    """Those that the program that keeps it uses with it."""
    problem: str = ""
    """A sentence about what is wrong, where the finder already knows."""


def identity(status: os.stat_result, path: Path) -> object:
    """The same for all names of one file or folder. Network shares and FAT on Windows may number none of them; there
    its path stands for it."""
    return (status.st_dev, status.st_ino) if status.st_ino else os.path.realpath(path)
