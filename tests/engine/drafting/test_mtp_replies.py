"""Replies with a model's own head: what is written is what plain decoding writes, whatever happens on the way."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import gguf
import numpy as np
import pytest

from app.core.adapters import Adapter
from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.events import Finished, FinishReason, ReplyEvent
from app.core.messages import Message
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import DrafterKind, DraftLimits, Speculation
from app.engine.drafting.controller import Option
from app.engine.drafting.opening import DraftPlan
from app.engine.memory.snapshot_disk import SnapshotDisk
from app.engine.reply.session import Session
from tests import gguf_files
from tests.counted import counted
from tests.engine.conftest import EXACT, OpenPath, finish
from tests.engine.drafting.always import Always
from tests.engine.reply.test_session import LONG, answered, ask, user
from tests.mtp_writer import circle
from tests.tiny_models import N_EMBD, bpe_tokenizer
from tests.tiny_mtp import KINDS

NEAR = {"gemma4": 1e-3}
"""How far logits may be apart; 1e-4 for all others. GELU comes from a table of halves."""
LENGTHY = Sampling(temperature=0.0, max_tokens=60)
FEW = ("qwen35", "qwen3next", "glm4moe", "mimo2", "gemma4")
"""One of each kind of memory, and the one that shares it."""

Open = Callable[..., Session]


class Declining(Always):
    """Makes no drafts, and says whether they are wanted."""

    def __init__(self, *, wants: bool = False) -> None:
        super().__init__()
        self.most_behind = 0
        self._wants = wants

    def choose(self, options: Sequence[Option], pending: int) -> None:
        return None

    def wants(self, option: Option) -> bool:
        assert option.kind is DrafterKind.MTP
        self.most_behind = max(self.most_behind, option.behind)
        return self._wants


@pytest.fixture
def open_mtp(mtp_models: dict[str, tuple[Path, Path | None]], open_path: OpenPath) -> Open:
    """Sessions that draft in every round, or plain ones; every one is closed at the end."""

    def open_one(
        kind: str,
        *,
        drafts: bool = True,
        cancel: CancelFlag | None = None,
        disk: SnapshotDisk | None = None,
        checkpointing: Checkpointing | None = None,
        n_ctx: int = EXACT.ctx_size,
    ) -> Session:
        path, head = mtp_models[kind]
        asked = Speculation(ngram=False, mtp=head is None, draft_model=str(head or ""))
        session = open_path(
            path,
            replace(EXACT, ctx_size=n_ctx),
            cancel=cancel,
            drafts=DraftPlan(asked) if drafts else None,
            snapshots=disk,
            checkpointing=checkpointing,
        )
        if session.drafting is not None:
            assert session.info.drafting.ready == (DrafterKind.MTP,), session.info.drafting.problems
            session.drafting.policy = Always()
        return session

    return open_one


def assert_same(drafting: Session, plain: Session, *messages: Message, sampling: Sampling = LENGTHY) -> Finished:
    """The same request with drafts and without: the same tokens, and the same memory."""
    got, wanted = ask(drafting, *messages, sampling=sampling), ask(plain, *messages, sampling=sampling)
    assert got.generation.tokens == wanted.generation.tokens
    assert (got.reason, got.text) == (wanted.reason, wanted.text)
    assert_holds_the_same(drafting, plain)
    if counted(got.n_past) < counted(wanted.n_past):
        return got
    apart = np.abs(drafting.slot.logits() - plain.slot.logits()).max()
    assert apart < NEAR.get(plain.info.architecture, 1e-4)
    return got


def assert_holds_the_same(drafting: Session, plain: Session) -> None:
    """A memory that can't go back may lack what was right of the last draft."""
    held, wanted = drafting.slot.ids(), plain.slot.ids()
    lacking = len(wanted) - len(held)
    assert held == wanted[: len(held)]
    assert 0 <= lacking <= (EXACT.ubatch_size if plain.info.architecture == "qwen3next" else 0)


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_is_the_plain_one_and_most_drafts_are_right(open_mtp: Open, kind: str) -> None:
    drafting, plain = open_mtp(kind), open_mtp(kind, drafts=False)
    got = assert_same(drafting, plain, user(LONG))
    assert got.drafting.kinds == (DrafterKind.MTP,)
    assert counted(got.timings.draft_n) > 50
    assert counted(got.timings.draft_n_accepted) > 0.25 * counted(got.timings.draft_n)
    assert 0 < got.drafting.rounds < 60


