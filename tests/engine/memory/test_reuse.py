"""The plan is exact, and as cheap as the memory allows; no model is needed to show it."""

from dataclasses import dataclass, replace

from hypothesis import given
from hypothesis import strategies as st

from app.engine.memory.rates import Rate, Rates
from app.engine.memory.reuse import MemoryTraits, ReuseAction, Source, choose, plan
from app.engine.prompt.prompt_tokens import PromptTokens

tokens = st.lists(st.integers(0, 2), max_size=12)
some_tokens = st.lists(st.integers(0, 2), min_size=1, max_size=12)
ATTENTION = MemoryTraits()


@given(
    tokens,
    some_tokens,
    st.builds(MemoryTraits, st.booleans(), st.sampled_from([0, 1, 4])),
    st.integers(0, 12),
)
def test_a_plan_keeps_only_what_is_equal_and_leaves_something_to_read(
    slot: list[int], prompt: list[int], traits: MemoryTraits, pos_min: int
) -> None:
    made = plan(PromptTokens(slot), PromptTokens(prompt), traits, pos_min)
    assert slot[: made.keep] == prompt[: made.keep]
    assert 0 <= made.keep < len(prompt) == made.total
    match made.action:
        case ReuseAction.EXTEND:
            assert made.keep == len(slot)
        case ReuseAction.TRIM:
            assert traits.trims
            assert made.keep < len(slot)
            assert pos_min <= max(0, made.keep - traits.n_swa + 1) if traits.n_swa else pos_min == 0
        case ReuseAction.CLEAR:
            assert made.keep == 0


@given(tokens, some_tokens)
def test_full_attention_keeps_all_that_is_equal(slot: list[int], prompt: list[int]) -> None:
    made = plan(PromptTokens(slot), PromptTokens(prompt), ATTENTION, 0)
    assert made.keep == min(made.common, len(prompt) - 1)
    assert not made.why


@given(some_tokens, st.lists(st.integers(0, 2), min_size=1, max_size=4), st.integers(0, 30))
def test_every_memory_extends_what_it_holds(slot: list[int], more: list[int], pos_min: int) -> None:
    for traits in (ATTENTION, MemoryTraits(trims=False), MemoryTraits(n_swa=4)):
        made = plan(PromptTokens(slot), PromptTokens(slot + more), traits, pos_min)
        assert (made.action, made.keep) == (ReuseAction.EXTEND, len(slot))


@given(some_tokens, some_tokens, st.integers(1, 5), st.integers(0, 12), st.lists(st.integers(1, 12), unique=True))
def test_blocks_are_kept_whole_and_only_as_they_were_read(
    slot: list[int], prompt: list[int], block: int, read: int, places: list[int]
) -> None:
    for traits in (ATTENTION, MemoryTraits(trims=False)):
        places = sorted(each for each in places if each <= len(slot))
        made = plan(PromptTokens(slot), PromptTokens(prompt), traits, 0, places, block=block, read=read)
        assert made.keep % block == 0
        assert slot[: made.keep] == prompt[: made.keep]
        assert made.keep <= min(read, len(prompt) - 1)
        most = min(made.common, read, len(prompt) - 1) // block * block
        wanted = [each for each in (0, *places) if each <= most and each % block == 0]
        assert made.keep == (most if traits.trims or most == len(slot) else max(wanted))
        assert bool(made.why) or made.keep >= min(made.common, len(prompt) - 1)


def test_the_sliding_window_rule_at_its_boundary() -> None:
    """pos_min <= keep - n_swa + 1, as measured on gemma3 and gpt-oss; one less would be wrong."""
    slot, prompt = PromptTokens(range(100)), PromptTokens([*range(80), 7, 7])
    traits = MemoryTraits(n_swa=32)
    assert plan(slot, prompt, traits, pos_min=49).action is ReuseAction.TRIM
    refused = plan(slot, prompt, traits, pos_min=50)
    assert refused.action is ReuseAction.CLEAR
    assert "sliding window" in str(refused)


def test_a_refusal_says_why_and_counts_what_was_equal() -> None:
    slot, prompt = PromptTokens(range(10)), PromptTokens([*range(8), 99, 99])
    made = plan(slot, prompt, MemoryTraits(trims=False), pos_min=9)
    assert (made.keep, made.common, made.total) == (0, 8, 10)
    assert str(made) == "Reused 0 of 10 tokens; this model's memory cannot go back to where they differ."


@dataclass(frozen=True)
class Left:
    """A state that was left."""

    entries: PromptTokens
    restore_bytes: int
    source: Source = Source.MEMORY
    places: tuple[int, ...] = ()
    start: int = 0


PROMPT = PromptTokens(range(1000))
COLD = plan(PromptTokens(), PROMPT, ATTENTION, 0)


def rates(reading: float = 100, memory: float = 1e9, disk: float = 1e8) -> Rates:
    made = Rates()
    made.reading, made.memory, made.disk = Rate(reading, 1), Rate(memory, 1), Rate(disk, 1)
    return made


def test_the_state_that_brings_back_most_is_chosen_while_all_is_fast() -> None:
    short, long = Left(PromptTokens(range(500)), 1000), Left(PromptTokens(range(900)), 2000, Source.DISK)
    for order in ([short, long], [long, short]):
        chosen = choose(COLD, order, PROMPT, ATTENTION, rates())
        assert chosen.held is long
        assert (chosen.action, chosen.keep) == (ReuseAction.EXTEND, 900)
        assert str(chosen) == "Reused 900 of 1,000 tokens, brought back from disk."


