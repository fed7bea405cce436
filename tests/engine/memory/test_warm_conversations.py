"""Whole conversations on every kind of memory: what each change costs, and that it changes nothing else."""

from dataclasses import replace
from functools import partial

import pytest

from app.core.checkpointing import Checkpointing
from app.core.errors import ContextFullError
from app.core.events import Finished
from app.core.messages import Message, Role
from app.core.overflow import Overflow
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.memory.checkpoints import Checkpoint
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import EXACT, OpenTiny, finish
from tests.engine.reply.test_session import FAMILIES, GREEDY, answered, ask, assert_exact, user

FIRST = "the river runs through the valley and over the stones, and nobody asks it why. " * 3
SECOND = "and what does the mountain say to that, when the evening comes in and the others are on the hill? " * 2


def talk(session: Session) -> tuple[Message, Message, Message, Finished]:
    """Two questions, two answers."""
    first = ask(session, user(FIRST))
    second = ask(session, user(FIRST), answered(first), user(SECOND))
    return user(FIRST), answered(first), user(SECOND), second


@pytest.mark.parametrize("family", FAMILIES)
def test_regenerating_reads_one_entry(family: str, open_tiny: OpenTiny) -> None:
    warm = open_tiny(family)
    *before, _ = talk(warm)
    got = assert_exact(warm, open_tiny(family), *before)
    assert got.timings.prompt_n == 1, got.reuse


@pytest.mark.parametrize("family", FAMILIES)
def test_another_last_question_reads_that_question_alone(family: str, open_tiny: OpenTiny) -> None:
    warm = open_tiny(family)
    question, answer, _, _ = talk(warm)
    got = assert_exact(warm, open_tiny(family), question, answer, user("only this?"))
    assert counted(got.timings.prompt_n) <= 50, got.reuse
    assert counted(got.timings.cache_n) > 200


@pytest.mark.parametrize("family", FAMILIES)
def test_going_on_after_a_regenerated_answer(family: str, open_tiny: OpenTiny) -> None:
    warm = open_tiny(family)
    *before, _ = talk(warm)
    other = ask(warm, *before, sampling=Sampling(temperature=1.5, seed=5, max_tokens=24))
    got = assert_exact(warm, open_tiny(family), *before, answered(other), user("go on"))
    assert counted(got.timings.prompt_n) <= 40, got.reuse


@pytest.mark.parametrize("family", FAMILIES)
def test_an_early_edit_is_exact_and_reads_from_the_nearest_place(family: str, open_tiny: OpenTiny) -> None:
    warm = open_tiny(family, checkpointing=Checkpointing(every=32, min_step=16))
    talk(warm)
    edited = user(FIRST[:120] + "but why? " + FIRST[120:])
    got = assert_exact(warm, open_tiny(family), edited)
    assert counted(got.timings.cache_n) >= 64, got.reuse


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_peeked_is_what_is_read(family: str, open_tiny: OpenTiny) -> None:
    warm = open_tiny(family)
    question, answer, _, _ = talk(warm)
    request = ChatRequest((question, answer, user("only this?")), GREEDY)
    peeked = warm.peek(request)
    finished = finish(warm, request)
    assert (finished.timings.cache_n, finished.timings.prompt_n) == (peeked.keep, peeked.total - peeked.keep)
    assert peeked.told == finished.reuse


