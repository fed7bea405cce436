"""The line that stands for calls which fold together."""

from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from app.ui.formatting.numbers import duration, line_of
from app.ui.theme.appearance import Appearance
from app.ui.widgets.fold import Fold


@dataclass(frozen=True, slots=True)
class CallRun:
    """Calls that fold together."""

    n_calls: int
    n_failed: int
    n_denied: int
    """That were not allowed."""
    seconds: float
    """That they took, one after the other."""
    is_open: bool


class CallRunLine(Fold):
    """Stands for calls; those stand below it, as they are."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, "tool", parent)

    def show_run(self, run: CallRun) -> None:
        failed = self.tr("{n} failed").format(n=run.n_failed) if run.n_failed else ""
        denied = self.tr("{n} not allowed").format(n=run.n_denied) if run.n_denied else ""
        told = line_of((duration(run.seconds), failed, denied))
        self.head.say(self.tr("%n tool call(s)", "", run.n_calls), told)
        self.head.setAccessibleDescription(told)
        self.set_open(run.is_open)

    def place(self, width: int) -> int:
        self.head.setGeometry(0, 0, width, self.head.sizeHint().height())
        return self.head.height()

    def show_body(self, is_open: bool) -> None:
        """It has none of its own."""
