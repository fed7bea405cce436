"""When drafts are made: only where they pay, as far as one can know."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from app.core.speculation import DrafterKind
from app.engine.drafting.acceptance import Acceptance
from app.engine.drafting.controller import Controller
from app.engine.drafting.costs import Costs
from app.engine.drafting.policy import OFF_RUN, ON_RUN, Option, Round

FLAT = {1: 0.010, 2: 0.0105, 5: 0.012, 17: 0.016}
"""A machine that waits for memory: a batch costs hardly more than a token."""
HALF_PRECISION = {1: 0.020, 2: 0.038, 5: 0.046, 17: 0.083}
STEEP = {1: 0.008, 2: 0.0264, 5: 0.0512, 17: 0.0704}
"""A machine that waits for its arithmetic (Q8_0 with one thread: facts of measuring)."""
MODEL, NGRAM = DrafterKind.DRAFT_MODEL, DrafterKind.NGRAM
MODEL_OPTION = Option(MODEL, 1, 4)


def cost(machine: dict[int, float], size: int) -> float:
    return Costs(machine).seconds(size)


def simulated(
    controller: Controller,
    machine: dict[int, float],
    right: Callable[[int], float],
    *,
    tokens: int = 2000,
    each: float = 0.0005,
    option: Option | None = None,
    noise: float = 0.0,
    seed: int = 0,
) -> tuple[float, int]:
    """How many times as fast as plain decoding `tokens` are written, and how many are drafted.

    `right`: how likely a drafted token is right after `n` tokens.
    """
    option = option or Option(MODEL, 1, 16)
    rng, seconds, done, drafted, goes_on = random.Random(seed), 0.0, 0, 0, False
    while done < tokens:
        chosen = controller.choose([option], 0)
        watched = None if chosen else next(iter(controller.watches([option])), None)
        n = chosen[1] if chosen else 0
        made = n or (watched[1] if watched else 0)
        accepted = 0
        while accepted < made and rng.random() < right(done):
            accepted += 1
        if watched:
            controller.learned(option, accepted, made, goes_on=goes_on)
        goes_on = watched is not None and accepted == made
        if option.kind is not NGRAM:
            option = replace(option, prospect=ON_RUN if made and accepted == made else OFF_RUN)
        accepted = min(accepted, n)
        draft_seconds = made * each
        decoding = cost(machine, 1 + n) * (1 + noise * rng.random())
        controller.saw(
            Round(
                *(chosen[0] if chosen else None, n, accepted, 1 + n, draft_seconds, decoding + draft_seconds),
                watched=watched[0] if watched and draft_seconds else None,
            )
        )
        seconds += decoding + draft_seconds
        done += 1 + accepted
        drafted += n
    return done * machine[1] * (1 + noise / 2) / seconds, drafted


@pytest.mark.parametrize("likely", [0.0, 0.3, 0.6, 0.9, 1.0])
@pytest.mark.parametrize("machine", [FLAT, HALF_PRECISION, STEEP])
def test_no_more_than_a_small_share_is_ever_lost(machine: dict[int, float], likely: float) -> None:
    gain, _ = simulated(Controller(Costs(machine)), machine, lambda _: likely, tokens=300)
    assert gain > 0.98


@pytest.mark.parametrize("machine", [FLAT, HALF_PRECISION, STEEP])
def test_no_more_is_lost_when_nothing_was_measured_before(machine: dict[int, float]) -> None:
    gain, _ = simulated(Controller(Costs()), machine, lambda _: 0.4, tokens=400)
    assert gain > 0.97


def test_good_drafts_are_taken_at_full_length() -> None:
    gain, drafted = simulated(Controller(Costs(HALF_PRECISION)), HALF_PRECISION, lambda _: 0.97)
    best = max(sum(0.97**j for j in range(n + 1)) / (cost(HALF_PRECISION, n + 1) / 0.020) for n in range(17))
    assert gain > 0.9 * best > 1.8
    assert drafted > 1000


def test_long_good_drafts_pay_even_where_short_ones_never_do() -> None:
    gain, _ = simulated(Controller(Costs(STEEP)), STEEP, lambda _: 0.995, option=Option(NGRAM, 8, 16), each=0.0)
    assert gain > 0.99
    assert not Controller(Costs(STEEP)).never_pays(16)


def test_where_no_draft_can_pay_one_is_tried_now_and_then() -> None:
    """For the machine may have been busy when it was measured."""
    costs = {1: 0.01, 2: 0.03, 5: 0.06, 17: 0.18}
    controller = Controller(Costs(costs))
    assert controller.never_pays(16)
    gain, drafted = simulated(controller, costs, lambda _: 1.0, tokens=100)
    assert drafted == 0
    assert gain == pytest.approx(1.0, rel=1e-6)
    gain, drafted = simulated(controller, costs, lambda _: 1.0, tokens=400)
    assert drafted < 12
    assert gain > 0.99
    gain, _ = simulated(controller, costs, lambda _: 1.0, tokens=10_000)
    assert gain > 0.99


def test_drafts_that_get_better_are_noticed() -> None:
    controller = Controller(Costs(HALF_PRECISION))
    simulated(controller, HALF_PRECISION, lambda _: 0.05, tokens=400)
    gain, drafted = simulated(controller, HALF_PRECISION, lambda _: 0.95, tokens=3000)
    assert drafted > 500
    assert gain > 1.3


def test_a_machine_that_was_busy_when_it_was_measured_gets_another_chance() -> None:
    busy = {size: seconds * (4 if size > 1 else 1) for size, seconds in HALF_PRECISION.items()}
    controller, option = Controller(Costs(busy)), Option(NGRAM, 8, 16)
    assert controller.never_pays(16)
    simulated(controller, HALF_PRECISION, lambda _: 0.97, tokens=4000, option=option, each=0.0)
    gain, drafted = simulated(controller, HALF_PRECISION, lambda _: 0.97, tokens=2000, option=option, each=0.0)
    assert drafted > 1000
    assert gain > 2
    assert controller.costs.times(17) < 0.5 * busy[17] / busy[1]


def test_a_machine_that_is_slow_loses_nothing_by_the_chances_that_it_gets() -> None:
    controller, option = Controller(Costs(STEEP)), Option(NGRAM, 8, 16)
    gain, _ = simulated(controller, STEEP, lambda _: 0.8, tokens=10_000, option=option, each=0.0)
    assert gain > 0.985


def test_a_dear_drafter_is_left_alone() -> None:
    gain, _ = simulated(Controller(Costs(FLAT)), FLAT, lambda _: 0.8, each=0.02, tokens=500)
    assert gain > 0.975


def test_of_two_drafts_the_one_with_the_better_prospect_is_made() -> None:
    controller = Controller(Costs(FLAT))
    short, long = Option(NGRAM, 3, 16), Option(NGRAM, 8, 16)
    for _ in range(20):
        controller.saw(Round(short, 4, 0, 5, 0.0, 0.012))
        controller.saw(Round(long, 4, 4, 5, 0.0, 0.012))
    chosen = controller.choose([short, long], 0)
    assert chosen is not None
    assert chosen[0] is long
    poor = Controller(Costs(FLAT))
    for _ in range(20):
        poor.saw(Round(short, 4, 0, 5, 0.0, 0.012))
    assert poor.choose([short], 0) is None


def test_a_memory_that_must_read_again_drafts_less() -> None:
    def length(replays: bool) -> int:
        controller = Controller(Costs(HALF_PRECISION))
        option = Option(MODEL, 1, 16, replays)
        for _ in range(30):
            controller.saw(Round(option, 8, 6, 9, 0.004, 0.06))
        chosen = controller.choose([option], 0)
        return chosen[1] if chosen else 0

    assert length(replays=True) < length(replays=False)


def test_nothing_is_drafted_before_a_single_token_was_measured() -> None:
    controller = Controller(Costs())
    assert controller.choose([Option(NGRAM, 8, 16)], 0) is None
    controller.saw(Round(None, 0, 0, 1, 0.0, 0.01))
    assert controller.choose([Option(NGRAM, 8, 16)], 0) is not None


def test_one_hiccup_of_the_machine_does_not_end_drafting() -> None:
    controller = Controller(Costs(FLAT))
    option = Option(NGRAM, 8, 16)
    for _ in range(10):
        controller.saw(Round(option, 8, 8, 9, 0.0, 0.0133))
    controller.saw(Round(option, 8, 8, 9, 0.0, 3.0))
    assert controller.choose([option], 0) is not None


@pytest.mark.parametrize("seed", range(3))
def test_a_noisy_machine_is_no_reason_to_lose(seed: int) -> None:
    gain, _ = simulated(
        Controller(Costs(HALF_PRECISION)), HALF_PRECISION, lambda _: 0.45, noise=0.5, seed=seed, tokens=1000
    )
    assert gain > 0.96


def test_costs_between_measured_sizes_lie_between() -> None:
    costs = Costs(HALF_PRECISION)
    assert costs.seconds(1) == pytest.approx(0.020)
    assert costs.seconds(5) == pytest.approx(0.046)
    assert costs.seconds(2) < costs.seconds(3) < costs.seconds(4) < costs.seconds(5)
    assert costs.seconds(17) < costs.seconds(34) < 2 * costs.seconds(17)


def test_costs_follow_a_conversation_that_grows() -> None:
    costs = Costs(HALF_PRECISION)
    for _ in range(200):
        costs.add(5, 0.092)
    assert costs.seconds(5) == pytest.approx(0.092, rel=0.05)
    assert costs.one > 0.023, "single tokens have become slower too"
    for _ in range(30):
        costs.add(1, 0.040)
    assert costs.one == pytest.approx(0.040, rel=0.01)


def test_a_larger_batch_is_never_reckoned_cheaper() -> None:
    costs = Costs({1: 0.02, 5: 0.06, 17: 0.03})
    assert costs.times(17) >= costs.times(5)


def test_acceptance_tells_the_first_token_from_the_later_ones() -> None:
    acceptance = Acceptance(0.5, 0.5)
    for index in range(200):
        acceptance.add(8 if index % 2 else 0, 8)
    assert acceptance.expected(1) == pytest.approx(1.5, abs=0.06)
    assert acceptance.expected(8) > 4.5, "where the first is right, all of them are"
    assert acceptance.throughout(8) == pytest.approx(0.5, abs=0.06)
    assert acceptance.unsure < 0.1
    assert Acceptance(0.5, 0.5).unsure == 0.5


def test_what_fails_dearly_is_watched_before_it_is_checked() -> None:
    controller, option = Controller(Costs(HALF_PRECISION)), Option(MODEL, 1, 4)
    for _ in range(4):
        assert controller.choose([option], 0) is None
        assert controller.watches([option]) == [(option, 1)]
        controller.learned(option, 1, 1)
        controller.saw(Round(None, 0, 0, 1, 0.0017, 0.0217, watched=option))
    chosen = controller.choose([option], 0)
    assert chosen is not None
    assert chosen[1] == 4


@pytest.mark.parametrize("machine", [FLAT, HALF_PRECISION])
def test_what_is_read_for_guesses_may_pay_until_they_are_known_to_be_hopeless(machine: dict[int, float]) -> None:
    option, one = Option(DrafterKind.MTP, OFF_RUN, 3), machine[1]
    assert Controller(Costs()).may_pay(option), "nothing is known before a token was measured"
    controller = Controller(Costs(machine))
    assert controller.may_pay(option)
    for _ in range(8):
        controller.learned(option, 0, 1)
        controller.saw(Round(None, 1, 0, 1, 0.3 * one, 1.3 * one, watched=option))
    assert not controller.may_pay(option)
    controller.choose([option], 0, since=20_000)
    assert controller.may_pay(option), "what was seen long ago may no longer hold"


@pytest.mark.parametrize(("each", "pays"), [(0.1, True), (0.9, False)])
def test_drafts_are_known_to_pay_when_they_do_and_not_before(each: float, pays: bool) -> None:
    controller, option = Controller(Costs(HALF_PRECISION)), Option(DrafterKind.MTP, ON_RUN, 3)
    one = HALF_PRECISION[1]
    assert not controller.pays(option), "only hoped for"
    for _ in range(8):
        decoding = cost(HALF_PRECISION, 4)
        controller.saw(Round(option, 3, 3, 4, 3 * each * one, decoding + 3 * each * one))
    assert controller.pays(option) == pays


def test_nothing_is_read_for_guesses_where_no_batch_can_pay() -> None:
    assert not Controller(Costs({1: 0.008, 2: 0.024, 5: 0.060, 17: 0.200})).may_pay(Option(DrafterKind.MTP, 1, 3))


def test_guesses_that_should_cost_too_much_are_left_alone_until_it_is_known_what_they_cost() -> None:
    """A head that is always right read the prompt, looked back, and guessed once where nothing could pay: 0.85 %."""
    quick, option = {1: 0.010, 2: 0.025, 5: 0.044, 17: 0.091}, Option(DrafterKind.MTP, 1, 3)
    assert Controller(Costs(quick)).may_pay(option)
    controller = Controller(Costs(quick), {DrafterKind.MTP: 0.3})
    assert not controller.may_pay(option)
    assert not controller.watches([option])
    assert Controller(Costs(HALF_PRECISION), {DrafterKind.MTP: 0.3}).may_pay(option)
    controller.saw(Round(None, 1, 0, 1, 0.0003, 0.0103, watched=option))
    assert controller.may_pay(option), "a guess was made, and cost less"


def test_much_is_not_read_for_guesses_that_only_cheaper_batches_would_make_pay() -> None:
    dear = {1: 0.010, 2: 0.025, 5: 0.045, 17: 0.091}
    option = Option(DrafterKind.MTP, 1, 3)
    assert Controller(Costs(dear)).may_pay(option)
    assert not Controller(Costs(dear)).may_pay(replace(option, behind=200))
    assert Controller(Costs(HALF_PRECISION)).may_pay(replace(option, behind=200)), "they pay as batches were measured"


def test_what_guesses_should_cost_is_of_one_kind() -> None:
    machine = {1: 0.010, 2: 0.025, 5: 0.044, 17: 0.091}
    assert Controller(Costs(machine), {MODEL: 5.0}).may_pay(Option(DrafterKind.MTP, 1, 3))


@pytest.mark.parametrize("pays", [True, False])
def test_a_prompt_is_read_for_one_more_look_only_where_drafts_are_known_to_pay(*, pays: bool) -> None:
    """In 5 of 12 openings of the bench with its poor draft model that took four tokens and more of first answers."""
    controller, one = Controller(Costs(HALF_PRECISION)), HALF_PRECISION[1]
    prompt = Option(MODEL, OFF_RUN, 4, behind=100, looks_back=True)
    controller.saw(Round(None, 1, 0, 1, 0.1 * one, 1.1 * one, reading=2.5 * one, watched=prompt))
    for n in range(10):
        controller.learned(replace(prompt, prospect=ON_RUN), int(pays or n % 3 == 0), 1)
    assert bool(controller.watches([replace(prompt, reveals=15)])) is pays
    controller.saw(Round(None, 1, 0, 1, one, 2 * one, watched=prompt))
    assert controller.watches([replace(prompt, behind=40, reveals=15)]), "a look in the same answer is cheap"


LOOKING = Option(MODEL, OFF_RUN, 4, looks_back=True)


def test_a_draft_model_is_looked_back_at_when_it_tells_of_fifteen_guesses() -> None:
    controller = Controller(Costs(HALF_PRECISION))
    assert not controller.watches([replace(LOOKING, reveals=14)])
    assert controller.rests([LOOKING]) == 15
    assert controller.watches([replace(LOOKING, reveals=15)])


def test_a_look_at_a_draft_model_tells_what_a_guess_costs_as_it_is() -> None:
    """The rows that are looked back at are read before: they are no part of it, as they are of a head's."""
    controller, one = Controller(Costs(HALF_PRECISION)), HALF_PRECISION[1]
    appearance = replace(LOOKING, reveals=15, behind=40)
    controller.saw(Round(None, 1, 0, 1, 0.1 * one, 1.1 * one, reading=one, watched=appearance))
    assert controller.experience.stats[MODEL].first_token == pytest.approx(0.1)


