"""The list of downloads on disk, so that they go on after a restart."""

import logging
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app.core.files import load_json, save_json
from app.core.sentence import as_json, from_json
from app.library.hub_layout import HubFile
from app.services.models.download_states import Download, DownloadStage

_log = logging.getLogger(__name__)
_FORMAT = 1


def write_downloads(path: Path, downloads: Iterable[Download]) -> None:
    """What can't be written is logged and given up: the downloads themselves keep what they have."""
    told = [
        {
            "id": each.id,
            "name": each.name,
            "files": [asdict(file) for file in each.files],
            "folder": str(each.folder) if each.folder else None,
            "stage": each.stage,
            "done": each.done,
            "problem": as_json(each.problem),
            "gated": each.gated,
        }
        for each in downloads
        if each.stage is not DownloadStage.DONE
    ]
    save_json(path, {"format": _FORMAT, "downloads": told}, "The list of downloads")


def read_downloads(path: Path) -> list[Download]:
    """Those of the last run. What was running then waits; what people paused stays so."""
    return load_json(path, _all) or []


def _all(told: Any) -> list[Download]:
    known = told["downloads"] if told["format"] == _FORMAT else ()
    return [found for each in known if (found := _read(each)) is not None]


def _read(told: Any) -> Download | None:
    """None for what is damaged; the others go on."""
    try:
        return _download(told)
    except (ValueError, ArithmeticError, KeyError, TypeError, AttributeError) as error:
        _log.warning("One of the downloads can't be read: %r", error)
        return None


def _download(told: dict[str, Any]) -> Download:
    files = tuple(_file(**file) for file in told["files"])
    if not files:
        raise ValueError("a download of nothing")
    stage = DownloadStage(told["stage"])
    if stage is DownloadStage.RUNNING:
        stage = DownloadStage.WAITING
    folder = Path(told["folder"]) if told["folder"] else None
    return Download(
        str(told["id"]),
        str(told["name"]),
        files,
        folder,
        stage,
        int(told["done"]),
        problem=from_json(told["problem"]),
        gated=told.get("gated") is True,
    )


def _file(repo: object, commit: object, path: object, size: object, sha256: object) -> HubFile:
    match repo, commit, path, size, sha256:
        case str(repo), str(commit), str(path), int(size), str(sha256):
            return HubFile(repo, commit, path, size, sha256)
    raise TypeError("not as it was written")
