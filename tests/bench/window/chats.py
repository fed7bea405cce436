"""How long the window's event loop stands still while answers stream in several chats, one of which is on screen.

    python -m tests.bench.window.chats [--chats 4] [--seconds 20] [--indexed 0] [--clients 0]

The whole program with a tiny model of random weights, which writes faster than any of use, and never ends. A timer of
one millisecond is the heartbeat; beside the wall clock, in which everything else on the machine counts, the window's
thread's own processor time is told. With `--indexed N` a collection of so many files is read meanwhile, with the dialog
of documents open; with `--clients N` so many of `tests.bench.serving.soak` ask the local API.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import qasync
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.core.api_settings import ApiSettings
from app.core.loading import Loading
from app.core.paths import Paths
from app.core.sampling import Sampling
from app.core.settings import Interface
from app.program import Program
from app.services.engine.states import ModelReady
from tests.bench.documents.indexing import make_papers
from tests.bench.window.streaming import Heartbeat, line
from tests.endless_model import make_endless
from tests.engine_servers import free_port


class Bench:
    def __init__(self, program: Program, n: int, seconds: float, papers: Path | None = None, clients: int = 0) -> None:
        self._program, self._n, self._seconds, self._papers = program, n, seconds, papers
        self._clients = clients
        self._visits: subprocess.Popen[bytes] | None = None
        self._running: list[int] = []
        self._heart = Heartbeat()
        self._timer = QTimer()
        self._timer.timeout.connect(self._look)
        self._timer.start(50)
        self.told = ""

    def _look(self) -> None:
        controller = self._program.controller
        if not isinstance(self._program.engine.state, ModelReady):
            return
        if len(controller.replies.conversations) < self._n and not self._running:
            controller.new_conversation()
            controller.send("Tell me of the river, and do not stop.")
        elif not self._running:
            self._read_papers()
            self._let_clients_come()
            self._running.append(self._n)
            self._heart.start()
            QTimer.singleShot(round(self._seconds * 1000), self._end)
        else:
            self._running.append(len(controller.replies.conversations))

    def _read_papers(self) -> None:
        if self._papers is not None:
            self._program.documents.collections.add("Papers", [self._papers])
            self._program.window.menu_actions.documents.trigger()

    def _let_clients_come(self) -> None:
        if self._clients:
            port = self._program.settings.settings.local_api.port
            address = ("--at", f"http://127.0.0.1:{port}/v1")
            times = ("--clients", str(self._clients), "--minutes", str(self._seconds / 60))
            self._visits = subprocess.Popen([sys.executable, "-m", "tests.bench.serving.soak", *address, *times])

    def _end(self) -> None:
        self._heart.stop()
        if self._papers is not None:
            print(f"{self._program.documents.collections.progress.n_left:,} files were left to be read")
        self._timer.stop()
        n = sum(self._running) / len(self._running)
        self.told = f"{n:.1f} answers at once, load {os.getloadavg()[0]:.1f}\n" + "\n".join(
            (line("stalls, wall ms", self._heart.wall), line("stalls, processor ms", self._heart.cpu))
        )
        self._leave()

    def _leave(self) -> None:
        """When the clients have had their last answers."""
        if self._visits is not None and self._visits.poll() is None:
            QTimer.singleShot(200, self._leave)
        else:
            self._program.window.window().close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chats", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--indexed", type=int, default=0)
    parser.add_argument("--clients", type=int, default=0)
    asked = parser.parse_args()
    application = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory() as folder, qasync.QEventLoop(application) as loop:
        root = Path(folder)
        program = Program(application, Paths(root, root, root / "logs"))
        program.settings.update(Loading, threads=1, ctx_size=32768)
        program.settings.update(Sampling, max_tokens=0, temperature=0.0)
        model = make_endless(root / "endless.gguf")
        program.settings.update(Interface, stop_repetition=False, last_model=str(model))
        papers = make_papers(root, asked.indexed, random.Random(1)) if asked.indexed else None
        if asked.clients:
            program.settings.update(ApiSettings, enabled=True, port=free_port())
        bench = Bench(program, asked.chats, asked.seconds, papers, asked.clients)
        loop.run_until_complete(program.run())
        print(f"{'milliseconds':<40} {'p50':>7} {'p95':>7} {'p99':>7} {'p99.9':>7} {'max':>8}  > 16 ms")
        print(bench.told)
    return 0


if __name__ == "__main__":
    sys.exit(main())
