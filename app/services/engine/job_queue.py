"""The jobs that were given to the engine thread and have not ended."""

from collections.abc import Callable
from typing import Any

from app.services.engine.futures import Future, Reply
from app.services.engine.jobs import CancelSwitch, CloseJob, Job, LoadJob, UnloadJob

Asked = Future[Any] | Reply


class JobQueue:
    """By their numbers, the oldest first. Belongs to the GUI thread."""

    def __init__(self, switch: CancelSwitch) -> None:
        self._switch = switch
        self._jobs: dict[int, Job] = {}
        self._asked: dict[int, Asked] = {}

    def __len__(self) -> int:
        return len(self._jobs)

    def get(self, number: int) -> Job:
        return self._jobs[number]

    def asked(self, number: int) -> Asked | None:
        """Whom a job answers."""
        return self._asked.get(number)

    @property
    def is_used(self) -> bool:
        """Whether anybody waits for any of them."""
        return any(job.is_use for job in self._jobs.values())

    @property
    def activates(self) -> bool:
        """Whether a model will be active when all of them have ended."""
        loads = [job for job in self._jobs.values() if isinstance(job, LoadJob | UnloadJob)]
        return bool(loads) and isinstance(loads[-1], LoadJob) and loads[-1].activates

    def has(self, *kinds: type[Job]) -> bool:
        return any(isinstance(job, kinds) for job in self._jobs.values())

    def add(self, job: Job, asked: Asked | None = None) -> None:
        """What yields to it is cancelled."""
        self.cancel(lambda other: other.yields_to(job))
        self._jobs[job.number] = job
        if asked is not None:
            self._asked[job.number] = asked

    def end(self, number: int) -> tuple[Job, Asked | None]:
        """It has ended: with whom it answers."""
        return self._jobs.pop(number), self._asked.pop(number, None)

    def cancel(self, which: Callable[[Job], bool]) -> None:
        """Cancel some, but never the job that ends the thread. They stay until they have ended."""
        for job in self._jobs.values():
            if which(job) and not isinstance(job, CloseJob):
                self._switch.cancel(job)

    def cancel_kind(self, kind: type[Job]) -> None:
        self.cancel(lambda job: isinstance(job, kind))

    def cancel_one(self, number: int) -> None:
        """Nothing where it has ended."""
        if (job := self._jobs.get(number)) is not None:
            self._switch.cancel(job)
