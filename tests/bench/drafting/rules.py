"""What drafting gains beside plain decoding, by the rule of this tree and by that of another one, in one run.

    python -m tests.bench.drafting.rules [--old TREE] [--turns N] [--tokens N] [--minutes N]

Runs `tests.bench.drafting.speed` (draft models that are good, fair and poor, n-grams; first and later answers) and
`tests.bench.drafting.mtp_speed` (heads), one processor thread, as child processes: this tree, TREE, TREE, this tree, so
that a machine that gets slower or quicker does so for both. N turns of each in all; an even number. TREE is a checkout
with these benches and a `.venv`. Nothing is begun after so many minutes. Prints for each case the middle proportion to
plain decoding, a mean of the blocks, and at the end the mean of new to old. Exits with 1 where that mean is below 0.97
or a case of this tree below 0.96. To be believed, it needs a core of its own (`taskset`) on a quiet machine: a turn of
both benches takes about six minutes there at 128 tokens.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from statistics import mean

HERE = Path(__file__).parents[3]
_AS_OLD, _LEAST = 0.97, 0.96
_LINE = re.compile(r"(\S.*?)\s{2,}(\d+\.\d\d) \(")
Found = dict[str, list[float]]


def measured(tree: Path, bench: str, turns: int, tokens: int, into: Found) -> None:
    """Adds what a tree's bench tells to `into`, by case; the bench's own bars are not looked at."""
    program = (str(tree / ".venv/bin/python"), "-m", f"tests.bench.drafting.{bench}")
    command = [*program, "none", "1", str(tokens), str(turns)]
    env = os.environ | {"PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=tree, env=env, stdout=subprocess.PIPE, text=True, check=False)
    for line in done.stdout.splitlines():
        print(f"  {tree.name}: {line}", flush=True)
        told = _LINE.match(line)
        if told and "left by drafts" not in line:
            into[told[1]].append(float(told[2]))


def compared(new: Found, old: Found) -> bool:
    """Prints the table. Whether the bars are reached."""
    proportions = list[float]()
    for case, each in new.items():
        theirs = f"{mean(old[case]):6.2f} {mean(each) / mean(old[case]):6.3f}" if old[case] else ""
        proportions += [mean(each) / mean(old[case])] if old[case] else []
        print(f"{case:32} {mean(each):6.2f} {theirs} {'' if mean(each) >= _LEAST else f'below {_LEAST}'}")
    if proportions:
        print(f"mean of new to old, {len(proportions)} cases: {mean(proportions):.3f} (bar {_AS_OLD})")
    reached = all(mean(each) >= _LEAST for each in new.values())
    return reached and (not proportions or mean(proportions) >= _AS_OLD)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--old", type=Path)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--minutes", type=float, default=60)
    asked = parser.parse_args()
    until = time.monotonic() + 60 * asked.minutes
    new, old = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    blocks = [(HERE, new)] if asked.old is None else [(HERE, new), (asked.old, old), (asked.old, old), (HERE, new)]
    turns = asked.turns if asked.old is None else max(1, asked.turns // 2)
    for bench in ("speed", "mtp_speed"):
        for tree, found in blocks:
            if time.monotonic() < until:
                measured(tree, bench, turns, asked.tokens, found)
    print(f"{'':32} {'new':>6} {'old':>6}")
    sys.exit(not compared(new, old))


if __name__ == "__main__":
    main()
