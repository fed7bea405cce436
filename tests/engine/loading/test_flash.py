"""What automatic flash attention becomes when a model is loaded, and what was kept with the other kind."""

from collections import namedtuple
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from app.core.cancel import CancelFlag
from app.core.events import Finished
from app.core.loading import CacheType, FlashAttention, Loading
from app.core.sampling import Sampling
from app.core.speculation import DrafterKind, Speculation
from app.engine.binding import library
from app.engine.binding.context import Context
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import Model
from app.engine.binding.state_layout import turned
from app.engine.drafting.opening import DraftPlan
from app.engine.loading.room import chosen_flash
from app.engine.memory.snapshot_disk import SnapshotDisk
from app.engine.reply.session import Session
from tests import tiny_models
from tests.engine.conftest import session_on
from tests.engine.reply.test_session import LONG, answered, ask, user

AUTO, ON, OFF = FlashAttention.AUTO, FlashAttention.ON, FlashAttention.OFF
LOADING = Loading(threads=1, ctx_size=2048, gpu_layers=0)
CHANGING = replace(LOADING, ctx_size=1024, cache_type_k=CacheType.F32, cache_type_v=CacheType.F32)
"""So small that a change soon pays."""
MIB = 1 << 20
TIGHT = 270 * MIB
"""Enough for a tiny model, and not for its scores beside what the program keeps for itself."""
Memory = namedtuple("Memory", ["available"])
Allow = Callable[[int], None]


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with heads of a usual width."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiny_models, "HEAD", 128)
        return tiny_models.llama(tmp_path_factory.mktemp("wide") / "wide.gguf")


@pytest.fixture
def allow(monkeypatch: pytest.MonkeyPatch) -> Allow:
    """So much memory is free."""
    return lambda n: monkeypatch.setattr(psutil, "virtual_memory", lambda: Memory(n))


@contextmanager
def opened(
    path: Path, loading: Loading = LOADING, drafts: Speculation | None = None, disk: SnapshotDisk | None = None
) -> Iterator[Session]:
    plan = DraftPlan(drafts) if drafts is not None else None
    with session_on(path, loading, drafts=plan, snapshots=disk) as (session, _):
        yield session


def test_who_may_do_without_begins_with_it(wide: Path, allow: Allow) -> None:
    allow(1 << 34)
    with opened(wide) as session:
        assert session.info.flash_attn is ON
        assert session.info.loading == LOADING, "what was asked for is no other than before"
    allow(TIGHT)
    with opened(wide) as session:
        assert session.info.flash_attn is AUTO


def test_it_is_left_out_where_that_can_not_change_later(wide: Path, allow: Allow) -> None:
    allow(1 << 34)
    assert chosen_flash([wide], replace(LOADING, exact=True)) is OFF
    with opened(wide, replace(LOADING, exact=True)) as session:
        ask(session, user(LONG), sampling=Sampling(temperature=0.0, max_tokens=60), ignore_eos=True)
        assert not session.slot.context.has_flash
    assert chosen_flash([wide], LOADING, Speculation(draft_model=str(wide))) is OFF


def has_flash(session: Session) -> bool:
    """Now."""
    return session.slot.context.has_flash


def test_a_long_conversation_goes_on_without_it_and_reads_nothing_again(wide: Path, allow: Allow) -> None:
    allow(1 << 34)
    sampling = Sampling(temperature=0.0, max_tokens=60, seed=1)
    first = user(LONG * 4)
    with opened(wide, CHANGING) as session, opened(wide, replace(CHANGING, flash_attn=OFF)) as without:
        assert has_flash(session)
        replies = [ask(each, first, sampling=sampling, ignore_eos=True) for each in (session, without)]
        assert len(session.slot) > 512
        assert not has_flash(session), "it changed in the midst of the answer"
        assert replies[0].generation.tokens == replies[1].generation.tokens
        for each, reply in zip((session, without), replies, strict=True):
            again = ask(each, first, answered(reply), user("And now?"), sampling=sampling)
            held = len(reply.generation.tokens) + (reply.timings.prompt_n or 0)
            assert (again.timings.cache_n or 0) >= held - 1


