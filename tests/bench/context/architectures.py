"""Every architecture that llama.cpp can write a test model of: is a warm answer a cold one, and what does it reuse?

    python -m tests.bench.context.architectures FOLDER [PATTERN]

FOLDER is what llama.cpp's `test-llama-archs -o FOLDER` wrote; PATTERN picks files, such as "qwen*". Each model runs
in a child process (`tests.bench.context.exactness`). Exits with 1 if an answer is wrong.
"""

import json
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PATIENCE = 600
_LIMIT = 1e-4
_FLOOR = 1e-6
"""Differences up to here are rounding, whatever the model's own noise happened to be."""
_SCENARIOS = "follow-up", "regenerate", "edit last", "edit early", "shorter", "cancel 1", "cancel 2", "cancel writing"


@dataclass(frozen=True)
class Row:
    model: str
    verdict: str
    why: str = ""
    memory: str = "?"
    reused: tuple[str, ...] = ()
    difference: float = 0.0
    noise: float = 0.0
    signal: float = 0.0

    def __str__(self) -> str:
        cells = [f"{self.model:22}", f"{self.memory:10}"]
        if self.reused:
            cells += [f"{each:>10}" for each in self.reused]
            cells += [f"{each:8.0e}" for each in (self.difference, self.noise, self.signal)]
        return " ".join([*cells, f" {self.verdict}", *([f"({self.why})"] if self.why else [])])


def tried(path: Path) -> Row:
    command = [sys.executable, "-m", "tests.bench.context.exactness", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return Row(path.stem, "not loadable", f"it did not end within {_PATIENCE} s")
    if done.returncode:
        return Row(path.stem, "not loadable", _last_words(done))
    return judged(json.loads(done.stdout.splitlines()[-1]))


def _last_words(done: "subprocess.CompletedProcess[str]") -> str:
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    how = signal.Signals(-done.returncode).name + ": " if done.returncode < 0 else ""
    return how + (lines[-1] if lines else f"exit code {done.returncode}")


def judged(report: dict[str, Any]) -> Row:
    scenarios = report["scenarios"]
    difference, noise = (max(each[key] for each in scenarios) for key in ("difference", "noise"))
    wrong = [each["name"] for each in scenarios if not each["tokens_equal"]]
    less = [each["name"] for each in scenarios if each["reused"] < each["expected"]]
    off = [each["name"] for each in scenarios if each["reused"] != each["planned"]]
    verdict, why = "exact", ""
    if wrong:
        verdict, why = "WRONG", "other tokens: " + ", ".join(wrong)
    elif difference > min(_LIMIT, max(_FLOOR, 2 * noise)):
        verdict, why = "WRONG", "logits beyond the model's own noise"
    elif off:
        verdict, why = "WRONG", "reuse is not the plan's: " + ", ".join(off)
    elif less:
        verdict, why = "exact, reads more", ", ".join(less)
    elif not any(each["reused"] for each in scenarios):
        verdict = "read in full"
    return Row(
        report["model"].removesuffix(".gguf"),
        verdict,
        why,
        report["memory"],
        tuple(f"{each['reused']}/{each['total']}" for each in scenarios),
        difference,
        noise,
        report["signal"],
    )


def main() -> None:
    folder, *patterns = sys.argv[1:]
    heads = [f"{'model':22}", f"{'memory':10}", *(f"{name:>10.10}" for name in _SCENARIOS)]
    print(" ".join([*heads, *(f"{name:>8}" for name in ("max diff", "noise", "signal")), " verdict"]))
    rows = []
    for path in sorted(Path(folder).glob((patterns or ["*"])[0] + ".gguf")):
        rows.append(tried(path))
        print(rows[-1], flush=True)
    totals = Counter((row.memory, row.verdict) for row in rows)
    print(f"\n{len(rows)} models")
    for (memory, verdict), count in sorted(totals.items()):
        print(f"{count:4}  {memory:10} {verdict}")
    sys.exit(any(row.verdict == "WRONG" for row in rows))


if __name__ == "__main__":
    main()
