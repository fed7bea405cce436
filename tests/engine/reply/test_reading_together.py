"""Short prompts of several are read in one batch."""

import random
from dataclasses import replace

import pytest

from app.core.cancel import CancelFlag
from app.core.errors import ContextFullError
from app.core.events import FinishReason, Queued
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.binding.context import Context, DecodeOutcome
from app.engine.memory.turns import TokenTurn
from tests.counted import counted
from tests.engine.conftest import EXACT, OpenTiny, finish
from tests.engine.reply.test_scheduler import Asked, Rig, words
from tests.engine.reply.test_session import FAMILIES, GREEDY, LONG, user

LOADING = replace(EXACT, parallel=4, batch_size=512, ubatch_size=512)
Sizes = list[list[int]]
"""Of each batch of several sequences, the entries of each."""


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> Sizes:
    sizes, decode_each = Sizes(), Context.decode_each

    def seen(context: Context, asked: list[tuple[Context, list[int], int]]) -> DecodeOutcome:
        sizes.append([len(tokens) for _, tokens, _ in asked])
        return decode_each(context, asked)

    monkeypatch.setattr(Context, "decode_each", seen)
    return sizes


def write(rig: Rig) -> None:
    """Until all that were asked write."""
    while not all(isinstance(live.turn, TokenTurn) for live in rig.scheduler._live):
        rig.scheduler.step()


@pytest.mark.parametrize("family", FAMILIES)
def test_prompts_of_different_lengths_are_read_as_they_would_be_alone(
    family: str, open_tiny: OpenTiny, batches: Sizes
) -> None:
    """Of recurrent memories equally much each, or llama.cpp makes several micro-batches of one call."""
    rng = random.Random(family)
    rig, cold = Rig(open_tiny(family, LOADING, flag := CancelFlag()), flag), open_tiny(family)
    rig.session.slot.rates.reading.add(512, 0.01)  # whatever else this machine does
    for turn in range(3):
        asked = [rig.add(ChatRequest((user(f"{index} {turn} {words(rng, 3 * index)}"),), GREEDY)) for index in range(4)]
        write(rig)
        rig.run()
        for each in asked:
            cold.slot.forget()
            assert each.answer.generation == finish(cold, each.request).generation
    read = [sizes for sizes in batches if max(sizes) > 1]
    assert len(max(read, key=len)) == 4
    assert rig.session.slot.traits.trims or all(len(set(sizes)) == 1 for sizes in read)


def test_four_short_prompts_take_one_pass(open_tiny: OpenTiny, batches: Sizes) -> None:
    rig = Rig(open_tiny("llama", LOADING, cancel=(flag := CancelFlag())), flag)
    rig.session.slot.rates.reading.add(512, 0.01)
    for text in ("one", "the river and", "3", "mountains of old stones"):
        rig.add(ChatRequest((user(text),), GREEDY))
    write(rig)
    (sizes,) = batches
    assert len(sizes) == 4
    assert [live.slot.worked > 0 for live in rig.scheduler._live] == [True] * 4
    rig.run()
    assert [counted(asked.answer.timings.prompt_n) for asked in rig.all] == sizes


def test_what_two_begin_with_is_read_once(open_tiny: OpenTiny) -> None:
    """The second waits for the first, though both are short enough for one batch."""
    rig = Rig(open_tiny("llama", LOADING, cancel=(flag := CancelFlag())), flag)
    rig.session.slot.rates.reading.add(512, 0.01)
    first, second, other = (rig.add(ChatRequest((user(text),), GREEDY)) for text in (LONG + " 1", LONG + " 2", "hello"))
    rig.run()
    assert counted(second.answer.timings.prompt_n) < 40 < counted(first.answer.timings.prompt_n)
    assert other.answer.reason is FinishReason.LENGTH


def test_a_machine_that_reads_slowly_takes_them_one_by_one(open_tiny: OpenTiny, batches: Sizes) -> None:
    """A batch of several is not stopped for a cancel."""
    rig = Rig(open_tiny("llama", LOADING, cancel=(flag := CancelFlag())), flag)
    rig.session.slot.rates.reading.add(512, 60)
    for text in ("one", "the river and"):
        rig.add(ChatRequest((user(text),), GREEDY))
    write(rig)
    assert not batches


def test_one_that_is_cancelled_leaves_the_others(open_tiny: OpenTiny) -> None:
    rig = Rig(open_tiny("qwen35", LOADING, cancel=(flag := CancelFlag())), flag)
    rig.session.slot.rates.reading.add(512, 0.01)
    asked = [rig.add(ChatRequest((user(f"{index} " + "the river " * index),), GREEDY)) for index in range(4)]
    while not any(0 < len(live.slot) < live.reserved for live in rig.scheduler._live[2:]):
        rig.scheduler.step()
    rig.cancel(asked[2])
    rig.run()
    assert asked[2].answer.reason is FinishReason.CANCELLED
    cold = open_tiny("qwen35")
    for each in (asked[0], asked[1], asked[3]):
        cold.slot.forget()
        assert each.answer.generation == finish(cold, each.request).generation


def _of_two(open_tiny: OpenTiny) -> tuple[Rig, list[Asked]]:
    rig = Rig(open_tiny("llama", LOADING, cancel=(flag := CancelFlag())), flag)
    rig.session.slot.rates.reading.add(512, 0.01)
    sampling = Sampling(temperature=0.0, max_tokens=4)
    return rig, [rig.add(ChatRequest((user(text),), sampling)) for text in ("one", "the river")]


def test_where_there_is_no_room_for_all_each_is_read_by_itself(
    open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig, asked = _of_two(open_tiny)
    refusals, decode_each = [DecodeOutcome.FULL], Context.decode_each
    monkeypatch.setattr(Context, "decode_each", lambda *told: refusals.pop() if refusals else decode_each(*told))
    rig.run()
    assert not refusals
    assert not any(isinstance(event, Queued) for each in asked for event in each.events)
    assert [each.answer.reason for each in asked] == [FinishReason.LENGTH] * 2


def test_a_failure_ends_those_that_were_in_the_batch(open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch) -> None:
    rig, asked = _of_two(open_tiny)
    monkeypatch.setattr(Context, "decode_each", lambda *_: DecodeOutcome.ABORTED)
    rig.run()
    assert all(each.ended and each.ended.error and not isinstance(each.ended.error, ContextFullError) for each in asked)
    assert not len(rig.session.slot)
