"""The drafter with a multi-token-prediction head: whatever way the slot took, its drafts are the plain way's."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.core.speculation import DrafterKind
from app.engine.binding import nextn
from app.engine.binding.context import DecodeFailedError, DecodeOutcome
from tests.engine.drafting.mtp_rig import IDS, Rig, text
from tests.tiny_mtp import KINDS

NEAR = 1e-3
"""Of logits up to 8; a pair that is missing or has another row changes them by 0.01 and more."""

OpenRig = Callable[..., Rig]


@pytest.fixture
def open_rig(mtp_models: dict[str, tuple[Path, Path | None]]) -> Iterator[OpenRig]:
    rigs: list[Rig] = []

    def open_one(kind: str, **how: float) -> Rig:
        rigs.append(Rig(*mtp_models[kind], **how))  # type: ignore[arg-type]
        return rigs[-1]

    yield open_one
    for rig in rigs:
        rig.close()


def same(rig: Rig, last: int, n: int = 1, first: int = 0) -> bool:
    """Whether a draft is the plain way's, to the logits."""
    draft, logits = rig.ask(last, n)
    expected, plain = rig.plain(last, len(draft), first)
    return draft == expected and bool(np.abs(plain - logits).max() < NEAR)


def far(rig: Rig, last: int) -> float:
    """How much the first logits of a draft differ from the plain way's."""
    return float(np.abs(rig.plain(last, 1)[1] - rig.ask(last, 1)[1]).max())


@pytest.mark.parametrize("kind", KINDS)
def test_drafts_after_batches_are_those_of_single_entries(open_rig: OpenRig, kind: str) -> None:
    rig = open_rig(kind)
    rig.tell(text(50), step=16)
    assert same(rig, IDS[7])
    assert same(rig, IDS[8], 4)
    assert rig.drafter.kind is DrafterKind.MTP


@pytest.mark.parametrize("kind", KINDS)
def test_most_drafts_are_right_and_with_another_entrys_row_they_are_not(open_rig: OpenRig, kind: str) -> None:
    rig = open_rig(kind)
    rig.tell(text(20))
    token, right, shifted = int(rig.target.logits().argmax()), 0, 0
    for _ in range(40):
        history, end = rig.slot.ids(), len(rig.slot)
        own, before = rig.drafter._rows.row(end - 1), rig.drafter._rows.row(end - 2)
        assert own is not None
        assert before is not None
        own = own.copy()
        rig.drafter._rows.put_row(end - 1, before)
        wrong = rig.drafter.draft(history, token, 1)
        rig.drafter._rows.put_row(end - 1, own)
        draft = rig.drafter.draft(history, token, 1)
        rig.tell([token])
        token = int(rig.target.logits().argmax())
        right, shifted = right + (draft == [token]), shifted + (wrong == [token])
    assert right >= 12
    assert shifted <= right / 4


@pytest.mark.parametrize("kind", KINDS)
def test_rounds_with_wrong_drafts_leave_the_head_as_it_should_be(open_rig: OpenRig, kind: str) -> None:
    rig = open_rig(kind)
    rig.tell(text(30))
    rng = np.random.default_rng(3)
    history, held = rig.slot.ids(), len(rig.slot)
    assert held == len(history)
    token = IDS[3]
    for _ in range(12):
        draft = rig.drafter.draft(history, token, 4)
        before = None if rig.slot.traits.trims else rig.target.save_partial()
        accepted = int(rng.integers(0, len(draft) + 1))
        pending = history[len(rig.slot) :]
        assert rig.slot.evaluate_draft([*pending, token, *draft], len(pending), before)
        if accepted < len(draft):
            wrong = len(draft) - accepted
            rig.slot.take_back(wrong if before is None else len(pending) + 1 + len(draft), before)
        rig.drafter.accept(accepted, len(rig.slot))
        history += [token, *draft[:accepted]]
        token = IDS[int(rng.integers(0, len(IDS)))]
    rig.tell(history[len(rig.slot) :])
    assert rig.slot.ids() == history
    assert same(rig, token)
    assert same(rig, token, 3)


def test_a_long_text_is_read_by_the_head_while_the_slot_reads_it(open_rig: OpenRig) -> None:
    rig = open_rig("qwen35")
    rig.tell(text(700))
    assert rig.context.pos_max > 700 - 2 * rig.drafter._rows.capacity
    assert same(rig, IDS[5], 3)


