"""Where a file of the hub goes: into the cache that all programs share, or into a folder."""

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import UserError

_UNSAFE = re.compile(r"""[\x00-\x1f\x7f/\\:*?"<>|\ud800-\udfff]""")
"""What leads elsewhere, or what some system has no file names with: a folder may lie on anybody's disk."""
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])(?:\..*)?", re.IGNORECASE)
"""Windows takes these for devices, whatever follows the first dot."""
_LONGEST = 230
"""Bytes of a name: 255 are usual, and a download adds some of its own."""
_SHOWN = 120


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a repository at one commit."""

    repo: str
    commit: str
    path: str
    """In the repository, with slashes."""
    size: int
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Landing:
    """`target` is what is fetched; `link`, in the shared cache, is what programs open."""

    target: Path
    link: Path | None = None

    @property
    def path(self) -> Path:
        return self.link or self.target

    @property
    def is_there(self) -> bool:
        return self.path.is_file()


def land_in_folder(file: HubFile, folder: Path) -> Landing:
    """Below `folder`, in one of the repository's own, so that files of the same name do not meet."""
    return Landing(folder.joinpath(*_parts(f"{file.repo}/{file.path}")))


def land_in_cache(file: HubFile, cache: Path) -> Landing:
    """As huggingface_hub lays its cache out: a blob named by its hash, and a link to it in the snapshot."""
    home = cache / ("models--" + "--".join(_parts(file.repo)))
    link = home.joinpath("snapshots", *_parts(file.commit), *_parts(file.path))
    if not re.fullmatch(r"[0-9a-f]{64}", file.sha256):
        return Landing(link)
    return Landing(home / "blobs" / file.sha256, link)


def finish(landing: Landing, file: HubFile, cache: Path | None) -> None:
    """Make what was fetched visible. Raises OSError."""
    if landing.link is not None and os.path.realpath(landing.link) != os.path.realpath(landing.target):
        # What lies there was cut off, or is another version.
        landing.link.parent.mkdir(parents=True, exist_ok=True)
        landing.link.unlink(missing_ok=True)
        try:
            landing.link.symlink_to(os.path.relpath(landing.target, landing.link.parent))
        except OSError:
            # Windows allows links to some people only; huggingface_hub moves the file then, and so do we.
            shutil.move(landing.target, landing.link)
    if cache is not None:
        refs = cache / ("models--" + "--".join(_parts(file.repo))) / "refs" / "main"
        if not refs.exists():
            refs.parent.mkdir(parents=True, exist_ok=True)
            refs.write_text(file.commit, "utf-8")


def _parts(path: str) -> list[str]:
    """The names in a path of the hub, none of which may lead out of the folder."""
    parts = path.split("/")
    if not all(map(_is_safe, parts)):
        told = path if len(path) <= _SHOWN else f"{path[:_SHOWN]}…"
        raise UserError(
            "“{told}” is no name that a file can have on every computer, so it can't be fetched.", told=told
        )
    return parts


def _is_safe(name: str) -> bool:
    # Windows drops dots and blanks at the end of a name, and so makes another of it.
    return (
        bool(name)
        and name == name.strip(" ").rstrip(".")
        and not _UNSAFE.search(name)
        and not _DEVICE.fullmatch(name)
        and len(name.encode("utf-8", "surrogatepass")) <= _LONGEST
    )
