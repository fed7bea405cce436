"""A policy that drafts where llama-server does, for counts that can be compared."""

from collections.abc import Sequence

from app.core.speculation import Rollback
from app.engine.drafting.controller import Option, Round
from tests.engine.drafting.always import Always


class AsServer(Always):
    """Drafts whenever llama-server drafts, as many tokens as can be.

    Where a memory can't let go of what is wrong of a draft, llama-server puts it back, decodes what was right and the
    token that was drawn instead once more (`spec_is_replay` in its source), and draws one token after that which nobody
    drafted. Hearth drafts that one; for comparing counts it is written plainly here.
    """

    def __init__(self, rollback: Rollback) -> None:
        """`rollback`: how llama-server goes back."""
        super().__init__()
        self._replays = rollback is not Rollback.TRIM
        self._plainly = False

    def choose(self, options: Sequence[Option], pending: int) -> tuple[Option, int] | None:
        plainly, self._plainly = self._plainly, False
        return None if plainly else super().choose(options, pending)

    def saw(self, done: Round) -> None:
        self._plainly = self._replays and done.accepted < done.drafted
