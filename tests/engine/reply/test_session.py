"""Replies on every kind of memory: warm answers equal cold ones, also after a cancel at any point."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.errors import ContextFullError
from app.core.events import Finished, FinishReason, PromptProgress, ReplyEvent, TextDelta
from app.core.messages import ImagePart, Message, Role, TextPart
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import OpenTiny, finish
from tests.tiny_models import bpe_tokenizer, llama

FAMILIES = ("llama", "llama_spm", "gemma3", "qwen35", "lfm2", "moe", "deepseek2", "mamba")
TRIMMING = ("llama", "llama_spm")
GREEDY = Sampling(temperature=0.0, max_tokens=24)
LONG = "the rain in the mountains is heard on another hill, and so is the river under it. " * 3


def user(text: str) -> Message:
    return Message.of(Role.USER, text)


def answered(finished: Finished) -> Message:
    return Message(Role.ASSISTANT, (TextPart(finished.text),), finished.generation)


def ask(session: Session, *messages: Message, sampling: Sampling = GREEDY, **more: object) -> Finished:
    request = ChatRequest(messages, sampling)
    return finish(session, replace(request, **more))  # type: ignore[arg-type]  # each test names its own


def assert_exact(warm: Session, cold: Session, *messages: Message) -> Finished:
    """The same request on a warm and on a fresh context: same tokens, same logits to 1e-4."""
    got, wanted = ask(warm, *messages), ask(cold, *messages)
    assert got.generation.tokens == wanted.generation.tokens
    assert np.abs(warm.slot.logits() - cold.slot.logits()).max() < 1e-4
    assert wanted.timings.cache_n == 0
    return got


@pytest.mark.parametrize("family", FAMILIES)
def test_a_follow_up_reads_only_what_is_new_and_answers_as_a_cold_start(family: str, open_tiny: OpenTiny) -> None:
    warm = open_tiny(family)
    question = user(LONG)
    first = ask(warm, question)
    held = len(warm.slot)
    follow_up = assert_exact(warm, open_tiny(family), question, answered(first), user("and then?"))
    assert follow_up.timings.cache_n == held, "all that was read and written should be warm"
    assert counted(follow_up.timings.prompt_n) < 40


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("changed", ["last word", "first word", "shorter", "same again"])
def test_an_edited_prompt_answers_as_a_cold_start(family: str, changed: str, open_tiny: OpenTiny) -> None:
    warm = open_tiny(family)
    ask(warm, user(LONG))
    edited = {"last word": LONG + "why?", "first word": "So " + LONG, "shorter": LONG[:60], "same again": LONG}[changed]
    got = assert_exact(warm, open_tiny(family), user(edited))
    if family in TRIMMING:
        assert counted(got.timings.cache_n) > (0 if changed == "first word" else 10)
        if changed == "same again":
            assert got.timings.prompt_n == 1


def test_an_edit_inside_a_sliding_window_that_moved_on_is_read_again(open_tiny: OpenTiny) -> None:
    """The memory says yes to such a trim and is then silently wrong; only the plan's rule notices."""
    warm = open_tiny("gemma3", checkpointing=Checkpointing(ctx_checkpoints=0))
    text = LONG * 3
    ask(warm, user(text))
    got = assert_exact(warm, open_tiny("gemma3"), user(text[:100] + " or not? " + text[100:]))
    assert got.timings.cache_n == 0
    assert "sliding window" in got.reuse


def test_a_hybrid_memory_without_checkpoints_says_why_it_reads_again(open_tiny: OpenTiny) -> None:
    session = open_tiny("qwen35", checkpointing=Checkpointing(ctx_checkpoints=0))
    assert not session.slot.traits.trims
    ask(session, user(LONG))
    got = ask(session, user(LONG + "why?"))
    assert got.timings.cache_n == 0
    assert "cannot go back" in got.reuse


