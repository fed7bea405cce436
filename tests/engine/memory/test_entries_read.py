"""What changes of a conversation cost on memories that can't go back to any place: hardly more than on one that can."""

import logging
from dataclasses import replace
from pathlib import Path

import pytest
from llama_cpp import llama_cpp as api

from app.core.checkpointing import Checkpointing
from app.core.messages import Message, Role
from app.engine.memory.reuse import MemoryTraits, ReuseAction, plan
from app.engine.prompt.prompt_tokens import PromptTokens
from tests.bench.context.conversations import MORE_SCENARIOS, SCENARIOS
from tests.bench.context.entries import KINDS, NEAR, SHARE, play
from tests.counted import counted
from tests.engine.conftest import EXACT, OpenTiny
from tests.engine.reply.test_session import FAMILIES, answered, ask, assert_exact, user

AT_MESSAGES = (
    "regenerate",
    "edit last",
    "back to the first",
    "reasoning dropped",
    "tool results",
    "third tool result of five changed",
    "edit after a picture",
    "picture replaced",
)
"""Scenarios that go back to where messages begin, and no other place."""
NEEDING = ("gemma3", "qwen35", "lfm2", "mamba")
LONG = replace(EXACT, ctx_size=1024)


@pytest.mark.parametrize("kind", [name for name in KINDS if name != "attention"])
def test_to_go_back_to_a_message_reads_what_an_attention_model_reads(kind: str, tmp_path: Path) -> None:
    files = KINDS[kind].write(tmp_path / "models")
    sums = [0, 0]
    for name in AT_MESSAGES:
        row = play(files, (SCENARIOS | MORE_SCENARIOS)[name], None, tmp_path / "log")
        assert row is not None
        assert all(own <= other + NEAR for own, other in zip(row.own, row.attention, strict=True)), (name, row)
        sums = [sums[0] + sum(row.own), sums[1] + sum(row.attention)]
    assert sums[0] <= SHARE * sums[1]


@pytest.mark.parametrize("family", NEEDING)
def test_any_message_of_an_old_conversation_can_be_edited(family: str, open_tiny: OpenTiny) -> None:
    """It was read at once, and each message that somebody wrote begins where it can be gone on from."""
    warm, cold = open_tiny(family), open_tiny(family)
    talk: list[Message] = []
    for number in range(8):
        talk += [user(f"{number} mountains and rivers"), Message.of(Role.ASSISTANT, f"{number} is as it is, " * 4)]
    ask(warm, *talk, user("and now?"))
    for index in range(14, -1, -2):
        edited = (*talk[:index], user("is that so?"))
        got = assert_exact(warm, cold, *edited)
        cold.slot.forget()
        assert counted(got.timings.prompt_n) <= 40, got.reuse
        starts = warm.chat.prompt(edited, {}).places
        assert got.timings.cache_n == starts[-1], "no entry before the text is read again"


@pytest.mark.parametrize("family", ["gemma3", "qwen35", "mamba"])
def test_what_a_checkpoint_takes_is_known_before_the_first(family: str, open_tiny: OpenTiny) -> None:
    """So that the first prompt is not cut for more of them than are kept."""
    session = open_tiny(family)
    foreseen = session.slot.traits.checkpoint_bytes
    ask(session, user("the river runs through the valley and over the stones. " * 8))
    largest = max(each.n_bytes for each in session.slot.checkpoints.all())
    assert 0.8 * foreseen < largest <= foreseen
    assert session.slot.checkpoints.every == 32
    assert open_tiny("llama").slot.traits.checkpoint_bytes == 0


@pytest.mark.parametrize("family", NEEDING)
def test_what_was_edited_is_edited_again_without_reading_what_stands_before(family: str, open_tiny: OpenTiny) -> None:
    """A word within a long question, and then the same one."""
    checkpointing = Checkpointing(every=0)
    warm, cold = (open_tiny(family, LONG, checkpointing=checkpointing) for _ in range(2))
    begun = "the river runs through the valley and over the stones, " * 12
    for last in ("nobody asks", "somebody asks it"):
        ask(warm, user(begun + last + " why. " * 40))
    got = assert_exact(warm, cold, user(begun + "everybody asks"))
    assert counted(got.timings.prompt_n) < 40, got.reuse


