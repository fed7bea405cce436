"""Coroutines that are started here live on, and fail aloud."""

import asyncio
import gc
import logging

import pytest

from app.services.runtime.tasks import spawn


async def test_a_task_is_kept_alive_until_it_ends() -> None:
    done: list[str] = []

    async def work() -> None:
        await asyncio.sleep(0)
        done.append("work")

    spawn(work(), name="work")
    gc.collect()
    while not done:
        await asyncio.sleep(0)


async def test_a_failure_is_logged_with_the_tasks_name(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise ValueError("no")

    with caplog.at_level(logging.ERROR):
        await asyncio.wait([spawn(fail(), name="the job")])
        await asyncio.sleep(0)
    assert "the job" in caplog.text
    assert "ValueError: no" in caplog.text


async def test_cancelling_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        task = spawn(asyncio.sleep(60), name="waiting")
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        await asyncio.sleep(0)
    assert not caplog.text
