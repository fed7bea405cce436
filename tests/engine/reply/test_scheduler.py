"""Several replies at once: each is what it would be alone, whoever comes and goes beside it."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import accumulate, product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import psutil
import pytest

from app.core.adapters import Adapter
from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.errors import ContextFullError
from app.core.events import Finished, FinishReason, ReplyEvent
from app.core.messages import Message, Role
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.binding.context import Context, DecodeFailedError, DecodeOutcome
from app.engine.binding.open_context import ContextRefusedError, OpenContext
from app.engine.binding.sequence_memory import State
from app.engine.memory import checkpoints
from app.engine.memory.slot import Slot
from app.engine.memory.turns import ALL, OwnTurn, TextTurn
from app.engine.reply.live_reply import Ended
from app.engine.reply.scheduler import Scheduler
from app.engine.reply.session import Session
from app.engine.reply.step_costs import StepCosts
from tests.counted import counted
from tests.engine.conftest import EXACT, OpenTiny, finish
from tests.engine.reply.test_session import FAMILIES, GREEDY, LONG, answered, ask, user
from tests.tiny_adapters import make_adapter

WORDS = ("the", "river", "and", "a", "mountain", "of", "old", "stones", "were", "seen", "by", "nobody", "in", "spring")


@dataclass(eq=False)
class Asked:
    request: ChatRequest
    cancelled: bool = False
    goes_first: bool = False
    events: list[ReplyEvent] = field(default_factory=list)
    ended: Ended | None = None

    @property
    def answer(self) -> Finished:
        assert self.ended is not None and self.ended.error is None, self.ended
        last = self.events[-1]
        assert isinstance(last, Finished)
        return last


class AnySize(StepCosts):
    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self._rng = rng

    def cheapest(self, n: int) -> int:
        return self._rng.randint(1, n)


class Rig:
    def __init__(self, session: Session, flag: CancelFlag, clock: Callable[[], float] | None = None) -> None:
        """Without a clock each look at it is a random time after the one before."""
        self.session = session
        self.flag = flag
        self.aimed: Asked | None = None
        self.all: list[Asked] = []

        def aim(asked: Asked | None) -> None:
            self.aimed = asked
            self.flag.clear()
            if asked is not None and asked.cancelled:
                self.flag.set()

        # Whatever this machine's pace would be, and the same each time: slices of all sizes.
        rng = random.Random(0)
        session.step_costs = AnySize(rng)
        moments = accumulate(iter(lambda: rng.random() ** 6, None))
        self.scheduler = Scheduler(session, aim, self.hear, clock or (lambda: next(moments)))

    def hear(self, asked: Asked, said: ReplyEvent | Ended) -> None:
        if isinstance(said, Ended):
            asked.ended = said
        else:
            asked.events.append(said)

    def add(self, request: ChatRequest, *, goes_first: bool = False) -> Asked:
        while not self.scheduler.make_room():
            self.scheduler.step()
        asked = Asked(request, goes_first=goes_first)
        self.all.append(asked)
        self.scheduler.add(asked, request)
        return asked

    def cancel(self, asked: Asked) -> None:
        asked.cancelled = True
        if self.aimed is asked:
            self.flag.set()

    def run_to_end_of(self, asked: Asked) -> None:
        while not asked.ended:
            self.scheduler.step()

    def run(self, steps: int = 100_000) -> None:
        while self.scheduler.is_busy and steps:
            self.scheduler.step()
            steps -= 1


def words(rng: random.Random, n: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(n))


def talk(rng: random.Random, turns: int) -> list[Message]:
    made = []
    for _ in range(turns):
        made += [user(words(rng, rng.randrange(2, 30))), Message.of(Role.ASSISTANT, words(rng, rng.randrange(2, 12)))]
    return made


def asking(rng: random.Random, said: list[Message], conversation: str) -> ChatRequest:
    question = user(words(rng, rng.randrange(1, 40)))
    sampling = Sampling(temperature=0.0, max_tokens=rng.randrange(1, 60))
    return ChatRequest((*said, question), sampling, conversation=conversation)


@pytest.mark.parametrize(
    ("family", "n"),
    [*product(FAMILIES, (2, 4)), *product(("llama", "gemma3", "qwen35", "mamba"), (8,))],
)
def test_each_of_several_is_as_it_would_be_alone(family: str, n: int, open_tiny: OpenTiny) -> None:
    rng = random.Random(f"{family} {n}")
    rig, cold = Rig(open_tiny(family, replace(EXACT, parallel=n), flag := CancelFlag()), flag), open_tiny(family)
    talks = [talk(rng, index) for index in range(n + 1)]
    writing: dict[int, Asked] = {}
    for _ in range(10):
        free = [index for index in range(len(talks)) if index not in writing or writing[index].ended]
        index = rng.choice(free)
        if rng.random() < 0.3 or len(talks[index]) > 8:
            talks[index] = talks[index][: rng.randrange(0, len(talks[index]) + 1) // 2 * 2]
        asked = writing[index] = rig.add(asking(rng, talks[index], str(index)))
        talks[index] = [*asked.request.messages, Message.of(Role.ASSISTANT, words(rng, 8))]
        rig.run(rng.randrange(6))
        if rng.random() < 0.2:
            rig.cancel(asked)
    rig.run()
    for asked in rig.all:
        cold.slot.forget()
        alone, got = finish(cold, asked.request).generation.tokens, asked.answer.generation.tokens
        if asked.answer.reason is FinishReason.CANCELLED:
            alone = alone[: len(got)]
        assert got == alone


@pytest.mark.parametrize("family", ["llama", "gemma3", "qwen35", "mamba"])
def test_where_cells_run_out_the_last_one_waits_and_nobody_is_ended(family: str, open_tiny: OpenTiny) -> None:
    loading = replace(EXACT, ctx_size=512, parallel=4)
    rng = random.Random(family)
    rig, cold = Rig(open_tiny(family, loading, flag := CancelFlag()), flag), open_tiny(family, loading)
    for index in range(4):
        rig.add(
            ChatRequest((user(words(rng, 12)),), Sampling(temperature=0.0, max_tokens=160), conversation=str(index))
        )
        rig.run(4)
    rig.run()
    for asked in rig.all:
        cold.slot.forget()
        alone = finish(cold, asked.request)
        assert (asked.answer.generation.tokens, asked.answer.reason) == (alone.generation.tokens, alone.reason)


@pytest.mark.parametrize("family", ["llama", "gemma3", "qwen35", "mamba"])
def test_who_comes_back_beside_others_is_read_no_more_than_alone(family: str, open_tiny: OpenTiny) -> None:
    rig = Rig(open_tiny(family, cancel=(flag := CancelFlag())), flag)
    other = rig.add(ChatRequest((user("on and on"),), Sampling(temperature=0.0, max_tokens=400)))
    first = rig.add(ChatRequest((user(LONG),), GREEDY, conversation="1"))
    rig.run_to_end_of(first)
    again = rig.add(ChatRequest((user(LONG), answered(first.answer), user("and then?")), GREEDY, conversation="1"))
    rig.run_to_end_of(again)
    assert other.ended is None
    assert again.answer.timings.cache_n == first.answer.n_past
    rig.run()
    follow_up = rig.add(replace(again.request, messages=(*again.request.messages, answered(again.answer), user("so?"))))
    rig.run()
    assert follow_up.answer.timings.cache_n == again.answer.n_past


def test_answers_begin_and_end_while_another_is_written(open_tiny: OpenTiny) -> None:
    """Nobody waits for anybody's end, and the long one does not stop meanwhile."""
    rig = Rig(open_tiny("llama", cancel=(flag := CancelFlag())), flag)
    long = rig.add(ChatRequest((user("on and on"),), Sampling(temperature=0.0, max_tokens=400)))
    for _ in range(3):
        short = rig.add(ChatRequest((user("a word"),), GREEDY))
        before = len(long.events)
        rig.run_to_end_of(short)
        assert len(long.events) > before
        assert long.ended is None


