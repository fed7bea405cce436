"""What ends or interrupts a download."""

import errno
from pathlib import Path

from app.core.errors import UserError


class PausedError(Exception):
    """`stop` was set. What is there stays, and the next run goes on from it."""


class BrokenError(Exception):
    """An attempt failed; the next one may not."""

    def __init__(
        self, why: object, told: UserError, after: float = 0.0, *, is_away: bool = True, is_lasting: bool = False
    ) -> None:
        """`told` is what to raise once it is given up, `after` the seconds for which the server wants to be left alone.
        `is_away`: the network is at fault, and not the server. `is_lasting`: hours of waiting mend nothing."""
        super().__init__(str(why))
        self.told = told
        self.after = after
        self.is_away = is_away
        self.is_lasting = is_lasting


def in_bytes(n: int) -> str:
    return f"{n / 1e9:.1f} GB" if n >= 1e9 else f"{n / 1e6:.0f} MB"


def of_disk(error: OSError, folder: Path, name: str) -> UserError:
    """The sentence for a disk that does not take the file `name` into `folder`."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return UserError(
            "The disk is full, so {name} is not whole yet. Make room and go on; what is there is kept.",
            name=name,
            detail=str(error),
        )
    if error.errno == errno.EFBIG:
        return UserError(
            "This disk can't hold a file as large as {name}; those with FAT32 end at 4 GB. Choose a folder on "
            "another disk.",
            name=name,
            detail=str(error),
        )
    if isinstance(error, PermissionError):
        return UserError(
            "You are not allowed to write to {folder}. Choose another folder.", folder=folder, detail=str(error)
        )
    return UserError("{name} can't be written: {reason}.", name=name, reason=error.strerror or error, detail=str(error))
