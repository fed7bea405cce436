"""The replies that are being written at once, and what is said of each."""

from collections.abc import Callable
from functools import partial

from app.core.events import ReplyEvent
from app.core.requests import ChatRequest
from app.engine.reply.live_reply import Ended
from app.engine.reply.scheduler import Scheduler
from app.engine.reply.session import Session
from app.services.engine.jobs import CancelSwitch, ReplyJob
from app.services.engine.reply_batch import ReplyBatch
from app.services.engine.states import ReplyUpdate


class Replies:
    """Lives in the engine thread, from the first one until none is left."""

    def __init__(
        self,
        session: Session,
        switch: CancelSwitch,
        tell: Callable[[ReplyJob, ReplyUpdate], None],
        end: Callable[[ReplyJob, Exception | None], None],
    ) -> None:
        """`end` hears the last of each: what ended it, if it did not end by itself."""
        self._session = session
        self._scheduler = Scheduler[ReplyJob](session, switch.aim, self._hear)
        self._tell = tell
        self._end = end
        self._batches: dict[int, ReplyBatch] = {}
        self._requests: dict[int, ChatRequest] = {}

    @property
    def conversations(self) -> set[str]:
        """Those of the replies that have not ended."""
        return {each.conversation for each in self._requests.values()}

    def make_room(self) -> bool:
        """Whether another one may begin now."""
        try:
            return self._scheduler.make_room()
        except Exception as error:  # noqa: BLE001 - the thread must live on
            self._scheduler.fail(error)
            return False

    def begin(self, job: ReplyJob) -> None:
        if not self._scheduler.is_busy:
            self._session.take_speculation(job.speculation)  # not while an answer is written
        self._session.take_checkpointing(job.checkpointing)
        self._requests[job.number] = job.request
        self._batches[job.number] = ReplyBatch(job, partial(self._scheduler.drafted, job))
        self._scheduler.add(job, job.request)

    def go_on(self) -> bool:
        """Work for a moment; False where none is left."""
        try:
            self._scheduler.step()
        except Exception as error:  # noqa: BLE001 - a bug; the thread must live on
            self._scheduler.fail(error)
        return self._scheduler.is_busy

    def _hear(self, job: ReplyJob, said: ReplyEvent | Ended) -> None:
        batch = self._batches[job.number]
        for update in batch.flush() if isinstance(said, Ended) else batch.take(said):
            self._tell(job, update)
        if isinstance(said, Ended):
            del self._batches[job.number], self._requests[job.number]
            self._end(job, said.error)
