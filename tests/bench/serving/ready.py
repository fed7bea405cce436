"""How soon `hearth serve` and `hearth ask` are ready: `python -m tests.bench.serving.ready MODEL LLAMA-SERVER`.

Each run is a process of its own, and llama-server's take turns with them, so that what else the machine does meets all.
Stated are medians: seconds until `/health` says yes (of `ask`: until its one token is there), and of the processor.
"""

import argparse
import contextlib
import http.client
import os
import socket
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import psutil

from tests.hearth_process import REPOSITORY, HearthProcess


def free_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


def is_ready(port: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=5)
    with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(connection):
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    return False


def start(command: list[str], environment: dict[str, str], port: str) -> tuple[float, float]:
    """Seconds until it is ready, or where there is no port until it ends, and seconds of the processor."""
    began = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, cwd=REPOSITORY
    ) as process:
        if not port:
            _, _, used = os.wait4(process.pid, 0)
            process.returncode = 0
            return time.perf_counter() - began, used.ru_utime + used.ru_stime
        while not is_ready(port):
            time.sleep(0.01)
        took, used_by = time.perf_counter() - began, psutil.Process(process.pid).cpu_times()
        process.kill()
        return took, used_by.user + used_by.system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("llama_server", type=Path)
    parser.add_argument("--turns", type=int, default=5)
    asked = parser.parse_args()
    seen: dict[str, list[tuple[float, float]]] = {"llama-server": [], "serve": [], "ask": []}
    with tempfile.TemporaryDirectory() as folder:
        hearth = HearthProcess(Path(folder) / "home", qt=True)
        common = ["-m", str(asked.model), "-t", "1", "-c", "2048"]
        for _ in range(asked.turns + 1):  # the first tries the file
            for name, found in seen.items():
                port = "" if name == "ask" else free_port()
                command = hearth.command(name, *common, *(["--port", port] if port else ["-n", "1", "Hi"]))
                if name == "llama-server":
                    command = [str(asked.llama_server), *common, "-np", "1", "--port", port]
                environment = hearth.environment()
                # Python's compiled files are kept, as an installed program has them.
                del environment["PYTHONDONTWRITEBYTECODE"]
                found.append(start(command, environment, port))
    for name, found in seen.items():
        walls, used = zip(*found[1:], strict=True)
        least = statistics.median(walls) - statistics.median([each for each, _ in seen["llama-server"][1:]])
        print(f"{name:14} {statistics.median(walls):6.2f} s ({least:+.2f}), processor {statistics.median(used):.2f} s")


if __name__ == "__main__":
    main()