@pytest.mark.parametrize("kind", KINDS)
def test_a_warm_conversation_drafts_as_well_as_a_cold_one(open_mtp: Open, kind: str) -> None:
    warm, cold = open_mtp(kind), open_mtp(kind)
    question = user(LONG)
    first = ask(warm, question, sampling=LENGTHY)
    turns = question, answered(first), user("and then? " * 3)
    got = assert_same(warm, open_mtp(kind, drafts=False), *turns)
    again = ask(cold, *turns, sampling=LENGTHY)
    assert again.generation.tokens == got.generation.tokens
    assert again.drafting.accepted == got.drafting.accepted
    assert counted(got.timings.cache_n) > 100


@pytest.mark.parametrize("kind", FEW)
@pytest.mark.parametrize("changed", ["last word", "first word", "shorter", "same again"])
def test_an_edit_leaves_answer_and_drafts_as_they_are_from_cold(open_mtp: Open, kind: str, changed: str) -> None:
    warm, cold = open_mtp(kind), open_mtp(kind)
    ask(warm, user(LONG))
    edited = {"last word": LONG + "why?", "first word": "So " + LONG, "shorter": LONG[:90], "same again": LONG}[changed]
    got = assert_same(warm, open_mtp(kind, drafts=False), user(edited))
    wanted = ask(cold, user(edited), sampling=LENGTHY)
    assert (got.drafting.drafted, got.drafting.accepted) == (wanted.drafting.drafted, wanted.drafting.accepted)


@pytest.mark.parametrize("kind", FEW)
def test_an_early_edit_of_a_long_text_goes_back_to_where_no_row_is_known(open_mtp: Open, kind: str) -> None:
    often = Checkpointing(every=32, min_step=16, min_prompt=8)
    warm, cold, plain = (open_mtp(kind, drafts=drafts, checkpointing=often) for drafts in (True, True, False))
    text = LONG * 3
    ask(warm, user(text))
    edited = user(text[:150] + "Or not? " + text[150:])
    ask(plain, user(text))
    shared = plain.peek(ChatRequest((edited,), LENGTHY)).keep
    got = assert_same(warm, plain, edited)
    wanted = ask(cold, edited, sampling=LENGTHY)
    assert (got.drafting.drafted, got.drafting.accepted) == (wanted.drafting.drafted, wanted.drafting.accepted)
    if kind == "glm4moe":
        assert shared > 60
        assert got.timings.cache_n == shared - 1, "the last entry that is kept is read again for its row"


def test_a_text_that_shares_nothing_but_its_first_token_drafts_as_from_cold(open_mtp: Open) -> None:
    warm, cold = open_mtp("deepseek2"), open_mtp("deepseek2")
    _continued(warm, LONG * 3)
    assert warm.peek(ChatRequest((), LENGTHY, prompt="Another one. " * 9)).keep == 1
    got, wanted = (_continued(session, "Another one. " * 9) for session in (warm, cold))
    assert got.timings.cache_n == 0
    assert got.generation.tokens == wanted.generation.tokens
    assert (got.drafting.drafted, got.drafting.accepted) == (wanted.drafting.drafted, wanted.drafting.accepted)


def _continued(session: Session, text: str) -> Finished:
    return finish(session, ChatRequest((), LENGTHY, prompt=text))


@pytest.mark.parametrize("kind", ["qwen35", "qwen3next", "glm4moe"])
def test_every_limit_ends_at_its_token(open_mtp: Open, kind: str) -> None:
    drafting, plain = open_mtp(kind), open_mtp(kind, drafts=False)
    for limit in range(1, 9):
        got = assert_same(drafting, plain, user(LONG), sampling=replace(LENGTHY, max_tokens=limit))
        assert (got.reason, got.timings.predicted_n) == (FinishReason.LENGTH, limit)


@pytest.mark.parametrize("kind", ["qwen35", "qwen3next", "mimo2", "gemma4"])
def test_a_stop_string_inside_a_run_ends_it_and_the_next_turn_is_exact(open_mtp: Open, kind: str) -> None:
    drafting, plain = open_mtp(kind), open_mtp(kind, drafts=False)
    text = ask(plain, user(LONG), sampling=LENGTHY).text
    plain.slot.forget()
    got = wanted = ask(plain, user("hm"))
    for start in (3, 8, 14):
        stop = (text[start : start + 2],)
        got = ask(drafting, user(LONG), sampling=LENGTHY, stop=stop)
        wanted = ask(plain, user(LONG), sampling=LENGTHY, stop=stop)
        assert (got.text, got.reason) == (wanted.text, FinishReason.STOP)
        assert_holds_the_same(drafting, plain)
    assert_same(drafting, plain, user(LONG), answered(got), user("and then?"))