@pytest.mark.parametrize("kind", ["qwen35", "glm4moe", "mimo2"])
def test_a_head_that_is_not_wanted_reads_nothing_by_itself(open_rig: OpenRig, kind: str) -> None:
    """It did, and took 2 % of the time of long answers whose drafts had been given up."""
    rig = open_rig(kind)
    rig.drafter.ask_first(lambda: False)
    rig.tell(text(300))
    rig.tell(text(400, seed=1), step=1)
    assert rig.drafter.save(700, 0) == b""
    assert rig.context.pos_max == -1
    assert 0 < rig.drafter.behind() < rig.drafter._rows.capacity
    assert rig.drafter.draft(rig.slot.ids(), IDS[5], 2), "of what it has kept it reads the rest when it is asked"
    rig.drafter.ask_first(lambda: True)
    rig.slot.forget()
    rig.tell(text(700))
    assert same(rig, IDS[5], 2)


def test_a_head_that_is_not_wanted_reads_little_for_a_checkpoint(open_rig: OpenRig) -> None:
    """One that was never asked for a guess read 96 pairs at each checkpoint: 2.8 % of the time of an answer."""
    rig = open_rig("mimo2")
    rig.drafter.ask_first(lambda: False)
    rig.tell(text(100), step=1)
    assert rig.drafter.save(100, 100) == b""
    assert rig.context.pos_max == -1
    assert rig.drafter.draft(rig.slot.ids(), IDS[5], 2)
    rig.tell(text(10, seed=1), step=1)
    assert rig.drafter.save(110, 110), "what lacks little is read"
    rig.tell(text(100, seed=2), step=1)
    rig.drafter.ask_first(lambda: True)
    assert rig.drafter.save(210, 210)


def test_rows_that_are_not_kept_are_not_read(open_rig: OpenRig) -> None:
    """They would be copied from nowhere, and end the process."""
    rig = open_rig("mimo2")
    rig.tell(text(10), step=1)
    nextn.give_rows(rig.target, wanted=False)
    with pytest.raises(ValueError, match="keeps no hidden rows"):
        rig.tell(text(1), step=1)


def test_large_batches_are_read_in_pieces(open_rig: OpenRig) -> None:
    rig = open_rig("glm4moe", n_batch=400)
    rig.tell(text(50), step=400)
    rig.tell(text(400, seed=2), step=400)
    assert same(rig, IDS[5])
    rig.tell(text(380, seed=3), step=400)
    assert same(rig, IDS[5], 3)


def test_hundreds_of_single_steps_leave_nothing_out(open_rig: OpenRig) -> None:
    rig = open_rig("glm4moe")
    rig.tell(text(400), step=1)
    assert same(rig, IDS[5], 3)


