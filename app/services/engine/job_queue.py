"""The jobs that were given to the engine thread and have not ended."""

from app.services.engine.jobs import (
    AdaptersJob,
    CancelSwitch,
    CloseJob,
    CountJob,
    EncodeJob,
    Job,
    LoadJob,
    PeekJob,
    ReplyJob,
    TokenJob,
)

_USES = (LoadJob, AdaptersJob, ReplyJob, PeekJob, CountJob, TokenJob, EncodeJob)
"""Jobs that somebody waits for."""


class JobQueue:
    """Oldest first; the first one is running. Belongs to the GUI thread."""

    def __init__(self, switch: CancelSwitch) -> None:
        self._switch = switch
        self._jobs: list[Job] = []

    def __len__(self) -> int:
        return len(self._jobs)

    @property
    def running(self) -> Job:
        return self._jobs[0]

    @property
    def is_used(self) -> bool:
        """Whether anybody waits for any of them."""
        return any(map(is_use, self._jobs))

    def has(self, kind: type[Job]) -> bool:
        return any(isinstance(job, kind) for job in self._jobs)

    def add(self, job: Job) -> None:
        self._jobs.append(job)

    def end(self) -> Job:
        """The one that was running has ended."""
        return self._jobs.pop(0)

    def cancel(self, kind: type[Job]) -> None:
        """Cancel all of a kind, but never the job that ends the thread. They stay until they have ended."""
        for job in self._jobs:
            if isinstance(job, kind) and not isinstance(job, CloseJob):
                self._switch.cancel(job)

    def cancel_one(self, number: int) -> None:
        """Nothing where it has ended."""
        for job in self._jobs:
            if job.number == number:
                self._switch.cancel(job)


def is_use(job: Job) -> bool:
    """Whether somebody waits for it."""
    return isinstance(job, _USES)
