"""A call of an answer that is being seen to: from what the model wrote to its result."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from app.core.messages import Message, ToolCall
from app.services.tools.call_states import Allowed, Asked, CallState, Filling, Looking, Running
from app.services.tools.servers import RunningWork
from app.storage.conversations import StoredMessage
from app.tools.examined import Examined
from app.tools.forms import Form, FormAction, FormAnswer


@dataclass(slots=True, eq=False)
class OpenCall:
    """It alone writes where it stands. What comes late, or of another state, changes nothing."""

    call: ToolCall
    meant: Examined | None = None
    """None for one that is wrong."""
    is_stuck: bool = False
    """It is wrong, and was so before."""
    edited: str = field(default="", init=False)
    """The arguments as a person changed them."""
    state: CallState | None = field(default=None, init=False)
    """None for one that is answered already."""
    result: Message | None = field(default=None, init=False)
    figures: dict[str, object] = field(default_factory=dict, init=False)
    stored: StoredMessage | None = field(default=None, init=False)
    _work: RunningWork | None = field(default=None, init=False)
    _filled: Callable[[FormAnswer], None] | None = field(default=None, init=False)
    """Takes what a person filled in, where the server asked for it."""

    def answer(self, result: Message, **figures: object) -> None:
        """With what comes from Hearth or from a person, and not from the tool."""
        self.result, self.state = result, None
        self.figures |= {"inside": True, **figures}

    def ask(self, asked: Asked) -> None:
        self.state = asked

    def look(self, preview: RunningWork) -> None:
        """A person is asked when it is known what it would change."""
        self.state, self._work = Looking(), preview

    def allow(self) -> None:
        self.state = Allowed()

    def change(self, meant: Examined, edited: str) -> None:
        """A person changed the arguments to these, in JSON."""
        self.meant, self.edited = meant, edited

    def store(self, message: StoredMessage) -> None:
        """Where its result stands, or will stand."""
        self.stored = message

    def run(self, begin: Callable[[Examined], RunningWork]) -> None:
        assert self.meant is not None
        self.state = Running(time.monotonic())
        self._work = begin(self.meant)

    def progress(self, text: str) -> bool:
        """Whether it still runs."""
        if isinstance(self.state, Running):
            self.state = replace(self.state, progress=text)
            return True
        return False

    def have_filled(self, form: Form, filled: Callable[[FormAnswer], None]) -> bool:
        """Whether a person can be asked to fill in the form; otherwise that is told to the server."""
        if isinstance(self.state, Running):
            self.state, self._filled = Filling(form, self.state.since), filled
            return True
        filled(FormAnswer(FormAction.CANCEL))
        return False

    def fill(self, answer: FormAnswer) -> bool:
        """Whether there was a form."""
        if not isinstance(self.state, Filling) or self._filled is None:
            return False
        self.state, filled, self._filled = Running(self.state.since), self._filled, None
        filled(answer)
        return True

    @property
    def seconds(self) -> float | None:
        """For how long it has run; None where it doesn't."""
        return time.monotonic() - self.state.since if isinstance(self.state, Running | Filling) else None

    def end(self, result: Message, figures: Mapping[str, object]) -> None:
        """With what the tool said."""
        self.result, self.state = result, None
        self.figures |= figures

    def stop(self) -> bool:
        """Nothing that comes later changes it. Whether it ran."""
        ran, self.state = self.seconds is not None, None
        if self._work is not None:
            self._work.cancel()
        return ran
