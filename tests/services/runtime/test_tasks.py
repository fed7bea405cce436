"""Coroutines that are started here live on, and fail aloud."""

import asyncio
import gc
import logging

import pytest

from app.services.runtime.tasks import spawn


def test_a_task_is_kept_alive_until_it_ends() -> None:
    done: list[str] = []

    async def work() -> None:
        await asyncio.sleep(0)
        done.append("work")

    async def main() -> None:
        spawn(work(), name="work")
        gc.collect()
        while not done:
            await asyncio.sleep(0)

    asyncio.run(main())
    assert done == ["work"]


def test_a_failure_is_logged_with_the_tasks_name(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise ValueError("no")

    async def main() -> None:
        task = spawn(fail(), name="the job")
        await asyncio.wait([task])
        await asyncio.sleep(0)

    with caplog.at_level(logging.ERROR):
        asyncio.run(main())
    assert "the job" in caplog.text
    assert "ValueError: no" in caplog.text


def test_cancelling_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        task = spawn(asyncio.sleep(60), name="waiting")
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        await asyncio.sleep(0)

    with caplog.at_level(logging.ERROR):
        asyncio.run(main())
    assert not caplog.text
