"""Brings a backup back: looked at and unpacked beside what is there, which gives way at the next start.

Nothing is in the place of anything before all of the backup was found sound. What was there before is kept as a backup
of its own, at the moment of the change; attachments are named by their contents, so that those of both stay.
"""

import hashlib
import json
import logging
import math
import os
import re
import shutil
import sqlite3
import time
import zipfile
import zlib
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.errors import UserError
from app.core.files import write_atomic
from app.core.paths import Paths
from app.core.sentence import Sentence
from app.storage.attachments import AttachmentStore
from app.storage.copies import copies
from app.storage.exchange.backup import (
    ATTACHMENTS,
    COLLECTIONS,
    DATABASE,
    FORMAT,
    MANIFEST,
    PROJECTORS,
    SETTINGS,
    VERSION,
    Backup,
    backup_name,
    chunks,
    small_files,
    write_backup,
)
from app.storage.exchange.outfile import Progress, Stopped
from app.storage.file_errors import about_file
from app.storage.migrations import refuse_newer, user_version
from app.storage.recovery import COUNT
from app.storage.sqlite_file import LOG, beside, connected, remove_companions, verdict_on

_log = logging.getLogger(__name__)
_FILES = "|".join(map(re.escape, (DATABASE, SETTINGS, PROJECTORS, COLLECTIONS)))
_NAME = re.compile(rf"{_FILES}|{ATTACHMENTS}[0-9a-f]{{64}}")
_LARGEST_MANIFEST = 256 << 20


@dataclass(frozen=True, slots=True)
class Restorable:
    """A backup that was found sound and waits for the next start."""

    created_at: float
    n_conversations: int
    n_messages: int


def prepare(path: Path, paths: Paths, progress: Progress = lambda share: None) -> Restorable:
    """Check all of a backup and unpack it beside what is there. Raises UserError; then nothing waits."""
    discard(paths)
    folder = _waiting(paths)
    part = folder.with_name(folder.name + ".part")
    try:
        part.mkdir(mode=0o700, parents=True)
        with zipfile.ZipFile(path) as archive:
            backup = _read_manifest(archive)
            _unpack(archive, backup, part, AttachmentStore(paths.attachments), progress)
        counts = _look_into(part / DATABASE, path)
        part.replace(folder)
    except Stopped:
        discard(paths)
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, KeyError, RuntimeError, sqlite3.Error) as error:
        discard(paths)
        raise UserError(
            "{name} is no backup of Hearth, or is damaged; choose another one. Nothing was changed.",
            name=path.name,
            detail=f"{type(error).__name__}: {error}",
        ) from error
    except OSError as error:
        discard(paths)
        raise about_file(path, error) from error
    except BaseException:
        discard(paths)
        raise
    return Restorable(backup.created_at, *counts)


def discard(paths: Paths) -> None:
    """Forget a backup that waits."""
    folder = _waiting(paths)
    for each in (folder, folder.with_name(folder.name + ".part")):
        shutil.rmtree(each, ignore_errors=True)


def finish(paths: Paths) -> str:
    """Put a backup that waits in its place; the sentence about it, empty where none waits. Before the database is open.

    Every step may be cut off and done again. Raises UserError; then the backup still waits.
    """
    folder = _waiting(paths)
    shutil.rmtree(folder.with_name(folder.name + ".part"), ignore_errors=True)
    if not folder.is_dir():
        return ""
    try:
        if not (folder / DATABASE).exists():
            # The last step was done, and then the program was cut off.
            discard(paths)
            return ""
        kept = _keep_present(paths)
        _move_attachments(folder, paths.attachments)
        for name, target in small_files(paths):
            if (folder / name).exists():
                write_atomic(target, (folder / name).read_bytes())
        remove_companions(paths.database)
        for copy in copies(paths.database):
            # Of what was there before, which is kept as a whole.
            copy.unlink(missing_ok=True)
        (folder / DATABASE).replace(paths.database)
    except OSError as error:
        raise about_file(folder, error) from error
    discard(paths)
    told = "The backup was restored."
    return Sentence.joined(told, Sentence("What was there before is kept as {copy}.", copy=kept)) if kept else told


