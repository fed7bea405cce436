"""A reply's text goes out in pieces, as fast as somebody takes them."""

from app.core.checkpointing import Checkpointing
from app.core.events import TextDelta
from app.core.requests import ChatRequest
from app.services.engine.jobs import ReplyJob
from app.services.engine.reply_batch import ReplyBatch
from app.services.engine.states import ReplyUpdate


class Told:
    """What a batch says, by a clock that is set."""

    def __init__(self, job: ReplyJob) -> None:
        self.now = 0.0
        self.texts: list[str] = []
        self.batch = ReplyBatch(job, lambda: None, lambda: self.now)

    def take(self, text: str) -> None:
        self.say(self.batch.take(TextDelta(text, 1)))

    def say(self, updates: list[ReplyUpdate]) -> None:
        for update in updates:
            assert isinstance(update.event, TextDelta)
            self.texts.append(update.event.text)


def test_text_waits_for_a_window_that_is_behind() -> None:
    job = ReplyJob(ChatRequest(()), Checkpointing())
    told = Told(job)
    told.take("a")
    assert told.texts == ["a"]
    told.now = 1.0
    for letter in "bcd":
        told.take(letter)
    assert told.texts == ["a"]
    job.count_heard(ReplyUpdate(TextDelta("a", 1)))
    told.take("e")
    assert told.texts == ["a", "bcde"]
    told.take("f")
    told.say(told.batch.flush())
    assert told.texts == ["a", "bcde", "f"]


def pieces_in_a_second(job: ReplyJob) -> int:
    """Of a thousand tokens, each piece heard at once."""
    told = Told(job)
    for millisecond in range(1000):
        told.now, before = millisecond / 1000, len(told.texts)
        told.take("a")
        if len(told.texts) > before:
            job.count_heard(ReplyUpdate(TextDelta("a", 1)))
    told.say(told.batch.flush())
    assert "".join(told.texts) == "a" * 1000
    return len(told.texts)


def test_a_window_is_told_sixty_times_a_second_and_a_program_thirty() -> None:
    assert 58 < pieces_in_a_second(ReplyJob(ChatRequest(()), Checkpointing())) < 65
    heard: list[ReplyUpdate] = []
    assert 28 < pieces_in_a_second(ReplyJob(ChatRequest(()), Checkpointing(), direct=heard.append)) < 33
