"""Whatever happens to the files: the answer is a cold start's, and nothing but time is lost."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from app.core.events import Finished
from app.core.loading import CacheType, Loading
from app.core.messages import Message
from app.engine.memory.snapshot_disk import SnapshotDisk
from app.engine.memory.snapshot_files import SnapshotFiles
from app.engine.memory.snapshot_format import StoredSnapshot
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import EXACT, OpenTiny, session_on
from tests.engine.reply.test_session import answered, user
from tests.engine.reply.test_session import ask as ask_for

ROOT = Path(__file__).resolve().parents[3]
QUOTA = 1 << 30
FIRST = "the river runs through the valley and over the stones, and nobody asks it why. " * 3
MORE = user("and what does the mountain say to that?")
Models = dict[str, Path]

ask = partial(ask_for, conversation="1")


@contextmanager
def opened(path: Path, folder: Path, loading: Loading = EXACT) -> Iterator[Session]:
    """A session of its own start of the program."""
    with closing(SnapshotDisk(folder, QUOTA)) as disk, session_on(path, loading, snapshots=disk) as (session, _):
        yield session


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "snapshots"


def kept(path: Path, folder: Path, text: str = FIRST) -> tuple[Message, Message, Message]:
    """A conversation that a start of the program left on disk, and how it goes on."""
    with opened(path, folder) as session:
        first = ask(session, user(text))
        session.slot.keep()
    return user(text), answered(first), MORE


def assert_cold(got: Finished, open_tiny: OpenTiny, family: str, *messages: Message) -> None:
    assert got.timings.cache_n == 0, got.reuse
    assert got.generation.tokens == ask(open_tiny(family), *messages).generation.tokens


def flip(place: float) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        data = bytearray(path.read_bytes())
        data[int(place * (len(data) - 1))] ^= 1
        path.write_bytes(data)

    return change


def halve(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


DAMAGE: dict[str, Callable[[Path], None]] = {
    "gone": Path.unlink,
    "halved": halve,
    **{f"flipped at {place}": flip(place) for place in (0.0, 0.02, 0.6, 1)},
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("when", ["before the start", "after the start"])
def test_a_damaged_file_costs_only_time(
    damage: str, when: str, folder: Path, tiny_models: Models, open_tiny: OpenTiny
) -> None:
    messages = kept(tiny_models["qwen35"], folder)
    (path,) = folder.iterdir()
    if when == "before the start":
        DAMAGE[damage](path)
    with opened(tiny_models["qwen35"], folder) as session:
        if when == "after the start":
            DAMAGE[damage](path)
        assert_cold(ask(session, *messages), open_tiny, "qwen35", *messages)
        assert not path.exists()


def test_a_damaged_file_leaves_the_next_best(folder: Path, tiny_models: Models, open_tiny: OpenTiny) -> None:
    """Two files hold a beginning of the prompt; the better one is altered after its head was read."""
    messages = kept(tiny_models["llama"], folder)
    (short,) = folder.iterdir()
    elsewhere = folder.parent / "elsewhere"
    with opened(tiny_models["llama"], elsewhere) as session:
        longer = ask(session, *messages)
        session.slot.keep()
    (long,) = elsewhere.iterdir()
    long = long.rename(folder / long.name)
    asked = (*messages, answered(longer), user("and then?"))
    with opened(tiny_models["llama"], folder) as session:
        flip(0.9)(long)
        got = ask(session, *asked)
    assert 100 < counted(got.timings.cache_n) < counted(longer.n_past), got.reuse
    assert "brought back from disk" in got.reuse
    assert got.generation.tokens == ask(open_tiny("llama"), *asked).generation.tokens
    assert short.exists()


def test_a_state_that_llama_cpp_refuses_costs_only_time(folder: Path, tiny_models: Models, open_tiny: OpenTiny) -> None:
    """A sound file with a state that does not fit, as a bug or a forger might write it."""
    messages = kept(tiny_models["gemma3"], folder)
    with opened(tiny_models["gemma3"], folder) as session:
        assert session.slot.on_disk is not None
        stored = session.slot.on_disk.newest("1")
        assert isinstance(stored, StoredSnapshot)
        whole = SnapshotFiles(folder, QUOTA)
        whole.open(stored.identity)
        snapshot = whole.read(stored)
        assert snapshot is not None
        whole.clear()
        whole.write(replace(snapshot, data=snapshot.data[:1000]), stored.identity, lambda: True)
    with opened(tiny_models["gemma3"], folder) as session:
        got = ask(session, *messages)
        assert "refused" in got.reuse
        assert_cold(got, open_tiny, "gemma3", *messages)
        assert session.slot.on_disk is not None
        assert not session.slot.on_disk.conversations()


def test_another_models_state_is_never_loaded(folder: Path, tmp_path: Path, tiny_models: Models) -> None:
    """Of the same shape, with the same tokens: llama.cpp itself would take it."""
    from tests.tiny_models import llama

    messages = kept(tiny_models["llama"], folder)
    other = llama(tmp_path / "other.gguf")
    data = bytearray(other.read_bytes())
    data[-64:] = bytes(64)
    other.write_bytes(data)
    with opened(other, folder) as session:
        assert ask(session, *messages).timings.cache_n == 0
    assert len(list(folder.iterdir())) >= 1
    with opened(tiny_models["llama"], folder) as session:
        assert counted(ask(session, *messages).timings.cache_n) > 100, "it stayed"


CHANGES = {
    "k": {"cache_type_k": CacheType.F16},
    "v": {"cache_type_v": CacheType.F16},
    "window": {"swa_full": True},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_state_of_another_kind_is_never_loaded(change: str, folder: Path, tiny_models: Models) -> None:
    messages = kept(tiny_models["gemma3"], folder)
    with opened(tiny_models["gemma3"], folder, replace(EXACT, **CHANGES[change])) as session:  # type: ignore[arg-type]
        assert ask(session, *messages).timings.cache_n == 0
    with opened(tiny_models["gemma3"], folder) as session:
        assert counted(ask(session, *messages).timings.cache_n) > 100, "it stayed"


def test_another_micro_batch_or_a_larger_context_loses_nothing(folder: Path, tiny_models: Models) -> None:
    messages = kept(tiny_models["llama"], folder)
    other = replace(EXACT, ubatch_size=64, ctx_size=2048)
    with opened(tiny_models["llama"], folder, other) as session:
        assert counted(ask(session, *messages).timings.cache_n) > 100


def test_a_conversation_of_a_larger_context_is_not_squeezed_in(
    folder: Path, tiny_models: Models, open_tiny: OpenTiny
) -> None:
    kept(tiny_models["llama"], folder, FIRST * 2)
    before = list(folder.iterdir())
    small = replace(EXACT, ctx_size=256, batch_size=64, ubatch_size=32)
    with opened(tiny_models["llama"], folder, small) as session:
        assert not session.slot.bring_back("1")
        assert_cold(ask(session, user(FIRST[:-60])), open_tiny, "llama", user(FIRST[:-60]))
    assert list(folder.iterdir()) == before, "it stays for the larger one"


KILLED = """
import sys
from pathlib import Path
from app.engine.memory import snapshot_format
from app.engine.prompt.prompt_tokens import PromptTokens
from app.engine.memory.snapshot_files import SnapshotFiles
from app.engine.memory.snapshot_format import StoredSnapshot
from app.engine.memory.snapshots import Snapshot

