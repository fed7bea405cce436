"""Work that blocks, in a thread that nobody has to wait for: disks and name servers may take their time."""

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


async def daemon_call(work: Callable[[], Result]) -> Result:
    """What `work` returns or raises, from a thread of its own. Cancelled, it is left to itself."""
    done: concurrent.futures.Future[Result] = concurrent.futures.Future()
    # As one that runs it can't be cancelled, and its thread may settle it whenever it likes.
    done.set_running_or_notify_cancel()
    threading.Thread(target=_work, args=(work, done), name="tool", daemon=True).start()
    return await asyncio.wrap_future(done)


def _work(work: Callable[[], Result], done: "concurrent.futures.Future[Result]") -> None:
    try:
        done.set_result(work())
    except Exception as error:  # noqa: BLE001 - it is raised where it is waited for
        done.set_exception(error)
