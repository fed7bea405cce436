"""The events of a reply on their way out of the engine thread: the text of many tokens goes as one."""

import math
import time
from collections.abc import Callable
from typing import assert_never

from app.core.events import (
    Finished,
    Looking,
    PromptProgress,
    Queued,
    ReplyEvent,
    Retrying,
    TextDelta,
    ToolCallDelta,
    joined_deltas,
)
from app.core.speculation import DraftFigures
from app.services.engine.jobs import ReplyJob
from app.services.engine.states import ReplyUpdate

SECONDS = 0.016
"""At most about sixty signals a second reach the window, however fast the model writes."""
_DIRECT = 0.033
"""And thirty pieces a second a program: each takes a wake-up of its loop and a write to its client, 0.6 ms of a slow
processor.
"""


class ReplyBatch:
    """Of one reply. What a call returns is to be said now, in this order.

    While nobody has heard yet what was said, text waits: a window that is slower than the model would otherwise work
    off what comes, and nothing else, until the answer ends.
    """

    def __init__(
        self, job: ReplyJob, drafted: Callable[[], DraftFigures | None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`drafted` says what drafting has done so far."""
        self._job = job
        self._seconds = SECONDS if job.direct is None else _DIRECT
        self._drafted = drafted
        self._clock = clock
        self._n_told = 0
        """Pieces of the answer."""
        self._waiting: TextDelta | ToolCallDelta | None = None
        self._told = -math.inf

    def take(self, event: ReplyEvent) -> list[ReplyUpdate]:
        match event:
            case TextDelta() | ToolCallDelta():
                return self._take_delta(event)
            case PromptProgress() | Looking() | Retrying() | Queued():
                return [ReplyUpdate(event)]
            case Finished():
                return [*self.flush(), ReplyUpdate(event)]
            case _:
                assert_never(event)

    def flush(self) -> list[ReplyUpdate]:
        """What waits."""
        if self._waiting is None:
            return []
        waiting, self._waiting = self._waiting, None
        # Progress does not count: the first token, which people wait for, comes right after the last of it.
        self._told = self._clock()
        self._n_told += 1
        return [ReplyUpdate(waiting, self._drafted())]

    def _take_delta(self, delta: TextDelta | ToolCallDelta) -> list[ReplyUpdate]:
        said: list[ReplyUpdate] = []
        if self._waiting is not None:
            joined = joined_deltas((self._waiting, delta))
            said = self.flush() if len(joined) > 1 else []
            delta = joined[-1]
        self._waiting = delta
        if self._clock() - self._told >= self._seconds and self._job.n_heard >= self._n_told:
            said += self.flush()
        return said