def test_a_cancel_ends_one_and_touches_no_other(open_tiny: OpenTiny) -> None:
    rig = Rig(open_tiny("qwen35", cancel=(flag := CancelFlag())), flag)
    writing, reading = (rig.add(ChatRequest((user(LONG * n),), GREEDY)) for n in (1, 4))
    rig.run(4)
    rig.cancel(reading)
    rig.scheduler.step()
    assert reading.answer.reason is FinishReason.CANCELLED
    assert not writing.ended
    rig.run()
    assert writing.answer.generation == finish(open_tiny("qwen35"), writing.request).generation


def test_one_that_is_cancelled_before_its_turn_has_read_nothing(open_tiny: OpenTiny) -> None:
    rig = Rig(open_tiny("llama", cancel=(flag := CancelFlag())), flag)
    rig.add(ChatRequest((user(LONG),), GREEDY, conversation="1"))
    rig.run()
    held = len(rig.session.slot)
    rig.cancel(asked := rig.add(ChatRequest((user("hi"),), GREEDY, conversation="2")))
    rig.run()
    timings = asked.answer.timings
    assert (asked.answer.reason, timings.cache_n, timings.prompt_n) == (FinishReason.CANCELLED, 0, 0)
    assert len(rig.session.slot) == held


def test_one_that_stepped_aside_can_be_cancelled(open_tiny: OpenTiny) -> None:
    rig = Rig(open_tiny("llama", replace(EXACT, ctx_size=256), cancel=(flag := CancelFlag())), flag)
    sampling = Sampling(temperature=0.0, max_tokens=160)
    first, last = (rig.add(ChatRequest((user(text),), sampling)) for text in ("on and on", "and so on"))
    while not any(live.out for live in rig.scheduler._live):
        rig.scheduler.step()
    rig.cancel(last)
    rig.scheduler.step()
    assert last.answer.reason is FinishReason.CANCELLED
    rig.run()
    assert first.answer.reason is FinishReason.LENGTH