def _read_manifest(archive: zipfile.ZipFile) -> Backup:
    info = archive.getinfo(MANIFEST)
    if info.file_size > _LARGEST_MANIFEST:
        raise ValueError("manifest")
    told = json.loads(archive.read(info))
    match told:
        case {"format": str(name), "version": int(version), "files": dict(files)} if name == FORMAT:
            pass
        case _:
            raise ValueError("manifest")
    if version > VERSION:
        raise UserError(
            "The backup was written by a newer version of Hearth; install that version to restore it.",
            detail=f"backup version {version}",
        )
    listed = {str(name): _file(value) for name, value in files.items()}
    names = [each.filename for each in archive.infolist()]
    if sorted(names) != sorted([*listed, MANIFEST]) or DATABASE not in listed:
        raise ValueError("other files than the manifest says")
    if strange := next((each for each in listed if not _NAME.fullmatch(each)), None):
        raise ValueError(f"a file named {strange!r}")
    created_at = told.get("created_at")
    known = isinstance(created_at, (int, float)) and math.isfinite(created_at)
    return Backup(float(created_at) if known else 0.0, str(told.get("program", "")), listed)


def _file(value: Any) -> tuple[int, str]:
    match value:
        case {"size": int(size), "sha256": str(sha256)}:
            return size, sha256
    raise ValueError("manifest")


def _unpack(
    archive: zipfile.ZipFile, backup: Backup, folder: Path, present: AttachmentStore, progress: Progress
) -> None:
    """Every file, whether it is wanted or not, is compared with its checksum."""
    (folder / ATTACHMENTS).mkdir(mode=0o700)
    done, total = 0, max(1, backup.size)
    for name, (size, sha256) in backup.files.items():
        content_hash = name.removeprefix(ATTACHMENTS)
        if name.startswith(ATTACHMENTS) and sha256 != content_hash:
            raise ValueError(name)
        # What is here already need not be unpacked.
        target = Path(os.devnull) if present.has(content_hash) else folder / name
        digest, n_bytes = hashlib.sha256(), 0
        with archive.open(name) as source, target.open("wb") as file:
            for chunk in chunks(source):
                n_bytes += len(chunk)
                if n_bytes > size:
                    raise ValueError(name)
                digest.update(chunk)
                file.write(chunk)
                done += len(chunk)
                progress(min(1.0, done / total))
        if n_bytes != size or digest.hexdigest() != sha256:
            raise ValueError(name)


def _look_into(database: Path, backup: Path) -> tuple[int, int]:
    """How many conversations and messages it shows. Raises sqlite3.Error or ValueError where it is none of ours."""
    with closing(connected(database)) as connection:
        refuse_newer(user_version(connection), backup)
        # An index of another state of this database would take it for its own.
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'search_source'").fetchone():
            connection.execute("UPDATE search_source SET name = lower(hex(randomblob(16)))")
        if (verdict := verdict_on(connection, "integrity_check")) != "ok":
            raise ValueError(verdict)
        n_conversations, n_messages = connection.execute(COUNT).fetchone()
    remove_companions(database)
    return n_conversations, n_messages


def _keep_present(paths: Paths) -> Path | None:
    """What is there, as a backup; the files as they are where they are too damaged for that."""
    if not paths.database.exists():
        return None
    folder = paths.data / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    target = _unused(folder / backup_name(time.time(), "Before the restore"))
    try:
        write_backup(target, paths, with_attachments=False)
    except UserError as error:
        _log.warning("The present state is kept as it is: %s (%s)", error.sentence, error.detail)
        target = _unused(target.with_suffix(".sqlite3"))
        for companion in ("", LOG):
            source = beside(paths.database, companion)
            if source.exists() and source.stat().st_size:
                shutil.copy2(source, beside(target, companion))
    return target


def _move_attachments(folder: Path, attachments: Path) -> None:
    store = AttachmentStore(attachments)
    for source in (folder / ATTACHMENTS).iterdir():
        source.replace(store.place(source.name))


def _unused(path: Path) -> Path:
    found, number = path, 1
    while found.exists():
        number += 1
        found = path.with_name(f"{path.stem} ({number}){path.suffix}")
    return found


def _waiting(paths: Paths) -> Path:
    return paths.data / "restore"
