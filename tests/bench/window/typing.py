"""How long the window takes for each key while somebody types fast, with a model that counts what is typed.

    python -m tests.bench.window.typing [model.gguf]

Real window, database and engine thread, offscreen. Each key is sent, drawn, and its events handled before the next; a
timer of five milliseconds beside it shows the stalls of the event loop between keys. Without a model file a tiny one of
random weights is made. Percentiles in milliseconds.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

from app.core.loading import Loading
from app.services.drafts.offers import DocumentText

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.core.model_ref import ModelRef
from app.core.paths import Paths
from app.program import Program
from app.services.engine.states import ModelReady
from tests.tiny_models import MAKERS

KEYS = 2000
TEXT = "The quick brown fox jumps over the lazy dog, again and again. "


class Heartbeat:
    """Milliseconds by which a timer comes late."""

    def __init__(self) -> None:
        self.late: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer(interval=5, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    def _beat(self) -> None:
        now = time.perf_counter()
        self.late.append(max(0.0, (now - self._last) * 1000 - 5))
        self._last = now

    def stop(self) -> None:
        self._timer.stop()


def wait(done: object, seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not done() and time.monotonic() < until:  # type: ignore[operator]
        QCoreApplication.processEvents()
        time.sleep(0.001)


def told(name: str, values: list[float]) -> None:
    ranked = sorted(values)
    parts = [f"p{each} {ranked[min(len(ranked) - 1, len(ranked) * each // 100)]:.2f}" for each in (50, 95, 99)]
    print(f"{name:<34} {'  '.join(parts)}  max {ranked[-1]:.2f}  (n = {len(ranked)})")


def type_fast(program: Program, name: str) -> None:
    edit = program.window.composer.edit
    heart = Heartbeat()
    keys: list[float] = []
    busy: list[float] = []
    for number in range(KEYS):
        began, worked = time.perf_counter(), time.thread_time()
        QTest.keyClicks(edit, TEXT[number % len(TEXT)])
        QCoreApplication.processEvents()
        keys.append((time.perf_counter() - began) * 1000)
        busy.append((time.thread_time() - worked) * 1000)
    heart.stop()
    told(f"{name}: key", keys)
    told(f"{name}: key, processor time", busy)
    told(f"{name}: heartbeat late", heart.late)


def idle(name: str) -> None:
    heart = Heartbeat()
    until = time.monotonic() + 2
    while time.monotonic() < until:
        QCoreApplication.processEvents()
    heart.stop()
    told(name, heart.late)


def main(model: Path | None) -> None:
    application = QApplication([])
    sys.setswitchinterval(0.001)
    with tempfile.TemporaryDirectory(prefix="hearth-typing-") as folder:
        root = Path(folder)
        program = Program(application, Paths(root, root, root / "logs"))
        program.settings.update(Loading, threads=1, gpu_layers=0)
        program.window.show()
        program.controller.start()
        idle("idle: heartbeat late")
        type_fast(program, "no model")
        program.window.composer.edit.clear()
        program.engine.load(ModelRef.of_file(model or MAKERS["llama"](root / "tiny.gguf")))
        wait(lambda: isinstance(program.engine.state, ModelReady))
        type_fast(program, "model")
        program.window.composer.edit.clear()
        program.writing.attachments.add(DocumentText("A line of a long document.\n" * 40_000, "long.txt"))
        wait(lambda: "≈" not in program.window.composer.documents.items[0].told)
        type_fast(program, "model and a file of 1 MB")
        ended: list[bool] = []
        program.engine.closed.connect(lambda: ended.append(True))
        program.engine.close()
        wait(lambda: bool(ended))
        program.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
