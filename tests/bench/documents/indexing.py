"""Kills the process that indexes, again and again.

python -m tests.bench.documents.indexing [--files 2000] [--kills 30]
"""

import argparse
import json
import random
import sqlite3
import subprocess
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path

from app.core.program import own_command
from app.services.documents.index_child import COMMAND
from app.storage.passages.passage_store import PassageStore

_WORDS = ("pump", "valve", "seal", "shaft", "motor", "water", "prime", "close", "open", "turn", "oil", "noise", "page")
_ENTRY = "INSERT INTO words (words) VALUES ('integrity-check')"
_HALF = "SELECT count(*) FROM document WHERE n_passages <> (SELECT count(*) FROM passage WHERE id >> 20 = document.id)"
_ANNOUNCED = """
SELECT count(*) FROM file WHERE state = 'done' AND hash NOT IN (SELECT hash FROM document)
"""
_TWICE = "SELECT seq FROM sqlite_sequence WHERE name = 'document'"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    chance = random.Random(wanted.seed)
    with tempfile.TemporaryDirectory(prefix="hearth-index-") as folder:
        store = _filled(Path(folder), wanted.files, chance)
        began = time.perf_counter()
        for number in range(wanted.kills):
            killed_in = chance.uniform(0.0, 2.0)
            _kill_after(store, killed_in)
            n_done = _check(store)
            print(f"kill {number + 1} after {killed_in:.1f} s: whole, {n_done:,} of {wanted.files:,} files in")
        _finish(store)
        n_done = _check(store)
        with closing(sqlite3.connect(store)) as connection:
            (written,) = connection.execute(_TWICE).fetchone()
        print(f"{n_done:,} files in, {written:,} documents written in all, {time.perf_counter() - began:.0f} s")
        assert n_done == written == wanted.files


def _filled(folder: Path, n_files: int, chance: random.Random) -> Path:
    papers = make_papers(folder, n_files, chance)
    path = folder / "documents.sqlite3"
    with closing(PassageStore.open(path)) as store:
        store.collections.add_source(store.collections.add("Papers"), str(papers), is_folder=True)
    return path


def make_papers(folder: Path, n_files: int, chance: random.Random) -> Path:
    """A folder of texts of one to twenty thousand letters."""
    papers = folder / "papers"
    papers.mkdir()
    for number in range(n_files):
        text = " ".join(chance.choices(_WORDS, k=chance.randrange(200, 4000)))
        (papers / f"{number}.txt").write_text(f"# Paper {number}\n\n{text}\n")
    return papers


def _begun(store: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([*own_command(), COMMAND, str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _kill_after(store: Path, seconds: float) -> None:
    """From the first file on, as busy machines take their time for the look at the folder."""
    child = _begun(store)
    assert child.stdout is not None
    child.stdout.readline()
    with suppress(subprocess.TimeoutExpired):
        child.wait(seconds)
    child.kill()
    child.communicate()


def _finish(store: Path) -> None:
    child = _begun(store)
    assert child.stdout is not None
    for line in child.stdout:
        if json.loads(line).get("idle"):
            break
    child.kill()
    child.communicate()


def _check(store: Path) -> int:
    """That everything is whole; how many files are read."""
    with closing(sqlite3.connect(store, timeout=60)) as connection:
        assert connection.execute("PRAGMA quick_check").fetchone() == ("ok",)
        connection.execute(_ENTRY)
        assert connection.execute(_HALF).fetchone() == (0,)
        assert connection.execute(_ANNOUNCED).fetchone() == (0,)
        (count,) = connection.execute("SELECT count(*) FROM file WHERE state = 'done'").fetchone()
    return int(count)


if __name__ == "__main__":
    main()