@pytest.mark.parametrize("pays", [True, False])
def test_bad_luck_does_not_end_looks_at_a_draft_model_that_pays_by_all_that_was_seen(*, pays: bool) -> None:
    controller, one = Controller(Costs(HALF_PRECISION)), HALF_PRECISION[1]
    for _ in range(20):
        controller.learned(replace(LOOKING, prospect=ON_RUN), 1, 1, goes_on=pays)
    for _ in range(5 if pays else 12):
        controller.saw(Round(replace(LOOKING, prospect=ON_RUN), 4, 0, 5, 0.2 * one, HALF_PRECISION[5] + 0.2 * one))
        controller.learned(replace(LOOKING, prospect=ON_RUN), int(pays), 1, goes_on=pays)
    assert bool(controller.watches([replace(LOOKING, reveals=15)])) is pays


def test_guesses_of_a_draft_model_are_not_checked_on_hope_where_they_can_be_looked_back_at() -> None:
    def drafts(*, looks_back: bool) -> bool:
        controller = Controller(Costs(DEAR_CHECKS))
        option = replace(LOOKING, prospect=ON_RUN, looks_back=looks_back)
        for right in (1, 0, 1, 0, 1):
            controller.learned(option, right, 1)
        one = DEAR_CHECKS[1]
        controller.saw(Round(option, 1, 0, 2, 0.05 * one, DEAR_CHECKS[2] + 0.05 * one))
        return controller.choose([option], 0) is not None

    assert drafts(looks_back=False)
    assert not drafts(looks_back=True)


