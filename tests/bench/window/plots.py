"""Plots as models write them: which of twenty programs give a picture in the sandbox, to be looked at.

    python -m tests.bench.window.plots [FOLDER]

The programs were written by a large model that was asked for plots of many kinds, told that numpy is not there, and
are kept as it wrote them. Prints what came of each, and keeps the pictures in FOLDER.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from app.core.program import own_command
from app.tools.built_in.python import Python
from app.tools.built_in.source import Here

PROGRAMS = (Path(__file__).parent / "plot_programs.txt").read_text("utf-8").split("\n########\n")


async def run(folder: Path) -> int:
    python, drawn = Python(own_command(), folder), 0
    await python.prepare()
    for number, code in enumerate(PROGRAMS, 1):
        began = time.perf_counter()
        result = await python.run("python", {"code": code}, Here())
        for place, picture in enumerate(result.pictures, 1):
            (folder / f"{number:02}-{place}.png").write_bytes(picture.data)
        drawn += bool(result.pictures)
        told = result.text.strip().rpartition("\n")[2]
        print(f"{number:2}  {len(result.pictures)} pictures  {time.perf_counter() - began:4.1f} s  {told}", flush=True)
    print(f"{drawn} of {len(PROGRAMS)} gave a picture")
    return 0


def main() -> int:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else made)
        folder.mkdir(parents=True, exist_ok=True)
        return asyncio.run(run(folder))


if __name__ == "__main__":
    sys.exit(main())
