"""A draft that is not checked, and compared with what is written without it: to learn how good it was for little."""

from collections.abc import Sequence

from app.engine.drafting.policy import Option, Policy


class Watch:
    """Of one draft at a time."""

    def __init__(self) -> None:
        self._option: Option | None = None
        self._draft: list[int] = []
        self._start = self._right = 0
        self._known = -1
        """Behind the place of the last token that was drafted, if all of that draft was right."""

    @property
    def is_open(self) -> bool:
        return self._option is not None

    def open(self, option: Option, history: Sequence[int], draft: list[int]) -> None:
        """`draft` may follow the token that was drawn after `history`."""
        if draft:
            self._option, self._draft, self._start, self._right = option, draft, len(history) + 1, 0

    def follow(self, history: Sequence[int], last: int, policy: Policy) -> None:
        """`last` was drawn after `history`. Tells the policy, once it is clear how much of the draft was right."""
        while self._option is not None:
            place = self._start + self._right
            if place > len(history):
                return
            right = (history[place] if place < len(history) else last) == self._draft[self._right]
            self._right += right
            if not right or self._right == len(self._draft):
                policy.learned(self._option, self._right, len(self._draft), goes_on=self._start == self._known)
                self._known = place + 1 if right else -1
                self._option = None