files = SnapshotFiles(Path(sys.argv[1]), 1 << 30)
files.write(Snapshot(PromptTokens(range(40)), b"whole" * 99, (), "1"), bytes(32), lambda: True)
def stay():
    print("half", flush=True)
    sys.stdin.read()
files.write(Snapshot(PromptTokens(range(60)), bytes(range(256)) * 80_000, (), "1"), bytes(32), stay)
"""


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_a_kill_while_a_file_is_written_leaves_the_one_before(folder: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "half\n"
        writer.send_signal(signal.SIGKILL)
    assert len(list(folder.iterdir())) == 2, "it was killed in the middle"
    files = SnapshotFiles(folder, QUOTA)
    files.open(bytes(32))
    (stored,) = files.stored([bytes(32)])
    snapshot = files.read(stored)
    assert snapshot is not None
    assert snapshot.data == b"whole" * 99
    assert len(list(folder.iterdir())) == 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of half a megabyte; only where we may mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="tmpfs")
def test_a_full_disk_costs_only_the_file(
    small_disk: Path, tiny_models: Models, caplog: pytest.LogCaptureFixture
) -> None:
    messages = kept(tiny_models["mamba"], small_disk)
    assert len(list(small_disk.glob("*"))) <= 1
    (small_disk / "filler").write_bytes(bytes(100_000))
    _fill(small_disk)
    with opened(tiny_models["mamba"], small_disk) as session:
        got = ask(session, *messages)
        session.slot.keep()
    assert "No space" in caplog.text
    assert not [path for path in small_disk.iterdir() if path.name.startswith(".")], "nothing half written is left"
    with opened(tiny_models["mamba"], small_disk) as session:
        assert ask(session, *messages).generation.tokens == got.generation.tokens


def _fill(folder: Path) -> None:
    with pytest.raises(OSError, match="No space"), (folder / "filler").open("ab", buffering=0) as file:
        while True:
            file.write(bytes(4096))


@pytest.mark.skipif(os.name != "posix", reason="RLIMIT_FSIZE")
def test_a_file_that_cannot_grow_costs_only_the_file(
    folder: Path, tiny_models: Models, caplog: pytest.LogCaptureFixture
) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        messages = kept(tiny_models["llama"], folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert "too large" in caplog.text
    assert not list(folder.iterdir())
    with opened(tiny_models["llama"], folder) as session:
        assert ask(session, *messages).timings.cache_n == 0
