"""Who works when, by a clock that knows what each step would take."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from app.core.cancel import CancelFlag
from app.core.events import FinishReason
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.memory.rates import Rate
from app.engine.memory.slot import Slot
from app.engine.memory.turns import TokenTurn
from app.engine.reply.step_costs import StepCosts
from tests.counted import counted
from tests.engine.conftest import EXACT, OpenTiny
from tests.engine.reply.test_scheduler import Rig
from tests.engine.reply.test_session import GREEDY, LONG, user


class Machine:
    """A clock that tells how long what was evaluated would have taken: on one thread, with 240 million parameters."""

    def __init__(self, twice_at: int = 4000) -> None:
        """`twice_at`: with so many entries in the pool all takes twice as long."""
        self._twice_at = twice_at
        self.slots: list[Slot] = []
        self.now = 0.0
        self._held: dict[Slot, int] = {}

    def __call__(self) -> float:
        grown = {slot: len(slot) - self._held.get(slot, 0) for slot in self.slots}
        rows, deep = sum(grown.values()), 1 + sum(map(len, self.slots)) / self._twice_at
        if rows:
            self.now += deep * (0.02 * rows if max(grown.values()) == 1 else 0.06 + 0.0045 * rows)
        self._held = {slot: len(slot) for slot in self.slots}
        return self.now


def test_while_one_reads_others_keep_half_of_their_pace_and_wait_for_a_moment(open_tiny: OpenTiny) -> None:
    loading = replace(EXACT, ctx_size=4096, ubatch_size=128, parallel=4)
    session = open_tiny("llama", loading, cancel=(flag := CancelFlag()))
    rig = Rig(session, flag, clock := Machine())
    session.step_costs = StepCosts()
    came: list[float] = []
    for text in ("on and on", "and so on", "and on"):
        rig.add(ChatRequest((user(text),), Sampling(temperature=0.0, max_tokens=900)))
    clock.slots = [live.slot for live in rig.scheduler._live]
    first = clock.slots[0]

    def run_until(done: Callable[[], bool]) -> None:
        while not done():
            before = len(first)
            rig.scheduler.step()
            came.extend([clock.now] * (len(first) - before))

    run_until(lambda: len(first) > 60)
    pace = 1 / (came[-1] - came[-2])
    reader = rig.add(ChatRequest((user(LONG * 16),), replace(GREEDY, max_tokens=1)))
    clock.slots = [live.slot for live in rig.scheduler._live]
    began = clock.now
    run_until(lambda: reader.ended is not None)
    while_reading = [began, *(each for each in came if each > began)]
    assert len(reader.events) > 10 and counted(reader.answer.timings.prompt_n) > 1000
    assert (len(while_reading) - 1) / (clock.now - began) > 0.47 * pace
    assert max(late - early for early, late in pairwise(while_reading)) < 0.3
    assert clock.now - began < 4 * 0.02 * 1300  # nor does it take forever


def test_the_end_of_a_long_prompt_is_read_in_slices_too(open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rate, "per_second", property(lambda _: 350.0))
    loading = replace(EXACT, ctx_size=4096, ubatch_size=128, parallel=3)
    rig = Rig(open_tiny("llama", loading, cancel=(flag := CancelFlag())), flag, clock := Machine(twice_at=1500))
    rig.session.step_costs = StepCosts()
    for text in ("on and on", "and so on"):
        rig.add(ChatRequest((user(text),), Sampling(temperature=0.0, max_tokens=1500), ignore_eos=True))
    clock.slots = [live.slot for live in rig.scheduler._live]
    while len(clock.slots[0]) < 60:
        rig.scheduler.step()
    reader = rig.add(ChatRequest((user(LONG * 6),), replace(GREEDY, max_tokens=1)))
    clock.slots.append(slot := rig.scheduler._live[-1].slot)
    steps = list[float]()
    while reader.ended is None:
        before, held = clock(), len(slot)
        rig.scheduler.step()
        steps += [clock() - before] if len(slot) > held else []
    assert len(steps) > 20
    assert max(steps) < 0.3


def test_who_reads_keeps_a_part_of_the_time_however_slow_the_others_get(open_tiny: OpenTiny) -> None:
    loading = replace(EXACT, ctx_size=4096, ubatch_size=128, parallel=2)
    rig = Rig(open_tiny("llama", loading, cancel=(flag := CancelFlag())), flag, clock := Machine(twice_at=200))
    rig.session.step_costs = StepCosts()
    much = Sampling(temperature=0.0, max_tokens=2500)
    writing = rig.add(ChatRequest((user("on and on"),), much, ignore_eos=True))
    clock.slots = [live.slot for live in rig.scheduler._live]
    while len(clock.slots[0]) < 60:
        rig.scheduler.step()
    reader = rig.add(ChatRequest((user(LONG * 6),), replace(GREEDY, max_tokens=1)))
    slot = rig.scheduler._live[-1].slot
    clock.slots.append(slot)
    began, reading = clock.now, 0.0
    while reader.ended is None:
        before, held = clock.now, len(slot)
        rig.scheduler.step()
        reading += (clock.now - before) * (len(slot) > held)
    assert writing.ended is None
    assert reading / (clock.now - began) > 0.25


def test_those_who_come_together_write_together_soon(open_tiny: OpenTiny) -> None:
    """Short prompts are read at once where more read than write: four tokens together cost less than one by one."""
    session = open_tiny("llama", replace(EXACT, ubatch_size=128, parallel=4), cancel=(flag := CancelFlag()))
    rig = Rig(session, flag, clock := Machine())
    for number in range(4):
        rig.add(ChatRequest((user(f"{number} asks for a word of the river"),), GREEDY))
    clock.slots = [live.slot for live in rig.scheduler._live]
    while not all(isinstance(live.turn, TokenTurn) for live in rig.scheduler._live):
        rig.scheduler.step()
    first, last = clock.slots[0], clock.slots[-1]
    assert 20 < len(last) <= len(first) < len(last) + 4
    rig.run()


def test_who_goes_first_reads_before_all_others_do(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama", replace(EXACT, ctx_size=4096, parallel=4), cancel=(flag := CancelFlag()))
    rig = Rig(session, flag)
    rig.add(ChatRequest((user("on and on"),), Sampling(temperature=0.0, max_tokens=600)))
    visitor = rig.add(ChatRequest((user(LONG * 12),), GREEDY))
    rig.run(8)
    slot = next(live.slot for live in rig.scheduler._live if live.asker is visitor)
    assert 0 < (held := len(slot)) < 500
    rig.run_to_end_of(rig.add(ChatRequest((user("now " + LONG),), replace(GREEDY, max_tokens=1)), goes_first=True))
    assert len(slot) == held
    rig.run()
    assert visitor.answer.reason is FinishReason.LENGTH


def test_nobody_waits_for_two_slices(open_tiny: OpenTiny) -> None:
    """However many write at once: each has a token between two of them."""
    session = open_tiny("llama", replace(EXACT, ctx_size=4096, parallel=4), cancel=(flag := CancelFlag()))
    rig = Rig(session, flag)
    for text in ("on and on", "and so on", "and on"):
        rig.add(ChatRequest((user(text),), Sampling(temperature=0.0, max_tokens=900)))
    writing = [live.slot for live in rig.scheduler._live]
    while min(map(len, writing)) < 30:
        rig.scheduler.step()
    reader = rig.add(ChatRequest((user(LONG * 6),), replace(GREEDY, max_tokens=1)))
    slot = rig.scheduler._live[-1].slot
    read, since, slices = 0, list(map(len, writing)), 0
    while reader.ended is None:
        rig.scheduler.step()
        if len(slot) > read:
            slices += 1
            written = list(map(len, writing))
            assert slices == 1 or all(now > before for now, before in zip(written, since, strict=True))
            read, since = len(slot), written
    assert slices > 10