def test_the_pair_of_the_last_token_is_read_once(open_rig: OpenRig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig, fed = open_rig("qwen35"), list[int]()
    feed = rig.context.feed

    def watched(tokens: list[int], rows: NDArray[np.float32], position: int) -> DecodeOutcome:
        fed.extend(range(position, position + len(tokens)))
        return feed(tokens, rows, position)

    monkeypatch.setattr(rig.context, "feed", watched)
    rig.tell(text(20))
    rig.drafter.begin(rig.slot.ids())
    for token in (IDS[4], IDS[8], IDS[9]):
        rig.drafter.draft(rig.slot.ids(), token, 2)
        rig.tell([token])
    assert fed == list(range(20))


@pytest.mark.parametrize("kind", ["qwen35", "glm4moe", "nemotron_h_moe"])
def test_what_is_missing_is_read_together_with_what_is_guessed_from(
    open_rig: OpenRig, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    rig = open_rig(kind)
    rig.tell(text(40))
    rig.drafter.begin(rig.slot.ids())
    rig.drafter.prepare(rig.slot.ids())
    predict, sizes = rig.context.predict, list[int]()

    def watched(tokens: list[int], rows: NDArray[np.float32], position: int) -> DecodeOutcome:
        sizes.append(len(tokens))
        return predict(tokens, rows, position)

    monkeypatch.setattr(rig.context, "feed", None)
    monkeypatch.setattr(rig.context, "predict", watched)
    for token in (IDS[5], IDS[9]):
        rig.tell([IDS[1], IDS[2], token], step=3)
        assert len(rig.drafter.draft(rig.slot.ids(), IDS[7], 3)) == 3
        rig.drafter.accept(0, len(rig.slot))
    assert sizes == [4, 1, 1, 4, 1, 1], "the last pair stays read, but another token came"
    monkeypatch.undo()
    assert same(rig, IDS[8], 4)


def test_a_draft_that_is_not_checked_changes_nothing(open_rig: OpenRig) -> None:
    rig = open_rig("qwen35")
    rig.tell(text(40))
    rig.drafter.draft(rig.slot.ids(), IDS[9], 4)
    assert same(rig, IDS[10], 2)
    rig.tell([IDS[11]])
    assert same(rig, IDS[12], 2)


@pytest.mark.parametrize("kind", ["glm4moe", "mimo2", "gemma4"])
def test_a_trim_asks_for_one_entry_more_where_its_row_is_not_known(open_rig: OpenRig, kind: str) -> None:
    rig = open_rig(kind)
    written = text(600)
    rig.tell(written[:500])
    rig.tell(written[500:])
    assert rig.drafter.trim(590) == 590
    assert rig.drafter.trim(100) == 99


def test_after_a_long_trim_the_draft_is_exact_when_the_entry_is_read_again(open_rig: OpenRig) -> None:
    rig = open_rig("glm4moe")
    written = text(600)
    rig.tell(written)
    keep = 100
    rig.slot.take_back(len(rig.slot) - keep)
    keep = rig.drafter.trim(keep)
    assert keep == 99
    rig.slot.take_back(1)
    rig.tell(text(40, seed=5))
    assert same(rig, IDS[5], 3)


def test_after_a_trim_a_row_that_is_not_known_is_zeros(open_rig: OpenRig) -> None:
    rig = open_rig("glm4moe")
    rig.tell(text(600))
    rig.slot.take_back(500)
    rig.drafter.trim(100)
    rig.tell(text(40, seed=5))
    draft = rig.drafter.draft(rig.slot.ids(), IDS[5], 3)
    assert len(draft) == 3
    assert 1e-6 < far(rig, IDS[5]) < 1


@pytest.mark.parametrize("kind", ["qwen35", "qwen3next", "mimo2", "gemma4"])
def test_a_checkpoint_brings_the_row_back(open_rig: OpenRig, kind: str) -> None:
    rig = open_rig(kind)
    rig.tell(text(100))
    rig.slot.mark(matters=True)
    rig.tell(text(400, seed=2))
    kept = rig.slot.checkpoints.at(100)
    assert kept is not None
    assert rig.slot._put_back(kept)
    rig.slot._entries.truncate(100)
    assert rig.drafter.trim(100) == 100
    assert same(rig, IDS[5])
    rig.tell(text(30, seed=3))
    assert same(rig, IDS[6], 3)


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_state_brings_the_head_back(open_rig: OpenRig, kind: str) -> None:
    rig = open_rig(kind)
    rig.tell(text(100))
    state, extra = rig.target.save(), rig.drafter.save(100, 0)
    entries = rig.slot._entries.copy()
    rig.slot.forget()
    rig.tell(text(60, seed=9))
    assert rig.target.restore(state, range(99, 100))
    rig.slot._entries = entries
    rig.drafter.restore(100, extra)
    assert same(rig, IDS[5], 2)
    rig.tell(text(30, seed=3))
    assert same(rig, IDS[6], 3)


def test_a_tail_brings_its_end_back(open_rig: OpenRig) -> None:
    rig = open_rig("glm4moe")
    rig.tell(text(100))
    state, extra = rig.target.save_from(60), rig.drafter.save(100, 60)
    entries = rig.slot._entries.copy()
    rig.slot.take_back(40)
    rig.drafter.trim(60)
    rig.tell(text(50, seed=9))
    assert rig.target.restore_from(60, state, range(99, 100))
    rig.slot._entries = entries
    rig.drafter.restore(100, extra)
    assert same(rig, IDS[5], 2)


@pytest.mark.parametrize("damage", [b"", b"x", b"y" * 200, "cut", "another"])
def test_a_state_that_is_none_of_its_own_is_left_alone(open_rig: OpenRig, damage: bytes | str) -> None:
    rig = open_rig("qwen35")
    rig.tell(text(100))
    data = rig.drafter.save(100, 0)
    if damage == "cut":
        damage = data[: len(data) - 100]
    elif damage == "another":
        damage = b"other" + data[5:]
    assert isinstance(damage, bytes)
    rig.drafter.restore(100, damage)
    rig.tell(text(40, seed=3))
    assert same(rig, IDS[6], 3, first=100)


def test_a_gap_is_left_where_the_model_allows_it_and_begun_after_where_not(open_rig: OpenRig) -> None:
    for kind, first in (("qwen35", 0), ("glm4moe", 60)):
        rig = open_rig(kind)
        rig.tell(text(50))
        rig.slot.companion = None
        rig.tell(text(10, seed=4))
        rig.slot.companion = rig.drafter
        rig.tell(text(30, seed=5))
        draft = rig.drafter.draft(rig.slot.ids(), IDS[6], 3)
        assert len(draft) == 3
        assert rig.context.pos_min == first
        assert far(rig, IDS[6]) < 1


def test_an_unlikely_token_ends_a_draft(open_rig: OpenRig) -> None:
    assert len(_draft(open_rig("qwen35"))) == 4
    assert len(_draft(open_rig("qwen35", p_min=0.0001))) == 4
    assert not _draft(open_rig("qwen35", p_min=1.0))
    assert not _draft(open_rig("mimo2", p_min=1.0))


def _draft(rig: Rig) -> list[int]:
    rig.tell(text(40))
    return rig.drafter.draft(rig.slot.ids(), IDS[9], 9)


def test_a_chain_of_heads_gives_one_token_each(open_rig: OpenRig) -> None:
    assert len(_draft(open_rig("mimo2"))) == open_rig("mimo2").drafter.n_max == 2
    assert len(_draft(open_rig("three heads"))) == open_rig("three heads").drafter.n_max == 3


def test_a_cancel_ends_a_draft_and_leaves_the_drafter_whole(open_rig: OpenRig) -> None:
    for kind in ("qwen35", "mimo2", "gemma4"):
        rig = open_rig(kind)
        rig.tell(text(80))
        rig.cancel.set()
        assert rig.drafter.draft(rig.slot.ids(), IDS[9], 4) == []
        rig.cancel.clear()
        assert same(rig, IDS[9], 2)


def test_a_head_that_fails_is_left_alone_until_all_is_read_anew(
    open_rig: OpenRig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(*_: object) -> DecodeOutcome:
        raise DecodeFailedError("llama_decode returned -3")

    for kind, name in (("qwen35", "predict"), ("qwen35", "feed"), ("mimo2", "predict")):
        rig = open_rig(kind)
        with monkeypatch.context() as patch:
            patch.setattr(rig.context, name, failing)
            rig.tell(text(400))
            assert rig.drafter.draft(rig.slot.ids(), IDS[9], 2) == []
            assert "head failed" in caplog.text
            caplog.clear()
        rig.tell(text(50, seed=2))
        assert rig.drafter.prospect(rig.slot.ids(), IDS[9]) == 0
        assert rig.drafter.draft(rig.slot.ids(), IDS[9], 2) == []
        assert rig.drafter.save(len(rig.slot), 0) == b""
        rig.slot.forget()
        rig.tell(text(50, seed=3))
        assert rig.drafter.prospect(rig.slot.ids(), IDS[9]) == 1
        assert same(rig, IDS[9], 2)


def test_a_shared_memory_is_never_cut(open_rig: OpenRig) -> None:
    rig = open_rig("gemma4")
    assert rig.context.shares_memory
    rig.tell(text(40))
    assert len(rig.drafter.draft(rig.slot.ids(), IDS[9], 4)) == 4
    assert rig.target.pos_max == 39
    rig.drafter.reset()
    assert rig.target.pos_max == 39


def test_the_target_gives_rows_only_while_somebody_drafts(open_rig: OpenRig) -> None:
    rig = open_rig("qwen35")
    rig.tell(text(10))
    assert nextn._ext.llama_get_embeddings_nextn(rig.target.handle)
    rig.slot.companion = None
    rig.drafter.close()
    rig.tell(text(10))
    assert not nextn._ext.llama_get_embeddings_nextn(rig.target.handle)


@pytest.mark.parametrize("kind", KINDS)
def test_a_prompt_is_read_before_the_draft_so_that_its_time_is_not_the_drafts(open_rig: OpenRig, kind: str) -> None:
    """It was: a guess seemed to cost as much as its prompt, and heads that are always right were given up."""
    rig = open_rig(kind)
    rig.tell(text(50))
    lacks = rig.drafter.behind()
    assert lacks == (0 if rig.context.shares_memory else 50)
    rig.drafter.prepare(rig.slot.ids())
    assert rig.drafter.behind() == 0
    assert same(rig, IDS[7], 3)
    rig.tell(text(rig.drafter.n_max, seed=1), step=1)
    assert rig.drafter.behind() == 0, "what a round leaves is read with the next draft"
    rig.drafter.prepare(rig.slot.ids())
    assert same(rig, IDS[9], 3)