def test_a_refused_request_ends_alone(open_tiny: OpenTiny) -> None:
    rig = Rig(open_tiny("llama", cancel=(flag := CancelFlag())), flag)
    other = rig.add(ChatRequest((user("hi"),), GREEDY))
    refused = rig.add(ChatRequest((user(LONG * 40),), GREEDY))
    assert refused.ended is not None
    assert isinstance(refused.ended.error, ContextFullError)
    rig.run()
    assert other.answer.reason is FinishReason.LENGTH


def test_one_alone_has_the_bits_and_the_context_of_before(open_tiny: OpenTiny) -> None:
    """Also after others were there."""
    rig, cold = (
        Rig(open_tiny("llama", cancel=(flag := CancelFlag())), flag),
        open_tiny("llama", replace(EXACT, parallel=1)),
    )
    rig.add(ChatRequest((user("hi"),), GREEDY))
    rig.run()
    assert rig.session.slot.context.n_seq == 1
    rig.add(ChatRequest((user(LONG),), GREEDY))
    rig.add(ChatRequest((user("hi " + LONG),), GREEDY))
    rig.run()
    rig.session.slot.forget()
    rig.session.slot.snapshots.clear()
    rig.add(ChatRequest((user(LONG),), GREEDY))
    rig.run()
    ask(cold, user(LONG))
    assert np.array_equal(rig.session.slot.logits(), cold.slot.logits())


@pytest.mark.parametrize("family", FAMILIES)
def test_what_another_has_read_is_not_read_again(family: str, open_tiny: OpenTiny) -> None:
    """Many times, for cells that two sequences have must come free again."""
    before = (user(LONG), Message.of(Role.ASSISTANT, "so it is"))
    rig, cold = Rig(open_tiny(family, cancel=(flag := CancelFlag())), flag), open_tiny(family)
    first = rig.add(ChatRequest((*before, user("on and on")), Sampling(temperature=0.0, max_tokens=300)))
    for number in range(6):
        others = [rig.add(ChatRequest((*before, user(f"{number} {word}")), GREEDY)) for word in ("one", "two")]
        for asked in others:
            rig.run_to_end_of(asked)
            cold.slot.forget()
            alone = finish(cold, asked.request)
            assert asked.answer.generation == alone.generation
            assert counted(asked.answer.timings.prompt_n) < 60 < counted(alone.timings.prompt_n)
    rig.run()
    cold.slot.forget()
    assert first.answer.generation == finish(cold, first.request).generation


def test_the_beginning_that_all_prompts_have_is_read_once(open_tiny: OpenTiny) -> None:
    """As short as a template's is: no cell is copied for it."""
    rig, cold = Rig(open_tiny("llama", cancel=(flag := CancelFlag())), flag), open_tiny("llama")
    first = rig.add(ChatRequest((user("Hello"),), Sampling(temperature=0.0, max_tokens=60)))
    while not first.events or not len(rig.session.slot):
        rig.scheduler.step()
    others = [rig.add(ChatRequest((user(text),), GREEDY)) for text in ("Stones?", "Rivers?")]
    rig.run()
    for asked in others:
        cold.slot.forget()
        assert asked.answer.generation == finish(cold, asked.request).generation
        assert 0 < counted(asked.answer.timings.cache_n) < 32
    assert counted(first.answer.timings.cache_n) == 0