def looked_back(right: Sequence[bool], machine: dict[int, float], prompt: int = 95, entry: float = 0.02) -> float:
    """Single tokens that a draft model costs beyond plain decoding of its `right` and wrong guesses, fewer if it gains.

    `entry`: what an entry costs that it reads, in single tokens.
    """
    controller, cost, one = Controller(Costs(machine), {MODEL: 0.08}), Costs(machine), machine[1]
    spent, place, held, behind, before, since = 0.0, 0, 0, prompt, True, 1
    while place < len(right) - 5:
        reveals = min(15, place - held) if place - held > 3 else 0
        option = Option(MODEL, ON_RUN if before else OFF_RUN, 4, behind=behind, reveals=reveals, looks_back=True)
        chosen = controller.choose([option], 0, since)
        watched = not chosen and bool(controller.watches([option]))
        n, rests = chosen[1] if chosen else 0, 1 if chosen or watched else controller.rests([option])
        accepted, reading, drafting = 0, 0.0, 0.0
        if chosen or watched:
            for index in range(place - reveals + 1, place):
                seen = replace(option, prospect=ON_RUN if right[index - 1] else OFF_RUN)
                controller.learned(seen, int(right[index]), 1, goes_on=right[index - 1])
            if reveals:
                option = replace(option, prospect=ON_RUN if right[place - 1] else OFF_RUN)
            reading, drafting = behind * entry * one, max(1, n) * 0.1 * one
            while accepted < max(1, n) and right[place + accepted]:
                accepted += 1
            if watched:
                controller.learned(option, accepted, 1, goes_on=before)
        before = bool(chosen or watched) and accepted == max(1, n)
        accepted = min(accepted, n)
        seconds = cost.seconds(1 + n) + drafting
        made = option if chosen or watched else None
        for _ in range(rests):
            controller.saw(
                Round(made if n else None, n, accepted, 1 + n, drafting, seconds, reading, made if watched else None)
            )
            spent, place, behind = spent + seconds + reading, place + 1 + accepted, behind + 1
        if made is not None:
            held, behind = place, 0
        since = rests
    return spent / one - place


