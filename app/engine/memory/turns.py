"""Turns: what a reply asks for where the model has to work, so that others can be at work in between."""

import sys
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeVar

from app.core.errors import ContextFullError
from app.engine.memory.memory import Memory
from app.engine.prompt.prompt_tokens import PromptTokens


@dataclass(frozen=True, slots=True)
class OwnTurn:
    """It will work by itself. Answered by how many entries it may read at the most; 0 where it was cancelled."""

    prompt: PromptTokens | None = None
    """What its memory, which is empty or goes back, will hold; None later on."""


@dataclass(frozen=True, slots=True)
class TokenTurn:
    """A token is to be evaluated, which can be done together with those of others. Answered by whether it was, or by a
    ContextFullError, which is raised where it asked.
    """

    memory: Memory
    token: int


@dataclass(frozen=True, slots=True)
class TextTurn:
    """Text of a prompt is to be evaluated, which can be done piece by piece, and together with that of others. Answered
    by how many of its tokens have been; 0 where it was cancelled.
    """

    memory: Memory
    tokens: list[int]
    """As many as fit a batch."""

    def read(self, most: int) -> int:
        """Evaluate so many at the most. Raises what `Memory.evaluate` does."""
        tokens = self.tokens[:most]
        # Whoever comes next would wait for it, and take the blame.
        return len(tokens) if self.memory.evaluate(tokens, waits=most < ALL) else 0


@dataclass(frozen=True, slots=True)
class WaitTurn:
    """It waits for what goes on in another thread. Answered when a moment has passed or that is over; 0 where it was
    cancelled.
    """

    wait: Callable[[float], bool]
    """For so many seconds at the most; whether it is over."""


Turn = OwnTurn | TokenTurn | TextTurn | WaitTurn
OWN = OwnTurn()
MOMENT = 0.01
"""Seconds after which who waits is asked again."""
ALL = sys.maxsize
"""Entries that a turn of its own may read where nobody waits."""

Event = TypeVar("Event")
Result = TypeVar("Result")
Working = Generator[Event | Turn, int, Result]
"""Something that tells events and asks for turns, of which each is answered. It decodes nowhere but right after the
answer to an `OwnTurn`, and reads logits nowhere but before its next turn.
"""


def answered(working: Working[Event, Result], answer: int | ContextFullError) -> Event | Turn:
    """What it says next."""
    return working.throw(answer) if isinstance(answer, ContextFullError) else working.send(answer)


def alone(working: Working[Event, Result], before: Callable[[], None] = lambda: None) -> Generator[Event, None, Result]:
    """Its events, with each turn given at once, after a call of `before`: nobody else is at work in the context."""
    answer: int | ContextFullError = 0
    try:
        while True:
            try:
                said = answered(working, answer) if answer else next(working)
            except StopIteration as end:
                result: Result = end.value
                return result
            answer = 0
            if isinstance(said, OwnTurn | TextTurn | TokenTurn):
                before()
            match said:
                case TokenTurn(memory, token):
                    try:
                        answer = memory.evaluate_one(token)
                    except ContextFullError as full:
                        answer = full
                case TextTurn():
                    answer = said.read(ALL)
                case OwnTurn():
                    answer = ALL
                case WaitTurn(wait):
                    wait(MOMENT)
                    answer = ALL
                case _:
                    yield said
    finally:
        working.close()
