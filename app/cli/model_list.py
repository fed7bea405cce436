"""`hearth models`: what can be loaded on this computer, and what goes with it."""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.cli import terminal
from app.core.paths import Paths
from app.core.settings import Settings
from app.library.catalogue import Catalogue, LibraryModel
from app.library.draft_choice import draft_choice
from app.library.model_sources import HostFolders, Place, Source, places


def run(namespace: argparse.Namespace, settings: Settings, paths: Paths, machine: HostFolders | None = None) -> int:
    """Print all usable models by name; 0 also where there is none."""
    folders = (*settings.library.folders, settings.library.download_folder)
    wanted = [Place(Source.HEARTH, paths.models)]
    wanted += [Place(Source.FOLDER, Path(each)) for each in dict.fromkeys(folders) if each and Path(each).is_absolute()]
    found = Catalogue(paths.catalogue).scan([*wanted, *places(machine or HostFolders.this())])
    usable = [model for model in found if model.is_usable]
    if namespace.json:
        told = [_json(model, found) for model in usable]
        terminal.write(json.dumps(told, ensure_ascii=False, indent=2) + "\n")
        return 0
    for model in usable:
        terminal.write("".join(f"{line}\n" for line in _lines(model, found)))
    if not usable:
        terminal.warn("No models were found on this computer. The window's Models page fetches some.")
    return 0


def _lines(model: LibraryModel, models: Sequence[LibraryModel]) -> Iterator[str]:
    yield f"{model.name}  {model.size / 2**30:.1f} GiB  {model.path}"
    if model.projectors:
        yield f"    sees or hears with {model.projectors[0]}"
    if model.facts is not None and model.facts.mtp:
        yield "    has a head that drafts for it (--spec-mtp)"
    for draft in draft_choice(model, models)[:3]:
        yield f"    drafts: -md {draft.path}"


def _json(model: LibraryModel, models: Sequence[LibraryModel]) -> dict[str, object]:
    return {
        "name": model.name,
        "path": str(model.path),
        "size": model.size,
        "source": str(model.source),
        "projectors": [str(each) for each in model.projectors],
        "mtp": model.facts is not None and model.facts.mtp,
        "drafts": [str(each.path) for each in draft_choice(model, models)],
    }
