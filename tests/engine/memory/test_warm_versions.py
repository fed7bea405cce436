"""Walking between the versions of a conversation: each is warm on every kind of memory, and answers as a cold start."""

from dataclasses import replace

import pytest

from app.core.checkpointing import Checkpointing
from app.core.events import Finished
from app.core.messages import Message
from app.core.sampling import Sampling
from app.engine.memory.rates import Rate
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import EXACT, OpenTiny
from tests.engine.reply.test_session import FAMILIES, aborting_after, answered, assert_exact, user
from tests.engine.reply.test_session import ask as ask_for

FIRST = user("the river runs through the valley and over the stones, and nobody asks it why. " * 3)
SECOND = user("and what does the mountain say to that, when the evening comes in? " * 2)
OTHER = user("something else altogether, about a ship and a whale on the sea. " * 4)
THEN = user("and then?")
SPLITTING = ("llama", "moe", "deepseek2")
FEW = 40
"""Entries that the question `THEN` takes at most."""


def ask(session: Session, *messages: Message, conversation: str = "1", seed: int | None = None) -> Finished:
    """An answer that is long enough to be kept; with `seed` another one each time."""
    sampling = Sampling(temperature=0.0 if seed is None else 1.5, seed=seed or 0, max_tokens=48)
    return ask_for(session, *messages, sampling=sampling, conversation=conversation)


def asked_on(family: str, open_tiny: OpenTiny, warm: Session, *path: Message) -> Finished:
    """What is read when one asks on in a version, after a check that the answer is a cold one's."""
    got = assert_exact(warm, open_tiny(family), *path, THEN)
    assert counted(got.timings.prompt_n) <= FEW, got.reuse
    return got


@pytest.mark.parametrize("family", FAMILIES)
def test_another_answer_and_back(family: str, open_tiny: OpenTiny) -> None:
    warm = open_tiny(family)
    first = ask(warm, FIRST)
    question = (FIRST, answered(first), SECOND)
    one = ask(warm, *question)
    other = ask(warm, *question, seed=5)
    assert other.timings.prompt_n == 1
    assert one.generation.tokens != other.generation.tokens
    back = asked_on(family, open_tiny, warm, *question, answered(one))
    assert back.timings.cache_n == one.n_past, "the whole answer is warm"
    again = asked_on(family, open_tiny, warm, *question, answered(other))
    assert again.timings.cache_n == other.n_past
    third = ask(warm, *question, seed=6)
    assert third.timings.prompt_n == 1, "regenerating in the middle of this goes on to cost one entry"


@pytest.mark.parametrize("family", FAMILIES)
def test_another_last_question_and_back(family: str, open_tiny: OpenTiny) -> None:
    warm = open_tiny(family)
    first = ask(warm, FIRST)
    before = (FIRST, answered(first))
    one = ask(warm, *before, SECOND)
    edited = user("no: " + SECOND.text)
    other = ask(warm, *before, edited)
    back = asked_on(family, open_tiny, warm, *before, SECOND, answered(one))
    assert back.timings.cache_n == one.n_past
    again = asked_on(family, open_tiny, warm, *before, edited, answered(other))
    assert again.timings.cache_n == other.n_past


@pytest.mark.parametrize("family", FAMILIES)
def test_an_early_question_edited_and_back(family: str, open_tiny: OpenTiny) -> None:
    warm = open_tiny(family)
    first = ask(warm, FIRST)
    long = (FIRST, answered(first), SECOND)
    one = ask(warm, *long)
    edited = user("no: " + FIRST.text)
    other = ask(warm, edited)
    back = asked_on(family, open_tiny, warm, *long, answered(one))
    assert back.timings.cache_n == one.n_past
    again = asked_on(family, open_tiny, warm, edited, answered(other))
    assert again.timings.cache_n == other.n_past


@pytest.mark.parametrize("family", FAMILIES)
def test_a_version_after_another_conversation(family: str, open_tiny: OpenTiny) -> None:
    """Of the version that was left first only what differs is kept, where that can be put on the one left last."""
    warm = open_tiny(family)
    first = ask(warm, FIRST)
    question = (FIRST, answered(first), SECOND)
    one = ask(warm, *question)
    ask(warm, *question, seed=5)
    ask(warm, OTHER, conversation="2")
    back = asked_on(family, open_tiny, warm, *question, answered(one))
    assert back.timings.cache_n == one.n_past
    assert "brought back from memory" in back.reuse


@pytest.mark.parametrize("family", SPLITTING)
def test_a_version_of_a_version(family: str, open_tiny: OpenTiny) -> None:
    """What is put on may itself be the ground of what is put on next."""
    warm = open_tiny(family)
    first = ask(warm, FIRST)
    trunk = (FIRST, answered(first), SECOND)
    one = ask(warm, *trunk)
    branch = (*trunk, answered(one), SECOND)
    deep = ask(warm, *branch)
    deeper = ask(warm, *branch, seed=5)
    other = ask(warm, *trunk, seed=6)
    assert len([each for each in warm.slot.snapshots if each.start]) == 2
    back = asked_on(family, open_tiny, warm, *branch, answered(deep))
    assert back.timings.cache_n == deep.n_past
    for path, finished in (((*branch, answered(deeper)), deeper), ((*trunk, answered(other)), other)):
        assert asked_on(family, open_tiny, warm, *path).timings.cache_n == finished.n_past


