"""What was asked of the engine and has not ended, in the hands of who asked. All in the GUI thread."""

from collections.abc import Callable
from typing import Generic

from app.core.events import Looking, PromptProgress
from app.services.engine.jobs import Answer
from app.services.engine.states import ReplyFailed, ReplyUpdate

Hear = Callable[[ReplyUpdate | ReplyFailed], None]


class Future(Generic[Answer]):
    """Of one question. Its answer is told once, and never before the call that asked has returned."""

    def __init__(
        self,
        done: Callable[[Answer | Exception], None],
        cancel: Callable[[], None],
        progress: Callable[[PromptProgress | Looking], None] = lambda _: None,
    ) -> None:
        """`done` hears the answer, or the UserError or the bug that there is instead."""
        self._done: Callable[[Answer | Exception], None] | None = done
        self._cancel = cancel
        self._progress = progress

    def cancel(self) -> None:
        """Stop it, running or waiting, and hear nothing of it any more."""
        self._done = None
        self._cancel()

    def tell(self, progress: PromptProgress | Looking) -> None:
        """For the engine."""
        if self._done is not None:
            self._progress(progress)

    def end(self, result: Answer | Exception) -> None:
        """For the engine."""
        done, self._done = self._done, None
        if done is not None:
            done(result)


class Reply:
    """One reply: its events, the last of which is a Finished or a ReplyFailed."""

    def __init__(self, hear: Hear, cancel: Callable[[], None]) -> None:
        self._hear: Hear | None = hear
        self._cancel = cancel

    def cancel(self) -> None:
        """Stop it, running or waiting. It still ends with a Finished."""
        self._cancel()

    def tell(self, said: ReplyUpdate) -> None:
        """For the engine."""
        hear = self._hear
        if said.is_last:
            self._hear = None
        if hear is not None:
            hear(said)

    def end(self, result: object) -> None:
        """For the engine."""
        hear, self._hear = self._hear, None
        if hear is not None and isinstance(result, Exception):
            hear(ReplyFailed(result))
