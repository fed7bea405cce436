"""The end of the program: prompt, also where a thread is in C and can't be told to end."""

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, NoReturn

from PySide6.QtCore import QTimer, SignalInstance

_log = logging.getLogger(__name__)

_PATIENCE_MS = 1500
"""Milliseconds for the local API and the engine together. What a text of megabytes is made of, or the parser of a huge
grammar, hears of no cancel."""


async def ends_in_time(work: Coroutine[Any, Any, None], patience_ms: int = _PATIENCE_MS) -> bool:
    """Whether `work` comes to its end by then; otherwise it is left as it is, and the process has to `leave`.

    Raises what `work` raises. For a loop of Qt's: no timer of asyncio's is pending afterwards.
    """
    loop = asyncio.get_running_loop()
    task = loop.create_task(work, name="end")
    waited = loop.create_future()
    timer = QTimer()
    timer.setSingleShot(True)
    timer.timeout.connect(partial(_settle, waited))
    task.add_done_callback(partial(_settle, waited))
    timer.start(patience_ms)
    await waited
    timer.stop()
    if task.done():
        task.result()
        return True
    _log.info("Something can't be interrupted: Hearth ends without it.")
    return False


async def emitted(signal: SignalInstance, cause: Callable[[], None]) -> None:
    """Call `cause` and wait until `signal` comes."""
    come = asyncio.get_running_loop().create_future()
    signal.connect(partial(come.set_result, None))
    cause()
    await come


def leave(code: int = 0) -> NoReturn:
    """End the process at once. Python and Qt would wait for threads, or abort because one still runs.

    What is to be kept must have been written.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code)


def _settle(waited: "asyncio.Future[None]", *_: object) -> None:
    if not waited.done():
        waited.set_result(None)