class CancelAfter:
    """Sets the flag at the n-th event of a kind."""

    def __init__(self, flag: CancelFlag, kind: type[ReplyEvent], n: int) -> None:
        self._flag, self._kind, self._left = flag, kind, n

    def watch(self, events: Iterator[ReplyEvent]) -> Finished:
        last: ReplyEvent | None = None
        for last in events:
            if isinstance(last, self._kind):
                self._left -= 1
                if self._left == 0:
                    self._flag.set()
        assert isinstance(last, Finished)
        return last


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", [PromptProgress, TextDelta])
def test_after_a_cancel_the_next_reply_is_exact(family: str, kind: type[ReplyEvent], open_tiny: OpenTiny) -> None:
    flag = CancelFlag()
    session = open_tiny(family, cancel=flag)
    stopped = CancelAfter(flag, kind, 3).watch(session.reply(ChatRequest((user(LONG),), GREEDY)))
    assert stopped.reason is FinishReason.CANCELLED
    assert bool(stopped.text) is (kind is TextDelta)
    assert (counted(stopped.timings.prompt_n) < 150) is (kind is PromptProgress), "what was not read is not counted"
    flag.clear()
    told = (answered(stopped),) if stopped.text else ()
    assert_exact(session, open_tiny(family), user(LONG), *told, user("go on"))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("nodes", [1, 40, 90, 150, 400])
def test_an_abort_inside_a_batch_leaves_an_exact_slot(family: str, nodes: int, open_tiny: OpenTiny) -> None:
    """llama.cpp is stopped between two nodes of a graph, wherever that leaves its memory."""
    flag = CancelFlag()
    session = open_tiny(family, cancel=flag)
    ask(session, user("the start"))
    with aborting_after(session, nodes):
        aborted = ask(session, user("the start of " + LONG))
    assert aborted.reason is FinishReason.CANCELLED
    assert_exact(session, open_tiny(family), user("the start of " + LONG))


def aborting_after(session: Session, nodes: int) -> "AbortAfter":
    return AbortAfter(session, nodes)


class AbortAfter:
    """Stands in for the C abort callback: counts the nodes of a graph and aborts after some of them."""

    def __init__(self, session: Session, nodes: int) -> None:
        self._context = session.slot.context
        self._left = nodes

    def __enter__(self) -> None:
        self._context.set_abort(self._count)

    def __exit__(self, *_: object) -> None:
        self._context.set_abort(None)

    def _count(self) -> bool:
        self._left -= 1
        return self._left < 0


@pytest.mark.parametrize("family", FAMILIES)
def test_an_abandoned_reply_leaves_an_exact_slot(family: str, open_tiny: OpenTiny) -> None:
    session = open_tiny(family)
    events = session.reply(ChatRequest((user(LONG),), GREEDY))
    for event in events:
        if isinstance(event, TextDelta):
            break
    events.close()
    assert_exact(session, open_tiny(family), user(LONG), user("really?"))


def test_events_come_in_order_and_their_text_is_the_answer(open_tiny: OpenTiny) -> None:
    events = list(open_tiny("llama").reply(ChatRequest((user(LONG),), GREEDY)))
    kinds = [type(event) for event in events]
    assert kinds == sorted(kinds, key=[PromptProgress, TextDelta, Finished].index)
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == finished.text
    progress = [event for event in events if isinstance(event, PromptProgress)]
    assert [each.read for each in progress] == sorted(each.read for each in progress)
    assert progress[-1].read == progress[-1].total == finished.timings.prompt_n


