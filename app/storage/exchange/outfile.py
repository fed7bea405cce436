"""Files that are there whole or not at all, written piece by piece."""

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from app.storage.file_errors import about_file

Check = Callable[[], None]
"""Called between steps, may raise to stop."""
Progress = Callable[[float], None]
"""Told which share is done; may raise to stop."""


class Stopped(Exception):  # noqa: N818 - an outcome, no error
    """Somebody pressed Stop; nothing is left of what was begun."""


@contextmanager
def out_path(path: Path) -> Iterator[Path]:
    """The name of an empty file, which takes the place of `path` when all went well; `path` stays as it was otherwise.

    Only the user may read the file. Raises UserError.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.")
        os.close(handle)
    except OSError as error:
        raise about_file(path, error) from error
    unfinished = Path(name)
    try:
        yield unfinished
        with unfinished.open("r+b") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException as error:
        unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise about_file(path, error) from error
        raise


@contextmanager
def out_file(path: Path) -> Iterator[BinaryIO]:
    """As `out_path`, opened for writing."""
    with out_path(path) as unfinished, unfinished.open("w+b") as file:
        yield file


_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
_LONGEST_NAME = 80


def safe_name(title: str, otherwise: str) -> str:
    """A file's name, without its ending, that every system takes."""
    # Lone surrogates become question marks, which are not for names either.
    name = " ".join(_NOT_IN_NAMES.sub(" ", title.encode("utf-8", "replace").decode()).split())
    name = name[:_LONGEST_NAME].strip(" .")
    return otherwise if not name or _RESERVED.fullmatch(name) else name


def unused(name: str, taken: set[str]) -> str:
    """`name`, numbered where it is taken whatever its case; it is taken then."""
    found, number = name, 1
    while found.casefold() in taken:
        number += 1
        found = f"{name} ({number})"
    taken.add(found.casefold())
    return found
