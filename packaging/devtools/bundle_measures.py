"""How large and how quick a bundle is, beside what the README says and what the checkout does."""

import json
import re
import resource
import statistics
import subprocess
from collections.abc import Mapping
from pathlib import Path

from devtools.bundle_examination import ROOT, Examination, demand

_RUNS, _PAIRS = 7, 5
_SLOWEST_PAINT, _SLOWEST_SPEED, _LARGEST = 2.0, 0.97, 1.03
_PROMPT = "Tell me everything about the sea."
_SHORT, _LONG = 8, 56
"""Tokens of the two answers whose difference is measured."""
_SIZE = re.compile(r"\bIt takes ([0-9]+) MB\b")
_SIZE_OF_VULKAN = re.compile(r"\badds\s+graphics\s+cards\s+and\s+([0-9]+)\s+MB\b")


def stated_size(readme: str, *, vulkan: bool) -> int:
    """Megabytes that the README promises. Raises CheckFailedError where it says nothing."""
    found = [pattern.search(readme) for pattern in ((_SIZE, _SIZE_OF_VULKAN) if vulkan else (_SIZE,))]
    demand(all(found), "the README does not say how large a bundle is")
    return sum(int(each[1]) for each in found if each)


def size(this: Examination) -> str:
    """As the README says, or less."""
    files = [file for file in this.subject.folder.rglob("*") if file.is_file() and not file.is_symlink()]
    megabytes = sum(file.stat().st_size for file in files) / 1e6
    vulkan = (this.libraries / "libggml-vulkan.so").exists()
    stated = stated_size((ROOT / "README.md").read_text(encoding="utf-8"), vulkan=vulkan)
    told = f"{megabytes:.0f} MB in {len(files):,} files; the README says {stated}"
    demand(megabytes <= stated * _LARGEST, told)
    return told


def first_paint(this: Examination) -> str:
    """In turns, because a machine's speed drifts."""
    python = str(ROOT / ".venv" / "bin" / "python")
    times: dict[str, list[float]] = {"bundle": [], "checkout": []}
    environment = this.subject.environment(this.screen)
    for _ in range(_RUNS):
        times["bundle"].append(this.screen.first_paint(this.subject.command, environment, Path("/")))
        times["checkout"].append(this.screen.first_paint([python, "-P", "-m", "app"], environment, ROOT))
    bundle, checkout = (statistics.median(each[1:]) for each in times.values())  # the first fills the disk's cache
    ratio = bundle / checkout
    told = f"{bundle * 1000:.0f} ms, the checkout's {checkout * 1000:.0f} ms: {ratio:.2f} of it"
    demand(ratio <= _SLOWEST_PAINT, told)
    return told


def speed(this: Examination) -> str:
    """Processor time for a token, in turns: what else the machine does, and how it drifts, counts for both alike."""
    if this.model is None:
        return "not measured: no --model was given"
    options = ["ask", "--json", "-m", str(this.model), "-t", "1", "-c", "512", "-ngl", "0", "--temp", "0"]
    options += ["--spec-type", "none"]
    python = str(ROOT / ".venv" / "bin" / "python")
    environment = this.subject.environment()
    programs = (
        ([*this.subject.command, *options], Path("/")),
        ([python, "-P", "-m", "app", *options], ROOT),
    )
    for command, folder in programs:
        _spent(command, _SHORT, environment, folder)  # a file's first load is tried in a process apart
    ratios = []
    for _ in range(_PAIRS):
        bundle, checkout = (_a_token(command, environment, folder) for command, folder in programs)
        ratios.append(checkout / bundle)
        print(f"        bundle {bundle * 1000:.1f}, checkout {checkout * 1000:.1f} ms of processor a token", flush=True)
    told = f"{statistics.median(ratios):.3f} of the native build's (pairs {min(ratios):.3f} to {max(ratios):.3f})"
    demand(statistics.median(ratios) >= _SLOWEST_SPEED, told)
    return told


def _a_token(command: list[str], environment: Mapping[str, str], folder: Path) -> float:
    """Seconds of processor, by what a long answer takes more than a short one: neither start nor prompt counts."""
    short, long = (_spent(command, tokens, environment, folder) for tokens in (_SHORT, _LONG))
    return (long - short) / (_LONG - _SHORT)


def _spent(command: list[str], tokens: int, environment: Mapping[str, str], folder: Path) -> float:
    before = _children()
    argv = [*command, "-n", str(tokens), _PROMPT]
    done = subprocess.run(
        argv, env=dict(environment), cwd=folder, capture_output=True, text=True, check=False, timeout=600
    )
    demand(done.returncode == 0, f"{argv[0]} ended with code {done.returncode}: {done.stderr}")
    made = json.loads(done.stdout)["timings"]["predicted_n"]
    demand(made == tokens, f"the model ended after {made} tokens: take one that talks on")
    return _children() - before


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