def test_an_adapter_works_on_all(open_tiny: OpenTiny, tmp_path: Path) -> None:
    adapters = [Adapter(make_adapter(tmp_path / "style.gguf"), 1.0)]
    rig, cold = Rig(open_tiny("llama", cancel=(flag := CancelFlag())), flag), open_tiny("llama")
    for session in (rig.session, cold):
        session.change_adapters(adapters)
    for text in ("one", "two", LONG):
        rig.add(ChatRequest((user(text),), GREEDY))
    rig.run()
    for asked in rig.all:
        cold.slot.forget()
        assert asked.answer.generation == finish(cold, asked.request).generation


def test_windows_are_right_beside_others_with_long_prompts(open_tiny: OpenTiny) -> None:
    """Two hundred, none wrong: the case in which llama.cpp can be, where a batch is several micro-batches."""
    rng = random.Random(1)
    loading = replace(EXACT, ctx_size=4096, parallel=4)
    rig, cold = Rig(open_tiny("gemma3", loading, cancel=(flag := CancelFlag())), flag), open_tiny("gemma3", loading)
    for _ in range(200):
        rig.add(ChatRequest((user(words(rng, rng.randrange(60, 140))),), Sampling(temperature=0.0, max_tokens=16)))
        rig.run(rng.randrange(40))
    rig.run()
    for asked in rig.all:
        cold.slot.forget()
        assert asked.answer.generation == finish(cold, asked.request).generation


