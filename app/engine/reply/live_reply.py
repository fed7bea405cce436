"""A reply that has not ended, among those of a context: what it asks for, and the cells it has."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from app.core.errors import ContextFullError
from app.core.events import Queued, QueuedFor, ReplyEvent
from app.engine.binding.context import DecodeFailedError
from app.engine.binding.sequence_memory import State
from app.engine.memory.slot import Slot
from app.engine.memory.turns import OwnTurn, TextTurn, TokenTurn, Turn, WaitTurn, Working, answered
from app.engine.prompt.prompt_tokens import PromptTokens


class Asking(Protocol):
    """Who asked for a reply."""

    @property
    def cancelled(self) -> bool: ...
    @property
    def goes_first(self) -> bool:
        """Before those who don't, where it reads."""


Asker = TypeVar("Asker", bound=Asking)


@dataclass(frozen=True, slots=True)
class Ended:
    """The last that is told of a reply."""

    error: Exception | None = None
    """What ended it, if it did not end by itself."""


Aim = Callable[[Asker | None], None]
"""Lets the cancel flag tell of that one, or of nobody."""
HearReply = Callable[[Asker, ReplyEvent | Ended], None]


class LiveReply(Generic[Asker]):
    """It alone writes where it stands; what is done about it the scheduler decides."""

    def __init__(
        self,
        asker: Asker,
        slot: Slot,
        working: Working[ReplyEvent, None],
        aim: Aim[Asker],
        hear: HearReply[Asker],
        order: Iterator[int],
    ) -> None:
        """`order` numbers the turns of all of them."""
        self.asker = asker
        self.slot = slot
        self._working = working
        self._aim = aim
        self._hear = hear
        self._order = order
        self.turn: Turn | None = None
        """What it asks for; None before it was begun."""
        self.prompt: PromptTokens | None = None
        """What it reads, from when it asked to begin on."""
        self.entering = 0
        """Entries for which it needs room before it is given a turn; 0 while it has its cells."""
        self.reserved = 0
        """Entries that it will hold in any case."""
        self.out: State = b""
        """What it held when it gave its cells to others."""
        self.served = 0
        self.ended: Ended | None = None
        self.is_in_slices = False
        """It has read a part of its prompt, and what is left of that takes longer than whole prompts tell."""
        self._is_told_to_wait = False
        """Since it asked for room, or gave up its own."""

    @property
    def has_begun(self) -> bool:
        return self.prompt is not None and not (isinstance(self.turn, OwnTurn) and self.turn.prompt is not None)

    @property
    def n_held(self) -> int:
        return max(len(self.slot), self.reserved)

    def resume(self, answer: int | ContextFullError) -> None:
        """Answer its turn, tell what it says, and hear what it asks for next."""
        self._aim(self.asker)
        self.served = next(self._order)
        try:
            said: ReplyEvent | Turn = next(self._working) if self.turn is None else answered(self._working, answer)
            while not isinstance(said, OwnTurn | TokenTurn | TextTurn | WaitTurn):
                self._hear(self.asker, said)
                said = next(self._working)
        except StopIteration:
            self.ended = Ended()
        except Exception as error:  # noqa: BLE001 - whoever else is there goes on
            self.ended = Ended(error)
        else:
            self.turn = said
            if isinstance(said, OwnTurn) and said.prompt is not None:
                self.prompt, self.entering = said.prompt, len(said.prompt)

    def end(self, error: Exception) -> None:
        self.ended = Ended(error)

    def close(self) -> None:
        """Free what it works with."""
        self._working.close()

    def note_slice(self, reads: bool) -> None:
        """What it read was a part of its prompt; `reads`: that was text."""
        self.is_in_slices = reads and isinstance(self.turn, TextTurn)

    def tell_to_wait(self) -> None:
        """For room, once."""
        if not (self.ended or self._is_told_to_wait):
            self._is_told_to_wait = True
            self._hear(self.asker, Queued(QueuedFor.ROOM))

    def step_in(self, room: int) -> None:
        """It has its cells, and may hold `room` of them."""
        if self.out and not self.slot.step_in(self.out):
            self.end(DecodeFailedError("llama.cpp refused a state that it had saved"))
        self.slot.allow(room)
        self.reserved, self.entering, self.out = self.entering, 0, b""
        self._is_told_to_wait = False

    def step_out(self) -> None:
        """It gives its cells to the others, until there is room again."""
        self.entering, self.reserved = self.n_held + 1, 0
        if not len(self.slot):
            return  # it was let in and has not begun
        self.out = self.slot.step_out()
        if not self.out:
            self.end(ContextFullError("The context is full, and there is no memory to let this answer wait."))
