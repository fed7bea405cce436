"""When drafts are made: only where they pay, as far as one can know. Costs are counted here, and not measured."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from app.core.events import Finished, TextDelta
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import DrafterKind, Speculation
from app.engine.binding.context import Context
from app.engine.drafting.controller import Controller, Option, Round
from app.engine.drafting.costs import Costs
from app.engine.drafting.draft_model import ModelDrafter
from app.engine.drafting.opening import DraftPlan
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import OpenPath
from tests.engine.reply.test_session import LONG, user
from tests.tiny_models import llama as random_llama

FLAT = {1: 1.0, 2: 1.05, 5: 1.2, 17: 1.6}
HALF_PRECISION = {1: 1.0, 2: 1.9, 5: 2.3, 17: 4.15}
STEEP = {1: 1.0, 2: 1.8, 5: 3.6, 17: 8.2}
HOPELESS = {1: 1.0, 2: 3.0, 5: 6.0, 17: 18.0}
"""What batches cost, in single tokens."""
MACHINES = [FLAT, HALF_PRECISION, STEEP]
MODEL = Option(DrafterKind.DRAFT_MODEL, 1, 4)
NGRAM = Option(DrafterKind.NGRAM, 8, 16)
DRAFTED, READ = 0.085, 0.02
"""What a token costs that a small model drafts, and an entry that it reads."""
CREDIT, SHARE = 3.0, 0.005
"""Single tokens that may be lost on trials at once, and what may be lost on them beside, of the time spent."""
LOOKED_AT = 16
LOOKING = replace(MODEL, waits=LOOKED_AT)
"""As of a draft model, which is judged by the last so many tokens of an answer."""


@dataclass
class Writing:
    """What was written, with drafts where the controller wants them."""

    controller: Controller
    machine: dict[int, float]
    option: Option = MODEL
    each: float = DRAFTED
    spent: float = 0.0
    written: int = 0
    drafted: int = 0
    looks: int = 0
    dearest: float = 0.0
    """The most that was ever lost, beside the share."""
    worst: float = 0.0
    """The most that one draft lost."""

    def write(self, tokens: int, likely: float, seed: int = 0) -> "Writing":
        rng, costs, until = random.Random(seed), Costs(self.machine), self.written + tokens
        while self.written < until:
            self._look_back(likely, rng)
            chosen = self.controller.choose([self.option], 0)
            n, accepted = chosen[1] if chosen else 0, 0
            while accepted < n and rng.random() < likely:
                accepted += 1
            reading = READ * self.option.behind if chosen else 0.0
            drafting, decoding = n * self.each, costs.seconds(1 + n)
            done = Round(self.option if chosen else None, n, accepted, 1 + n, drafting, drafting + decoding, reading)
            self.controller.saw(done)
            if self.option.waits is not None and not chosen:
                self.option = replace(self.option, behind=self.option.behind + 1, waits=max(0, self.option.waits - 1))
            elif chosen:
                self.option = replace(self.option, behind=0, waits=self.option.waits and LOOKED_AT)
            self.spent, self.written = self.spent + reading + drafting + decoding, self.written + 1 + accepted
            self.drafted += n
            self.worst = max(self.worst, drafting + decoding - 1 - accepted)
            self.dearest = max(self.dearest, self.spent * (1 - SHARE) - self.written)
        return self

    def _look_back(self, likely: float, rng: random.Random) -> None:
        if self.controller.looks(self.option):
            seconds = READ * self.option.behind + DRAFTED
            self.controller.looked(self.option, [rng.random() < likely for _ in range(LOOKED_AT)], seconds)
            self.option = replace(self.option, behind=0, waits=LOOKED_AT)
            self.spent += seconds
            self.looks += 1

    @property
    def gain(self) -> float:
        return self.written / self.spent


def writing(machine: dict[int, float], **how: Any) -> Writing:
    return Writing(Controller(Costs(machine)), machine, **how)


@pytest.mark.parametrize("likely", [0.0, 0.2])
@pytest.mark.parametrize(("option", "each"), [(MODEL, DRAFTED), (MODEL, 0.3), (NGRAM, 0.0)])
@pytest.mark.parametrize("machine", [*MACHINES, HOPELESS], ids=["flat", "half", "steep", "hopeless"])
def test_poor_drafts_never_lose_more_than_credit_share_and_a_few_drafts(
    machine: dict[int, float], option: Option, each: float, likely: float
) -> None:
    """At no moment of an answer of 1000 tokens: on trial it is one draft more than the credit is for; and where batches
    are cheap, or the first guesses were right by chance, two that promised to pay."""
    for seed in range(5):
        found = writing(machine, option=option, each=each).write(1000, likely, seed)
        assert found.dearest <= CREDIT + 3 * found.worst


@pytest.mark.parametrize("likely", [0.4, 0.6, 0.75])
@pytest.mark.parametrize(("option", "each"), [(MODEL, DRAFTED), (MODEL, 0.3), (NGRAM, 0.0)])
@pytest.mark.parametrize("machine", [*MACHINES, HOPELESS], ids=["flat", "half", "steep", "hopeless"])
def test_drafts_that_are_just_not_worth_it_cost_little(
    machine: dict[int, float], option: Option, each: float, likely: float
) -> None:
    gains = [writing(machine, option=option, each=each).write(400, likely, seed).gain for seed in range(10)]
    assert min(gains) > 0.955
    assert sum(gains) / len(gains) > 0.98


@pytest.mark.parametrize("share", [0.5, 0.33])
@pytest.mark.parametrize(("option", "each", "likely"), [(MODEL, DRAFTED, 0.6), (NGRAM, 0.0, 0.3)])
@pytest.mark.parametrize("machine", [HALF_PRECISION, STEEP], ids=["half", "steep"])
def test_batches_that_were_measured_too_short_cost_a_first_answer_little(
    machine: dict[int, float], option: Option, each: float, likely: float, share: float
) -> None:
    """As on a core that was busy while single tokens were measured, when the model was loaded."""
    measured = {size: max(1.0, share * cost) for size, cost in machine.items()}
    for seed in range(10):
        found = Writing(Controller(Costs(measured)), machine, option=option, each=each).write(400, likely, seed)
        assert found.gain > 0.955


@pytest.mark.parametrize("machine", MACHINES, ids=["flat", "half", "steep"])
@pytest.mark.parametrize(("option", "each", "likely"), [(MODEL, DRAFTED, 0.9), (MODEL, 0.2, 0.98), (NGRAM, 0.0, 0.97)])
def test_good_drafts_are_found_and_taken_at_their_best_length(
    machine: dict[int, float], option: Option, each: float, likely: float
) -> None:
    costs = Costs(machine)
    best = max(sum(likely**k for k in range(n + 1)) / (costs.seconds(1 + n) + n * each) for n in range(option.most + 1))
    gains = sorted(writing(machine, option=option, each=each).write(400, likely, seed).gain for seed in range(10))
    if best > 1.1:
        assert gains[1] > 1 + 0.75 * (best - 1), "in nine of ten answers"
    assert min(gains) > 0.96


def test_what_could_never_pay_is_not_tried() -> None:
    assert writing(HOPELESS).write(1000, 1.0).drafted == 0
    assert Controller(Costs(HOPELESS)).never_pays(16)
    assert writing(STEEP, each=2.0).write(1000, 1.0).drafted < 5, "once it is known what a guess costs"
    assert not Controller(Costs(STEEP)).never_pays(16)


def test_drafts_that_get_better_are_noticed_and_those_that_get_worse_are_left() -> None:
    found = writing(HALF_PRECISION).write(1000, 0.05)
    better = replace(found, spent=0.0, written=0, drafted=0).write(3000, 0.95)
    assert better.gain > 1.3
    worse = replace(better, spent=0.0, written=0, drafted=0, dearest=0.0).write(1000, 0.0)
    assert worse.dearest < 22 * worse.worst, "about twenty wrong drafts"
    assert worse.drafted < 100


def test_a_prompt_is_read_for_poor_drafts_once_and_for_good_ones_where_they_have_earned_it() -> None:
    def reads(found: Writing, behind: int, likely: float) -> bool:
        found.option = replace(found.option, behind=behind)
        found.write(300, likely)
        return not found.option.behind

    poor, good = writing(HALF_PRECISION), writing(HALF_PRECISION)
    assert [reads(poor, 500, 0.0), reads(poor, 500, 0.0)] == [True, False], "the first time nobody knows better"
    assert reads(poor, 50, 0.0), "what costs no more than the credit may be read"
    assert [reads(good, 500, 0.95), reads(good, 1500, 0.95)] == [True, True]
    assert not reads(good, 50_000, 0.95), "more than was ever gained"


def test_what_poor_drafts_have_read_is_on_their_account() -> None:
    """But for the first time: of 40 questions of 60 entries a few are read."""
    found = writing(HALF_PRECISION)
    for _ in range(40):
        found.option = replace(found.option, behind=60)
        found.write(60, 0.0)
    assert found.dearest <= 60 * READ + CREDIT + found.worst + 60 * READ
    assert found.drafted > 5


@pytest.mark.parametrize("wrong_first", [0, 6, 12])
def test_bad_luck_at_first_does_not_end_a_good_drafter_that_looks_back(wrong_first: int) -> None:
    """Two answers in three begin with a look that does not yet promise enough."""
    gains = []
    for seed in range(30):
        found = writing(HALF_PRECISION, option=replace(LOOKING, behind=80))
        found.write(wrong_first, 0.0, seed)
        for answer in range(3):
            found.option = replace(found.option, behind=80 if answer else found.option.behind)
            found.write(128, 0.83, seed + 100 * answer)
        gains.append(found.gain)
    assert sorted(gains)[2] > 1.08, "in nine of ten"
    assert sum(gains) / len(gains) > 1.15


@pytest.mark.parametrize("machine", [HALF_PRECISION, STEEP], ids=["half", "steep"])
def test_a_poor_drafter_that_looks_back_costs_one_look_and_its_share(machine: dict[int, float]) -> None:
    for seed in range(10):
        found = writing(machine, option=replace(LOOKING, behind=80)).write(300, 0.1, seed)
        assert found.drafted == 0
        assert found.looks == 1, "it owes for more than 300 tokens"
        assert found.spent - found.written < (80 + LOOKED_AT) * READ + 2 * DRAFTED


def test_one_that_may_well_pay_looks_again_at_once_and_not_for_ever() -> None:
    """Just below what pays: each look tells more, until nothing is to be hoped for."""
    found = [writing(HALF_PRECISION, option=replace(LOOKING, behind=80)).write(2000, 0.6, seed) for seed in range(10)]
    assert max(each.looks for each in found) > 4
    assert min(each.gain for each in found) > 0.96
    assert sum(each.gain for each in found) / len(found) > 0.985


def test_a_drafter_that_looks_back_and_becomes_good_later_is_found() -> None:
    """As soon as the debt of its last look is paid."""
    for seed in range(5):
        found = writing(HALF_PRECISION, option=replace(LOOKING, behind=80)).write(300, 0.1, seed)
        later = replace(found, spent=0.0, written=0, drafted=0).write(3000, 0.95, seed)
        assert later.gain > 1.3


def test_all_kinds_of_drafters_are_treated_alike() -> None:
    """What differs is what they cost and promise, and never who they are."""
    options = [replace(MODEL, kind=kind) for kind in DrafterKind]
    found = [writing(HALF_PRECISION, option=option).write(400, 0.8, seed=3) for option in options]
    assert len({(each.spent, each.drafted) for each in found}) == 1
    assert found[0].drafted > 100


def begun(machine: dict[int, float]) -> Controller:
    """A token of an answer was written."""
    controller = Controller(Costs(machine))
    controller.saw(Round(None, 0, 0, 1, 0.0, 1.0))
    return controller


def test_of_two_prospects_the_better_one_is_taken() -> None:
    controller, short, long = begun(FLAT), replace(NGRAM, prospect=3), NGRAM
    for _ in range(20):
        controller.saw(Round(short, 4, 0, 5, 0.0, 1.2))
        controller.saw(Round(long, 4, 4, 5, 0.0, 1.2))
    chosen = controller.choose([short, long], 0)
    assert chosen is not None
    assert chosen[0] is long


def test_a_memory_that_must_read_again_drafts_less() -> None:
    lengths = []
    for replays in (False, True):
        controller, option = begun(HALF_PRECISION), Option(DrafterKind.DRAFT_MODEL, 1, 16, replays)
        for _ in range(30):
            controller.saw(Round(option, 8, 6, 9, 0.2, 3.2))
        chosen = controller.choose([option], 0)
        lengths.append(chosen[1] if chosen else 0)
    assert 0 < lengths[1] < lengths[0]


def test_a_draft_that_comes_to_nothing_counts_as_a_wrong_one() -> None:
    """Of a drafter that is never sure enough of a single token."""
    controller = Controller(Costs(FLAT))
    drafts = 0
    for _ in range(400):
        chosen = controller.choose([MODEL], 0)
        drafts += chosen is not None
        controller.saw(Round(MODEL if chosen else None, 0, 0, 1, 0.3 if chosen else 0.0, 1.3 if chosen else 1.0))
    assert 0 < drafts * 0.3 < CREDIT + 3 * 0.3 + SHARE * 420


def test_while_there_is_no_credit_nobody_need_be_asked() -> None:
    controller = begun(HALF_PRECISION)
    assert Controller(Costs()).rests([MODEL]) == 0, "before it is known what a token costs"
    while controller.choose([MODEL], 0):
        controller.saw(Round(MODEL, 4, 0, 5, 0.4, 2.7))
    rest = controller.rests([MODEL])
    assert rest > 50
    controller.saw(Round(None, 0, 0, 1, 0.0, rest + 2.0, times=rest + 2))
    assert controller.choose([MODEL], 0) is not None


def test_after_many_drafts_a_single_token_is_measured() -> None:
    """Otherwise a conversation that has become slow would seem to have dear batches, and drafts would end."""
    controller = Controller(Costs(HALF_PRECISION))
    slow, plain = 1.0, 0
    for _ in range(1000):
        slow *= 1.002
        chosen = controller.choose([MODEL], 0)
        size = 5 if chosen else 1
        plain += size == 1
        seconds = slow * Costs(HALF_PRECISION).seconds(size)
        controller.saw(Round(MODEL if chosen else None, size - 1, size - 1, size, 0.0, seconds))
    assert 10 < plain < 30
    assert controller.costs.one == pytest.approx(slow, rel=0.15)


def test_drafts_that_pay_go_on_where_the_machine_is_busy_now_and_then() -> None:
    machine, likely, each, beside = {1: 1.0, 2: 1.27, 3: 1.42, 5: 1.73}, 0.65, 0.12, 0.1

    def gain(seed: int) -> float:
        rng, controller, costs = random.Random(seed), Controller(Costs(machine)), Costs(machine)
        plain = spent = 0.0
        for step in range(300):
            slow = 1.4 if step // 25 % 2 else 1.0
            chosen = controller.choose([MODEL], 0)
            n = chosen[1] if chosen else 0
            accepted = next((k for k in range(n) if rng.random() > likely), n)
            drafting = slow * n * each
            seconds = drafting + slow * (costs.seconds(1 + n) + beside * (1 + accepted))
            controller.saw(Round(MODEL if chosen else None, n, accepted, 1 + n, drafting, seconds))
            plain, spent = plain + slow * (1 + beside) * (1 + accepted), spent + seconds
        return plain / spent

    gains = [gain(seed) for seed in range(20)]
    assert min(gains) > 1.06
    assert sum(gains) / len(gains) > 1.16


def test_the_first_token_is_measured_for_the_load_does_not_know_what_an_answer_spends_on_it() -> None:
    controller = Controller(Costs(FLAT))
    assert controller.choose([NGRAM], 0) is None
    controller.saw(Round(None, 0, 0, 1, 0.0, 1.2))
    assert controller.costs.one == pytest.approx(1.2, rel=0.01)
    assert controller.choose([NGRAM], 0) is not None


def test_costs_of_batches() -> None:
    costs = Costs(HALF_PRECISION)
    assert [costs.seconds(size) for size in (1, 2, 5)] == pytest.approx([1.0, 1.9, 2.3])
    assert costs.seconds(2) < costs.seconds(3) < costs.seconds(4) < costs.seconds(5)
    assert costs.seconds(60) == costs.seconds(17), "hoped, until it was measured"
    costs.add(33, 8.0)
    assert costs.seconds(60) == 8.0
    costs.add(5, 1000.0)
    assert costs.seconds(5) < 4.7, "a hiccup of the machine counts as twice the time"
    for _ in range(100):
        costs.add(5, 3.0)
    assert costs.seconds(5) == pytest.approx(3.0, rel=0.05)
    assert Costs().one == 0.0


class Counter:
    """Stands in for the clock: time passes while models compute, and as much as was said."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds

    def counts(self, context: Context, cost: Callable[[int], float], patch: pytest.MonkeyPatch) -> None:
        def counted(run: Callable[..., Any], size: Callable[..., int]) -> Callable[..., Any]:
            def decode(*given: Any) -> Any:
                self.seconds += cost(size(*given))
                return run(*given)

            return decode

        def tokens(batch: Sequence[int], *_: object) -> int:
            return len(batch)

        # `decode` and `decode_rows` are both this one.
        patch.setattr(context, "decode_one", counted(context.decode_one, lambda *_: 1))
        patch.setattr(context, "_decode", counted(context._decode, tokens))