def test_the_pace_of_reading_knows_what_a_card_computes_later(
    open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = Rig(open_tiny("llama", cancel=(flag := CancelFlag())), flag)
    rig.add(ChatRequest((user("on and on"),), Sampling(temperature=0.0, max_tokens=300)))
    rig.run(5)
    waits: list[Context] = []
    seconds: list[float] = []

    def wait(context: Context) -> None:
        waits.append(context)
        time.sleep(0.02)

    monkeypatch.setattr(Context, "synchronize", wait)
    monkeypatch.setattr(rig.session.slot.rates.reading, "add", lambda _, took: seconds.append(took))
    rig.run_to_end_of(rig.add(ChatRequest((user(LONG * 2),), GREEDY)))
    assert len(waits) > 2 and seconds[0] >= 0.02 * len(waits)


@pytest.fixture
def waiting(open_tiny: OpenTiny) -> Rig:
    """Three that write, of which the last has given its cells to the others."""
    rig = Rig(open_tiny("llama", replace(EXACT, ctx_size=256), cancel=(flag := CancelFlag())), flag)
    sampling = Sampling(temperature=0.0, max_tokens=100)
    for text in ("on and on", "and so on", "and on"):
        rig.add(ChatRequest((user(text),), sampling))
    while not any(live.out for live in rig.scheduler._live):
        rig.scheduler.step()
    return rig


def test_who_waits_keeps_its_state_where_there_is_less_room_than_was_reckoned(
    waiting: Rig, open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate, refusals = Context.decode_each, [DecodeOutcome.FULL]
    monkeypatch.setattr(Context, "decode_each", lambda *asked: refusals.pop() if refusals else evaluate(*asked))
    waiting.run()
    cold = open_tiny("llama", replace(EXACT, ctx_size=256))
    assert not refusals
    for asked in waiting.all:
        cold.slot.forget()
        assert asked.answer.generation == finish(cold, asked.request).generation


def test_who_finds_no_cells_does_not_come_back_with_each_token(
    open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = Rig(open_tiny("llama", cancel=(flag := CancelFlag())), flag)
    monkeypatch.setattr(rig.session.step_costs, "cheapest", lambda n: n)
    step_out, outs = Slot.step_out, list[Slot]()

    def count(slot: Slot) -> State:
        outs.append(slot)
        return step_out(slot)

    monkeypatch.setattr(Slot, "step_out", count)
    monkeypatch.setattr(Context, "decode_each", lambda *_: DecodeOutcome.FULL)
    for text in ("on and on", "and so on"):
        rig.add(ChatRequest((user(text),), Sampling(temperature=0.0, max_tokens=50)))
    rig.run()
    assert [asked.answer.reason for asked in rig.all] == [FinishReason.LENGTH] * 2
    assert len(outs) == 1


def test_there_are_as_many_sequences_as_memory_has_room_for(
    open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = Rig(open_tiny("mamba", cancel=(flag := CancelFlag())), flag)
    rig.add(ChatRequest((user("on and on"),), Sampling(temperature=0.0, max_tokens=100)))
    rig.run(5)
    state = len(rig.session.slot.context.save_partial())
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=5 * state))
    assert rig.scheduler.make_room() and rig.session.n_parallel == 3


def test_checkpoints_of_all_share_one_budget(open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(open_tiny("mamba", cancel=(flag := CancelFlag())), flag)
    finish(rig.session, ChatRequest((user("on"),), GREEDY))
    size = len(rig.session.slot.context.save_partial())
    monkeypatch.setattr(checkpoints, "_MIB", size)
    rig.session.take_checkpointing(Checkpointing(every=32, min_step=32, budget=6))
    for text in ("on and on", "and so on"):
        rig.add(ChatRequest((user(LONG + text),), Sampling(temperature=0.0, max_tokens=100)))
    most = 0
    while rig.scheduler.is_busy:
        rig.scheduler.step()
        most = max(most, sum(live.slot.checkpoints.n_bytes for live in rig.scheduler._live))
    assert 4 * size < most <= 6 * size


def test_an_end_is_told_where_what_was_written_cannot_be_kept(
    open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = Rig(open_tiny("llama", cancel=(flag := CancelFlag())), flag)
    other = rig.add(ChatRequest((user("on and on"),), Sampling(temperature=0.0, max_tokens=200)))
    ends = rig.add(ChatRequest((user(LONG),), GREEDY))
    with monkeypatch.context() as patched:

        def refuse(_: Context) -> bytes:
            raise MemoryError

        patched.setattr(Context, "save", refuse)
        rig.run_to_end_of(ends)
    assert ends.answer.reason is FinishReason.LENGTH and not other.ended
    rig.run()
    assert other.answer.reason is FinishReason.LENGTH


def test_who_waits_takes_no_memory_that_is_not_there(open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(open_tiny("llama", replace(EXACT, ctx_size=256), cancel=(flag := CancelFlag())), flag)
    sampling = Sampling(temperature=0.0, max_tokens=160)
    first, last = (rig.add(ChatRequest((user(text),), sampling)) for text in ("on and on", "and so on"))
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=0))
    rig.run()
    assert last.ended is not None and isinstance(last.ended.error, ContextFullError)
    assert first.answer.reason is FinishReason.LENGTH


@pytest.mark.parametrize("open_again", [False, True])
def test_everybody_is_told_where_no_context_can_be_had(
    open_again: bool, open_tiny: OpenTiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is made again knows the adapters."""
    rig, cold = Rig(open_tiny("llama", cancel=(flag := CancelFlag())), flag), open_tiny("llama")
    for session in (rig.session, cold):
        session.change_adapters([Adapter(make_adapter(tmp_path / "style.gguf"), 1.0)])
    asked = rig.add(ChatRequest((user(LONG),), GREEDY))
    rig.run(3)

    def refuse(*_: object, **__: object) -> bool:
        if open_again:
            return False
        raise ContextRefusedError([])

    with monkeypatch.context() as patched:
        patched.setattr(Context if open_again else OpenContext, "restore" if open_again else "open", refuse)
        with pytest.raises(DecodeFailedError if open_again else ContextRefusedError) as raised:
            rig.scheduler.make_room()
    rig.scheduler.fail(raised.value)
    assert asked.ended == Ended(raised.value) and not len(rig.session.slot)
    if open_again:
        again = rig.add(asked.request)
        rig.run()
        assert again.answer.generation == finish(cold, asked.request).generation


def test_a_memory_that_can_not_be_taken_over_keeps_its_answer_and_has_the_next_wait(
    open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig, cold = Rig(open_tiny("llama", cancel=(flag := CancelFlag())), flag), open_tiny("llama")
    asked = rig.add(ChatRequest((user(LONG),), GREEDY))
    rig.run(3)
    restore = Context.restore
    monkeypatch.setattr(Context, "restore", lambda context, *told: context.n_seq == 1 and restore(context, *told))
    assert not rig.scheduler.make_room()
    assert rig.session.n_parallel == 1
    rig.run()
    assert asked.answer.generation == finish(cold, asked.request).generation


def test_a_turn_of_nothing_ends_the_reading_as_a_cancel_does(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    working = session.reply_in(session.slot, ChatRequest((user(LONG),), GREEDY))
    said, answers = next(working), iter((ALL, 0))
    while not isinstance(said, Finished):
        said = working.send(next(answers)) if isinstance(said, OwnTurn | TextTurn) else next(working)
    assert said.reason is FinishReason.CANCELLED
