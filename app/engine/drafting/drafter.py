"""What guesses the tokens that come next."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from app.core.speculation import DrafterKind
from app.engine.binding.context import Context
from app.engine.memory.companion import Companion
from app.engine.prompt.prompt_tokens import PromptTokens


class Drafter(Companion):
    """Guesses tokens; a round checks them with the model that is drafted for, the target.

    *History* means the ids of all entries from the prompt's first on, a picture's cells being negative, without the
    token that was drawn last: that one, `last`, is in no memory yet. Entries are counted; positions are what the
    memory numbers them by, and the two differ after pictures.

    In a reply: `begin` once when the prompt is read; then for each round `draft`, the target's decoding (`process`),
    and `accept`. In a step without a draft there is `process` alone. All calls come from the engine thread. A drafter
    that can't go on gives empty drafts; an exception is a bug.

    What does nothing here suits one that compares the history by itself, and keeps nothing with the slot's states.
    """

    kind: ClassVar[DrafterKind]
    is_steady: ClassVar[bool] = True
    """What it promises changes little from token to token, so where it is not worth it, it may rest."""

    def __init__(self, n_max: int, *, p_min: float = 0.0) -> None:
        self.n_max = n_max
        """The most tokens that a draft can have; at least 1."""
        self.p_min = p_min
        """A draft ends before a token that is less likely than this. Without meaning for n-grams."""
        self.is_wanted: Callable[[], bool] = lambda: True

    def take(self, p_min: float) -> None:
        """Draft down to this likelihood from now on. Between replies."""
        self.p_min = p_min

    def ask_first(self, is_wanted: Callable[[], bool]) -> None:
        """Before reading only to keep up, ask whether a draft would be wanted now; else it always is."""
        self.is_wanted = is_wanted

    @property
    def head(self) -> Context | None:
        """The context in which it runs a part of the target's own model: adapters of that model work there too. None
        where it guesses without, or with another model, which no adapter of this one fits.
        """
        return None

    def begin(self, history: Sequence[int]) -> None:
        """A reply begins; all of its prompt is `history`. What is known of an equal beginning is kept."""

    def prospect(self, history: Sequence[int], last: int) -> int:
        """A class of what `draft` would give here, each with an acceptance of its own; 0 where it would give nothing.

        Cheap. A drafter that can't tell before says 1.
        """
        raise NotImplementedError

    def behind(self) -> int:
        """About how many entries `prepare` would read now; after `prospect`, and as cheap."""
        return 0

    def waits(self) -> int | None:
        """After so many more tokens `look_back` tells enough, 0 for now; None where it never does. As `behind`."""
        return None

    def look_back(self, history: Sequence[int], last: int) -> Sequence[bool]:
        """Of the answer's last tokens, with `last`: which ones it would have guessed. What it lacks is read for that,
        and tells of no more tokens than it lacked.
        """
        return ()

    def prepare(self, history: Sequence[int]) -> None:
        """Read what it lacks of the history, where that is much. The time that this takes does not count as drafting's.

        Before each `draft`.
        """

    def draft(self, history: Sequence[int], last: int, n: int) -> list[int]:
        """Up to `n` tokens that may follow `last`, which follows `history`; empty where it has no guess.

        `history` has grown since `begin` by the tokens that were drawn, and by nothing else.
        """
        raise NotImplementedError

    def accept(self, n_accepted: int, n_past: int) -> None:
        """Of the last draft the first `n_accepted` tokens were right. The target's memory holds `n_past` entries now.

        Those may be fewer than are known to be right: a memory that can't go back evaluates them again with the next
        batch. What `process` told of them stays true.
        """

    def process(self, tokens: Sequence[int], entries: PromptTokens) -> None:
        pass

    def trim(self, keep: int) -> int:
        return keep

    def reset(self) -> None:
        pass

    def save(self, n: int, start: int) -> bytes:
        return b""

    def restore(self, n: int, data: bytes) -> None:
        pass

    def close(self) -> None:
        """Free what it owns. The target still lives."""
