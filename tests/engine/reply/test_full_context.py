"""What llama.cpp says of a batch is told as what it is: no room, a cancel, or a failure."""

from dataclasses import replace

import pytest

from app.core.cancel import CancelFlag
from app.core.errors import ContextFullError
from app.core.events import Finished, FinishReason
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.binding.context import Context, DecodeFailedError, DecodeOutcome
from app.engine.reply.live_reply import Ended
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import EXACT, OpenTiny
from tests.engine.reply.test_scheduler import Rig
from tests.engine.reply.test_session import user

ASKED = ChatRequest((user("on and on"),), Sampling(temperature=0.0, max_tokens=40))


def answer_with(monkeypatch: pytest.MonkeyPatch, code: int, *, after: int) -> None:
    """Of single tokens, all but the first `after`."""
    decode, left = Context.decode_one, [after]

    def refuse(context: Context, token: int, position: int) -> DecodeOutcome:
        if left[0] <= 0:
            if code < 0:
                raise DecodeFailedError(f"llama_decode returned {code}")
            return DecodeOutcome(code)
        left[0] -= 1
        return decode(context, token, position)

    monkeypatch.setattr(Context, "decode_one", refuse)


def last_of(session: Session) -> Finished:
    *_, last = session.reply(ASKED)
    assert isinstance(last, Finished)
    return last


@pytest.mark.parametrize("family", ["llama", "gemma3", "qwen35", "mamba"])
def test_an_answer_without_room_ends_there_and_says_so(
    family: str, open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_tiny(family)
    whole = last_of(session)
    session.slot.forget()
    with monkeypatch.context() as refusing:
        answer_with(refusing, DecodeOutcome.FULL, after=10)
        cut = last_of(session)
    assert cut.reason is FinishReason.CONTEXT_FULL
    assert counted(cut.timings.predicted_n) == 11  # the last one was drawn before there was no room for it
    assert whole.text.startswith(cut.text) and cut.text
    # What is held is as true as if it had ended there by itself.
    assert last_of(session).generation == whole.generation


def test_one_that_was_cancelled_says_that(open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch) -> None:
    session = open_tiny("llama")
    answer_with(monkeypatch, DecodeOutcome.ABORTED, after=10)
    assert last_of(session).reason is FinishReason.CANCELLED


def test_a_failure_is_one_and_nothing_is_held_of_it(open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch) -> None:
    session = open_tiny("llama")
    answer_with(monkeypatch, -3, after=10)
    with pytest.raises(DecodeFailedError):
        last_of(session)
    assert not len(session.slot) and session.slot.context.pos_max == -1


def test_a_prompt_without_room_is_refused_and_what_was_held_stays(
    open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_tiny("llama")
    with monkeypatch.context() as refusing:
        refusing.setattr(Context, "decode", lambda *_: DecodeOutcome.FULL)
        with pytest.raises(ContextFullError, match="no room"):
            last_of(session)
    assert len(session.slot) == session.slot.context.pos_max + 1
    assert last_of(session).reason is FinishReason.LENGTH


def test_of_several_the_last_one_waits_where_one_finds_no_room(
    open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = Rig(open_tiny("llama", replace(EXACT, ctx_size=512), cancel=(flag := CancelFlag())), flag)
    monkeypatch.setattr(rig.session.step_costs, "cheapest", lambda _: 1)
    for text in ("on and on", "and so on"):
        rig.add(ChatRequest((user(text),), Sampling(temperature=0.0, max_tokens=60)))
    decode, refusals = Context.decode_one, [DecodeOutcome.FULL]
    while not all(len(live.slot) > 30 for live in rig.scheduler._live):
        rig.scheduler.step()
    monkeypatch.setattr(Context, "decode_one", lambda *asked: refusals.pop() if refusals else decode(*asked))
    rig.run()
    assert not refusals
    assert [asked.ended for asked in rig.all] == [Ended(), Ended()]
    cold = open_tiny("llama", replace(EXACT, ctx_size=512))
    for asked in rig.all:
        cold.slot.forget()
        *_, expected = cold.reply(asked.request)
        assert isinstance(expected, Finished) and asked.answer.generation == expected.generation


def test_a_batch_of_several_that_was_stopped_is_a_failure(open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch) -> None:
    """For what is left of each nobody knows; a cancel is never told to such a batch."""
    rig = Rig(open_tiny("llama", cancel=(flag := CancelFlag())), flag)
    monkeypatch.setattr(rig.session.step_costs, "cheapest", lambda n: n)
    monkeypatch.setattr(Context, "decode_each", lambda *_: DecodeOutcome.ABORTED)
    for text in ("on and on", "and so on"):
        rig.add(ChatRequest((user(text),), Sampling(temperature=0.0, max_tokens=60)))
    rig.run()
    assert all(asked.ended is not None and isinstance(asked.ended.error, DecodeFailedError) for asked in rig.all)
    assert not len(rig.session.slot)
