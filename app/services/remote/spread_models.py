"""Models that are computed on other computers by a llama-server of this program's: one process for each, as needed."""

import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.errors import UserError
from app.remote.server import Server, ServerKind, ServerModel
from app.remote.shapes import SHAPES
from app.remote.stop_signal import StopSignal
from app.remote.worker import Spread
from app.services.remote.states import Listing
from app.tools.watcher import Watcher

if TYPE_CHECKING:
    from app.remote.workers import WorkerEngine

_PROGRAM = "llama-server"


class SpreadModels:
    """Any thread. What it started ends with `forget`, `close`, or the end of this process, whichever comes first."""

    def __init__(self, logs: Path) -> None:
        """`logs` is a folder for what each llama-server says."""
        self._logs = logs
        self._engines: dict[str, tuple[Spread, WorkerEngine]] = {}
        self._lock = threading.Lock()
        self._watcher = Watcher()
        self._closed = False

    def engine(self, server_id: str, spread: Spread) -> "WorkerEngine":
        """Starts nothing yet. Raises UserError where there is no llama-server."""
        from app.remote.workers import WorkerEngine

        with self._lock:
            kept = self._engines.get(server_id)
            if kept is not None and kept[0] == spread:
                return kept[1]
            if self._closed:
                raise UserError("Hearth is being closed.")
            self._logs.mkdir(parents=True, exist_ok=True)
            made = WorkerEngine(
                program_of(spread),
                Path(spread.model),
                spread.workers,
                self._logs / f"llama-server-{server_id}.log",
                n_ctx=spread.n_ctx,
                watch=self._watcher.add,
                unwatch=self._watcher.remove,
            )
            self._engines[server_id] = (spread, made)
        if kept is not None:
            kept[1].close()
        return made

    def forget(self, server_id: str) -> None:
        with self._lock:
            kept = self._engines.pop(server_id, None)
        if kept is not None:
            kept[1].close()

    def close(self) -> None:
        """May be called twice."""
        self._closed = True
        for server_id in tuple(self._engines):
            self.forget(server_id)
        self._watcher.close()


def program_of(spread: Spread) -> Path:
    """Asks the disk. Raises UserError with what to do where there is none."""
    found = shutil.which(spread.program or _PROGRAM)
    if found is None and spread.program:
        raise UserError("{path} is no program that can be started. Choose llama-server.", path=spread.program)
    if found is None:
        raise UserError(
            "There is no llama-server on this computer. Install llama.cpp with RPC, of the same build as on the other "
            "computers, and choose its llama-server here."
        )
    return Path(found)


def spread_model(spread: Spread) -> ServerModel:
    """Nothing more is known of it before it runs."""
    abilities = SHAPES[ServerKind.LLAMA_SERVER].abilities
    return ServerModel(Path(spread.model).stem, context=spread.n_ctx, abilities=abilities)


def knocked(spread: Spread, _stop: StopSignal) -> Listing:
    """Whether all is there that it takes; blocks for seconds. Raises UserError where it could not be started."""
    program_of(spread)
    if not Path(spread.model).is_file():
        raise UserError("{path} is not there any more: choose the model's file again.", path=spread.model)
    missing = [each for each in spread.workers if not each.answers]
    names = ", ".join(map(str, missing))
    if len(missing) == len(spread.workers):
        told = "None of the machines that should compute answers: {names}. Start their workers, and ask again."
        raise UserError(told, names=names)
    told = "{names} does not answer. The others compute the model, as far as it has room there."
    problem = UserError(told, names=names)
    server = Server(spread.address, ServerKind.LLAMA_SERVER)
    return Listing(server, (spread_model(spread),), problem if missing else None)