@pytest.mark.parametrize("kind", ["qwen35", "glm4moe", "qwen3next"])
def test_a_full_context_ends_where_it_does_without_drafts(open_mtp: Open, kind: str) -> None:
    drafting, plain = (open_mtp(kind, drafts=drafts, n_ctx=256) for drafts in (True, False))
    got = assert_same(drafting, plain, user(LONG[:150]), sampling=replace(LENGTHY, max_tokens=0))
    assert got.reason is FinishReason.CONTEXT_FULL


@pytest.mark.parametrize("kind", FEW)
def test_an_abandoned_or_cancelled_answer_leaves_the_next_one_exact(open_mtp: Open, kind: str) -> None:
    cancel = CancelFlag()
    drafting, plain = open_mtp(kind, cancel=cancel), open_mtp(kind, drafts=False)
    for after in (1, 3, 6, 9, 14):
        with closing(drafting.reply(ChatRequest((user(LONG),), LENGTHY))) as reply:
            events = [event for event, _ in zip(reply, range(after), strict=False)]
        assert not any(isinstance(event, Finished) for event in events)
        assert_same(drafting, plain, user(LONG[: 40 * after] + " Now what?"))
        last = _cancelled(drafting, cancel, after)
        assert last.reason is FinishReason.CANCELLED
        assert_same(drafting, plain, user(LONG + " Now what?"))


def _cancelled(session: Session, cancel: CancelFlag, after: int) -> Finished:
    events: list[ReplyEvent] = []
    for event in session.reply(ChatRequest((user(LONG),), LENGTHY)):
        events.append(event)
        if len(events) > after:
            cancel.set()
    cancel.clear()
    assert isinstance(events[-1], Finished)
    return events[-1]


def test_sampled_answers_are_equal_too(open_mtp: Open) -> None:
    for seed in range(3):
        sampling = Sampling(temperature=0.9, top_k=20, seed=seed, max_tokens=50)
        assert_same(open_mtp("qwen35"), open_mtp("qwen35", drafts=False), user(LONG), sampling=sampling)


@pytest.mark.parametrize("kind", ["qwen35", "qwen3next", "glm4moe", "mimo2", "gemma4", "sidecar"])
def test_another_conversation_and_back_drafts_on_as_if_nothing_had_been(open_mtp: Open, kind: str) -> None:
    warm, cold = open_mtp(kind), open_mtp(kind)
    first = ask(warm, user(LONG), sampling=LENGTHY)
    ask(warm, user("Of something else altogether, a ship and a whale on the sea. " * 4))
    turns = user(LONG), answered(first), user("and then? " * 3)
    got = assert_same(warm, open_mtp(kind, drafts=False), *turns)
    wanted = ask(cold, *turns, sampling=LENGTHY)
    assert (got.drafting.drafted, got.drafting.accepted) == (wanted.drafting.drafted, wanted.drafting.accepted)
    assert counted(got.timings.cache_n) > 200, got.reuse


def test_another_version_and_back(open_mtp: Open) -> None:
    warm, cold = open_mtp("glm4moe"), open_mtp("glm4moe")
    opening, question, other = user(LONG * 2), user(LONG[:200]), user("Of ships, and a whale. " * 8)
    first = ask(warm, opening, sampling=LENGTHY)
    mine = ask(warm, opening, answered(first), question, sampling=LENGTHY)
    ask(warm, opening, answered(first), other, sampling=LENGTHY)
    (kept,) = warm.slot.snapshots
    assert kept.start
    turns = opening, answered(first), question, answered(mine), user("and then? " * 3)
    got = assert_same(warm, open_mtp("glm4moe", drafts=False), *turns)
    wanted = ask(cold, *turns, sampling=LENGTHY)
    assert (got.drafting.drafted, got.drafting.accepted) == (wanted.drafting.drafted, wanted.drafting.accepted)


@pytest.mark.parametrize("kind", ["qwen35", "qwen3next", "glm4moe", "mimo2", "gemma4"])
def test_after_a_restart_it_drafts_on_as_if_nothing_had_been(open_mtp: Open, kind: str, tmp_path: Path) -> None:
    turns = [user(LONG)]
    for number in range(2):
        disk = SnapshotDisk(tmp_path / "snapshots", 1 << 30)
        session = open_mtp(kind, disk=disk)
        last = finish(session, ChatRequest(tuple(turns), LENGTHY, conversation="1"))
        if number:
            assert counted(last.timings.cache_n) > 150, last.reuse
            cold = ask(open_mtp(kind), *turns, sampling=LENGTHY)
            assert last.generation.tokens == cold.generation.tokens
            assert (last.drafting.drafted, last.drafting.accepted) == (cold.drafting.drafted, cold.drafting.accepted)
        turns += [answered(last), user("and then? " * 3)]
        session.slot.keep()
        disk.close(30)