@pytest.mark.parametrize("asked", [ON, OFF])
def test_what_was_asked_for_stays(wide: Path, allow: Allow, asked: FlashAttention) -> None:
    allow(1 << 34)
    with opened(wide, replace(CHANGING, flash_attn=asked)) as session:
        ask(session, user(LONG * 4), sampling=Sampling(temperature=0.0, max_tokens=60), ignore_eos=True)
        assert session.slot.context.has_flash is (asked is ON)


def test_what_stands_beside_the_model_counts(wide: Path, allow: Allow, tmp_path: Path) -> None:
    def most(asked: Speculation | None = None, projector: Path | None = None) -> int:
        """MiB with which it is still kept."""
        for n in range(256, 512):
            allow(n * MIB)
            if chosen_flash([wide], LOADING, asked, projector) is not AUTO:
                return n - 1
        raise AssertionError("never chosen")

    projector = tmp_path / "projector.gguf"
    projector.write_bytes(bytes(64 * MIB))
    assert most(projector=projector) == most() + 64
    assert most(Speculation(draft_model=str(wide))) > most() + 16, "scores of its own"


def test_drafts_that_must_be_exact_keep_it(wide: Path, allow: Allow) -> None:
    allow(1 << 34)
    assert chosen_flash([wide], LOADING, Speculation(exact=True)) is AUTO
    assert chosen_flash([wide], LOADING, Speculation()) is ON


def test_a_card_keeps_it(wide: Path, allow: Allow, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(1 << 34)
    monkeypatch.setattr(library, "device_memory", lambda: 1 << 34)
    assert chosen_flash([wide], Loading(gpu_layers=-1)) is AUTO
    assert chosen_flash([wide], LOADING) is ON


def test_a_file_that_can_not_be_read_is_the_loaders_business(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF")
    assert chosen_flash([broken], LOADING) is AUTO
    assert chosen_flash([tmp_path / "gone.gguf"], LOADING) is AUTO


def test_a_draft_model_may_have_quantised_values(wide: Path, allow: Allow) -> None:
    allow(1 << 34)
    asked = Speculation(
        draft_model=str(wide), cache_type_k_draft=CacheType.Q8_0, cache_type_v_draft=CacheType.Q8_0, ngram=False
    )
    with opened(wide, drafts=asked) as session:
        assert session.info.flash_attn is OFF, "a draft model's context is never made anew"
        assert session.info.drafting.ready == (DrafterKind.DRAFT_MODEL,), session.info.drafting.problems


def answer(session: Session) -> Finished:
    sampling = Sampling(temperature=0.0, max_tokens=8)
    return ask(session, user(LONG), sampling=sampling, conversation="7")


@pytest.mark.parametrize(("before", "after"), [(ON, OFF), (OFF, ON), (AUTO, OFF)])
def test_what_was_kept_with_it_comes_back_without(
    wide: Path, allow: Allow, tmp_path: Path, before: FlashAttention, after: FlashAttention
) -> None:
    def once(flash: FlashAttention) -> Finished:
        allow(1 << 34)
        disk = SnapshotDisk(tmp_path, 1 << 30)
        try:
            with opened(wide, replace(LOADING, flash_attn=flash), disk=disk) as session:
                found = answer(session)
                allow(1 << 34)
                session.slot.keep()
                return found
        finally:
            disk.close(10.0)

    assert once(before).timings.cache_n == 0
    assert once(after).timings.prompt_n == once(before).timings.prompt_n == 1


def test_a_state_of_the_other_kind_is_taken(wide: Path) -> None:
    model = Model.load(wide, gpu_layers=0, cancel=CancelFlag())
    with closing(model):
        made = [Context(model, ContextParams(256, 64, 64, 1, kind), CancelFlag()) for kind in (ON, OFF)]
        with closing(made[0]), closing(made[1]):
            made[0].decode([5, 6, 7], 0)
            state = made[0].save()
            assert made[0].restore(state, range(2, 3))
            assert made[1].restore(state, range(2, 3))
            assert turned(made[1].save(), transposed=False) == state
