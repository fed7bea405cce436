"""Finds the model files below a place, by the rules of the program that keeps them there."""

import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from app.core.sentence import Sentence
from app.library.found_file import FoundFile, identity
from app.library.model_sources import Place, Source

_SUFFIX = ".gguf"
_HASH = re.compile(r"[0-9a-f]{64}")
_UNFINISHED = (".gguf.part", ".gguf.incomplete", ".gguf.downloadinprogress", ".gguf.tmp", ".gguf.download")
_GPT4ALL_UNFINISHED = "incomplete-"
_LONGEST_MANIFEST = 1 << 20
_MOST_FILES = 100_000
_DEEPEST = 12
_MODEL, _PROJECTOR = "application/vnd.ollama.image.model", "application/vnd.ollama.image.projector"
_OLLAMA_HOST, _OLLAMA_OWNER = "registry.ollama.ai", "library"
_YAML_LINE = re.compile(r"^(?P<key>[A-Za-z_]+):[ \t]*(?P<value>.*?)[ \t]*$", re.MULTILINE)


Stop = Callable[[], bool]


def find_in(place: Place, stop: Stop = lambda: False) -> Iterator[FoundFile]:
    """The files of `place`; what cannot be read is left out. Never follows links into folders above it twice."""
    if place.source is Source.OLLAMA:
        yield from _ollama(place.folder, stop)
    else:
        named = _jan_names(place.folder, stop) if place.source is Source.JAN else {}
        yield from _walk(place, named, stop)


def folders_in(place: Place, stop: Stop = lambda: False) -> Iterator[Path]:
    """Every folder that has to be watched for `find_in` to stay true."""
    for folder, _ in _tree(place.folder, stop):
        # What is fetched changes there all the time; when it is whole, a link comes elsewhere.
        if not _is_blobs(place, folder):
            yield folder


def _is_blobs(place: Place, folder: Path) -> bool:
    return place.source is Source.HUGGING_FACE and folder.name == "blobs"


def _tree(root: Path, stop: Stop) -> Iterator[tuple[Path, list[os.DirEntry[str]]]]:
    """Folders with their entries; each once, however links lead to it."""
    seen: set[object] = set()
    waiting = [(root, 0)]
    while waiting and not stop():
        folder, depth = waiting.pop()
        try:
            status = folder.stat()
            if (mark := identity(status, folder)) in seen:
                continue
            seen.add(mark)
            with os.scandir(folder) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError:
            continue
        yield folder, entries
        if depth < _DEEPEST:
            below = [Path(each.path) for each in entries if _is_folder(each) and not each.name.startswith(".")]
            waiting.extend((each, depth + 1) for each in reversed(below))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _walk(place: Place, named: dict[Path, str], stop: Stop) -> Iterator[FoundFile]:
    count = 0
    for folder, entries in _tree(place.folder, stop):
        if _is_blobs(place, folder):
            continue
        for entry in entries:
            name = entry.name.lower()
            if name.startswith(".") or not name.endswith((_SUFFIX, *_UNFINISHED)) or _is_folder(entry):
                continue
            count += 1
            if count > _MOST_FILES:
                return
            yield _file(place, Path(entry.path), named)


def _file(place: Place, path: Path, named: dict[Path, str]) -> FoundFile:
    name = named.get(path, "")
    problem = ""
    if path.name.lower().endswith(_UNFINISHED) or (
        place.source is Source.GPT4ALL and path.name.startswith(_GPT4ALL_UNFINISHED)
    ):
        problem = _unfinished(place)
    dangling = Sentence("The file that {name} points at is not there.", name=path.name)
    found = FoundFile(path, 0, 0, place.source, name, _hash_of(path), problem=problem)
    return _measured(found, Sentence.joined(dangling, _unfinished(place)))


def _measured(found: FoundFile, missing: str) -> FoundFile:
    """With its size and its time. `missing` is said of what is not there, unless there is a problem already."""
    try:
        status = found.path.stat()
    except OSError:
        return replace(found, problem=found.problem or missing)
    if not stat.S_ISREG(status.st_mode):
        # A pipe would be waited for without end.
        no_file = Sentence("{name} is no file.", name=found.path.name)
        return replace(found, modified=status.st_mtime_ns, problem=no_file)
    return replace(found, size=status.st_size, modified=status.st_mtime_ns)


