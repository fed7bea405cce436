"""When a context had better be made anew."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from app.core.cancel import CancelFlag
from app.core.loading import FlashAttention
from app.core.requests import ChatRequest
from app.engine.binding.context import Context
from app.engine.loading import loader
from app.engine.memory.turns import TextTurn, TokenTurn
from app.engine.reply.flash_choice import FlashChoice, Reading, Worked
from tests.engine.conftest import EXACT, OpenPath, finish
from tests.engine.reply.test_scheduler import Rig
from tests.engine.reply.test_session import GREEDY, LONG, user


@pytest.fixture
def made(open_path: OpenPath, tiny_models: dict[str, Path]) -> dict[bool, Context]:
    """With room for 1,024 entries, with flash attention and without."""
    return {
        flash is FlashAttention.ON: open_path(tiny_models["llama"], replace(EXACT, flash_attn=flash)).slot.context
        for flash in (FlashAttention.ON, FlashAttention.OFF)
    }


def steps_until(context: Context, batches: Sequence[Sequence[Worked]], held: int, most: int = 2000) -> int | None:
    """Batches, in turn, until a change pays; None where it doesn't."""
    choice = FlashChoice()
    for n in range(most):
        if choice.add(context, batches[n % len(batches)], held):
            return n + 1
    return None


def of(*held: int) -> list[Worked]:
    """A token each, in one batch."""
    return [Worked(1, each) for each in held]


def test_one_alone_has_it_while_it_is_short(made: dict[bool, Context]) -> None:
    assert steps_until(made[True], [of(150)], 150) is None
    assert steps_until(made[False], [of(100)], 100) is not None
    assert (steps_until(made[True], [of(900)], 900) or 0) < 40, "the sooner the longer it is"
    assert 30 < (steps_until(made[True], [of(500)], 500) or 0) < 60
    assert steps_until(made[False], [of(900)], 900) is None


def test_several_in_turns_have_it(made: dict[bool, Context]) -> None:
    turns = [of(200), of(200), of(200)]
    assert steps_until(made[True], turns, 600) is None
    assert 50 < (steps_until(made[False], turns, 600) or 0) < 100, "what they have written is copied slowly"


def test_several_in_one_batch_do_without(made: dict[bool, Context]) -> None:
    assert steps_until(made[False], [of(200, 200, 200)], 600) is None
    assert steps_until(made[True], [of(200, 200, 200)], 600) is not None


def test_several_whose_answers_end_soon_keep_it(made: dict[bool, Context]) -> None:
    """Without it what each has written takes longer to be copied away than was won while it wrote."""
    choice, held = FlashChoice(), [60] * 8
    for _ in range(50):
        assert not any(choice.add(made[True], of(*held), sum(held)) for _ in range(8))
        choice.left(made[True], 60)
    assert steps_until(made[True], [of(*held)], sum(held)) is not None, "where none ends it goes"
    leaving, n = FlashChoice(), 0
    while not leaving.add(made[False], of(*held), sum(held)):
        leaving.left(made[False], 60)
        n += 1
    assert n < 20, "and it comes back"


def test_what_is_lost_now_and_then_is_made_up_for(made: dict[bool, Context]) -> None:
    assert steps_until(made[True], [of(500), of(100), of(100)], 500) is None


def test_long_prompts_are_read_without(made: dict[bool, Context]) -> None:
    assert steps_until(made[True], [[Worked(512, 512)]], 512) is None
    assert (steps_until(made[True], [[Worked(512, 1024)]], 1024) or 0) == 1
    assert (steps_until(made[True], [[Worked(16, 500)]], 500) or 0) < 4, "nor are guesses checked"


def pays_before(
    made: dict[bool, Context], left: int, *, flash: bool = True, seconds: float = 0.2, longest: float = 0.25
) -> bool:
    """Whether it goes before so many entries are read, eight at a time, beside three who hold 100 each; making the
    context anew took so many seconds before, if it was.
    """
    choice = FlashChoice()
    if seconds:
        choice.made(made[flash], 300, seconds)
    return choice.pays_ahead(made[flash], Reading(Worked(8, 8), left, of(100, 100, 100), longest), 300)


def test_it_goes_before_a_long_prompt_is_read_beside_others(made: dict[bool, Context]) -> None:
    assert pays_before(made, 900)
    assert not pays_before(made, 100), "a short one is read before that has paid"
    assert not pays_before(made, 900, flash=False), "it is gone"


def test_nobody_waits_long_for_that(made: dict[bool, Context]) -> None:
    assert not pays_before(made, 900, seconds=0.3)
    assert pays_before(made, 900, seconds=0.3, longest=0.4), "but as long as for a slow machine's token"
    assert not pays_before(made, 900, seconds=0), "nor where nobody knows how long that would be"