def runs_of(likely: float, seed: int, tokens: int = 400) -> list[bool]:
    """Right and wrong guesses as those of a model that is right so often, with runs as they were seen of small ones."""
    rng = random.Random(seed)
    found = [rng.random() < likely]
    while len(found) < tokens:
        found.append(found[-1] if rng.random() < 0.2 else rng.random() < likely)
    return found


DEAR_CHECKS = {1: 0.010, 2: 0.0238, 5: 0.0263, 17: 0.062}


@pytest.mark.parametrize("machine", [HALF_PRECISION, DEAR_CHECKS])
@pytest.mark.parametrize(("likely", "most"), [(0.0, 3.0), (0.1, 3.0), (0.3, 4.5), (0.5, 6.5), (0.6, 7.0)])
def test_a_draft_model_that_can_not_pay_costs_little(likely: float, most: float, machine: dict[int, float]) -> None:
    """Of 400 tokens, two of them for reading the prompt. Watched one by one they cost 5 to 8 on average."""
    costs = [looked_back(runs_of(likely, seed), machine) for seed in range(40)]
    assert sum(costs) / len(costs) < most
    assert max(costs) < 0.035 * 400


def test_a_good_draft_model_is_found_out_about() -> None:
    """One that is right in 87 of 100 guesses: whatever its first ones are, in nine of ten answers."""
    gains = [-looked_back(runs_of(0.87, seed), DEAR_CHECKS) / 400 for seed in range(60)]
    assert sum(gain > 0.05 for gain in gains) >= 54


