"""Whether a disk has room for what is to be fetched, before anything is."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from app.core.errors import UserError
from app.library.hub_layout import HubFile, Landing
from app.library.hub_stream import RemoteFile
from app.library.part_file import PartFile
from app.library.transfer_errors import in_bytes

_NO_DISK = -1


def check_room(name: str, wanted: Iterable[tuple[HubFile, Landing]], folder: Path, spare: int) -> None:
    """Raises UserError with a sentence where `folder`'s disk can't take all of `wanted` and `spare` bytes more.

    What lies there already, in whole or in part, is not counted, and neither is what goes to another disk.
    """
    disk, free = _disk(folder)
    if disk == _NO_DISK:
        return
    missing = sum(
        {
            landing.target: _missing(file, landing) for file, landing in wanted if _disk(landing.target)[0] == disk
        }.values()
    )
    if missing and free < missing + spare:
        raise UserError(
            "There is not enough room for {name} on this disk: {need} are needed with all that is "
            "still to come, and {free} are free. Make room, or choose another folder.",
            name=name,
            need=in_bytes(missing + spare),
            free=in_bytes(free),
        )


def free_room(folder: Path) -> int:
    """Bytes that are free on the disk of a folder that may not be there yet; 0 where nobody knows."""
    return _disk(folder)[1]


def _missing(file: HubFile, landing: Landing) -> int:
    try:
        if landing.is_there and landing.path.stat().st_size == file.size:
            return 0
        return file.size - PartFile(RemoteFile("", file.size, file.sha256), landing.target).there
    except OSError:
        return file.size


def _disk(path: Path) -> tuple[int, int]:
    """The disk's number and what is free on it, of the nearest folder that is there."""
    for each in (path, *path.parents):
        try:
            return each.stat().st_dev, shutil.disk_usage(each).free
        except FileNotFoundError:
            continue
        except OSError:
            break
    return _NO_DISK, 0