@pytest.mark.parametrize("family", ["gemma3", "qwen35", "lfm2", "mamba"])
def test_a_checkpoint_that_cannot_be_restored_costs_only_time(family: str, open_tiny: OpenTiny) -> None:
    warm = open_tiny(family)
    *before, _ = talk(warm)
    checkpoints = warm.slot.checkpoints
    for n in checkpoints.entries:
        kept = checkpoints.at(n)
        assert kept is not None
        checkpoints.add(replace(kept, data=kept.data[: len(kept.data) // 2]))
    assert checkpoints.entries
    got = assert_exact(warm, open_tiny(family), *before)
    if not warm.slot.traits.trims:
        assert got.timings.cache_n == 0
        assert "refused to go back" in got.reuse


@pytest.mark.parametrize("family", ["qwen35", "mamba"])
def test_a_cancel_while_reading_goes_back_to_a_checkpoint(family: str, open_tiny: OpenTiny) -> None:
    from tests.engine.reply.test_session import aborting_after

    warm = open_tiny(family)
    question, answer, _, _ = talk(warm)
    held = len(warm.slot)
    with aborting_after(warm, 30):
        ask(warm, question, answer, user(SECOND), user(SECOND))
    assert 0 < len(warm.slot) < held
    got = assert_exact(warm, open_tiny(family), question, answer, user("only this?"))
    assert counted(got.timings.cache_n) > 100, got.reuse


def test_full_attention_takes_no_checkpoints(open_tiny: OpenTiny) -> None:
    warm = open_tiny("llama", checkpointing=Checkpointing(every=8, min_step=1))
    talk(warm)
    assert warm.slot.checkpoints.entries == ()
    assert not warm.info.needs_checkpoints


def test_checkpoints_stay_within_their_number_and_budget(open_tiny: OpenTiny) -> None:
    few = open_tiny("qwen35", checkpointing=Checkpointing(ctx_checkpoints=3, every=16, min_step=1))
    talk(few)
    assert len(few.slot.checkpoints.entries) == 24, "small ones are eight times as many"
    none = open_tiny("qwen35", checkpointing=Checkpointing(budget=0, every=16))
    talk(none)
    assert none.slot.checkpoints.entries == ()


def test_the_figures_say_where_and_how_the_prompt_changed(open_tiny: OpenTiny) -> None:
    warm = open_tiny("llama")
    question, answer, asked, _ = talk(warm)
    changed = Message.of(Role.USER, asked.text.replace("mountain", "glacier", 1))
    told = ask(warm, question, answer, changed).reuse
    assert "question 2" in told
    assert "glacier" in told
    assert "mountain" in told
    system = Message.of(Role.SYSTEM, "Today is Monday.")
    other = Message.of(Role.SYSTEM, "Today is Tuesday.")
    ask(warm, system, question)
    assert "the system prompt" in ask(warm, other, question).reuse


def long_talk(n: int) -> list[Message]:
    messages = [Message.of(Role.SYSTEM, "You are a river.")]
    for number in range(n):
        messages += [user(f"question {number} " + "x" * 60), Message.of(Role.ASSISTANT, f"answer {number} " + "y" * 40)]
    return [*messages, user("last question")]


@pytest.mark.parametrize("family", ["llama", "gemma3", "qwen35", "mamba"])
@pytest.mark.parametrize("policy", [Overflow.DROP_OLDEST, Overflow.DROP_MIDDLE])
def test_a_conversation_that_outgrew_its_context_goes_on(family: str, policy: Overflow, open_tiny: OpenTiny) -> None:
    session, cold = open_tiny(family), open_tiny(family)
    messages = tuple(long_talk(12))
    with pytest.raises(ContextFullError):
        ask(session, *messages)
    finished, again = ask(session, *messages, overflow=policy), ask(cold, *messages, overflow=policy)
    assert finished.generation.tokens == again.generation.tokens
    assert "earlier messages were left out" in finished.notes[0]
    assert counted(finished.n_past) < EXACT.ctx_size
    read = []
    for number in range(5):
        messages = (*messages, answered(finished), user(f"and then? {number}"))
        finished = ask(session, *messages, overflow=policy)
        read.append(counted(finished.timings.prompt_n))
    assert sum(n > 60 for n in read) <= 1, "the same turns are left out for many replies, so all else stays warm"


def test_one_message_that_does_not_fit_is_refused_whatever_the_policy(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    request = ChatRequest((user("x" * 2000),), GREEDY, overflow=Overflow.DROP_OLDEST)
    with pytest.raises(ContextFullError):
        list(session.reply(request))


def test_a_checkpoint_of_nothing_is_never_kept(open_tiny: OpenTiny) -> None:
    session = open_tiny("qwen35")
    session.slot.mark(matters=True)
    assert session.slot.checkpoints.entries == ()
    session.slot.checkpoints.add(Checkpoint(5, b"x"))
    session.slot.forget()
    assert session.slot.checkpoints.entries == ()


def unshown(session: Session, said: Finished) -> int:
    """Entries of an answer from its first control token on that no text shows: such a token enters no prompt again."""
    assert said.generation is not None
    piece = session.chat.chat_format(tools=False).tokenizer.piece
    # The last one was never evaluated.
    tokens = said.generation.tokens[:-1]
    return len(tokens) - next((at for at, token in enumerate(tokens) if not piece(token)), len(tokens))


@pytest.mark.parametrize("family", FAMILIES)
def test_coming_back_from_another_conversation_reads_only_what_is_new(family: str, open_tiny: OpenTiny) -> None:
    warm = open_tiny(family)
    question, answer, asked, second = talk(warm)
    held = len(warm.slot) - unshown(warm, second)
    other = ask(warm, user("something else altogether, about a ship and a whale on the sea. " * 4))
    assert counted(other.timings.cache_n) < 40
    got = assert_exact(warm, open_tiny(family), question, answer, asked, answered(second), user("where were we?"))
    assert got.timings.cache_n == held, got.reuse
    assert "brought back from memory" in got.reuse
    back = ask(
        warm, user("something else altogether, about a ship and a whale on the sea. " * 4), answered(other), user("?")
    )
    assert counted(back.timings.prompt_n) < 40, back.reuse


@pytest.mark.parametrize("family", ["gemma3", "qwen35", "mamba"])
def test_a_returned_conversation_still_has_its_checkpoints(family: str, open_tiny: OpenTiny) -> None:
    warm = open_tiny(family)
    question, answer, _, _ = talk(warm)
    ask(warm, user("something else altogether, about a ship and a whale on the sea. " * 4))
    got = assert_exact(warm, open_tiny(family), question, answer, user("only this?"))
    assert counted(got.timings.prompt_n) <= 50, got.reuse


def test_without_a_budget_nothing_is_brought_back(open_tiny: OpenTiny) -> None:
    warm = open_tiny("llama", checkpointing=Checkpointing(cache_ram=0))
    *before, _ = talk(warm)
    ask(warm, user("something else altogether, about a ship and a whale on the sea. " * 4))
    assert counted(ask(warm, *before).timings.cache_n) < 40


def test_a_snapshot_that_cannot_be_restored_costs_only_time(open_tiny: OpenTiny) -> None:
    warm = open_tiny("gemma3")
    *before, _ = talk(warm)
    ask(warm, user("something else altogether, about a ship and a whale on the sea. " * 4))
    snapshot = next(iter(warm.slot.snapshots))
    warm.slot.snapshots.take(snapshot)
    warm.slot.snapshots.add(replace(snapshot, data=snapshot.data[:1000]), 100)
    got = assert_exact(warm, open_tiny("gemma3"), *before)
    assert got.timings.cache_n == 0
    assert "refused" in got.reuse


@pytest.mark.parametrize("family", FAMILIES)
def test_a_visitor_between_two_questions_costs_the_second_nothing(family: str, open_tiny: OpenTiny) -> None:
    warm = open_tiny(family)
    said = partial(ask, warm, conversation="7")
    first = said(user(FIRST))
    held = counted(first.n_past)
    for visitor in (
        ChatRequest((user("something quite different, from another program"),), GREEDY),
        ChatRequest((), GREEDY, prompt="a text that goes on and on"),
    ):
        finish(warm, visitor)
    again = said(user(FIRST), answered(first), user(SECOND))
    assert counted(again.timings.cache_n) >= held - 1, again.reuse
