"""The one place that starts coroutines: a task is kept alive, named, and its failure is never silent."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

_log = logging.getLogger(__name__)
_running: set["asyncio.Task[Any]"] = set()


def spawn(coroutine: Coroutine[Any, Any, None], *, name: str) -> "asyncio.Task[None]":
    """Run `coroutine` on the current loop. asyncio itself keeps only a weak reference and hides errors."""
    task = asyncio.get_running_loop().create_task(coroutine, name=name)
    _running.add(task)
    task.add_done_callback(_ended)
    return task


def _ended(task: "asyncio.Task[None]") -> None:
    _running.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("Task %s failed", task.get_name(), exc_info=error)