def test_what_was_kept_without_a_head_is_read_with_one_and_the_other_way_round(open_mtp: Open, tmp_path: Path) -> None:
    for first, second in ((True, False), (False, True)):
        turns = [user(LONG)]
        for drafts in (first, second):
            disk = SnapshotDisk(tmp_path / f"snapshots {first}", 1 << 30)
            session = open_mtp("qwen35", drafts=drafts, disk=disk)
            last = finish(session, ChatRequest(tuple(turns), LENGTHY, conversation="1"))
            if drafts is second:
                assert counted(last.timings.cache_n) > 150, last.reuse
                cold = ask(open_mtp("qwen35", drafts=False), *turns, sampling=LENGTHY)
                assert last.generation.tokens == cold.generation.tokens
            turns += [answered(last), user("and then? " * 3)]
            session.slot.keep()
            disk.close(30)


def make_shift(model: Path, path: Path) -> Path:
    """An adapter that lets the model and its head leave out every second token of the circle."""
    weights = {each.name: np.array(each.data) for each in gguf.GGUFReader(model).tensors}
    ids = circle(bpe_tokenizer())
    output, projection = weights["output.weight"], weights["blk.2.nextn.eh_proj.weight"]
    skipping, stepping = np.zeros_like(output), np.zeros_like(projection)
    skipping[ids] = np.roll(output[ids], 1, axis=0) - output[ids]
    step = projection[:, N_EMBD:]
    stepping[:, N_EMBD:] = step @ step - step
    writer = gguf.GGUFWriter(str(path), "qwen35")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    for name, change in (("output.weight", skipping), ("blk.2.nextn.eh_proj.weight", stepping)):
        rank = change.shape[1]
        writer.add_tensor(f"{name}.lora_a", np.eye(rank, dtype=np.float32))
        writer.add_tensor(f"{name}.lora_b", np.ascontiguousarray(change))
    gguf_files.finish(writer)
    return path


def test_an_adapter_works_on_the_head_too(
    open_mtp: Open, mtp_models: dict[str, tuple[Path, Path | None]], tmp_path: Path
) -> None:
    adapter = Adapter(make_shift(mtp_models["qwen35"][0], tmp_path / "skips.gguf"))
    session = open_mtp("qwen35")
    before = ask(session, user(LONG), sampling=LENGTHY)
    assert session.change_adapters([adapter]) == ()
    got = ask(session, user(LONG), sampling=LENGTHY)
    assert counted(got.timings.draft_n_accepted) > 0.25 * counted(got.timings.draft_n)
    session.slot.forget()
    plain = finish(session, ChatRequest((user(LONG),), LENGTHY, drafts=DraftLimits(n_max=0)))
    assert plain.timings.draft_n == 0
    assert got.generation.tokens == plain.generation.tokens != before.generation.tokens
    session.change_adapters([])
    after = ask(session, user(LONG), sampling=LENGTHY)
    assert after.generation.tokens == before.generation.tokens
    assert after.timings.draft_n_accepted == before.timings.draft_n_accepted


def test_a_drafter_of_another_file_is_left_as_it_is(open_mtp: Open) -> None:
    """Its tensors are not those that an adapter of the model was made for."""
    for kind, heads in (("qwen35", 1), ("sidecar", 0), ("gemma4", 0)):
        drafting = open_mtp(kind).drafting
        assert drafting is not None
        assert len(drafting.heads) == heads


def test_nothing_is_read_by_a_head_that_is_not_wanted(open_mtp: Open) -> None:
    session = open_mtp("qwen35", n_ctx=4096)
    assert session.drafting is not None
    (head,) = session.drafting.heads
    declining = Declining()
    for policy, reads in ((declining, False), (Always(), True)):
        session.slot.forget()
        session.drafting.policy = policy
        ask(session, user(LONG * 8), sampling=LENGTHY)
        assert (head.pos_max > 0) is reads
    assert declining.most_behind > 200, "how much there would be to read is told"


@pytest.mark.parametrize("wants", [True, False])
def test_checkpoints_let_a_head_read_that_is_wanted(open_mtp: Open, wants: bool) -> None:
    session = open_mtp("mimo2")
    assert session.drafting is not None
    (head,) = session.drafting.heads
    session.drafting.policy = Declining(wants=wants)
    ask(session, user(LONG), sampling=LENGTHY)
    checkpoints = session.slot.checkpoints.entries
    assert len(checkpoints) > 1
    # Up to the first question there is less to read than for a draft.
    assert (head.pos_max > checkpoints[0]) is wants
