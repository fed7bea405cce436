"""One set-up of a checkout at a time."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from devtools.errors import SetUpError


@contextlib.contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Holds a lock on the file `path`. The system drops it when the process ends, so it is never stale."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        try:
            _lock(file)
        except OSError:
            raise SetUpError(f"Another set-up of {path.parent.parent} is running: wait until it has ended.") from None
        yield


def _lock(file: IO[str]) -> None:
    if sys.platform == "win32":
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