HEAD = Option(DrafterKind.MTP, OFF_RUN, 3, looks_back=True)


def test_one_that_looks_back_is_watched_when_it_can_tell_of_several_guesses() -> None:
    controller = Controller(Costs(HALF_PRECISION))
    assert not controller.watches([HEAD])
    assert not controller.watches([replace(HEAD, reveals=4)])
    assert controller.watches([replace(HEAD, reveals=5)]) == [(replace(HEAD, reveals=5), 1)]
    assert controller.watches([replace(HEAD, looks_back=False)])
    for _ in range(6):
        controller.learned(replace(HEAD, prospect=ON_RUN), 1, 1)
    assert controller.watches([HEAD]) == [(HEAD, 1)], "a single guess tells whether a good one is on a run again"


def test_guesses_of_a_head_with_the_models_own_rows_say_little_of_those_with_its_own() -> None:
    """They were taken for as good: heads whose second guess is wrong most often were checked again and again."""

    def later(kind: DrafterKind) -> float:
        controller, option = Controller(Costs(HALF_PRECISION)), Option(kind, ON_RUN, 3)
        for _ in range(20):
            controller.learned(option, 1, 1, goes_on=True)
            controller.saw(Round(None, 1, 0, 1, 0.002, 0.022, watched=option))
        return controller.experience.stats[kind].on_run[2]

    assert later(DrafterKind.MTP) == pytest.approx(0.8), "as expected before anything was seen"
    assert later(MODEL) > 0.95


