"""A reply's text goes out in pieces, as fast as somebody takes them."""

from types import SimpleNamespace
from typing import cast

from app.core.events import TextDelta
from app.engine.reply.session import Session
from app.services.engine.reply_batch import ReplyBatch
from app.services.engine.states import ReplyUpdate


def test_text_waits_for_a_window_that_is_behind() -> None:
    said: list[str] = []
    heard: list[bool] = []

    def say(update: ReplyUpdate) -> None:
        assert isinstance(update.event, TextDelta)
        said.append(update.event.text)

    batch = ReplyBatch(say, lambda: bool(heard), 1, cast(Session, SimpleNamespace(drafted=None)))
    for letter in "abc":
        batch.take(TextDelta(letter, 1))
    assert said == []
    heard.append(True)
    batch.take(TextDelta("d", 1))
    assert said == ["abcd"]
    heard.clear()
    batch.take(TextDelta("e", 1))
    batch.flush()
    assert said == ["abcd", "e"]
