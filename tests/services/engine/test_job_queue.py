"""What was given to the engine thread and has not ended."""

import pytest

from app.core.checkpointing import Checkpointing
from app.core.requests import ChatRequest
from app.core.snapshot_settings import SnapshotRoom
from app.services.engine.futures import Future
from app.services.engine.job_queue import JobQueue
from app.services.engine.jobs import CancelSwitch, CloseJob, Job, KeepJob, QuestionJob, ReplyJob, UnloadJob


@pytest.fixture
def queue() -> JobQueue:
    return JobQueue(CancelSwitch())


def question(*, waits: bool = False) -> Job:
    return QuestionJob(lambda _session, _cancelled: None, waits)


def reply(*, idle: bool = False) -> Job:
    return ReplyJob(ChatRequest(()), Checkpointing(), idle=idle)


def test_jobs_are_there_until_they_have_ended(queue: JobQueue) -> None:
    first, second = UnloadJob(), question()
    for job in (first, second):
        queue.add(job)
    assert queue.get(first.number) is first
    assert queue.end(second.number) == (second, None)
    assert queue.end(first.number) == (first, None)
    assert len(queue) == 0


def test_whom_a_job_answers_is_known_until_it_has_ended(queue: JobQueue) -> None:
    job, asked = question(), Future[object](lambda _: None, lambda: None)
    queue.add(job, asked)
    assert queue.asked(job.number) is asked
    assert queue.end(job.number) == (job, asked)
    assert queue.asked(job.number) is None


def test_it_is_known_what_kinds_there_are(queue: JobQueue) -> None:
    queue.add(question())
    assert queue.has(QuestionJob) and not queue.has(UnloadJob)


def test_some_are_cancelled_but_never_the_end(queue: JobQueue) -> None:
    jobs = question(), KeepJob(SnapshotRoom()), CloseJob()
    for job in jobs:
        queue.add(job)
    queue.cancel(lambda _: True)
    assert [job.cancelled for job in jobs] == [True, True, False]
    assert len(queue) == 3, "they stay until they have ended"


def test_one_is_cancelled_by_its_number(queue: JobQueue) -> None:
    first, second = question(), question()
    queue.add(first)
    queue.add(second)
    queue.cancel_one(second.number)
    queue.cancel_one(0)
    assert [first.cancelled, second.cancelled] == [False, True]


@pytest.mark.parametrize(
    ("waiting", "asked", "yields"),
    [
        (question(waits=True), reply(), True),
        (question(waits=True), question(), False),
        (question(), reply(), False),
        (reply(idle=True), question(), True),
        (reply(idle=True), UnloadJob(), True),
        (reply(), reply(), False),
        (KeepJob(SnapshotRoom()), question(), True),
        (KeepJob(SnapshotRoom()), CloseJob(), True),
    ],
)
def test_what_nobody_waits_for_yields(queue: JobQueue, waiting: Job, asked: Job, yields: bool) -> None:
    queue.add(waiting)
    queue.add(asked)
    assert (waiting.cancelled, asked.cancelled) == (yields, False)


def test_only_some_jobs_are_waited_for(queue: JobQueue) -> None:
    queue.add(KeepJob(SnapshotRoom()))
    assert not queue.is_used
    queue.add(question())
    assert queue.is_used
