"""The plan is exact, and as cheap as the memory allows; no model is needed to show it."""

from hypothesis import given
from hypothesis import strategies as st

from app.engine.prompt_tokens import PromptTokens
from app.engine.reuse import MemoryTraits, ReuseAction, plan

tokens = st.lists(st.integers(0, 2), max_size=12)
some_tokens = st.lists(st.integers(0, 2), min_size=1, max_size=12)
ATTENTION = MemoryTraits()


@given(
    tokens,
    some_tokens,
    st.builds(MemoryTraits, st.booleans(), st.booleans(), st.sampled_from([0, 1, 4])),
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
            assert traits.keeps
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
    assert str(made) == "Reused 0 of 10 entries; this model's memory cannot go back to where they differ."