@pytest.mark.parametrize("family", ["llama", "gemma3", "qwen35", "mamba"])
def test_what_several_hold_stays_when_it_changes(
    family: str, tiny_models: dict[str, Path], open_path: OpenPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loader, "chosen_flash", lambda *_: FlashAttention.ON)
    cold = open_path(tiny_models[family])
    session = open_path(
        tiny_models[family], replace(EXACT, flash_attn=FlashAttention.AUTO), cancel=(flag := CancelFlag())
    )
    calls, seen = count(1), set[tuple[int, bool]]()

    def now_and_then(*_: object) -> bool:
        seen.add((session.slot.context.n_seq, session.slot.context.has_flash))
        return next(calls) % 7 == 0

    monkeypatch.setattr(FlashChoice, "add", now_and_then)
    monkeypatch.setattr(FlashChoice, "pays_ahead", now_and_then)
    rig = Rig(session, flag)
    sampling = replace(GREEDY, max_tokens=12)
    asked = [rig.add(ChatRequest((user(f"{n}: {LONG}"),), sampling, conversation=str(n))) for n in range(3)]
    rig.run()
    assert {(4, True), (4, False)} <= seen
    for each in asked:
        assert each.answer.generation == finish(cold, each.request).generation


def test_who_writes_waits_for_no_change_beside_one_who_reads(
    tiny_models: dict[str, Path], open_path: OpenPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loader, "chosen_flash", lambda *_: FlashAttention.ON)
    loading = replace(EXACT, flash_attn=FlashAttention.AUTO)
    rig = Rig(open_path(tiny_models["llama"], loading, cancel=(flag := CancelFlag())), flag)
    asked_while, turns = list[set[type]](), list[set[type]]()

    def kinds() -> set[type]:
        return {type(each.turn) for each in rig.scheduler._live}

    def add(*_: object) -> bool:
        asked_while.append(kinds())
        return False

    monkeypatch.setattr(FlashChoice, "add", add)
    writer = rig.add(ChatRequest((user("1: x"),), replace(GREEDY, max_tokens=64), conversation="1"))
    while TokenTurn not in kinds():
        rig.scheduler.step()
    rig.add(ChatRequest((user(f"2: {LONG * 4}"),), replace(GREEDY, max_tokens=4), conversation="2"))
    while not writer.ended:
        turns.append(kinds())
        rig.scheduler.step()
    assert {TokenTurn, TextTurn} in turns, "one read while the other wrote"
    assert {TokenTurn} in asked_while and not any({TokenTurn, TextTurn} <= each for each in asked_while)


def test_it_goes_once_before_a_slice_is_read_and_each_who_writes_has_a_token_first(
    tiny_models: dict[str, Path], open_path: OpenPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading = replace(EXACT, flash_attn=FlashAttention.AUTO)
    monkeypatch.setattr(loader, "chosen_flash", lambda *_: FlashAttention.ON)
    session = open_path(tiny_models["llama"], loading, cancel=(flag := CancelFlag()))
    rig, asked = Rig(session, flag), list[Reading]()

    def pays_ahead(_: FlashChoice, context: Context, reading: Reading, held: int) -> bool:
        asked.append(reading)
        return context.has_flash

    monkeypatch.setattr(FlashChoice, "add", lambda *_: False)
    monkeypatch.setattr(FlashChoice, "pays_ahead", pays_ahead)
    for text in ("1: x", "2: x"):
        rig.add(ChatRequest((user(text),), replace(GREEDY, max_tokens=200), conversation=text))
    writing = [live.slot for live in rig.scheduler._live]
    while min(map(len, writing)) < 30:
        rig.scheduler.step()
    session._remake(writing, session.slot.context.n_seq, flash=True)
    asked.clear()
    rig.add(ChatRequest((user(LONG * 4),), GREEDY, conversation="3"))
    reader = rig.scheduler._live[-1].slot
    before, written, read = list[int](), list[int](), 0
    while not asked:
        before, read = list(map(len, writing)), len(reader)
        rig.scheduler.step()
    assert not session.slot.context.has_flash
    while len(reader) == read:
        written = list(map(len, writing))
        rig.scheduler.step()
    assert all(now > then for now, then in zip(written, before, strict=True))
    assert asked[0].left > 100 and [each.rows for each in asked[0].writing] == [1, 1]


def test_several_begin_with_it(
    tiny_models: dict[str, Path], open_path: OpenPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Short answers end at once then: without it each of their numbers would be copied away by itself."""
    monkeypatch.setattr(loader, "chosen_flash", lambda *_: FlashAttention.ON)
    session = open_path(tiny_models["llama"], replace(EXACT, flash_attn=FlashAttention.AUTO))
    assert session.slot.context.has_flash and session.widen(session.slot)
    assert (session.slot.context.n_seq, session.slot.context.has_flash) == (session.info.n_parallel, True)