def test_a_later_guess_of_a_head_is_not_hoped_to_be_better_than_one_with_the_models_own_rows() -> None:
    poor = Acceptance(0.8, 0.8)
    for _ in range(40):
        poor.add(0, 1)
    free, bound = (Acceptance(0.9, 0.9).expectations(3, limit=limit) for limit in (None, poor))
    assert free == pytest.approx([1.9, 2.71, 3.439])
    assert bound[0] == pytest.approx(1.9)
    assert bound[2] < 2.3

    def length(kind: DrafterKind) -> int:
        controller, option = Controller(Costs(FLAT)), Option(kind, OFF_RUN, 4)
        for _ in range(20):
            controller.learned(option, 1, 1)
            controller.learned(replace(option, prospect=ON_RUN), 0, 1)
        chosen = controller.choose([option], 0)
        assert chosen is not None
        return chosen[1]

    assert length(DrafterKind.MTP) < length(MODEL)


def test_one_right_guess_of_one_that_looks_back_is_not_enough_to_draft() -> None:
    """It was, and hopeless heads drafted when an answer began."""

    def drafts(looks_back: bool, guesses: int) -> bool:
        controller = Controller(Costs(HALF_PRECISION))
        option = replace(HEAD, prospect=ON_RUN, looks_back=looks_back)
        for _ in range(guesses):
            controller.learned(option, 1, 1)
        return controller.choose([option], 0) is not None

    assert drafts(looks_back=False, guesses=1)
    assert not drafts(looks_back=True, guesses=1)
    assert drafts(looks_back=True, guesses=4)


