"""Who is let through to the engine, and how many at once."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace

from app.api.visits import Nobody, Visits
from tests.api.test_named_models import Others
from tests.api.test_server import MODEL, FakeReplies, Hang, Watching, answer, asking, served, told


async def let_in(visits: Visits, client: str, stack: AsyncExitStack, order: list[str]) -> None:
    await stack.enter_async_context(visits.turn(client, "/"))
    order.append(client)


async def test_the_program_with_the_fewest_answers_comes_next() -> None:
    n, order = 2, list[str]()
    visits = Visits(Nobody(), 10, lambda: n)
    async with AsyncExitStack() as first, AsyncExitStack() as second, AsyncExitStack() as others:
        greedy = [asyncio.create_task(let_in(visits, "greedy", each, order)) for each in (first, second)]
        await asyncio.gather(*greedy)
        waiting = [asyncio.create_task(let_in(visits, name, others, order)) for name in ("greedy", "greedy", "modest")]
        await asyncio.sleep(0)
        assert (visits.n_answered, visits.n_waiting) == (2, 3)
        await first.aclose()
        await waiting[2]
        assert order == ["greedy", "greedy", "modest"]
        n = 10
        await second.aclose()
        await asyncio.gather(*waiting)
    assert (visits.n_answered, visits.n_waiting) == (0, 0)


async def test_one_that_leaves_while_it_waits_takes_no_place() -> None:
    visits, order = Visits(Nobody(), 10), list[str]()
    async with AsyncExitStack() as first, AsyncExitStack() as third:
        await let_in(visits, "one", first, order)
        second = asyncio.create_task(let_in(visits, "two", AsyncExitStack(), order))
        waiting = asyncio.create_task(let_in(visits, "three", third, order))
        await asyncio.sleep(0)
        second.cancel()
        await first.aclose()
        await waiting
    assert order == ["one", "three"]


async def test_requests_are_answered_together_and_a_window_keeps_a_place() -> None:
    model = replace(MODEL, n_parallel=3)
    # Where a request may have another model loaded, nobody is beside it.
    for observer, others, n_at_once in ((None, None, 3), (Watching(), None, 2), (None, Others("tiny"), 1)):
        replies = FakeReplies(*([[Hang()]] * 3), answer("last"), model=model)
        async with served(replies, observer=observer, others=others) as client:
            asked = [asking(client, str(number)) for number in range(4)]
            while len(replies.asked) < n_at_once:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.05)
            assert len(replies.asked) == n_at_once
            slots = await told(await client.get("/slots"))
            assert [each["is_processing"] for each in slots] == [number < n_at_once for number in range(3)]
            assert (await told(await client.get("/props")))["total_slots"] == 3
            for each in asked:
                each.cancel()
