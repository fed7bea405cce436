"""What was given to the engine thread and has not ended."""

import pytest

from app.core.snapshot_settings import SnapshotSettings
from app.services.engine.job_queue import JobQueue
from app.services.engine.jobs import CancelSwitch, CloseJob, CountJob, Job, KeepJob, UnloadJob


@pytest.fixture
def queue() -> JobQueue:
    return JobQueue(CancelSwitch())


def test_the_oldest_runs_until_it_has_ended(queue: JobQueue) -> None:
    jobs: list[Job] = [UnloadJob(), CountJob(())]
    for job in jobs:
        queue.add(job)
    assert queue.running is jobs[0]
    assert queue.end() is jobs[0]
    assert queue.end() is jobs[1]
    assert len(queue) == 0


def test_it_is_known_what_kinds_there_are(queue: JobQueue) -> None:
    queue.add(CountJob(()))
    assert queue.has(CountJob) and not queue.has(UnloadJob)


def test_a_kind_is_cancelled_but_never_the_end(queue: JobQueue) -> None:
    count, keep, close = CountJob(()), KeepJob(SnapshotSettings()), CloseJob()
    for job in (count, keep, close):
        queue.add(job)
    queue.cancel(KeepJob)
    assert [job.cancelled for job in (count, keep, close)] == [False, True, False]
    queue.cancel(Job)
    assert [job.cancelled for job in (count, keep, close)] == [True, True, False]
    assert len(queue) == 3, "they stay until they have ended"


def test_one_is_cancelled_by_its_number(queue: JobQueue) -> None:
    first, second = CountJob(()), CountJob(())
    queue.add(first)
    queue.add(second)
    queue.cancel_one(second.number)
    queue.cancel_one(0)
    assert [first.cancelled, second.cancelled] == [False, True]


def test_only_some_jobs_are_waited_for(queue: JobQueue) -> None:
    queue.add(KeepJob(SnapshotSettings()))
    assert not queue.is_used
    queue.add(CountJob(()))
    assert queue.is_used
