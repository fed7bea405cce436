"""Which model a command uses, and getting it ready."""

import argparse
import sys
from pathlib import Path

from app.cli import terminal
from app.cli.arguments import section_from_arguments
from app.core.cancel import CancelFlag
from app.core.errors import UserError
from app.core.events import LoadProgress, LoadStage
from app.core.paths import Paths
from app.core.settings import Settings
from app.engine.loader import open_session
from app.engine.preflight import Preflight
from app.engine.session import Session

_STAGES = {LoadStage.CHECKING: "Trying the file", LoadStage.LOADING: "Loading", LoadStage.CONTEXT: "Making the context"}


def choose_model(given: Path | None, settings: Settings) -> Path:
    """The file that was asked for, or the one that the window used last. Raises UserError when there is none."""
    if given is not None:
        return given
    last = settings.interface.last_model
    if last:
        return Path(last)
    raise UserError("No model was given. Name a GGUF file with -m FILE.")


def open_model(
    namespace: argparse.Namespace, settings: Settings, paths: Paths, command: list[str], cancel: CancelFlag
) -> Session | None:
    """Load the model of a command; None when cancelled. Raises UserError."""
    path = choose_model(namespace.model, settings)
    loading = section_from_arguments(namespace, settings.loading)
    progress = ProgressLine()
    try:
        preflight = Preflight(paths.trusted_models, command)
        if not preflight.ensure(path, loading, cancel=cancel, report=progress.load):
            return None
        checkpointing = section_from_arguments(namespace, settings.checkpoints)
        opened = open_session(path, loading, cancel=cancel, report=progress.load, checkpointing=checkpointing)
    finally:
        progress.clear()
    if opened is None:
        return None
    session, notes = opened
    for note in notes:
        terminal.warn(note)
    return session


class ProgressLine:
    """One line on standard error that is written over, where that is a terminal."""

    def __init__(self) -> None:
        self._on = sys.stderr is not None and sys.stderr.isatty()
        self._width = 0

    def load(self, progress: LoadProgress) -> None:
        self.say(f"{_STAGES[progress.stage]} … {progress.fraction:.0%}")

    def say(self, text: str) -> None:
        if self._on:
            print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)
            self._width = len(text)

    def clear(self) -> None:
        if self._on and self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)
            self._width = 0