def test_a_state_of_a_whole_window_leads_to_each_place_before_it(open_tiny: OpenTiny) -> None:
    """The first question was edited in its midst, when the window had long moved on."""
    warm = open_tiny("gemma3", checkpointing=Checkpointing(every=0))
    first = user("the river runs and runs, over the stones")
    answer = ask(warm, first)
    second = user("and what does the mountain say to that, when the evening comes? " * 5)
    ask(warm, first, answered(answer), second)
    assert warm.slot.context.pos_min > 40
    got = assert_exact(warm, open_tiny("gemma3"), user(first.text[:20] + "but slowly"))
    assert counted(got.timings.prompt_n) < 25, got.reuse


def test_a_later_state_serves_only_while_it_holds_what_the_place_attends_to() -> None:
    slot, prompt = PromptTokens(range(300)), PromptTokens([*range(20), 7, 7])
    traits = MemoryTraits(n_swa=32)
    made = plan(slot, prompt, traits, 200, (32, 100))
    assert (made.action, made.keep, made.checkpoint) == (ReuseAction.RESTORE, 20, 32)
    assert plan(slot, prompt, traits, 200, (10, 33)).checkpoint == 10
    assert plan(slot, prompt, MemoryTraits(trims=False), 299, (30,)).action is ReuseAction.CLEAR


@pytest.mark.parametrize("written", [0, 10])
@pytest.mark.parametrize("family", ["gemma3", "qwen35", "mamba"])
def test_a_state_that_llama_does_not_write_whole_is_told_and_costs_reading(
    family: str,
    written: int,
    open_tiny: OpenTiny,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    warm = open_tiny(family)
    monkeypatch.setattr(api, "llama_state_seq_get_data_ext", lambda *_: written)
    question = user("the river runs through the valley and over the stones. " * 8)
    first = ask(warm, question)
    assert warm.slot.checkpoints.entries == ()
    assert f"wrote {written} of" in caplog.text
    assert "no checkpoint at entry" in caplog.text
    ask(warm, question, answered(first), user("and then? " * 30))
    assert_exact(warm, open_tiny(family), user("why? " + question.text))
    assert warm.slot.snapshot_of("") is None


@pytest.mark.parametrize("family", FAMILIES)
def test_the_log_of_a_reply_says_what_was_kept_and_why_without_what_was_said(
    family: str, open_tiny: OpenTiny, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "app.engine.reply.session")
    warm = open_tiny(family, replace(EXACT, ctx_size=512))
    ask(warm, user("mountain " * 30))
    ask(warm, user("mountain " * 15 + "river " * 15))
    _, told = (record.getMessage() for record in caplog.records if record.name == "app.engine.reply.session")
    assert told.startswith("Reused ")
    assert "media: none" in told
    cut = "could be cut" if warm.slot.traits.trims else "could not be cut"
    assert f"the memory {cut} there" in told
    assert "mountain" not in told
    assert "river" not in told


def test_where_a_message_begins_is_told_within_what_is_tokenized_at_one_go(open_tiny: OpenTiny) -> None:
    """The template writes `user` and a line before it, and no control token between them and the text."""
    for family in ("llama", "llama_spm", "gemma3"):
        session = open_tiny(family)
        chat = (user("mountain"), Message.of(Role.ASSISTANT, "river"), user("stone and valley"))
        prompt = session.chat.prompt(chat, {})
        ids = prompt.tokens.tokens(0, len(prompt.tokens)).tolist()
        vocab = session._model.vocab
        for place, text in zip(prompt.places, ("mountain", "stone and valley"), strict=True):
            behind = b"".join(vocab.piece(token) for token in ids[place:]).decode()
            assert behind.startswith(text), (family, behind)