def test_the_last_entry_comes_alone_where_a_model_needs_it(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    session.slot.traits = replace(session.slot.traits, last_alone=True)
    events = session.reply(ChatRequest((user(LONG),), GREEDY))
    read = [event.read for event in events if isinstance(event, PromptProgress)]
    assert read[-1] - read[-2] == 1


def test_a_seed_repeats_an_answer_and_is_told(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    drawn = ask(session, user("tell me"), sampling=Sampling(temperature=1.5, max_tokens=32))
    assert counted(drawn.seed) >= 0
    same = ask(session, user("tell me"), sampling=Sampling(temperature=1.5, max_tokens=32, seed=counted(drawn.seed)))
    other = ask(
        session, user("tell me"), sampling=Sampling(temperature=1.5, max_tokens=32, seed=counted(drawn.seed) ^ 1)
    )
    assert same.text == drawn.text
    assert other.text != drawn.text


def test_the_answer_stops_at_its_limit_and_at_a_stop_string(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    limited = ask(session, user("a"), sampling=Sampling(temperature=0.0, max_tokens=5))
    assert limited.reason is FinishReason.LENGTH
    assert limited.timings.predicted_n == 5
    whole = ask(session, user(LONG)).text
    stop = whole[6:9]
    stopped = ask(session, user(LONG), stop=(stop,))
    assert stopped.reason is FinishReason.STOP
    assert stopped.text == whole[: whole.index(stop)]


def test_the_models_end_token_ends_the_answer_and_is_not_shown(open_tiny: OpenTiny, tmp_path: Path) -> None:
    """The same weights, with the third token of the greedy answer as the end."""
    whole = ask(open_tiny("llama"), user(LONG))
    end = whole.generation.tokens[2]
    assert end not in whole.generation.tokens[:2]
    ending = llama(tmp_path / "ending.gguf", eos=bpe_tokenizer().tokens[end])
    ended = ask(open_tiny(str(ending)), user(LONG))
    assert ended.reason is FinishReason.STOP
    assert ended.generation.tokens == whole.generation.tokens[:2]
    assert ended.timings.predicted_n == 3


def test_what_a_stop_string_cut_off_does_not_come_back(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    whole = ask(session, user(LONG)).text
    stopped = ask(session, user(LONG), stop=(whole[6:9],))
    assert_exact(session, open_tiny("llama"), user(LONG), answered(stopped), user("and?"))


@pytest.mark.parametrize("family", ["llama", "qwen35"])
def test_a_full_context_ends_the_answer_and_a_longer_prompt_is_refused(family: str, open_tiny: OpenTiny) -> None:
    session = open_tiny(family)
    text = "x" * 900
    full = ask(session, user(text), sampling=Sampling(temperature=0.0))
    assert full.reason in (FinishReason.CONTEXT_FULL, FinishReason.STOP)
    with pytest.raises(ContextFullError, match="1,024"):
        ask(session, user("x" * 1100))
    assert_exact(session, open_tiny(family), user("still there?"))


def test_a_template_that_refuses_changes_nothing(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    first = ask(session, user(LONG))
    with pytest.raises(ContextFullError):
        ask(session, user(LONG * 20))
    follow_up = ask(session, user(LONG), answered(first), user("and?"))
    assert counted(follow_up.timings.cache_n) > 200


def test_penalties_see_the_prompt(open_tiny: OpenTiny) -> None:
    """A token that the prompt holds is less likely with a repeat penalty, as in llama-server."""
    session = open_tiny("llama")
    plain = ask(session, user(LONG), sampling=Sampling(temperature=0.0, max_tokens=1))
    token = plain.generation.tokens[0]
    piece = session._model.vocab.piece(token).decode("utf-8", "replace")
    strong = Sampling(temperature=0.0, max_tokens=1, penalty_repeat=10.0, penalty_last_n=-1)
    spoken = LONG + piece * 3
    with_penalty = ask(session, user(spoken), sampling=strong)
    without = ask(session, user(spoken), sampling=Sampling(temperature=0.0, max_tokens=1))
    assert with_penalty.generation.tokens != without.generation.tokens or without.generation.tokens[0] != token


def test_where_a_prompt_leaves_the_last_is_told_without_the_marks_of_templates(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    ask(session, user("the rain"))
    told = ask(session, user("the rain in the mountains")).reuse
    assert "It differs from before in question 1" in told
    assert "[end of the message]" in told
    assert "<|" not in told


@pytest.mark.parametrize("family", ["llama", "gemma3", "mamba"])
def test_the_last_logits_are_those_of_a_cold_start_over_the_whole_vocabulary(family: str, open_tiny: OpenTiny) -> None:
    warm, request = open_tiny(family), ChatRequest((user(LONG),), GREEDY)
    ask(warm, user(LONG))
    again, cold = warm.logits_after(request), open_tiny(family).logits_after(request)
    assert again is not None
    assert cold is not None
    assert again.shape == cold.shape == (warm.info.n_vocab,)
    assert np.abs(again - cold).max() < 1e-4
    cancel = CancelFlag()
    stopped = open_tiny(family, cancel=cancel)
    cancel.set()
    assert stopped.logits_after(request) is None


def test_pictures_that_a_model_can_not_see_leave_a_note(open_tiny: OpenTiny) -> None:
    session, picture = open_tiny("llama"), ImagePart("0" * 64, "cat.png", 8, 8, "1" * 64)
    seen = Message(Role.USER, (picture, picture, TextPart("what is that?")))
    told = ask(session, seen)
    assert told.notes == ("The pictures were left out: this model can't see them.",)
    assert ask(session, user("hi")).notes == ()
