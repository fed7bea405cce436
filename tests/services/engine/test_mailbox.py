"""Words for the coroutines of a loop, from other threads."""

import asyncio
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING

from app.services.engine.mailbox import Mailbox
from tests.waits import WAIT

if TYPE_CHECKING:
    from _typeshed import TraceFunction


def test_all_that_is_said_until_the_loop_is_awake_is_heard_at_one_wake_up() -> None:
    async def hear() -> None:
        loop = asyncio.get_running_loop()
        wakes, wake = list[object](), loop.call_soon_threadsafe

        def counted(say: Callable[[], object]) -> asyncio.Handle:
            wakes.append(say)
            return wake(say)

        loop.call_soon_threadsafe = counted  # type: ignore[method-assign, assignment]
        mailbox, queues = Mailbox(loop), [asyncio.Queue[int]() for _ in range(8)]
        for number in range(3):
            for queue in queues:
                mailbox.post(queue, number)
        assert [[await queue.get() for _ in range(3)] for queue in queues] == [[0, 1, 2]] * 8
        assert len(wakes) == 1
        mailbox.post(queues[0], 3)
        assert await queues[0].get() == 3

    asyncio.run(hear())


def test_nothing_is_lost_between_two_wake_ups() -> None:
    async def hear() -> None:
        mailbox, queue, n = Mailbox(asyncio.get_running_loop()), asyncio.Queue[tuple[int, int]](), 2000

        def say(who: int) -> None:
            for number in range(n):
                mailbox.post(queue, (who, number))

        threads = [threading.Thread(target=say, args=(who,)) for who in range(2)]
        for thread in threads:
            thread.start()
        async with asyncio.timeout(WAIT / 1000):
            heard = [await queue.get() for _ in range(2 * n)]
        for thread in threads:
            thread.join()
        assert all([number for who, number in heard if who == each] == list(range(n)) for each in range(2))

    asyncio.run(hear())


def test_what_is_posted_at_any_line_of_a_delivery_is_heard() -> None:
    async def hear() -> None:
        mailbox, queue, posted = Mailbox(asyncio.get_running_loop()), asyncio.Queue[int](), list[int]()

        def post(frame: FrameType, event: str, _: object) -> "TraceFunction | None":
            if frame.f_code is not Mailbox._deliver.__code__:
                return None
            if event == "line" and len(posted) < 20:
                posted.append(frame.f_lineno)
                before = sys.gettrace()
                sys.settrace(None)
                mailbox.post(queue, len(posted))
                sys.settrace(before)
            return post

        mailbox.post(queue, 0)
        traced = sys.gettrace()
        sys.settrace(post)
        try:
            async with asyncio.timeout(WAIT / 1000):
                assert [await queue.get() for _ in range(21)] == list(range(21))
        finally:
            sys.settrace(traced)
        assert len(set(posted)) > 3  # before each line, at whichever another thread might have

    asyncio.run(hear())


def test_a_loop_that_is_closed_hears_nothing() -> None:
    loop = asyncio.new_event_loop()
    mailbox, queue = Mailbox(loop), asyncio.Queue[int]()
    loop.close()
    mailbox.post(queue, 1)
    assert queue.empty()
