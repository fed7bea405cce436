"""The child process in which Python code of a model runs: CPython as a WebAssembly component, in wasmtime.

It reads one JSON object from standard input and writes lines of JSON: that it is ready, and what came of the code. A
child, because a fault in native code would end the program, and because a sleep within can't be interrupted otherwise.
"""

import base64
import itertools
import json
import lzma
import os
import queue
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from app.core.resources import RESOURCES
from app.tools.plots.sandbox import DRAWN, is_wanted, stand_in

COMMAND = "_python"
"""The hidden subcommand of `hearth` that runs `main`."""
AHEAD = "ahead"
"""Compile only, and let others have the processor."""
_COMPONENT = RESOURCES / "python" / "python.wasm.xz"
_MOST_PLOTS = 8
_MEMORY = 256 << 20
_TICK = 0.1


def main(arguments: list[str]) -> int:
    """`arguments`: the folder of the machine code that is made once, the most seconds, and perhaps `AHEAD`. Returns the
    exit code.
    """
    folder, seconds = Path(arguments[0]), float(arguments[1])
    lines: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_listen, args=(lines,), daemon=True).start()
    if AHEAD in arguments[2:]:
        _give_way()
    sandbox = _Sandbox(folder)
    _say({"ready": True})
    if AHEAD not in arguments[2:]:
        _say(sandbox.run(json.loads(lines.get())["code"], seconds))
    return 0


class _Sandbox:
    def __init__(self, folder: Path) -> None:
        import wasmtime
        from wasmtime import component

        config = wasmtime.Config()
        config.epoch_interruption = True
        self._engine = wasmtime.Engine(config)
        self._component = self._load(component.Component, folder / f"python-{_COMPONENT.stat().st_size}.cwasm")
        self._linker = component.Linker(self._engine)
        self._linker.add_wasip2()

    def run(self, code: str, seconds: float) -> dict[str, object]:
        import wasmtime

        store = wasmtime.Store(self._engine)
        # No files, no environment, no arguments: nothing is given to it.
        store.set_wasi(wasmtime.WasiConfig())
        store.set_limits(memory_size=_MEMORY)
        store.set_epoch_deadline(max(1, round(seconds / _TICK)))
        threading.Thread(target=self._tick, daemon=True).start()
        try:
            function = self._linker.instantiate(store, self._component).get_func(store, "run")
            assert function is not None
            if not is_wanted(code):
                return {"text": function(store, code)}
            function(store, stand_in())
            text = function(store, code)
            return {"text": text, **_plots(function(store, DRAWN))}
        except wasmtime.ExitTrap:
            return {"text": ""}
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
            return {"trap": str(error).splitlines()[-1].strip()}

    def _load(self, made: Any, cache: Path) -> Any:
        """Machine code is made once for a version of wasmtime, which takes seconds, and refused by others."""
        import wasmtime

        try:
            return made.deserialize_file(self._engine, str(cache))
        except (OSError, wasmtime.WasmtimeError):
            _say({"compiles": True})
            with lzma.open(_COMPONENT) as file:
                compiled = made(self._engine, file.read())
            _keep(cache, compiled.serialize())
            return compiled

    def _tick(self) -> None:
        while True:
            time.sleep(_TICK)
            self._engine.increment_epoch()


def _plots(drawn: str) -> dict[str, object]:
    """PNGs in base64 of what was drawn, and why some are not; the code may have made anything of it."""
    # Pillow takes a moment.
    from app.tools.plots.picture import picture

    made, problem = [], ""
    try:
        for figure in itertools.islice(json.loads(drawn), _MOST_PLOTS):
            made.append(base64.b64encode(picture(figure)).decode())
    except Exception as error:  # noqa: BLE001 - it is told
        problem = f"{type(error).__name__}: {error}"
    return {"plots": made, "problem": problem}


def _keep(cache: Path, data: bytes) -> None:
    for old in cache.parent.glob("python-*.cwasm"):
        old.unlink(missing_ok=True)
    handle, name = tempfile.mkstemp(dir=cache.parent, prefix=cache.name)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    Path(name).replace(cache)


def _listen(lines: "queue.Queue[str]") -> None:
    """Until the parent's end of the pipe closes, also where that was killed, and while native code keeps at it."""
    for line in sys.stdin:
        lines.put(line)
    os._exit(1)


def _give_way() -> None:
    if sys.platform == "win32":
        import psutil

        psutil.Process().nice(psutil.IDLE_PRIORITY_CLASS)
    else:
        os.nice(5)


def _say(told: object) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
