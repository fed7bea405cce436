"""A cancel reaches the job that it is for, whenever it comes."""

from app.services.engine.jobs import CancelSwitch, UnloadJob


def test_a_cancel_reaches_the_running_job_alone() -> None:
    switch, running, waiting = CancelSwitch(), UnloadJob(), UnloadJob()
    switch.aim(running)
    switch.cancel(waiting)
    assert not switch.flag.is_set(), "the running job goes on"
    switch.cancel(running)
    assert switch.flag.is_set()


def test_a_job_that_was_cancelled_while_it_waited_begins_cancelled() -> None:
    switch, job = CancelSwitch(), UnloadJob()
    switch.cancel(job)
    switch.aim(job)
    assert switch.flag.is_set()


def test_a_late_cancel_does_not_hit_the_next_job() -> None:
    switch, first, second = CancelSwitch(), UnloadJob(), UnloadJob()
    switch.aim(first)
    switch.aim(None)
    switch.cancel(first)
    switch.aim(second)
    switch.cancel(first)
    assert not switch.flag.is_set()
