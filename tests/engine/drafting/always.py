"""A policy that always drafts: for comparisons, where speed does not matter."""

from collections.abc import Sequence

from app.engine.drafting.controller import Controller, Option, Round
from app.engine.drafting.costs import Costs


class Always(Controller):
    """Drafts whenever there is a drafter, as many tokens as can be. It learns nothing."""

    def __init__(self) -> None:
        super().__init__(Costs())

    def choose(self, options: Sequence[Option], pending: int) -> tuple[Option, int] | None:
        return (options[0], options[0].most) if options else None

    def wants(self, option: Option) -> bool:
        return True

    def rests(self, options: Sequence[Option]) -> int:
        return 16

    def saw(self, done: Round) -> None:
        pass

    def never_pays(self, most: int) -> bool:
        return False