def test_a_slow_disk_loses_to_reading_and_to_memory() -> None:
    on_disk, in_memory = Left(PromptTokens(range(900)), 10**9, Source.DISK), Left(PromptTokens(range(600)), 10**9)
    assert choose(COLD, [on_disk], PROMPT, ATTENTION, rates(disk=1e8)).held is None, "10 s against 9 s"
    assert choose(COLD, [on_disk], PROMPT, ATTENTION, rates(disk=2e8)).held is on_disk, "5 s and 1 s against 9 s"
    assert choose(COLD, [on_disk, in_memory], PROMPT, ATTENTION, rates(disk=1e8)).held is in_memory
    assert choose(COLD, [on_disk], PROMPT, ATTENTION, rates(reading=10)).held is on_disk


def test_the_slot_is_not_left_for_a_few_entries() -> None:
    here = plan(PromptTokens(range(880)), PROMPT, ATTENTION, 0)
    assert choose(here, [Left(PromptTokens(range(900)), 1)], PROMPT, ATTENTION, rates()) is here
    assert choose(here, [Left(PromptTokens(range(960)), 1)], PROMPT, ATTENTION, rates()).keep == 960


def test_a_few_entries_are_taken_where_nothing_is_copied_for_them() -> None:
    here = plan(PromptTokens([*range(3), 7]), PROMPT, ATTENTION, 0)
    assert choose(here, [Left(PromptTokens(range(8)), 0)], PROMPT, ATTENTION, rates()).keep == 8
    assert choose(here, [Left(PromptTokens(range(8)), 1)], PROMPT, ATTENTION, rates()) is here
    assert choose(here, [Left(PromptTokens(range(6)), 0)], PROMPT, ATTENTION, rates()) is here


def test_a_restored_window_goes_back_by_its_checkpoints_alone() -> None:
    """Of a whole state only the last cells of a window are there."""
    traits = MemoryTraits(n_swa=32)
    held = PromptTokens([*range(800), *range(5000, 5100)])
    assert choose(COLD, [Left(held, 1)], PROMPT, traits, rates()).held is None
    chosen = choose(COLD, [Left(held, 1, places=(300, 700, 850))], PROMPT, traits, rates())
    assert (chosen.action, chosen.keep) == (ReuseAction.RESTORE, 700)


def test_a_tail_is_put_on_what_holds_the_entries_before_it() -> None:
    tail = Left(PromptTokens(range(900)), 1000, start=500)
    slot = PromptTokens([*range(600), 7, 7])
    here = plan(slot, PROMPT, ATTENTION, 0)
    chosen = choose(here, [tail], PROMPT, ATTENTION, rates(), slot)
    assert (chosen.action, chosen.keep, chosen.held, chosen.tails) == (ReuseAction.EXTEND, 900, None, (tail,))
    assert str(chosen) == "Reused 900 of 1,000 tokens, brought back from memory."
    short = PromptTokens([*range(499), 7])
    here = plan(short, PROMPT, ATTENTION, 0)
    assert choose(here, [tail], PROMPT, ATTENTION, rates(), short) is here
    assert choose(COLD, [tail], PROMPT, ATTENTION, rates()) is COLD


def test_tails_lead_on_from_a_state_that_is_brought_back_and_from_each_other() -> None:
    base = Left(PromptTokens([*range(300), 7]), 1000)
    first = Left(PromptTokens([*range(600), 8]), 1000, start=200)
    second = Left(PromptTokens([*range(900), 9]), 1000, start=500)
    beside = Left(PromptTokens([*range(700), 6]), 1000, start=650)
    empty = PromptTokens()
    for order in ([base, first, second, beside], [beside, second, first, base]):
        chosen = choose(COLD, order, PROMPT, ATTENTION, rates(), empty)
        assert (chosen.held, chosen.tails) == (base, (first, second))
        assert (chosen.action, chosen.keep) == (ReuseAction.TRIM, 900)


def test_a_tail_that_takes_longer_than_reading_is_left_alone() -> None:
    slot = PromptTokens(range(500))
    tail = Left(PromptTokens(range(900)), 10**9, start=500)
    here = plan(slot, PROMPT, ATTENTION, 0)
    assert choose(here, [tail], PROMPT, ATTENTION, rates(), slot).tails == (tail,)
    assert choose(here, [replace(tail, restore_bytes=10**12)], PROMPT, ATTENTION, rates(), slot) is here


def test_a_rate_goes_from_its_guess_to_what_is_measured() -> None:
    rate = Rate(100, 10)
    assert rate.per_second == 100
    rate.add(1, 1.0)
    assert 8 < rate.per_second < 100, "little was measured"
    for _ in range(200):
        rate.add(10, 1.0)
    assert 10 <= rate.per_second < 10.1
    for _ in range(50):
        rate.add(1000, 1.0)
    assert rate.per_second > 900, "what was measured last counts most"


def test_the_line_of_the_log_tells_what_was_kept_and_why() -> None:
    slot, prompt = PromptTokens([1] * 40), PromptTokens([1] * 30 + [2] * 10)
    cut = plan(slot, prompt, ATTENTION, 0).logged({"ImagePart": 2, "AudioPart": 1})
    assert (
        cut
        == "Reused 30 of 40 tokens. Equal: 30; media: 1 AudioPart, 2 ImagePart; the memory could be cut there (trim)"
    )
    back = plan(slot, prompt, MemoryTraits(trims=False), 39, (20,)).logged({})
    assert back == (
        "Reused 20 of 40 tokens, restored from the checkpoint at 20; this model's memory cannot go back to where they "
        "differ. Equal: 30; media: none; the memory could not be cut there (restore)"
    )
    assert plan(slot, PromptTokens([1] * 41), ATTENTION, 0).logged({}).endswith("need not be cut there (extend)")
