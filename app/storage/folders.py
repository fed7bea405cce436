"""Finds and makes the folders that Hearth writes to."""

import os
from pathlib import Path

import platformdirs

from app.core.errors import UserError
from app.core.paths import Paths

_HOME_VARIABLE = "HEARTH_HOME"


def find_paths() -> Paths:
    """The user's folders on this system, or everything below $HEARTH_HOME where that is set. Makes nothing."""
    home = os.environ.get(_HOME_VARIABLE)
    if home:
        folder = Path(home).absolute()
        return Paths(data=folder, config=folder, logs_folder=folder / "logs")
    found = platformdirs.PlatformDirs("Hearth", appauthor=False)
    return Paths(data=found.user_data_path, config=found.user_config_path, logs_folder=found.user_log_path)


def make_folders(paths: Paths) -> None:
    """Make the folders that are missing, for the user's eyes only. Raises UserError naming the one that failed."""
    for folder in (paths.data, paths.config, paths.logs):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                "Hearth cannot make its folder {folder} ({reason}); "
                "make room for it, or set {variable} to a folder of yours.",
                folder=folder,
                reason=error.strerror,
                variable=_HOME_VARIABLE,
                detail=str(error),
            ) from error