def test_looking_back_overdraws_the_account_little() -> None:
    looking, one = replace(HEAD, prospect=ON_RUN, reveals=15), HALF_PRECISION[1]
    controller, looks = Controller(Costs(HALF_PRECISION)), 0
    for _ in range(20):
        if controller.watches([looking]):
            looks += 1
            controller.learned(looking, 1, 1)
            controller.saw(Round(None, 1, 0, 1, one, 2 * one, watched=looking))
    assert looks == 1


def test_one_that_looks_back_is_asked_again_as_soon_as_it_can_tell_something() -> None:
    controller = Controller(Costs(HALF_PRECISION))
    assert (controller.rests([HEAD]), controller.rests([MODEL_OPTION]), controller.rests([])) == (5, 16, 16)
    for _ in range(8):
        controller.learned(HEAD, 1, 1)
    assert controller.rests([HEAD]) == 16, "it is known"


def test_what_a_look_back_costs_tells_what_a_guess_does() -> None:
    controller, one = Controller(Costs(HALF_PRECISION)), HALF_PRECISION[1]
    looking = replace(HEAD, reveals=7)
    seconds = 0.3 * cost(HALF_PRECISION, 8)
    controller.saw(Round(None, 1, 0, 1, seconds, one + seconds, watched=looking))
    known = controller.experience.stats[DrafterKind.MTP]
    assert known.later_token == 0, "of a draft that was not made nothing was measured"
    assert known.first_token == pytest.approx(1.5 * 0.3, rel=0.05)
    controller.saw(Round(looking, 3, 3, 4, 5.0, 5.0 + cost(HALF_PRECISION, 4)))
    after = controller.experience.stats[DrafterKind.MTP]
    assert (after.first_token, after.later_token) == pytest.approx((known.first_token, 0)), "nor was it now"
    controller.saw(Round(HEAD, 3, 3, 4, 0.9 * one, 3.2 * one))
    assert controller.experience.stats[DrafterKind.MTP].later_token > 0


def test_a_dear_guess_that_was_right_is_followed_by_another_before_the_account_is_full_again() -> None:
    """It was not: two guesses of 0.41 tokens each were beyond what may be lost at once, so a head that is always right
    was asked once in 16 tokens, and in a short answer it never came to a draft."""
    controller, each = Controller(Costs(HALF_PRECISION)), 0.45 * HALF_PRECISION[1]
    off, on = Option(DrafterKind.MTP, OFF_RUN, 3), Option(DrafterKind.MTP, ON_RUN, 3)
    controller.saw(Round(None, 1, 0, 1, each, HALF_PRECISION[1] + each, watched=off))
    assert controller.watches([on]), "the guess was right"
    assert not controller.watches([off]), "it was wrong"


def test_what_fails_cheaply_is_checked_at_once() -> None:
    assert Controller(Costs(FLAT)).choose([Option(MODEL, 1, 4)], 0) is not None


@pytest.mark.parametrize("likely", [0.0, 0.1, 0.25])
def test_of_a_hopeless_draft_model_hardly_anything_is_checked(likely: float) -> None:
    drafted = [
        simulated(
            Controller(Costs(HALF_PRECISION)),
            HALF_PRECISION,
            lambda _: likely,
            tokens=200,
            each=0.0017,
            option=Option(MODEL, 1, 4),
            noise=0.3,
            seed=seed,
        )
        for seed in range(100)
    ]
    gains = [gain for gain, _ in drafted]
    assert sum(n for _, n in drafted) <= 100 * 8
    assert sum(gains) / len(gains) > 0.985


def test_a_good_draft_model_pays_from_the_first_answer_on() -> None:
    best = sum(0.87**j for j in range(5)) / (cost(HALF_PRECISION, 5) / 0.020 + 4 * 0.085)
    gains = sorted(
        simulated(
            Controller(Costs(HALF_PRECISION)),
            HALF_PRECISION,
            lambda _: 0.87,
            tokens=192,
            each=0.0017,
            option=Option(MODEL, 1, 4),
            noise=0.3,
            seed=seed,
        )[0]
        for seed in range(40)
    )
    assert gains[4] > 1.1, "in nine of ten answers"
    assert sum(gains) / len(gains) > 0.93 * best


