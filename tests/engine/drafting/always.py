"""A policy that always drafts: for comparisons, where speed does not matter."""

from collections.abc import Sequence

from app.engine.drafting.policy import Option, Round


class Always:
    """Drafts whenever there is a drafter, as many tokens as can be."""

    def choose(self, options: Sequence[Option], pending: int, since: int = 1) -> tuple[Option, int] | None:
        return (options[0], options[0].most) if options else None

    def watches(self, options: Sequence[Option]) -> Sequence[tuple[Option, int]]:
        return ()

    def rests(self, options: Sequence[Option]) -> int:
        return 16

    def saw(self, done: Round) -> None:
        pass

    def learned(self, option: Option, n_accepted: int, n_drafted: int, *, goes_on: bool = False) -> None:
        pass

    def plain_seconds(self, tokens: int) -> float:
        return 0.0

    def may_pay(self, option: Option) -> bool:
        return True

    def pays(self, option: Option) -> bool:
        return True

    def never_pays(self, most: int) -> bool:
        return False
