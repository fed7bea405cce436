"""Putting a model into the system's trash, and what to say before."""

import errno
import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import UserError
from app.core.sentence import Sentence
from app.library.catalogue import LibraryModel
from app.library.model_sources import Source

_OWN = (Source.HEARTH, Source.FOLDER)


@dataclass(frozen=True, slots=True)
class Removal:
    paths: tuple[Path, ...]
    """What goes: the model's files; where they are links of the hub's cache, the files behind them too."""
    freed: int
    """Bytes that the disk gets back once the trash is emptied."""
    users: tuple[str, ...]
    """A sentence about each program or model that will miss it."""


def plan_removal(model: LibraryModel, models: Collection[LibraryModel]) -> Removal:
    """What it would mean to remove `model`, one of `models`. Touches nothing."""
    users: list[str] = []
    if model.source not in _OWN:
        users.append(Sentence("{source} uses this file as well, and will have to fetch it again.", source=model.source))
    if model.source is Source.OLLAMA:
        users.append(
            Sentence("Ollama still lists it afterwards: “ollama rm {name}” removes it there.", name=model.name)
        )
    for other in models:
        if other.path != model.path and model.path in (*other.projectors, *other.drafts):
            users.append(Sentence("{name} is used together with it.", name=other.name))
    paths = list(model.parts)
    for part in filter(Path.is_symlink, model.parts):
        target = _target(part)
        if not target.exists():
            continue
        if not _is_blob(part, target):
            users.append(Sentence("It is a link: the file itself stays in {folder}.", folder=target.parent))
        elif any(target in _targets(other) for other in models if other.path != model.path):
            users.append("Other entries point at the same file, so its room is not freed.")
        else:
            # Of other versions that have the same file, links would be left that lead nowhere.
            paths += [each for each in model.also if each.is_symlink() and _target(each) == target]
            paths.append(target)
    users.extend(_elsewhere(model, paths))
    paths = list(dict.fromkeys(paths))
    freed = sum(_size(path) for path in paths if not path.is_symlink())
    return Removal(tuple(paths), freed, tuple(dict.fromkeys(users)))


def remove(plan: Removal, trash: Callable[[str], None] | None = None) -> None:
    """Move everything to the trash. Blocks. Raises UserError with a sentence; what went before that stays there."""
    if trash is None:
        # Imported here: on some systems it loads a desktop's libraries.
        from send2trash import send2trash

        trash = send2trash
    for path in plan.paths:
        try:
            trash(str(path))
        except FileNotFoundError:
            # The trash sees no link that leads nowhere, and nothing is lost with one.
            _unlink_dead(path)
        except PermissionError as error:
            raise UserError("You are not allowed to remove {path}.", path=path, detail=str(error)) from error
        except OSError as error:
            full = error.errno == errno.ENOSPC
            what = Sentence("The disk is full") if full else Sentence("The system's trash can't take it")
            told = "{what}, so {name} stays where it is: {folder}."
            raise UserError(told, what=what, name=path.name, folder=path.parent, detail=str(error)) from error


def _elsewhere(model: LibraryModel, paths: Collection[Path]) -> Iterator[str]:
    """What becomes of it in the other places where it lies."""
    going = {path for path in paths if not path.is_symlink()}
    kept = {_target(path) for path in paths if path.is_symlink()} - going
    for path in model.also:
        if path in paths or path in kept:
            continue
        if _target(path) in going:
            yield Sentence("A link in {folder} leads to it, and then to nothing.", folder=path.parent)
        else:
            yield Sentence("The same file stays in {folder}.", folder=path.parent)


def _unlink_dead(path: Path) -> None:
    try:
        if path.is_symlink():
            path.unlink()
    except OSError as error:
        raise UserError("You are not allowed to remove {path}.", path=path, detail=str(error)) from error


def _is_blob(link: Path, target: Path) -> bool:
    """Whether both lie in one repository of the hub's cache, where links are all that names a file."""
    home = target.parent.parent
    within = {Path(os.path.realpath(each)) for each in link.parents}
    return target.parent.name == "blobs" and home.name.startswith("models--") and home in within


def _target(path: Path) -> Path:
    # Path.resolve raises where links lead in a circle.
    return Path(os.path.realpath(path))


def _targets(model: LibraryModel) -> set[Path]:
    return {_target(each) for each in (*model.parts, *model.also)}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