def test_bad_luck_at_first_does_not_end_good_drafts() -> None:
    """Found on a model of realistic shape: wrong three times, where a wrong draft costs two tokens, and good then."""
    machine, wrong = {1: 0.016, 2: 0.039, 5: 0.0437, 17: 0.088}, {0, 8, 10}
    gains = [
        simulated(
            *(Controller(Costs(machine)), machine, lambda place: 0.0 if place in wrong else 0.9),
            tokens=384,
            each=0.0018,
            option=MODEL_OPTION,
            noise=0.2,
            seed=seed,
        )[0]
        for seed in range(40)
    ]
    assert sum(gain > 1.05 for gain in gains) > 25, "in most of forty answers"


def test_short_drafts_that_are_always_right_get_longer() -> None:
    """Single guesses tell nothing of those after them, so that these are hoped for must be enough."""
    machine = {1: 0.010, 2: 0.0153, 3: 0.0211, 5: 0.0284, 17: 0.0562}
    gains = [
        simulated(
            *(Controller(Costs(machine)), machine, lambda _: 0.97),
            tokens=400,
            each=0.0011,
            option=MODEL_OPTION,
            noise=0.2,
            seed=seed,
        )[0]
        for seed in range(40)
    ]
    assert min(gains) > 1.25


def test_a_batch_that_was_measured_too_dear_is_tried_again() -> None:
    """Where the draft model is known to be good, and the machine was busy when it was measured."""
    busy = {1: 0.020, 2: 0.060, 5: 0.076, 17: 0.140}
    gain, drafted = simulated(
        Controller(Costs(busy)), HALF_PRECISION, lambda _: 0.87, tokens=600, option=Option(MODEL, 1, 4), each=0.0017
    )
    assert drafted > 200
    assert gain > 1.1


def test_of_several_draft_models_the_least_known_is_watched() -> None:
    controller = Controller(Costs(HALF_PRECISION))
    options = [Option(MODEL, 1, 4), Option(DrafterKind.MTP, 1, 3), Option(NGRAM, 4, 16)]
    controller.learned(options[0], 1, 1)
    assert controller.watches(options) == [(options[2], 16), (options[1], 1)]


def test_nothing_is_watched_that_could_never_pay() -> None:
    controller = Controller(Costs({1: 0.01, 2: 0.03, 5: 0.06, 17: 0.18}))
    assert controller.watches([Option(MODEL, 1, 4)]) == []


def test_the_first_measurement_counts_most() -> None:
    costs = Costs({1: 0.02, 5: 0.06})
    costs.add(5, 0.046)
    first = costs.times(5)
    assert 2.3 < first < 2.8
    for _ in range(30):
        costs.add(5, costs.one * 2.3)
    before = costs.times(5)
    costs.add(5, 0.060)
    assert costs.times(5) - before < 0.2 * (3.0 - first)


def test_one_batch_tells_of_others_that_were_measured_at_the_same_time() -> None:
    costs = Costs({1: 0.02, 5: 0.06, 17: 0.12})
    for _ in range(10):
        costs.add(5, costs.one * 2.0)
    assert costs.times(17) < 5


def test_a_model_that_is_wrong_is_watched_until_it_is_right_again() -> None:
    """Where right guesses come in runs, and wrong ones too."""
    gain, drafted = simulated(
        *(Controller(Costs(HALF_PRECISION)), HALF_PRECISION, lambda place: float(place % 24 < 20)),
        tokens=1200,
        option=Option(MODEL, 1, 4),
        each=0.0017,
    )
    assert gain > 1.3
    assert drafted < 1200, "few of them in vain"


def test_guesses_after_right_ones_are_learned_apart() -> None:
    controller = Controller(Costs(HALF_PRECISION))
    off, on = Option(MODEL, OFF_RUN, 4), Option(MODEL, ON_RUN, 4)
    for _ in range(12):
        controller.learned(off, 0, 1)
        controller.learned(on, 1, 1, goes_on=True)
    assert controller.choose([off], 0) is None
    chosen = controller.choose([on], 0)
    assert chosen is not None
    assert chosen[1] == 4
