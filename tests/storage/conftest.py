"""A database in a fresh folder, and disks that are small or cannot be written."""

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.core.messages import Message, Role
from app.storage.conversations import ConversationStore
from app.storage.database import Database

_REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hearth.sqlite3"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    with Database.open(path) as database:
        yield database


@pytest.fixture
def store(database: Database) -> ConversationStore:
    """Its clock goes one second further each time it is looked at."""
    ticks = itertools.count(1000.0)
    return ConversationStore(database, clock=lambda: next(ticks))


@pytest.fixture
def is_private() -> Callable[[Path], bool]:
    """Whether the user alone may use a file or folder; Windows has other means than its mode."""
    return lambda path: sys.platform == "win32" or path.stat().st_mode & 0o077 == 0


Fill = Callable[[ConversationStore], dict[int, str]]


@pytest.fixture
def fill() -> Fill:
    """Writes twelve conversations of twenty messages, in turn; returns each message's text by its id."""

    def fill(store: ConversationStore) -> dict[int, str]:
        texts: dict[int, str] = {}
        conversations = [store.create(f"Talk {number}") for number in range(12)]
        heads: dict[int, int | None] = {conversation.id: None for conversation in conversations}
        for turn in range(20):
            for conversation in conversations:
                # Every seventh is long enough for overflow pages.
                text = f"{conversation.title}, turn {turn}: " + "äü word " * (900 if len(texts) % 7 == 0 else 20)
                role = Role.ASSISTANT if turn % 2 else Role.USER
                stored = store.append(conversation.id, heads[conversation.id], Message.of(role, text))
                heads[conversation.id] = stored.id
                texts[stored.id] = text
        return texts

    return fill


Child = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def child() -> Iterator[Child]:
    """Starts `python -c script arguments...`, and ends what still runs when the test does."""
    running = []

    def start(script: str, *arguments: object) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-c", script, *map(str, arguments)],
            cwd=_REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


Remount = Callable[[str], None]


def _mount(folder: Path, options: str) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", options, "hearth-test", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one MiB; needs root on Linux."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0 or not _mount(folder, "size=1m"):
        pytest.skip("only root may mount a small disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def read_only() -> Iterator[Callable[[Path], None]]:
    """Takes the right to write from a folder; as root, by mounting it again."""
    changed: list[Path] = []

    def take(folder: Path) -> None:
        if sys.platform == "win32":
            pytest.skip("folders are never read-only on Windows")
        changed.append(folder)
        if os.geteuid() != 0:
            folder.chmod(0o500)
            return
        for command in (["--bind", str(folder), str(folder)], ["-o", "remount,ro,bind", str(folder)]):
            if subprocess.run(["mount", *command], capture_output=True, check=False).returncode:
                pytest.skip("root can write everywhere here")

    yield take
    for folder in changed:
        if os.geteuid() == 0:
            subprocess.run(["umount", "--lazy", str(folder)], capture_output=True, check=False)
        else:
            folder.chmod(0o700)
