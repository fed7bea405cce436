"""How long a search takes in many passages: `python -m tests.bench.documents.passage_times STORE [--copies 5]`.

STORE is what `tests.bench.documents.passage_scores` has left in its folder; all that is in it is copied as often as is
asked. Milliseconds are the processor's, so that a busy machine does not count.
"""

import argparse
import json
import shutil
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np

from app.storage.passages.passage_search import PassageSearch, QuestionVector
from app.storage.passages.passage_store import PassageStore

_QUESTIONS = Path(__file__).with_name("passage_questions.json")
_COPY = (
    """INSERT INTO document (id, hash, name, title, reader, has_pages, n_pages, n_chars, n_passages, attached)
    SELECT id + :from, hash || :copy, name, title, reader, has_pages, n_pages, n_chars, n_passages, 1 FROM document
    WHERE id <= :most""",
    """INSERT INTO words (rowid, title, heading, body)
    SELECT passage.id + (:from << 20), title, heading, body FROM document
    JOIN passage ON passage.id >> 20 = document.id WHERE document.id <= :most""",
    """INSERT INTO passage (id, page, first, last, heading, body, hash)
    SELECT id + (:from << 20), page, first, last, heading, body, hash FROM passage WHERE id >> 20 <= :most""",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--copies", type=int, default=5)
    wanted = parser.parse_args()
    questions = [each["question"] for each in json.loads(_QUESTIONS.read_text("utf-8"))]
    with tempfile.TemporaryDirectory(prefix="hearth-passages-") as folder:
        path = Path(folder) / "documents.sqlite3"
        PassageStore.open(wanted.store).close()  # its log goes into the file
        shutil.copy(wanted.store, path)
        with closing(sqlite3.connect(path)) as connection:
            hashes, n_passages = _multiplied(connection, wanted.copies)
            width = len(connection.execute("SELECT row FROM vector").fetchone()[0]) // 2
        print(f"{n_passages:,} passages of {len(hashes):,} documents, {path.stat().st_size >> 20} MiB")
        with closing(PassageSearch.open(path)) as search:
            row = np.random.default_rng(1).standard_normal(width).astype(np.float32)
            vector = QuestionVector(1, row / float(np.linalg.norm(row)))
            search.find("water", documents=hashes, vector=vector)  # the vectors are read once
            _tell("words", questions, lambda each: search.find(each, documents=hashes))
            _tell("words and vectors", questions, lambda each: search.find(each, documents=hashes, vector=vector))


def _multiplied(connection: sqlite3.Connection, copies: int) -> tuple[list[str], int]:
    (most,) = connection.execute("SELECT max(id) FROM document").fetchone()
    for copy in range(1, copies):
        for statement in _COPY:
            connection.execute(statement, {"from": copy * most, "most": most, "copy": str(copy)})
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")
    connection.commit()
    (count,) = connection.execute("SELECT count(*) FROM passage").fetchone()
    return [each for (each,) in connection.execute("SELECT hash FROM document")], int(count)


def _tell(what: str, questions: list[str], find: Callable[[str], object]) -> None:
    times = []
    for each in questions:
        began = time.process_time()
        find(each)
        times.append(1000 * (time.process_time() - began))
    ordered = sorted(times)
    late = ordered[int(0.95 * len(ordered))]
    print(f"{what}: median {statistics.median(times):.0f} ms, p95 {late:.0f} ms, longest {ordered[-1]:.0f} ms")


if __name__ == "__main__":
    main()