def _unfinished(place: Place) -> str:
    if place.source is Source.FOLDER:
        return "It has not been fetched as a whole."
    return Sentence("{source} has not finished fetching it.", source=place.source)


def _hash_of(path: Path) -> str:
    # In the hub's cache a file is a link to a blob that is named by its hash.
    if not path.is_symlink():
        return ""
    try:
        target = path.readlink().name
    except OSError:
        return ""
    return target if _HASH.fullmatch(target) else ""


def _ollama(folder: Path, stop: Stop) -> Iterator[FoundFile]:
    manifests = folder / "manifests"
    for below, entries in _tree(manifests, stop):
        for entry in entries:
            if not _is_folder(entry) and not entry.name.startswith("."):
                path = Path(entry.path)
                yield from _from_manifest(folder, path, _tag(below.relative_to(manifests), entry.name))


def _tag(where: Path, tag: str) -> str:
    """What people type to run it."""
    parts = [unquote(each) for each in where.parts]
    if parts[:1] == [_OLLAMA_HOST]:
        parts = parts[2:] if parts[1:2] == [_OLLAMA_OWNER] else parts[1:]
    return f"{'/'.join(parts)}:{tag}"


def _from_manifest(folder: Path, manifest: Path, name: str) -> Iterator[FoundFile]:
    try:
        with manifest.open("rb") as file:
            told = json.loads(file.read(_LONGEST_MANIFEST))
        layers = [each for each in told["layers"] if isinstance(each, dict)]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return
    projectors = tuple(
        blob for each in layers if each.get("mediaType") == _PROJECTOR and (blob := _blob(folder, each)) is not None
    )
    for layer in layers:
        blob = _blob(folder, layer)
        if blob is None or layer.get("mediaType") not in (_MODEL, _PROJECTOR):
            continue
        is_model = layer["mediaType"] == _MODEL
        size = layer.get("size")
        expected = size if isinstance(size, int) else 0
        sha256 = blob.name.removeprefix("sha256-")
        label, own = (name, projectors) if is_model else (f"{name} (projector)", ())
        told = "Ollama has not finished fetching {name}, or removed a part of it. Pull it again."
        found = FoundFile(blob, 0, 0, Source.OLLAMA, label, sha256, expected, own)
        yield _measured(found, Sentence(told, name=name))


def _blob(folder: Path, layer: dict[str, object]) -> Path | None:
    digest = layer.get("digest")
    kind, _, value = digest.partition(":") if isinstance(digest, str) else ("", "", "")
    # A manifest is somebody else's file: only what is a hash becomes a path.
    return folder / "blobs" / f"sha256-{value}" if kind == "sha256" and _HASH.fullmatch(value) else None


def _jan_names(folder: Path, stop: Stop) -> dict[Path, str]:
    """What Jan calls its files, from the model.yml beside each."""
    found: dict[Path, str] = {}
    for below, entries in _tree(folder, stop):
        if not any(entry.name == "model.yml" for entry in entries):
            continue
        try:
            with (below / "model.yml").open(encoding="utf-8", errors="replace") as file:
                text = file.read(_LONGEST_MANIFEST)
        except OSError:
            continue
        # Flat keys are all that is needed, so no YAML reader is.
        told = {match["key"]: match["value"].strip("'\"") for match in _YAML_LINE.finditer(text)}
        name = told.get("name") or below.name
        model = told.get("model_path", "")
        path = Path(model)
        # Newer ones count from Jan's data folder, which is two above; older ones name the file alone.
        candidates = [path] if path.is_absolute() else [folder.parent.parent / path, below / path.name]
        # What the file says may be no path at all, at which Path.is_file raises.
        target = next((each for each in candidates if model and os.path.isfile(each)), None)  # noqa: PTH113
        if target is not None:
            found[target] = name
    return found
