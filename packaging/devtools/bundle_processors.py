"""Which code of llama.cpp a bundle takes for which processor: others than this machine's are played by QEMU."""

import contextlib
import re
import shutil
import subprocess
import time
from pathlib import Path

from devtools.bundle_examination import Examination, demand

_OLDER = {"Nehalem": "sse42", "IvyBridge": "ivybridge", "Haswell": "haswell"}
"""Processors of 2008, 2012 and 2013, as QEMU names them, and the code made for each."""
_WITH_AVX512 = ("skylakex", "cannonlake", "cascadelake", "icelake", "cooperlake", "zen4", "sapphirerapids")
_LOADED = re.compile(r"/libggml-cpu-(\w+)\.so$", re.MULTILINE)
_ASKED = ("ask", "--temp", "0", "-n", "8", "hello")
_PATIENCE = 600.0


def processors(this: Examination) -> str:
    """On each of them it says the same, and computes with the code for it."""
    said, here = _run(this, list(this.subject.command), {})
    has_avx512 = " avx512f " in Path("/proc/cpuinfo").read_text(encoding="utf-8")
    demand(not has_avx512 or here in _WITH_AVX512, f"this processor has AVX-512, and the code for {here} was taken")
    emulator = shutil.which("qemu-x86_64") or shutil.which("qemu-x86_64-static")
    if emulator is None:
        return f"{here} here; others not tried: QEMU is not here (on Debian, the package qemu-user-static)"
    for processor, code in _OLDER.items():
        argv = [emulator, "-cpu", processor, *this.subject.command]
        text, taken = _run(this, argv, _as_if_started_anew(this.subject.folder))
        demand(taken == code, f"{processor}: the code for {taken or 'none'} was taken")
        demand(text == said, f"{processor}: {text!r} is not {said!r}")
    return f"{here} here, {', '.join(f'{code} on {processor}' for processor, code in _OLDER.items())}"


def _run(this: Examination, argv: list[str], more: dict[str, str]) -> tuple[str, str]:
    """What it answers, and the code that its process had loaded in the end: it tries all of them at its start."""
    environment = this.subject.environment() | more
    loaded, end = set[str](), time.monotonic() + _PATIENCE
    with subprocess.Popen(
        [*argv, *_ASKED], env=environment, cwd="/", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        while process.poll() is None:
            with contextlib.suppress(OSError):  # it has just ended
                maps = Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8")
                loaded = set(_LOADED.findall(maps)) or loaded
            if time.monotonic() > end:
                process.kill()
            time.sleep(0.02)
        said = process.stdout.read().strip() if process.stdout else ""
    demand(process.returncode == 0 and bool(said), f"{' '.join(argv)} ended with code {process.returncode}")
    return said, " ".join(sorted(loaded))


def _as_if_started_anew(folder: Path) -> dict[str, str]:
    """PyInstaller's loader starts itself anew once it has set the path of its libraries, and the new process would run
    on the real processor: so it is told that this has happened."""
    inside = str(folder / "_internal")
    return {
        "_PYI_ARCHIVE_FILE": str(folder / "hearth"),
        "_PYI_APPLICATION_HOME_DIR": inside,
        "_PYI_PARENT_PROCESS_LEVEL": "0",
        "LD_LIBRARY_PATH": inside,
    }
