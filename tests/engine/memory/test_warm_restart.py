"""Conversations after a restart: what was kept on disk by one process serves the next, and changes nothing else.

Most tests compare with what the process that wrote the files went on to answer, so both have the same KV types.
"""

import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from app.core.events import Finished
from app.core.loading import CacheType, FlashAttention, Loading
from app.core.messages import Message
from app.core.sampling import Sampling
from app.engine.media.embeddings import EmbeddingCache
from app.engine.media.media import MediaStores, NoMedia
from app.engine.media.projector_loader import Projector
from app.engine.memory.snapshot_disk import SnapshotDisk
from app.engine.reply.session import Session
from tests import tiny_models, tiny_vision
from tests.counted import counted
from tests.engine.conftest import session_on
from tests.engine.media.test_warm_pictures import picture, said
from tests.engine.reply.test_session import answered
from tests.engine.reply.test_session import ask as ask_for

ROOT = Path(__file__).resolve().parents[3]
GREEDY = Sampling(temperature=0.0, max_tokens=16)
QUOTA = 1 << 30
WRITER = (
    "import sys, pathlib\n"
    "from tests.engine.memory import test_warm_restart as t\n"
    "t.write_all(pathlib.Path(sys.argv[1]))"
)
TALK = "the river runs through the valley and over the stones, and nobody asks it why. " * 4
MORE = "and what does the mountain say to that, when the evening comes in? " * 3
OTHER = "something else altogether, about a ship and a whale on the sea. " * 4
TYPES = {"f16": CacheType.F16, "q8_0": CacheType.Q8_0}
KINDS = ("llama", "gemma3", "qwen35", "mamba")
SEEING = ("llava", "qwen25vl", "gemma3", "qwen35", "lfm2", "mamba")
CASES = [f"{kind}:{types}:words" for kind in KINDS for types in TYPES]
CASES += [f"{kind}:{types}:picture" for kind in SEEING for types in TYPES]


ask = partial(ask_for, sampling=GREEDY, conversation="talk")


def make_models(folder: Path) -> None:
    """With heads of 32, which a quantised cache needs."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((tiny_models, "HEAD"), (tiny_vision, "TEXT_HEAD")):
            patch.setattr(module, name, 32)
            patch.setattr(module, "N_HEAD", 2)
        for kind in KINDS:
            tiny_models.MAKERS[kind](folder / f"{kind}.gguf")
        for kind in SEEING:
            _make_seeing(kind, folder / kind)


def _make_seeing(kind: str, folder: Path) -> None:
    if kind in tiny_vision.VISION_MAKERS:
        tiny_vision.VISION_MAKERS[kind](folder)
    else:
        folder.mkdir()
        tiny_models.MAKERS[kind](folder / "model.gguf")
        tiny_vision.mlp(folder / "mmproj.gguf")


@contextmanager
def opened(case: str, models: Path, disk: SnapshotDisk | None) -> Iterator[Session]:
    kind, types, what = case.split(":")
    loading = Loading(
        ctx_size=2048,
        gpu_layers=0,
        threads=1,
        batch_size=128,
        ubatch_size=64,
        flash_attn=FlashAttention.ON if types == "q8_0" else FlashAttention.AUTO,
        cache_type_k=TYPES[types],
        cache_type_v=TYPES[types],
    )
    path, projector = models / f"{kind}.gguf", None
    if what == "picture":
        path = models / kind / "model.gguf"
        stores = MediaStores(NoMedia(), EmbeddingCache(1 << 26, None, 0))
        projector = Projector(models / kind / "mmproj.gguf", stores, 64)
    with session_on(path, loading, projector=projector, snapshots=disk) as (session, notes):
        assert session.info.cache_type_k is TYPES[types], notes
        assert session.info.sees is (projector is not None), notes
        yield session


def first_question(case: str) -> Message:
    return said(TALK, picture(7), TALK) if case.endswith(":picture") else said(TALK)


@dataclass(frozen=True)
class Written:
    """What the writing process held, and how it went on."""

    messages: tuple[Message, ...]
    held: int
    next: Finished
    edited: Finished
    answer: Finished


def talk(session: Session, case: str, **more: object) -> tuple[Message, ...]:
    question = first_question(case)
    first = ask(session, question, **more)  # type: ignore[arg-type]  # as `ask` says
    second = ask(session, question, answered(first), said(MORE), **more)  # type: ignore[arg-type]
    return question, answered(first), said(MORE), answered(second)


def write_all(folder: Path) -> None:
    """In a process of its own: talk, keep, and go on without a restart."""
    written = {}
    for case in CASES:
        with (
            closing(SnapshotDisk(folder / case.replace(":", "-"), QUOTA)) as disk,
            opened(case, folder, disk) as session,
        ):
            messages = talk(session, case)
            held = len(session.slot)
            session.slot.keep()
            disk.close(60)
            following = ask(session, *messages, said("go on"))
            edited = ask(session, *messages[:2], said("only this?"))
            answer = ask(session, *messages[:2], said("only this?"), answered(edited), said("really?"))
            written[case] = (messages, held, following, edited, answer)
    (folder / "written").write_bytes(pickle.dumps(written))


@dataclass(frozen=True)
class Folder:
    models: Path
    written: dict[str, Written]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """The models, and what a process that is gone has left of talks with them."""
    models = tmp_path_factory.mktemp("restart")
    make_models(models)
    subprocess.run([sys.executable, "-c", WRITER, str(models)], cwd=ROOT, check=True, timeout=600, capture_output=True)
    told = pickle.loads((models / "written").read_bytes())
    return Folder(models, {case: Written(*facts) for case, facts in told.items()})


@pytest.mark.parametrize("case", CASES)
def test_the_next_answers_equal_those_without_the_restart(case: str, folder: Folder) -> None:
    was = folder.written[case]
    disk = SnapshotDisk(folder.models / case.replace(":", "-"), QUOTA)
    with closing(disk), opened(case, folder.models, disk) as session:
        got = ask(session, *was.messages, said("go on"))
        assert got.timings.cache_n == was.held, got.reuse
        assert "brought back from disk" in got.reuse
        assert got.generation.tokens == was.next.generation.tokens
        edited = ask(session, *was.messages[:2], said("only this?"))
        assert edited.timings.cache_n == was.edited.timings.cache_n, "its checkpoints came along"
        assert edited.generation.tokens == was.edited.generation.tokens
        answer = ask(session, *was.messages[:2], said("only this?"), answered(edited), said("really?"))
        assert answer.generation.tokens == was.answer.generation.tokens


@pytest.mark.parametrize("case", [case for case in CASES if ":q8_0:" in case])
def test_an_edit_right_after_the_restart_equals_a_cold_answer(case: str, folder: Folder) -> None:
    """With q8_0 and flash attention the split into batches leaves no trace, so a cold start can be compared."""
    was = folder.written[case]
    disk = SnapshotDisk(folder.models / case.replace(":", "-"), QUOTA)
    asked = (*was.messages[:2], said("what of this? "))
    with closing(disk), opened(case, folder.models, disk) as session:
        got = ask(session, *asked)
    with opened(case, folder.models, None) as cold:
        wanted = ask(cold, *asked)
    assert counted(got.timings.cache_n) > 100, got.reuse
    assert got.generation.tokens == wanted.generation.tokens
