"""Everything in one file: conversations, pictures and documents, settings. Models and caches are not in it, nor are the
servers of tools: a backup that somebody else gave would begin their programs.

A backup is a zip with `manifest.json` last: its `format` is "hearth-backup", `version` 2, and `files` has the size and
the sha256 of every other member by its name. The names are `hearth.sqlite3`, `settings.toml`, `projectors.json`,
`collections.json` and `attachments/<sha256>`.
"""

import hashlib
import json
import shutil
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from app import __version__
from app.core.paths import Paths
from app.storage.exchange.outfile import Progress, out_file
from app.storage.file_errors import about_file, told_as_sentences
from app.storage.sqlite_file import connected

FORMAT, VERSION = "hearth-backup", 2
MANIFEST, DATABASE, SETTINGS, PROJECTORS, COLLECTIONS, ATTACHMENTS = (
    "manifest.json",
    "hearth.sqlite3",
    "settings.toml",
    "projectors.json",
    "collections.json",
    "attachments/",
)
ENDING = ".hearth-backup"
_CHUNK = 1 << 20
_PAGES = 2000
"""Of the database, copied between two looks at whether to go on."""


@dataclass(frozen=True, slots=True)
class Backup:
    """What a manifest says."""

    created_at: float
    """Seconds since the epoch."""
    program: str
    files: dict[str, tuple[int, str]]
    """Size in bytes and sha256 hex, by name."""

    @property
    def size(self) -> int:
        return sum(size for size, _ in self.files.values())


def backup_name(now: float, label: str = "Hearth") -> str:
    return f"{label} {time.strftime('%Y-%m-%d %H.%M', time.localtime(now))}{ENDING}"


def write_backup(
    target: Path, paths: Paths, progress: Progress = lambda share: None, *, with_attachments: bool = True
) -> Backup:
    """Write a backup of what is there at this moment, whatever is written meanwhile. Raises UserError; then no file
    is left, and one that `target` was before is as it was.

    Without attachments it is whole only for this machine, whose attachments are never removed by a restore.
    """
    attachments = sorted(_attachments(paths.attachments)) if with_attachments else []
    with _work_folder(paths.data) as folder, out_file(target) as file:
        copy = folder / DATABASE
        _copy_database(paths.database, copy, lambda share: progress(share * 0.2))
        members = [(DATABASE, copy), *((ATTACHMENTS + path.name, path) for path in attachments)]
        members += small_files(paths)
        members = [(name, path) for name, path in members if path.is_file()]
        total = max(1, sum(path.stat().st_size for _, path in members))
        done = 0

        def told(n_bytes: int) -> None:
            nonlocal done
            done += n_bytes
            progress(0.2 + 0.8 * min(1.0, done / total))

        with zipfile.ZipFile(file, "w", allowZip64=True) as archive:
            files = {name: _add(archive, name, path, told) for name, path in members}
            made = Backup(time.time(), __version__, files)
            archive.writestr(MANIFEST, json.dumps(_manifest(made), indent=1))
    return made


def small_files(paths: Paths) -> tuple[tuple[str, Path], ...]:
    """Names in a backup, and where they belong."""
    return (SETTINGS, paths.settings), (PROJECTORS, paths.projectors), (COLLECTIONS, paths.collections)


def _copy_database(source: Path, target: Path, progress: Progress) -> None:
    """As SQLite itself copies a database that is in use; the reading transaction keeps it at one moment."""
    with told_as_sentences(source), closing(connected(source, "ro")) as reading, closing(connected(target)) as writing:
        reading.execute("BEGIN")
        reading.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        reading.backup(
            writing, pages=_PAGES, progress=lambda _, left, pages: progress(1 - left / max(1, pages)), sleep=0
        )


def _add(archive: zipfile.ZipFile, name: str, path: Path, told: Callable[[int], None]) -> tuple[int, str]:
    # Pictures are packed already.
    kind = zipfile.ZIP_STORED if name.startswith(ATTACHMENTS) else zipfile.ZIP_DEFLATED
    info = zipfile.ZipInfo(name, time.localtime()[:6])
    info.compress_type = kind
    info.external_attr = 0o600 << 16
    digest, size = hashlib.sha256(), 0
    try:
        source = path.open("rb")
    except OSError as error:
        raise about_file(path, error) from error
    with source, archive.open(info, "w", force_zip64=True) as target:
        for chunk in chunks(source):
            target.write(chunk)
            digest.update(chunk)
            size += len(chunk)
            told(len(chunk))
    return size, digest.hexdigest()


def chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


def _attachments(folder: Path) -> Iterator[Path]:
    """Files named by their hash; what a write left unfinished is none of them."""
    yield from (path for path in folder.glob("??/??/*") if len(path.name) == 64 and path.is_file())


def _manifest(backup: Backup) -> dict[str, object]:
    files = {name: {"size": size, "sha256": sha256} for name, (size, sha256) in backup.files.items()}
    head = {"format": FORMAT, "version": VERSION, "program": backup.program, "created_at": backup.created_at}
    return {**head, "files": files}


@contextmanager
def _work_folder(parent: Path) -> Iterator[Path]:
    try:
        folder = Path(tempfile.mkdtemp(dir=parent, prefix=".backup-"))
    except OSError as error:
        raise about_file(parent, error) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
