"""Logging: one bounded file in the user's folder, and the console only where it is asked for.

What people say to a model is never logged.
"""

import logging
import logging.handlers
import sys
from pathlib import Path

_FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
_MAX_BYTES = 1 << 20
_BACKUPS = 3


_QUIET = ("httpx2", "httpcore2")
"""They tell of every address that is asked, and so what people look for, and of keys in addresses that are signed."""


def start_logging(folder: Path | None, *, verbose: bool = False) -> None:
    """Send records of level INFO and above to `folder`/hearth.log (4 MiB in all), and warnings to the console; all of
    them where it is `verbose`. What somebody tells people as a sentence is no warning, or they would read it twice.

    A folder that cannot be written to costs the file and nothing else.
    """
    root = logging.getLogger()
    root.setLevel(logging.DEBUG if verbose else logging.INFO)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    if sys.stderr is not None:
        console = logging.StreamHandler()
        console.setLevel(logging.DEBUG if verbose else logging.WARNING)
        console.setFormatter(logging.Formatter(_FORMAT if verbose else "hearth: %(message)s"))
        if not verbose:
            console.addFilter(_not_llama)
        root.addHandler(console)
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = _LogFile(folder / "hearth.log", maxBytes=_MAX_BYTES, backupCount=_BACKUPS, encoding="utf-8")
    except OSError as error:
        logging.getLogger(__name__).warning("No log file can be kept in %s: %s", folder, error)
        return
    file.setFormatter(logging.Formatter(_FORMAT))
    root.addHandler(file)


class _LogFile(logging.handlers.RotatingFileHandler):
    """A disk that fills up, or a second Hearth that holds the file while it rotates, costs records only."""

    def handleError(self, record: logging.LogRecord) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def _not_llama(record: logging.LogRecord) -> bool:
    """llama.cpp warns about a great deal that a person can't act on; it stands in the file."""
    return record.name != "llama.cpp"
