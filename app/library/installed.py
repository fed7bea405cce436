"""Finds the model files on this machine."""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_SUFFIX = ".gguf"
_PART = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})", re.DOTALL)
_QUANTISATION = re.compile(r"[-_. ](?P<type>I?Q\d\w*|TQ\d\w*|MXFP4\w*|BF16|F16|F32)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model, which may lie in several files."""

    path: Path
    """The file to load: the only one, or the first."""
    name: str
    """For people, from the file's name: "Llama 3.2 1B Instruct (Q4_K_M)"."""
    size: int
    """Bytes of all its files."""
    n_files: int = 1


@dataclass(frozen=True, slots=True)
class _Found:
    path: Path
    size: int


def find_models(folders: Iterable[Path]) -> tuple[ModelFile, ...]:
    """The models below `folders`, by name. Leaves out vision projectors, split models that lack a part, hidden
    folders, and whatever cannot be read; a file that is reached twice is told once."""
    found = [file for folder in _folders(folders) for file in _files(folder)]
    models = (*_single(found), *_split(found))
    return tuple(sorted(models, key=lambda model: (model.name.casefold(), model.path)))


def _folders(roots: Iterable[Path]) -> Iterator[Path]:
    """Every folder once, however links lead to it, so that a circle of links ends."""
    seen: set[tuple[int, int]] = set()
    for root in roots:
        for folder, below, _ in os.walk(root, followlinks=True):
            key = _identity(Path(folder))
            if key is None or key in seen:
                below.clear()
                continue
            seen.add(key)
            below[:] = sorted(name for name in below if not name.startswith("."))
            yield Path(folder)


def _files(folder: Path) -> Iterator[_Found]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        name = entry.name.lower()
        if not name.endswith(_SUFFIX) or name.startswith(".") or "mmproj" in name:
            continue
        try:
            if entry.is_file():
                yield _Found(Path(entry.path), entry.stat().st_size)
        except OSError:
            continue


def _single(found: list[_Found]) -> Iterator[ModelFile]:
    seen: set[tuple[int, int]] = set()
    for file in found:
        key = _identity(file.path)
        if _PART.fullmatch(file.path.stem) or key is None or key in seen:
            continue
        seen.add(key)
        yield ModelFile(file.path, readable_name(file.path.stem), file.size)


def _split(found: list[_Found]) -> Iterator[ModelFile]:
    groups: dict[tuple[Path, str, int], dict[int, _Found]] = {}
    for file in found:
        match = _PART.fullmatch(file.path.stem)
        if match:
            group = (file.path.parent, match["stem"], int(match["count"]))
            groups.setdefault(group, {})[int(match["number"])] = file
    for (_, stem, count), parts in groups.items():
        if set(parts) == set(range(1, count + 1)):
            yield ModelFile(parts[1].path, readable_name(stem), sum(part.size for part in parts.values()), count)


def readable_name(stem: str) -> str:
    """What a file's name without its suffix tells people: "Llama 3.2 1B Instruct (Q4_K_M)"."""
    quantisation = _QUANTISATION.search(stem)
    words = stem[: quantisation.start()] if quantisation else stem
    name = re.sub(r"[-_\s]+", " ", words).strip() or stem
    return f"{name} ({quantisation['type'].upper()})" if quantisation else name


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
