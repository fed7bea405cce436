"""How long the window takes to be painted, beside an empty one: `python -m tests.bench.window.startup`.

Each run is a process of its own, and the two kinds take turns, so that what else the machine does meets both. Stated
are the medians in milliseconds since the process was started, and the processor time that was used until then.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

_EMPTY = """
import json, os, sys, time
from PySide6.QtWidgets import QApplication, QMainWindow

class Window(QMainWindow):
    def paintEvent(self, event):
        print(json.dumps({"painted": [time.monotonic(), time.process_time()]}), flush=True)
        os._exit(0)

application = QApplication([""])
window = Window()
window.resize(1180, 820)
window.show()
application.exec()
"""

_OURS = """
import json, os, sys, time
from app import start

said = {}
make_application = start.make_application

def tell(name):
    said[name] = [time.monotonic(), time.process_time()]
    said[name + "_modules"] = sorted(sys.modules)

def make_and_listen():
    application = make_application()
    from app.ui.window.frame import Frame
    paint, fill = Frame.paintEvent, Frame.fill

    def paint_and_tell(frame, event):
        paint(frame, event)
        if "painted" not in said:
            tell("painted")

    def fill_and_tell(frame, content):
        fill(frame, content)
        from PySide6.QtCore import QTimer
        QTimer.singleShot(0, ready)

    Frame.paintEvent, Frame.fill = paint_and_tell, fill_and_tell
    return application

def ready():
    tell("ready")
    import gc, linecache
    said["sources_count"] = len(linecache.cache)
    said["collections_count"] = sum(each["collections"] for each in gc.get_stats())
    said["frozen_count"] = gc.get_freeze_count()
    print(json.dumps(said), flush=True)
    os._exit(0)

start.make_application = make_and_listen
start.open_window(verbose=False)
"""


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds since the process was started, and of processor time, at an event."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Run:
    events: dict[str, Start]
    modules: dict[str, frozenset[str]]
    """What was imported at each event; known for our own window."""
    counts: dict[str, int]
    """When it is ready: `sources` that were read, `collections` of garbage, objects that these leave out (`frozen`)."""


def run_empty() -> Run:
    return _run(_EMPTY, {})


def run_ours(home: Path) -> Run:
    """Events: `painted`, and `ready`, when keys reach the composer."""
    return _run(_OURS, {"HEARTH_HOME": str(home)})


def _run(program: str, environment: dict[str, str]) -> Run:
    # Python's compiled files are kept, as an installed program has them.
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={"QT_QPA_PLATFORM": "offscreen", **inherited, **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=120,
    )
    said = json.loads(done.stdout.splitlines()[-1])
    modules = {name.removesuffix("_modules"): frozenset(said.pop(name)) for name in list(said) if "_modules" in name}
    counts = {name.removesuffix("_count"): said.pop(name) for name in list(said) if "_count" in name}
    return Run({name: Start(wall - began, cpu) for name, (wall, cpu) in said.items()}, modules, counts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    rows: dict[str, list[Start]] = {"empty": [], "painted": [], "ready": []}
    with tempfile.TemporaryDirectory() as folder:
        run_ours(Path(folder))  # makes folders, database and byte code
        for _ in range(runs):
            rows["empty"].append(run_empty().events["painted"])
            ours = run_ours(Path(folder)).events
            rows["painted"].append(ours["painted"])
            rows["ready"].append(ours["ready"])
    for kind in ("wall", "cpu"):
        medians = {name: statistics.median(getattr(each, kind) for each in starts) for name, starts in rows.items()}
        told = ", ".join(
            f"{name} {median * 1000:.0f} ms ({median / medians['empty']:.2f}x)" for name, median in medians.items()
        )
        print(f"{kind}: {told}")


if __name__ == "__main__":
    main()
