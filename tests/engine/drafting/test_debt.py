"""The most that hopeless drafts may cost, with costs that are counted instead of measured."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.core.events import Finished, TextDelta
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import DrafterKind, Speculation
from app.engine.binding.context import Context
from app.engine.drafting.controller import Controller
from app.engine.drafting.costs import Costs
from app.engine.drafting.draft_model import ModelDrafter
from app.engine.drafting.opening import DraftPlan
from app.engine.drafting.policy import Option, Round
from app.engine.reply.session import Session
from tests.engine.conftest import OpenPath
from tests.engine.reply.test_session import LONG, user
from tests.tiny_models import llama as random_llama

FLAT = {1: 1.0, 2: 1.05, 5: 1.2, 17: 1.6}
HALF_PRECISION = {1: 1.0, 2: 1.9, 5: 2.3, 17: 4.15}
BETWEEN = {1: 1.0, 2: 1.6, 5: 2.5, 17: 6.5}
STEEP = {1: 1.0, 2: 3.3, 5: 6.4, 17: 8.8}
"""What batches cost, in single tokens."""
DRAFTED, READ = 0.085, 0.02
"""What a token costs that a small model drafts, and an entry that it reads."""
DEBT, SHARE = 4.8, 0.005
"""Single tokens that may be lost whatever happens, and what may be lost beside, of the time spent."""
KINDS = [
    (Option(DrafterKind.DRAFT_MODEL, 1, 4), DRAFTED),
    (Option(DrafterKind.DRAFT_MODEL, 1, 4, reveals=15, looks_back=True), DRAFTED),
    (Option(DrafterKind.MTP, 1, 3), 0.1),
    (Option(DrafterKind.NGRAM, 5, 16), 0.0),
]


@pytest.mark.parametrize("likely", [0.0, 0.2, 0.4, 0.6])
@pytest.mark.parametrize(("option", "each"), KINDS, ids=["draft-model", "looked-back-at", "mtp", "ngram"])
@pytest.mark.parametrize("machine", [FLAT, HALF_PRECISION, BETWEEN, STEEP], ids=["flat", "half", "between", "steep"])
def test_at_no_moment_more_is_lost(machine: dict[int, float], option: Option, each: float, likely: float) -> None:
    for seed in range(10):
        rng, controller, cost = random.Random(seed), Controller(Costs(machine)), Costs(machine)
        spent, written = 0.0, 0
        while written < 300:
            chosen = controller.choose([option], 0)
            watched = [] if chosen else controller.watches([option])
            n, accepted = chosen[1] if chosen else 0, 0
            while accepted < n and rng.random() < likely:
                accepted += 1
            for _, size in watched:
                right = 0
                while right < size and rng.random() < likely:
                    right += 1
                controller.learned(option, right, size)
            drafting, decoding = (n + sum(size for _, size in watched)) * each, cost.seconds(1 + n)
            made = watched[0][0] if watched and each else None
            controller.saw(
                Round(chosen[0] if chosen else None, n, accepted, 1 + n, drafting, drafting + decoding, watched=made)
            )
            spent, written = spent + drafting + decoding, written + 1 + accepted
            assert spent <= written + DEBT + SHARE * spent + 1e-6, (seed, written)


def test_drafts_that_come_to_nothing_cost_no_more() -> None:
    """A drafter that is never sure enough of a single token works for nothing."""
    controller, spent = Controller(Costs(FLAT)), 0.0
    for written in range(1, 500):
        option = Option(DrafterKind.DRAFT_MODEL, 1, 4)
        chosen = controller.choose([option], 0)
        watched = None if chosen or not controller.watches([option]) else option
        drafting = 0.3 if chosen or watched else 0.0
        controller.saw(Round(chosen[0] if chosen else None, 0, 0, 1, drafting, 1 + drafting, 0.0, watched))
        spent += 1 + drafting
        assert spent <= written + DEBT + 0.3 + SHARE * spent


def answers(controller: Controller, behind: int, right: int, n_answers: int = 20) -> tuple[float, float]:
    """What so many answers of 60 tokens cost beyond plain decoding, and what of that was reading `behind` entries.

    `right`: how many tokens of each draft of four are right.
    """
    cost, lost, read = Costs(HALF_PRECISION), 0.0, 0.0
    for _ in range(n_answers):
        lacks, written = behind, 0
        while written < 60:
            option = Option(DrafterKind.DRAFT_MODEL, 1, 4, behind=lacks)
            chosen = controller.choose([option], 0)
            watched = [] if chosen else controller.watches([option])
            for _, size in watched:
                controller.learned(option, min(size, right), size)
            n, made = chosen[1] if chosen else 0, sum(size for _, size in watched)
            accepted, drafting, reading = min(n, right), (n + made) * DRAFTED, lacks * READ if chosen or made else 0.0
            seconds = cost.seconds(1 + n) + drafting
            controller.saw(
                Round(
                    *(chosen[0] if chosen else None, n, accepted, 1 + n, drafting, seconds, reading),
                    option if made else None,
                )
            )
            lost, read, written = lost + seconds + reading - 1 - accepted, read + reading, written + 1 + accepted
            lacks = 0 if chosen or made else lacks
    return lost, read


@pytest.mark.parametrize("behind", [40, 200, 2000])
def test_a_draft_model_reads_for_nothing_once(behind: int) -> None:
    lost, read = answers(Controller(Costs(HALF_PRECISION)), behind, 0, n_answers=50)
    assert lost <= behind * READ + DEBT + SHARE * 50 * 65
    if behind == 2000:
        assert read == pytest.approx(behind * READ)
    else:
        assert read > behind * READ, "what was poor long ago gets another chance"


def test_a_draft_model_that_is_worth_it_reads_each_prompt() -> None:
    lost, read = answers(Controller(Costs(HALF_PRECISION)), 200, 4)
    assert read == pytest.approx(20 * 200 * READ)
    assert lost < -20 * 60 * 0.3


def test_what_can_not_be_regained_is_not_read_again() -> None:
    controller = Controller(Costs(HALF_PRECISION))
    answers(controller, 200, 4)
    assert answers(controller, 20_000, 4)[1] == 0.0


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

        # `decode_rows` decodes by `decode`.
        patch.setattr(context, "decode_one", counted(context.decode_one, lambda *_: 1))
        patch.setattr(context, "decode", counted(context.decode, tokens))


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
        spent, written = spent + clock() - began, written + last.timings.predicted_n - first.predicted_n
        read = read or last.timings.prompt_n + first.predicted_n
    assert written > 100
    if seed:
        assert spent <= written + read * READ + DEBT + SHARE * spent
    else:
        assert spent < 0.8 * written
