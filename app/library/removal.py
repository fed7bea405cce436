"""Putting a model into the system's trash, and what to say before."""

import errno
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import UserError
from app.library.catalogue import LibraryModel
from app.library.places import Source

_OWN = (Source.HEARTH, Source.FOLDER)


@dataclass(frozen=True, slots=True)
class Removal:
    paths: tuple[Path, ...]
    """What goes: the model's files, and where they are links, the files behind them too."""
    freed: int
    """Bytes that the disk gets back once the trash is emptied."""
    users: tuple[str, ...]
    """A sentence about each program or model that will miss it."""


def plan_removal(model: LibraryModel, models: Iterable[LibraryModel]) -> Removal:
    """What it would mean to remove `model`, one of `models`. Touches nothing."""
    users: list[str] = []
    if model.source not in _OWN:
        users.append(f"{model.source} uses this file as well, and will have to fetch it again.")
    if model.source is Source.OLLAMA:
        users.append(f"Ollama still lists it afterwards: “ollama rm {model.name}” removes it there.")
    for other in models:
        if other.path != model.path and model.path in (*other.projectors, *other.drafts):
            users.append(f"{other.name} is used together with it.")
    users.extend(f"The same file stays in {path.parent}." for path in model.also if not _is_same(path, model.path))
    paths: list[Path] = []
    for part in model.parts:
        paths.append(part)
        if part.is_symlink():
            shared = [other for other in models if part.resolve() in _targets(other) and other.path != model.path]
            if shared:
                users.append("Other entries point at the same file, so its room is not freed.")
            elif part.exists():
                paths.append(part.resolve())
    return Removal(
        tuple(paths), sum(_size(path) for path in paths if not path.is_symlink()), tuple(dict.fromkeys(users))
    )


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
            continue
        except PermissionError as error:
            raise UserError(f"You are not allowed to remove {path}.", detail=str(error)) from error
        except OSError as error:
            what = "The disk is full" if error.errno == errno.ENOSPC else "The system's trash can't take it"
            raise UserError(f"{what}, so {path.name} stays where it is: {path.parent}.", detail=str(error)) from error


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _targets(model: LibraryModel) -> set[Path]:
    return {each.resolve() for part in (*model.parts, *model.also) for each in (part,) if each.is_symlink()}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
