"""A reply's text goes out in pieces, as fast as somebody takes them."""

import pytest

from app.core.checkpointing import Checkpointing
from app.core.events import TextDelta
from app.core.requests import ChatRequest
from app.services.engine.jobs import ReplyJob
from app.services.engine.reply_batch import ReplyBatch
from app.services.engine.states import ReplyUpdate


def test_text_waits_for_a_window_that_is_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    job = ReplyJob(ChatRequest(()), Checkpointing())

    def say(updates: list[ReplyUpdate]) -> None:
        for update in updates:
            assert isinstance(update.event, TextDelta)
            said.append(update.event.text)

    batch = ReplyBatch(job, lambda: None)
    say(batch.take(TextDelta("a", 1)))
    assert said == ["a"]
    monkeypatch.setattr("app.services.engine.reply_batch.SECONDS", 0.0)
    for letter in "bcd":
        say(batch.take(TextDelta(letter, 1)))
    assert said == ["a"]
    job.count_heard(ReplyUpdate(TextDelta("a", 1)))
    say(batch.take(TextDelta("e", 1)))
    assert said == ["a", "bcde"]
    say(batch.take(TextDelta("f", 1)))
    say(batch.flush())
    assert said == ["a", "bcde", "f"]