@pytest.mark.parametrize("family", FAMILIES)
def test_only_what_differs_is_kept_where_that_can_be_put_back(family: str, open_tiny: OpenTiny) -> None:
    warm = open_tiny(family)
    assert warm.slot.traits.splits is (family in ("llama_spm", *SPLITTING))
    question = (FIRST, answered(ask(warm, FIRST)), SECOND)
    one = ask(warm, *question)
    whole = len(warm.slot.context.save())
    ask(warm, *question, seed=5)
    (kept,) = warm.slot.snapshots
    assert len(kept.entries) == one.n_past
    if warm.slot.traits.splits:
        assert kept.start >= one.n_past - 49
        assert kept.n_bytes < whole // 4
    else:
        assert kept.start == 0


def test_what_reads_fast_keeps_no_versions(open_tiny: OpenTiny) -> None:
    warm = open_tiny("llama")
    warm.slot.rates.reading = Rate(1e9, 1e9)
    question = (FIRST, answered(ask(warm, FIRST)), SECOND)
    ask(warm, *question)
    ask(warm, *question, seed=5)
    assert not list(warm.slot.snapshots)


def test_versions_stay_within_the_budget(open_tiny: OpenTiny) -> None:
    warm = open_tiny("llama", checkpointing=Checkpointing(cache_ram=0))
    question = (FIRST, answered(ask(warm, FIRST)), SECOND)
    ask(warm, *question)
    ask(warm, *question, seed=5)
    assert not list(warm.slot.snapshots)


def test_a_version_that_cannot_be_put_back_costs_only_time(open_tiny: OpenTiny) -> None:
    warm = open_tiny("llama")
    question = (FIRST, answered(ask(warm, FIRST)), SECOND)
    one = ask(warm, *question)
    ask(warm, *question, seed=5)
    (kept,) = warm.slot.snapshots
    warm.slot.snapshots.take(kept)
    warm.slot.snapshots.add(replace(kept, data=kept.data[: len(kept.data) // 2]), 100)
    got = assert_exact(warm, open_tiny("llama"), *question, answered(one), THEN)
    assert got.timings.cache_n == 0
    assert "refused" in got.reuse
    assert all(each.data != kept.data[: len(kept.data) // 2] for each in warm.slot.snapshots)


@pytest.mark.parametrize("family", ["llama", "gemma3", "qwen35", "mamba"])
def test_a_version_whose_reading_was_cancelled_leaves_the_others_warm_or_exact(
    family: str, open_tiny: OpenTiny
) -> None:
    warm = open_tiny(family)
    question = (FIRST, answered(ask(warm, FIRST)), SECOND)
    one = ask(warm, *question)
    with aborting_after(warm, 3):
        ask(warm, FIRST, user("no: " + SECOND.text))
    assert_exact(warm, open_tiny(family), *question, answered(one), THEN)


def test_a_forgotten_conversation_leaves_no_versions(open_tiny: OpenTiny) -> None:
    warm = open_tiny("llama")
    question = (FIRST, answered(ask(warm, FIRST)), SECOND)
    ask(warm, *question)
    ask(warm, *question, seed=5)
    warm.slot.forget_conversation("1")
    assert not list(warm.slot.snapshots)
    assert warm.slot.warm_conversations() == {}


def test_a_version_alone_makes_no_conversation_warm(open_tiny: OpenTiny) -> None:
    warm = open_tiny("llama")
    question = (FIRST, answered(ask(warm, FIRST)), SECOND)
    ask(warm, *question)
    ask(warm, *question, seed=5)
    warm.slot.forget()
    assert warm.slot.warm_conversations() == {}


@pytest.mark.parametrize("swa_full", [False, True])
def test_a_saved_window_is_taken_for_what_it_holds(swa_full: bool, open_tiny: OpenTiny) -> None:
    """Its last cells; all of them where the context keeps them all, so that any edit resumes where it was made."""
    loading = replace(EXACT, swa_full=swa_full)
    none = Checkpointing(ctx_checkpoints=0)
    warm = open_tiny("gemma3", loading, checkpointing=none)
    long = (FIRST, answered(ask(warm, FIRST)), SECOND, answered(ask(warm, FIRST, SECOND)))
    whole = ask(warm, *long, THEN)
    ask(warm, OTHER, conversation="2")
    got = assert_exact(warm, open_tiny("gemma3", loading, checkpointing=none), FIRST, user("what of this?"))
    if not swa_full:
        assert counted(got.timings.cache_n) < 20, "what the template begins with"
        return
    first = ask(open_tiny("gemma3", loading, checkpointing=none), FIRST)
    assert counted(whole.n_past) > counted(first.n_past) + 200, "far more than a window"
    assert counted(got.timings.cache_n) >= counted(first.timings.prompt_n) - 20
    # What was brought back may be left for another edit, as before it was saved.
    left = assert_exact(warm, open_tiny("gemma3", loading, checkpointing=none), FIRST, THEN)
    assert counted(left.timings.cache_n) >= 20
