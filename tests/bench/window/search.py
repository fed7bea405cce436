"""Search as one types, over 100,000 messages: how long each key takes, and how long the index takes to make.

    python -m tests.bench.window.search [--messages 100000] [--folder FOLDER]

Made-up texts over a vocabulary with a natural distribution of frequencies. Each query is typed letter by letter; each
letter is one search as the window does it, catching up and snippets included. With a folder, what was made is kept.
"""

import argparse
import random
import tempfile
import time
from pathlib import Path

from app.core.messages import Message, Role
from app.storage.database import Database
from app.storage.message_rows import dump_message
from app.storage.search import SearchIndex
from app.storage.search_words import telling, terms_of

_WORDS = 30_000
_PER_CHAT = 20
_LETTERS = "etaoinshrdlcumwfgypbvkjxqz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hearth-bench-") as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        run(folder, options.messages)


def run(folder: Path, n_messages: int) -> None:
    words = vocabulary()
    path = folder / "hearth.sqlite3"
    if not path.exists():
        make(path, words, n_messages)
    with Database.open(path):
        began, spent = time.perf_counter(), time.process_time()
        index = SearchIndex.open(folder / "search.sqlite3", path)
        batches = []
        while True:
            before = time.perf_counter()
            n_left = index.catch_up()
            batches.append(time.perf_counter() - before)
            if not n_left:
                break
        print(f"index of {n_messages:,} messages, {megabytes(path):.0f} MB:")
        print(f"  {time.perf_counter() - began:.1f} s, {time.process_time() - spent:.1f} s of them computing")
        print(f"  {megabytes(folder / 'search.sqlite3'):.0f} MB; longest piece {max(batches) * 1000:.0f} ms")
        told = {wanted: type_out(index, wanted) for wanted in queries(words)}
        index.close()
    keys = sorted(key for query in told.values() for key in query)
    slowest = max(told, key=lambda wanted: max(key[1] for key in told[wanted]))
    print(f"slowest query: {slowest}")
    computing = sorted(key[1] for key in keys)
    print(f"{len(keys)} keys, milliseconds (and of them computing):")
    for share in (50, 90, 99, 100):
        place = min(len(keys) - 1, len(keys) * share // 100)
        print(f"  p{share}: {keys[place][0] * 1000:.1f} ({computing[place] * 1000:.1f})")


def vocabulary() -> list[str]:
    chance = random.Random(1)

    def word() -> str:
        letters = _LETTERS[: max(3, int(26 * chance.random()))]
        return "".join(chance.choice(letters) for _ in range(chance.randint(2, 9)))

    return [word() for _ in range(_WORDS)]


def make(path: Path, words: list[str], n_messages: int) -> None:
    chance = random.Random(2)
    weights = [1 / place for place in range(1, _WORDS + 1)]
    with Database.open(path) as database, database.transaction():
        for chat in range(1, n_messages // _PER_CHAT + 1):
            title = " ".join(chance.choices(words, k=5))
            database.execute(
                "INSERT INTO conversation (title, created_at, updated_at) VALUES (?, ?, ?)", (title, chat, chat)
            )
            parent: int | None = None
            for number in range(_PER_CHAT):
                text = " ".join(chance.choices(words, weights, k=chance.randint(10, 200)))
                role = Role.ASSISTANT if number % 2 else Role.USER
                parent = database.execute(
                    "INSERT INTO message (conversation_id, parent_id, role, parts, state, created_at)"
                    " VALUES (?, ?, ?, ?, 'complete', ?)",
                    (chat, parent, role.value, dump_message(Message.of(role, text)), chat + number),
                ).lastrowid
            database.execute("UPDATE conversation SET head_id = ? WHERE id = ?", (parent, chat))


def queries(words: list[str]) -> list[str]:
    """Frequent and rare words, several of them, and a phrase."""
    frequent = [words[place] for place in (0, 5, 20, 100)]
    rare = [words[place] for place in (1000, 5000, 29_999)]
    return [
        *frequent,
        *rare,
        f"{words[3]} {words[4]}",
        f'"{words[0]} {words[1]}"',
        f"{words[50]} {words[60]}",
        "et",
        "zz",
    ]


def type_out(index: SearchIndex, wanted: str) -> list[tuple[float, float]]:
    """For each key: seconds, and seconds of computing. One letter alone asks nothing of the index."""
    keys = []
    for length in range(2, len(wanted) + 1):
        began, spent = time.perf_counter(), time.process_time()
        index.catch_up()
        index.find(telling(terms_of(wanted[:length])))
        keys.append((time.perf_counter() - began, time.process_time() - spent))
    return keys


def megabytes(path: Path) -> float:
    return path.stat().st_size / 1e6


if __name__ == "__main__":
    main()
