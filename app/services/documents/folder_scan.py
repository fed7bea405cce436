"""What lies in the folders and files that people named, by what the file system says of it: nothing is opened."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from app.core.sentence import Sentence
from app.engine.documents.documents import MAX_PACKED_BYTES, MAX_TEXT_BYTES
from app.storage.passages.collection_rows import FoundFile

_PACKED = frozenset((".pdf", ".docx", ".pptx", ".xlsx", ".odt", ".ods", ".odp", ".epub"))
_KINDS = """
.png .jpg .jpeg .gif .bmp .webp .tif .tiff .ico .heic .avif .psd .mp3 .wav .flac .ogg .opus .m4a .aac .mp4 .mkv .mov
.avi .webm .exe .dll .so .dylib .o .a .lib .obj .class .jar .pyc .pyo .wasm .bin .iso .img .dmg .deb .rpm .zip .tar .gz
.bz2 .xz .zst .7z .rar .gguf .safetensors .pt .onnx .npy .npz .sqlite .sqlite3 .db .ttf .otf .woff .woff2
"""
_NO_TEXT = frozenset(_KINDS.split())
"""Pictures, sound and films; programs and packages; data of programs."""
MOST_FILES = 100_000
"""In one folder with all that are in it."""


def look(path: Path, folders: list[str]) -> Iterator[FoundFile]:
    """Every file of a source, those that are not read with a sentence that says why; `folders` gets those that were
    looked into. What can't be looked at is left out. Links to folders are not followed: they may lead in circles.
    """
    try:
        found = path.stat()
    except OSError:
        return
    if stat.S_ISREG(found.st_mode):
        yield _file(str(path), path.name, found)
    if not stat.S_ISDIR(found.st_mode):
        return
    waiting, n_files = [str(path)], 0
    while waiting and n_files < MOST_FILES:
        folder = waiting.pop()
        folders.append(folder)
        for entry in _entries(folder):
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
                if is_folder and not entry.name.startswith("."):
                    waiting.append(entry.path)
                elif is_folder or entry.is_file():
                    n_files += 1
                    yield _file(entry.path, entry.name, entry.stat(), is_folder=is_folder)
            except OSError:
                continue


def _entries(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda each: each.name)
    except OSError:
        return []


def _file(path: str, name: str, found: os.stat_result, *, is_folder: bool = False) -> FoundFile:
    told = _reason(name, found, is_folder=is_folder)
    return FoundFile(path.encode("utf-8", "replace").decode(), found.st_size, found.st_mtime_ns, found.st_ino, told)


def _reason(name: str, found: os.stat_result, *, is_folder: bool) -> str:
    ending = Path(name).suffix.lower()
    most = MAX_PACKED_BYTES if ending in _PACKED else MAX_TEXT_BYTES
    if is_folder:
        return "This folder is hidden, so nothing in it is read."
    if name.startswith((".", "~$")):
        return "This file is hidden, so it is not read."
    if ending in _NO_TEXT:
        return "Files of this kind hold no text that can be read."
    if not found.st_size:
        return "This file is empty."
    if found.st_size > most:
        return Sentence(
            "This file has {size:,} MiB, and Hearth reads up to {most:,}.",
            size=-(-found.st_size >> 20),
            most=most >> 20,
        )
    return ""