@pytest.fixture
def drafted(tiny_models: dict[str, Path], tmp_path: Path, open_path: OpenPath) -> Callable[[int], Session]:
    def opened(seed: int) -> Session:
        draft = tiny_models["llama"] if not seed else random_llama(tmp_path / f"{seed}.gguf", seed=seed)
        asked = Speculation(ngram=False, draft_model=str(draft), draft_max=4)
        return open_path(tiny_models["llama"], drafts=DraftPlan(asked))

    return opened


@pytest.mark.parametrize("seed", [0, 7])
def test_of_whole_answers(seed: int, drafted: Callable[[int], Session], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same through the engine: with a draft model that is always right, and with one that never is."""
    session, clock, costs = drafted(seed), Counter(), Costs(HALF_PRECISION)
    drafting = session.drafting
    assert drafting is not None
    assert not drafting.info.problems
    (drafter,) = drafting.active()
    assert isinstance(drafter, ModelDrafter)
    drafting.clock, drafting.policy = clock, Controller(Costs(HALF_PRECISION))
    clock.counts(session.slot.context, costs.seconds, monkeypatch)
    clock.counts(drafter._slot.context, lambda n: DRAFTED if n == 1 else READ * n, monkeypatch)
    spent, written, read = 0.0, 0, 0
    for index in range(6):
        prompt = user(f"{index} {LONG}")
        events = session.reply(ChatRequest((prompt,), Sampling(temperature=0.0, max_tokens=60)))
        first = next(event for event in events if isinstance(event, TextDelta))
        began = clock()
        *_, last = events
        assert isinstance(last, Finished)
        spent, written = (
            spent + clock() - began,
            written + counted(last.timings.predicted_n) - counted(first.predicted_n),
        )
        read = read or counted(last.timings.prompt_n) + counted(first.predicted_n)
    assert written > 100
    if seed:
        assert written < spent <= written + read * READ + CREDIT + 2.0 + SHARE * spent
    else:
        assert spent < 0.8 * written
