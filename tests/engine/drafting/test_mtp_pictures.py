"""Drafting with a model's own head in conversations with pictures: of text alone, and nothing else changes."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app.core.events import Finished
from app.core.messages import Message
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import DrafterKind, Speculation
from app.engine.drafting.opening import DraftPlan
from app.engine.media.embeddings import EmbeddingCache
from app.engine.media.media import MediaStores, NoMedia
from app.engine.media.projector_loader import Projector
from app.engine.memory.snapshot_disk import SnapshotDisk
from app.engine.reply.session import Session
from tests import tiny_mtp, tiny_vision
from tests.counted import counted
from tests.engine.conftest import OpenPath, finish
from tests.engine.drafting.always import Always
from tests.engine.drafting.test_mtp_replies import NEAR
from tests.engine.media.test_warm_pictures import LOADING, TALK, A, B, said
from tests.engine.reply.test_session import answered
from tests.tiny_vision import picture_tokenizer

KINDS = ("qwen35", "mimo2", "gemma4")
"""Where positions may be left out, where not, and where the memory is shared."""
GREEDY = Sampling(temperature=0.0, max_tokens=40)

Open = Callable[..., Session]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path, Path | None]]:
    """Model, projector, and the file with the head where that is another one."""
    folder, words = tmp_path_factory.mktemp("seeing-mtp"), picture_tokenizer()
    plain = tiny_vision.idefics3(folder / "idefics3.gguf")
    return {
        "qwen35": (
            tiny_mtp.qwen35(folder / "qwen35.gguf", tokenizer=words),
            tiny_vision.qwen3vl_merger(folder / "merger.gguf", deepstack=0),
            None,
        ),
        "mimo2": (tiny_mtp.mimo2(folder / "mimo2.gguf", tokenizer=words), plain, None),
        "gemma4": (
            tiny_mtp.gemma4(folder / "gemma4.gguf", tokenizer=words),
            plain,
            tiny_mtp.gemma4_assistant(folder / "assistant.gguf", tokenizer=words),
        ),
    }


@pytest.fixture
def open_seeing(
    files: dict[str, tuple[Path, Path, Path | None]], open_path: OpenPath, monkeypatch: pytest.MonkeyPatch
) -> Open:
    # The tiny encoder goes with any model, also with those that have one of their own.
    monkeypatch.setattr("app.engine.media.projector.OWN_ENCODER", set())

    def open_one(kind: str, *, drafts: bool = True, disk: SnapshotDisk | None = None) -> Session:
        model, mmproj, head = files[kind]
        asked = Speculation(ngram=False, mtp=True, draft_model=str(head or ""))
        session = open_path(
            model,
            LOADING,
            projector=Projector(mmproj, MediaStores(NoMedia(), EmbeddingCache(1 << 26, None, 0)), 64),
            drafts=DraftPlan(asked) if drafts else None,
            snapshots=disk,
        )
        assert session.info.sees, session.info.projector_problem
        if session.drafting is not None:
            assert session.info.drafting.ready == (DrafterKind.MTP,), session.info.drafting.problems
            session.drafting.policy = Always()
        return session

    return open_one


def ask(session: Session, *messages: Message) -> Finished:
    return finish(session, ChatRequest(messages, GREEDY, conversation="1"))


def assert_same(drafting: Session, plain: Session, *messages: Message) -> Finished:
    got, wanted = ask(drafting, *messages), ask(plain, *messages)
    assert got.generation.tokens == wanted.generation.tokens
    assert drafting.slot.ids() == plain.slot.ids()
    apart = np.abs(drafting.slot.logits() - plain.slot.logits()).max()
    assert apart < NEAR.get(plain.info.architecture, 1e-4)
    assert got.drafting.accepted > 0
    return got


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("parts", [(TALK, A, "what is it?"), (A, B), (TALK, A)])
def test_answers_about_pictures_are_the_plain_ones(open_seeing: Open, kind: str, parts: tuple[str, ...]) -> None:
    assert_same(open_seeing(kind), open_seeing(kind, drafts=False), said(*parts))


@pytest.mark.parametrize("kind", KINDS)
def test_follow_ups_edits_and_second_pictures(open_seeing: Open, kind: str) -> None:
    drafting, plain = open_seeing(kind), open_seeing(kind, drafts=False)
    first = assert_same(drafting, plain, said(TALK, A, "what is it?"))
    turns = said(TALK, A, "what is it?"), answered(first)
    assert_same(drafting, plain, *turns, said("and this?", B, TALK))
    assert_same(drafting, plain, *turns, said("no, that?", B))
    assert_same(drafting, plain, said(TALK, "What then?"))
    assert_same(drafting, plain, *turns, said("and then? " * 4))


@pytest.mark.parametrize("kind", KINDS)
def test_the_head_goes_on_before_a_gap_or_begins_behind_it(open_seeing: Open, kind: str) -> None:
    session = open_seeing(kind)
    ask(session, said(TALK, A, TALK))
    assert session.drafting is not None
    (drafter,) = session.drafting.active()
    memory = drafter._context  # type: ignore[attr-defined]
    if kind == "qwen35":
        assert memory.pos_min == 0
    elif kind == "mimo2":
        picture = session.slot._entries.groups[0]
        assert memory.pos_min >= picture.position + picture.chunk.n_pos


@pytest.mark.parametrize("kind", KINDS)
def test_a_conversation_with_a_picture_comes_back_after_a_restart(open_seeing: Open, kind: str, tmp_path: Path) -> None:
    turns = [said(TALK, A, "what is it?")]
    for number in range(2):
        disk = SnapshotDisk(tmp_path / "snapshots", 1 << 30)
        session = open_seeing(kind, disk=disk)
        got = ask(session, *turns)
        if number:
            assert counted(got.timings.cache_n) > 100, got.reuse
            wanted = ask(open_seeing(kind), *turns)
            assert got.generation.tokens == wanted.generation.tokens
            assert got.drafting.accepted == wanted.drafting.accepted
        turns += [answered(got), said("and then? " * 4)]
        session.slot.keep()
        disk.close(30)


def test_a_checkpoint_behind_a_picture_knows_where_it_is(open_seeing: Open) -> None:
    """When it is taken, nothing has told yet where the next entry stands."""
    session = open_seeing("qwen35")
    ask(session, said(TALK, A, TALK))
    slot, end = session.slot, session.slot._entries.groups[0].stop
    kept = slot.checkpoints.at(end)
    assert kept is not None
    assert slot._put_back(kept)
    slot._entries.truncate(end)
    assert session.drafting is not None
    (drafter,) = session.drafting.active()
    extra = drafter.save(end, 0)
    slot.evaluate(slot._entries.tokens(0, 9).tolist())
    assert drafter._context.pos_max < slot._entries.position  # type: ignore[attr-defined]
    drafter.restore(end, extra)
    assert drafter.trim(end) == end
